#!/usr/bin/env python3
"""Writes gelu_table.h's tables (needs mpmath): python3 kernels/gelu_coefficients.py

Each function of a = |x| becomes eight polynomials in u = a - width * k, k = round(a / width): Chebyshev
interpolation in 40 digits, then rounded to float32. One line per power of u, one column per k.
"""
from mpmath import cos, erfc, exp, lu_solve, matrix, mp, mpf, pi, sqrt
import struct

mp.dps = 40
PIECES = 8


def tail(a):
    return erfc(a / sqrt(2)) / 2


def slope(a):
    return tail(a) - a * exp(-a * a / 2) / sqrt(2 * pi)


def float32_hex(value):
    rounded = struct.unpack("f", struct.pack("f", float(value)))[0]
    return "0.0f" if rounded == 0 else rounded.hex().replace("0000000p", "p") + "f"


def fit(function, width, degree, piece):
    # Around 0 both functions are 1/2 plus something odd: fit the odd powers alone, on u > 0.
    powers = list(range(1, degree + 1, 2)) if piece == 0 else list(range(degree + 1))
    span = 4 if piece == 0 else 2
    nodes = [width / 2 * cos(pi * (2 * i + 1) / (span * len(powers))) for i in range(len(powers))]
    constant = mpf(1) / 2 if piece == 0 else mpf(0)
    values = [function(piece * width + u) - constant for u in nodes]
    solution = lu_solve(matrix([[u**p for p in powers] for u in nodes]), matrix(values))
    coefficients = [mpf(0)] * (degree + 1)
    coefficients[0] = constant
    for power, value in zip(powers, solution):
        coefficients[power] += value
    return coefficients


def main():
    for name, function, width, degree in (("kTail", tail, mpf("0.75"), 6), ("kSlope", slope, mpf("0.875"), 7)):
        pieces = [fit(function, width, degree, piece) for piece in range(PIECES)]
        print(name)
        for power in range(degree + 1):
            print("        {" + ", ".join(float32_hex(piece[power]) for piece in pieces) + "},")


if __name__ == "__main__":
    main()
