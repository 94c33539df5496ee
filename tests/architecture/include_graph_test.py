#!/usr/bin/python3
"""Checks that includes run downwards only, between modules and between the folders of a module.

Walks every #include "..." of the library and of the command line, and fails on any edge that the
tables below do not list. The lists are complete, not transitive. It fails on folders of too many
files, too, those of the Python module among them.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# A module, and the modules below it that it may include.
MODULES = {
    "math": "",
    "optimization": "math",
    "geometry": "math",
    "dynamics": "math",
    "contact": "optimization math",
    "models": "contact optimization math",
    "simulation": "models contact optimization dynamics geometry math",
    "io": "simulation models contact optimization dynamics geometry math",
}

# A folder, and the other folders of its module that it may include; "." is the module's own.
FOLDERS = {
    "math": {".": ""},
    "optimization": {
        "lcp": "",
        "lp": "",
        "dense": "",
        "qp": "dense lp",
        "programs": "lcp qp",
        "socp": "dense",
        "sparse": "",
        "ccp": "dense sparse",
        "ccp/capped": "ccp socp sparse",
        "ccp/methods": "ccp socp",
        "ccp/strategy": "ccp ccp/methods",
        "cone_sets": "ccp",
    },
    "geometry": {
        "shapes": "",
        "convex": "shapes",
        "surface": "shapes convex",
        "broad_phase": "shapes",
        "repair": "shapes",
        ".": "shapes convex surface",
    },
    "dynamics": {".": ""},
    "contact": {
        ".": "",
        "islands": ".",
        "operators": ". islands",
        "certificate": ". islands operators",
    },
    "models": {
        "common": "",
        "formulation": "common",
        "closed_form": "common",
        "impact": "",
        "reactions": "",
        "decorators": "common formulation reactions",
        "islands": "common closed_form decorators",
        "acceleration": "common formulation islands",
        ".": "common formulation closed_form impact decorators",
    },
    "simulation": {
        "scene": "",
        "system": "scene",
        "forces": "scene system",
        "rest": "scene system",
        "detection": "scene system",
        "stepping": "scene system forces rest detection",
        "smooth": "scene system forces detection stepping",
        "events": "scene system forces detection stepping smooth",
        ".": "scene system forces detection stepping events",
    },
    "io": {
        "common": "",
        "yaml": "common",
        "xml": "common",
        "tables": "common",
        "child": "",
        "hdf5": "common child",
        "mesh": "common child",
        "import": "common mesh",
        "urdf": "common xml import",
        "sdf/shapes": "common xml",
        "sdf/versions": "common xml",
        "sdf/completion": "common xml",
        "sdf": "common xml tables import sdf/shapes sdf/versions sdf/completion",
        "mjcf": "common xml tables import",
        "mjcf/actuators": "common mjcf",
        "mjcf/sensors": "common mjcf",
        "scene": "common yaml xml tables import urdf sdf mjcf",
        "problem": "common hdf5",
        "run/storage": "common hdf5",
        "run": "common hdf5 problem scene run/storage",
        "verify": "common run",
        "replay": "common mesh import run",
        "picture": "common replay",
    },
    "tools/amontons": {
        "support": "",
        "contest": "support",
        "live": "",
        "replay": "support live",
        "info": "support",
        "verbs": "support live contest replay info",
        ".": "support verbs",
    },
}

# The one public header of the library may include any module, and nothing includes it.
FACE = "amontons/amontons.h"
MAX_FILES = 45
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def place_of(path):
    """Returns (module, folder) of a file by its path from the root, or None outside of both tables."""
    parts = path.split("/")
    module = "tools/amontons" if parts[0] == "tools" else parts[1]
    if parts[0] not in ("amontons", "tools") or module not in FOLDERS:
        return None
    return module, "/".join(parts[2:-1]) or "."


def fault_of(place, included):
    """Returns the reason why a file at `place` may not include a path, or nothing."""
    target = place_of(included) if included.count("/") >= 2 else None
    if target is None:
        if place[0] == "tools/amontons" and included.startswith("experiments/"):
            return ""
        return 'write it as "amontons/MODULE/.../FILE.h"'
    if not (ROOT / included).is_file():
        return "no such file"
    if place[0] == "tools/amontons" and target[0] != "tools/amontons":
        return ""
    if place[0] != target[0]:
        return "" if target[0] in MODULES[place[0]].split() else f"{place[0]} may not know {target[0]}"
    if place[1] == target[1] or target[1] in FOLDERS[place[0]][place[1]].split():
        return ""
    return f"{place[0]}/{place[1]} may not know {target[0]}/{target[1]}"


def check_order(table, name):
    """Checks that each entry lists only entries above it, so that no cycle can be written down."""
    seen = set()
    for folder, below in table.items():
        unknown = set(below.split()) - seen
        if unknown:
            yield f"{name}: {folder} lists {sorted(unknown)}, which the table does not list above it"
        seen.add(folder)


def folder_sizes():
    """Yields the name of each folder of code, and how many files it has."""
    counts = collections.Counter()
    for top in ("amontons", "tools", "python", "experiments"):
        for path in (ROOT / top).rglob("*"):
            if path.suffix in {".h", ".cc", ".py", ".pyi"}:
                counts[path.parent.relative_to(ROOT)] += 1
    yield from counts.items()


def main() -> int:
    faults = list(check_order(MODULES, "modules"))
    for module, table in FOLDERS.items():
        faults += check_order(table, module)
    edges = collections.Counter()
    files = collections.Counter()
    for top in ("amontons", "tools/amontons"):
        for path in sorted((ROOT / top).rglob("*")):
            name = str(path.relative_to(ROOT))
            if path.suffix not in {".h", ".cc"} or name == FACE:
                continue
            place = place_of(name)
            if place is None or place[1] not in FOLDERS[place[0]]:
                faults.append(f"{name}: its folder is in no table")
                continue
            files[place] += 1
            for included in INCLUDE.findall(path.read_text(encoding="utf-8")):
                fault = fault_of(place, included)
                if fault:
                    faults.append(f"{name} includes {included}: {fault}")
                edges[place] += 1
    faults += [f"{folder} has {count} files, more than {MAX_FILES}"
               for folder, count in folder_sizes() if count > MAX_FILES]
    for module, table in FOLDERS.items():
        faults += [f"{module}/{folder}: in the table, but has no file"
                   for folder in table if not files[module, folder]]
    for fault in faults:
        print(fault)
    if sum(edges.values()) < 1000:
        print("found hardly any include: the walk is broken")
        return 1
    print(f"{sum(files.values())} files in {len(files)} folders, {sum(edges.values())} includes, "
          f"{len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
