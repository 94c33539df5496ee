#!/usr/bin/python3
"""Checks that every loop whose head has no end of its own says what bounds it: a comment with
"Bound:" stands above `while (true)` and above a `for` without a condition [docs/theory/effort.md]."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENDLESS = re.compile(r"^\s*(while \((true|1)\)|for \([^;]*;\s*;)")
LINES_ABOVE = 4


def main():
    faults, files, loops = [], 0, 0
    for folder in ("amontons", "tools", "python"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in {".h", ".cc"}:
                continue
            files += 1
            lines = path.read_text(encoding="utf-8").splitlines()
            for number, line in enumerate(lines):
                if not ENDLESS.match(line):
                    continue
                loops += 1
                above = " ".join(lines[max(0, number - LINES_ABOVE):number])
                if "Bound:" not in above:
                    faults.append(f"{path.relative_to(ROOT)}:{number + 1}: {line.strip()}")
    for fault in faults:
        print(fault)
    print(f"{files} files, {loops} loops without an end of their own, {len(faults)} faults")
    return 1 if faults or files < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
