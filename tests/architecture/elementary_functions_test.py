#!/usr/bin/python3
"""Checks that results take their elementary functions from math/elementary.h: those of the C library
have other last bits on processors with fused operations [docs/theory/same-bits.md]."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Only powers of two are made of std::exp2 and std::log2, whose results are rounded to integers.
BANNED = re.compile(
    r"std::(sin|cos|tan|asin|acos|atan|atan2|exp|expm1|log|log1p|pow|hypot|cbrt|sinh|cosh|tanh)\("
    r"|AngleAxis|slerp|eulerAngles")


def main():
    faults, files = [], 0
    for path in sorted((ROOT / "amontons").rglob("*")):
        if path.suffix not in {".h", ".cc"}:
            continue
        files += 1
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if BANNED.search(line):
                faults.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
    for fault in faults:
        print(fault)
    print(f"{files} files, {len(faults)} faults")
    return 1 if faults or files < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
