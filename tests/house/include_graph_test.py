#!/usr/bin/python3
"""Includes run downwards only: walks every #include "..." of the tree and fails on any other edge."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BELOW = {
    "math": set(),
    "optimization": {"math"},
    "geometry": {"math"},
    "dynamics": {"math"},
    "contact": {"math"},
    "models": {"contact", "optimization", "math"},
    "simulation": {"geometry", "dynamics", "models", "contact", "optimization", "math"},
    "io": {"simulation", "geometry", "dynamics", "models", "contact", "optimization", "math"},
}
ROOMS = set(BELOW)
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def main() -> int:
    faults = []
    edges = set()
    for path in sorted((ROOT / "amontons").rglob("*")):
        if path.suffix not in {".h", ".cc", ".in"}:
            continue
        room = path.relative_to(ROOT / "amontons").parts[0]
        for included in INCLUDE.findall(path.read_text(encoding="utf-8")):
            parts = included.split("/")
            where = f"{path.relative_to(ROOT)} includes {included}"
            if parts[0] != "amontons" or len(parts) < 3:
                faults.append(f"{where}: write it as \"amontons/ROOM/FILE.h\"")
            elif parts[1] != room:
                edges.add((room, parts[1]))
                if parts[1] not in BELOW[room]:
                    faults.append(f"{where}: {room}/ may not know {parts[1]}/")
            if not (ROOT / included).is_file() and "build_info" not in included:
                faults.append(f"{where}: no such file")
    for fault in faults:
        print(fault)
    if not edges:
        print("found no edges at all: the walk is broken")
        return 1
    print(f"{len(edges)} kinds of edges between rooms, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
