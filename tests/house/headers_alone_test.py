#!/usr/bin/python3
"""Every public header compiles alone, with the compiler and flags of the build.

usage: headers_alone_test.py COMPILER [FLAG...]
"""
import concurrent.futures
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def compile_alone(header: pathlib.Path, command: list) -> str:
    text = f'#include "{header.relative_to(ROOT)}"\n'
    result = subprocess.run(
        command + ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-I", str(ROOT), "-x", "c++", "-"],
        input=text, capture_output=True, text=True, check=False)
    return "" if result.returncode == 0 and not result.stderr else f"{header}:\n{result.stderr}"


def main() -> int:
    command = sys.argv[1:]
    headers = sorted((ROOT / "amontons").rglob("*.h"))
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        faults = [f for f in pool.map(lambda h: compile_alone(h, command), headers) if f]
    for fault in faults:
        print(fault)
    print(f"{len(headers)} headers, {len(faults)} do not compile alone")
    return 1 if faults or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
