"""Shrinks a program on which the engine differs from the installed PyTorch to the fewest steps that still differ.

Prints the steps that are left, with what differs, and writes the program to --out as a JSON line. Leaves out steps one
by one (with those that need their results), has PyTorch record what remains and the engine replay it, until no step can
go. The difference must stay of its kind: in the same field, after the same sort of step.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

import torch

from machine import record

DIFFERENCE = re.compile(r"^(\S+) step (\d+) \(.*\): (error text|(?:\S+ )?\S+)$")


class Tool:
    def __init__(self, path):
        self.path = path

    def differences(self, programs):
        """{id: (step number, field)} of the first difference of each program that differs."""
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            file.writelines(json.dumps(program) + "\n" for program in programs)
            file.flush()
            run = subprocess.run([self.path, file.name, "--known", os.devnull], capture_output=True, text=True)
        if run.returncode not in (0, 1):
            sys.exit("shrink.py: " + run.stderr)
        found = {}
        for line in run.stdout.splitlines():
            match = DIFFERENCE.match(line)
            if match:
                found.setdefault(match[1], (int(match[2]), match[3].split()[-1]))
        return found

    def show(self, path, name):
        """The program's steps and differences, without the closing count."""
        shown = subprocess.run([self.path, path, "--show", name], capture_output=True, text=True)
        text = shown.stdout
        if shown.returncode < 0:  # --show runs in one process, which the engine ended
            text += subprocess.run([self.path, path], capture_output=True, text=True).stdout
        return "".join(line for line in text.splitlines(True) if not line.endswith(" identical\n"))


def without(steps, gone):
    """The steps but `gone`, and but those that need a tensor which is then never made."""
    left, missing = [], set(steps[gone].get("out", []))
    for i, step in enumerate(steps):
        if i == gone:
            continue
        if missing & {name for name in step.get("in", []) if isinstance(name, str)}:
            missing |= set(step.get("out", []))
        else:
            left.append(step)
    return left


def kind(steps, difference):
    number, field = difference
    step = steps[number - 1] if number else {}
    return step.get("do"), step.get("function"), field


def candidate(steps, name):
    return {"id": name, "torch": torch.__version__, "steps": record([dict(step) for step in steps])}


def shrink(program, tool):
    """Its fewest steps and the difference that they show; None for the difference when there is none."""
    best = candidate(program["steps"], "whole")
    difference = tool.differences([best]).get("whole")
    if difference is None:
        return best, None
    wanted = kind(best["steps"], difference)
    best = candidate(best["steps"][:difference[0]], "whole")
    while True:
        tries = [candidate(without(best["steps"], i), str(i)) for i in range(len(best["steps"]))]
        found = tool.differences(tries)
        smaller = [t for t in tries if t["id"] in found and kind(t["steps"], found[t["id"]]) == wanted]
        if not smaller:
            return best, difference
        best = min(smaller, key=lambda t: len(t["steps"]))
        difference = found[best["id"]]
        best = dict(best, steps=best["steps"][:difference[0]])


def first_program(path, name):
    with open(path) as file:
        for line in file:
            program = json.loads(line)
            if name is None or program["id"] == name:
                return program
    sys.exit("shrink.py: there is no program %s in %s" % (name or "", path))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="programs, uncompressed")
    parser.add_argument("id", nargs="?", help="of the program to shrink; the first one when left out")
    parser.add_argument("--tool", required=True, help="the program gradlab-conformance")
    parser.add_argument("--out", help="where to write the program that is left")
    args = parser.parse_args()
    program = first_program(args.file, args.id)
    tool = Tool(args.tool)
    best, difference = shrink(program, tool)
    if difference is None:
        sys.exit("shrink.py: %s does not differ when it is recorded again" % program["id"])
    best["id"] = program["id"] + "-shrunk"
    with tempfile.TemporaryDirectory() as folder:
        path = args.out or os.path.join(folder, "shrunk.jsonl")
        with open(path, "w") as out:
            out.write(json.dumps(best) + "\n")
        print(tool.show(path, best["id"]), end="")


if __name__ == "__main__":
    main()
