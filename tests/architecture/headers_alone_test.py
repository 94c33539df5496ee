#!/usr/bin/python3
"""Checks that every public header compiles alone, with the compiler and flags of the build.

A header that some source file of the build includes first has shown it already; the rest are
compiled here.

usage: headers_alone_test.py COMPILER [FLAG...]
"""
import concurrent.futures
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.MULTILINE)


def first_includes() -> set:
    """Returns the files that the sources of a module include first; `make build` builds all of these."""
    found = set()
    for source in (ROOT / "amontons").rglob("*.cc"):
        match = INCLUDE.search(source.read_text())
        if match:
            found.add(match.group(1))
    return found


def compile_alone(header: str, command: list) -> str:
    result = subprocess.run(
        command + ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-I", str(ROOT), "-x", "c++", "-"],
        input=f'#include "{header}"\n', capture_output=True, text=True, check=False)
    return "" if result.returncode == 0 and not result.stderr else f"{header}:\n{result.stderr}"


def main() -> int:
    command = sys.argv[1:]
    headers = sorted(str(h.relative_to(ROOT)) for h in (ROOT / "amontons").rglob("*.h"))
    shown = first_includes()
    rest = [h for h in headers if h not in shown]
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        faults = [f for f in pool.map(lambda h: compile_alone(h, command), rest) if f]
    for fault in faults:
        print(fault)
    print(f"{len(headers)} headers, {len(rest)} compiled here, {len(faults)} do not compile alone")
    return 1 if faults or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
