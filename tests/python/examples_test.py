#!/usr/bin/python3
"""Checks that the examples run and that their assertions hold."""
import re
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


def test_the_examples_of_control_follow_their_paths():
    urdf = ROOT.parent / ("shared/data/robots/example-robot-data/robots/panda_description/urdf/"
                          "panda.urdf")
    if not urdf.exists():
        print("SKIPPED: no Panda beside the repository")
        return
    for name in ("operational_space", "inverse_kinematics", "null_space"):
        script = ROOT / "examples/python/control" / f"{name}.py"
        result = subprocess.run(["/usr/bin/python3", str(script), str(urdf)], capture_output=True,
                                text=True, check=False, timeout=240)
        assert result.returncode == 0, f"{name}\n{result.stdout}{result.stderr}"
        print(result.stdout.strip().splitlines()[-1])


def test_the_friction_of_a_real_cube_is_that_of_its_authors():
    folder = ROOT.parent / "shared/data/reality/cube-tosses"
    if not folder.exists():
        print("SKIPPED: no tosses beside the repository")
        return
    script = ROOT / "examples/python/fit/cube.py"
    result = subprocess.run(["/usr/bin/python3", str(script), str(folder), "--every", "8"],
                            capture_output=True, text=True, check=False, timeout=600)
    assert result.returncode == 0, f"{result.stdout}{result.stderr}"
    print(result.stdout.strip())
    friction = float(re.search(r"friction (\S+)", result.stdout)[1])
    # Published: 0.18, without an error. An eighth of the tosses gives it to about 0.01.
    assert 0.16 < friction < 0.20, friction


if __name__ == "__main__":
    run_tests(globals())
