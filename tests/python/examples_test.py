#!/usr/bin/python3
"""Checks that the examples run and that their assertions hold."""
import subprocess

from harness import ROOT, run_tests


def test_every_example_runs():
    scripts = sorted((ROOT / "examples/python").glob("*.py"))
    assert len(scripts) >= 3
    for script in scripts:
        result = subprocess.run(["/usr/bin/python3", str(script)], capture_output=True, text=True,
                                check=False, timeout=120)
        assert result.returncode == 0, f"{script.name}\n{result.stdout}{result.stderr}"
        print(f"{script.name}: {result.stdout.strip().splitlines()[-1]}")


if __name__ == "__main__":
    run_tests(globals())
