"""Writes random straight-line autograd programs and what the installed PyTorch makes of them, as JSON lines.

A line is a program: {"id", "theme", "torch", "steps": [step...]}.
A step is {"do": NAME, ...arguments..., "then": {...}}; "then" is what PyTorch shows after it:
  "error": {"type", "message"}            the step raised (the program goes on with the next step)
  "state": {tensor: {field: value, ...}}  every live tensor whose observable state changed, and only the changed fields
Fields: shape, stride, offset, dtype, values (row-major; floats as C99 hex), version, requires_grad, is_leaf, grad_fn
(class name or null), output_nr, grad (values or null), grad_shape, grad_requires_grad.
"""
import argparse
import json
import random

import torch

import oracle_profile
import wide_profile
from machine import record

PROFILES = {"oracle": oracle_profile, "wide": wide_profile}


def write(out, name, theme, steps):
    # What holds after PyTorch's own assertion failed is nobody's rule: the program ends before it.
    for i, step in enumerate(steps):
        if "INTERNAL ASSERT FAILED" in step["then"].get("error", {}).get("message", ""):
            steps = steps[:i]
            break
    out.write(json.dumps({"id": name, "theme": theme, "torch": torch.__version__, "steps": steps}) + "\n")


def generate(args):
    profile = PROFILES[args.profile]
    themes = list(profile.THEMES)
    with open(args.out, "w") as out:
        for i in range(args.start, args.start + args.count):
            name = themes[i % len(themes)]
            r = random.Random(args.seed * 1000003 + i)
            write(out, "%s-%d-%d" % (name, args.seed, i), name, profile.program(r, name))


def rerun(args):
    with open(args.rerun) as programs, open(args.out, "w") as out:
        for line in programs:
            program = json.loads(line)
            write(out, program["id"], program.get("theme", ""), record(program["steps"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    parser.add_argument("count", type=int, nargs="?", default=100)
    parser.add_argument("out")
    parser.add_argument("--profile", choices=PROFILES, default="oracle",
                        help="oracle: the distribution of shared/oracle, program by program; wide: more of everything")
    parser.add_argument("--start", type=int, default=0,
                        help="number of the first program (to share a seed out over cores)")
    parser.add_argument("--rerun", metavar="FILE", help="record the programs of FILE again instead of making new ones")
    args = parser.parse_args()
    rerun(args) if args.rerun else generate(args)


if __name__ == "__main__":
    main()
