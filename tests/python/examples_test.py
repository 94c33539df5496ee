#!/usr/bin/python3
"""Checks that the examples run and that their assertions hold."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import h5py
import numpy as np
from amontons.motion import simulate
from harness import ROOT, run_tests

FIT = ROOT / "examples/python/fit"
LONG = os.environ.get("AMONTONS_TEST_SIZE") == "long"
sys.path.insert(0, str(FIT))
import pushing  # noqa: E402


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


def test_every_study_runs_and_draws_what_it_says():
    # Arguments of the reduced size, and the pictures.
    studies = {"grasp": ([1.2], ["forces.svg", "margin.svg"]), "incline": ([], ["incline.svg", "incline.png"]),
               "quadruped": ([150, 1.5], ["quadruped.svg"]), "hopper": ([60], ["flow.svg", "chains.svg"])}
    scripts = sorted((ROOT / "examples/python/studies").glob("*.py"))
    assert [script.stem for script in scripts] == sorted(studies)
    for script in scripts:
        arguments, pictures = studies[script.stem]
        with tempfile.TemporaryDirectory() as folder:
            result = subprocess.run(
                ["/usr/bin/python3", str(script), folder, *map(str, [] if LONG else arguments)],
                capture_output=True, text=True, check=False, timeout=1200)
            assert result.returncode == 0, f"{script.name}\n{result.stdout}{result.stderr}"
            # The film, or its pictures where there is no ffmpeg.
            film = {"grasp": "grasp.mp4" if shutil.which("ffmpeg") else "frames/00001.png"}
            for picture in pictures + [film[name] for name in film if name == script.stem]:
                assert (pathlib.Path(folder) / picture).stat().st_size > 10000, picture
        print(f"{script.name}: {result.stdout.strip().splitlines()[-1]}")


def test_examples_refuse_arguments_that_make_no_sense():
    examples = ROOT / "examples/python"
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "file"
        file.touch()
        runs = [("learn_balance.py", "-1"), ("learn_balance.py", "ten"), ("studies/incline.py", file),
                ("studies/grasp.py", folder, "0"), ("studies/grasp.py", folder, "nan"),
                ("studies/hopper.py", folder, "0"), ("studies/hopper.py", folder, "1.5"),
                ("studies/quadruped.py", folder, "-3"), ("studies/quadruped.py", folder, "99", "0"),
                ("fit/arm.py", "--cases", "0"), ("fit/recover.py", "nothing"),
                ("fit/cube.py", folder), ("fit/pushing.py", file), ("fit/pendulum.py", "--file", folder),
                ("fit/pendulum.py", "--report", f"{folder}/none/page.html"),
                ("control/null_space.py", file)]
        for script, *arguments in runs:
            result = subprocess.run(["/usr/bin/python3", str(examples / script),
                                     *map(str, arguments)], capture_output=True, text=True,
                                    check=False, timeout=60)
            said = result.stderr.strip().splitlines()
            assert result.returncode == 2 and "Traceback" not in result.stderr, (script, said)
            assert said[-1].startswith(f"{pathlib.Path(script).name}: "), (script, said)


def run_fit(name, *arguments, timeout=600):
    """Runs an example of fit/; returns what it did."""
    return subprocess.run(["/usr/bin/python3", str(FIT / name), *map(str, arguments)],
                          capture_output=True, text=True, check=False, timeout=timeout)


def test_the_friction_of_a_real_cube_is_that_of_its_authors():
    folder = ROOT.parent / "shared/data/reality/cube-tosses"
    if not folder.exists():
        print("SKIPPED: no tosses beside the repository")
        return
    with tempfile.TemporaryDirectory() as output:
        result = run_fit("cube.py", folder, "--every", 8, "--laws", "coulomb", "frictionless",
                         "--report", f"{output}/cube.html", "--plot", f"{output}/cube.svg")
        assert result.returncode == 0, f"{result.stdout}{result.stderr}"
        assert "<svg" in pathlib.Path(f"{output}/cube.svg").read_text()
        assert "frictionless" in pathlib.Path(f"{output}/cube.html").read_text()
        # Few tosses are fitted, and as many as before test.
        fewer = run_fit("cube.py", folder, "--every", 8, "--fit-every", 6, "--laws", "frictionless")
        assert "Friction of 2 tosses" in fewer.stdout and "of 12 others" in fewer.stdout, fewer.stdout
    print(result.stdout.strip())
    friction = float(re.search(r"coulomb: friction (\S+)", result.stdout)[1])
    # Published: 0.18, without an error. An eighth of the tosses gives it to about 0.01.
    assert 0.16 < friction < 0.20, friction
    error = {row[1].strip(): float(row[3].split()[0]) for row in
             (line.split("|") for line in result.stdout.splitlines() if line.startswith("| "))
             if "(" in row[3]}
    # Measured once, by another program: 12.8 and 121 % of the width.
    assert error["coulomb"] < 20.0 and error["frictionless"] > 80.0, error


def test_resampled_tosses_give_the_cube_s_friction_an_interval():
    folder = ROOT.parent / "shared/data/reality/cube-tosses"
    if not folder.exists():
        print("SKIPPED: no tosses beside the repository")
        return
    result = run_fit("cube.py", folder, "--every", 8, "--resample", 0.02)
    assert result.returncode == 0, f"{result.stdout}{result.stderr}"
    found = re.search(r"coulomb: friction (\S+) \(95 %: (\S+) to (\S+)\)", result.stdout)
    value, low, high = map(float, found.groups())
    # The authors' friction, 0.18, is a multiple of 0.02 above the lower end, 0.12.
    assert 0.14 <= low <= value <= high <= 0.22 and low <= 0.18 <= high, result.stdout
    # Steps may be as wide as the range; a law without friction has none to fit.
    lone = run_fit("cube.py", folder, "--every", 95, "--resample", 0.18)
    assert lone.returncode == 0 and "coulomb: friction" in lone.stdout, lone.stdout + lone.stderr
    for wrong in (("--resample", 0), ("--resample", "nan"), ("--resample", 0.1, "--laws", "no-slip")):
        refused = run_fit("cube.py", folder, *wrong)
        assert refused.returncode == 2 and "--resample" in refused.stderr, refused.stderr


def test_the_arm_and_the_pendulum_recover_what_made_their_motions():
    result = run_fit("arm.py", "--cases", 100 if LONG else 5, timeout=7000)
    assert result.returncode == 0, f"{result.stdout}{result.stderr}"
    print(result.stdout.strip())
    result = run_fit("pendulum.py")
    assert result.returncode == 0, f"{result.stdout}{result.stderr}"
    print(result.stdout.strip())


def push_file(path, friction, angle):
    """Writes a simulated push, as the files of the MIT push data set have them."""
    times = np.arange(0.0, 2.0, 0.004)
    start = [-0.5 * pushing.SIZE[0] - pushing.RADIUS - 0.002, 0.02]
    tip = np.column_stack([times, start + np.outer(0.05 * times, [np.cos(angle), np.sin(angle)]),
                           0.0 * times])
    pose = np.zeros((200, 4))
    pose[:, 0] = np.linspace(0.0, 1.99, 200)
    with tempfile.TemporaryDirectory() as folder:
        scene = pushing.scene_of(tip, pushing.SIZE, pushing.MASS, folder)
        motion = pushing.motion_of(pose, pushing.SIZE[2], "push")
        exact, _ = simulate(scene, motion, {f"materials.{pushing.PAIR}.friction": friction})
    q = exact.quaternions["box"]
    random = np.random.default_rng(1)
    pose[:, 1:3] = exact.positions["box"][:, :2] + random.normal(0.0, 1e-4, (200, 2))
    pose[:, 3] = 2.0 * np.arctan2(q[:, 3], q[:, 0]) + random.normal(0.0, 2e-3, 200)
    for table in (pose, tip):
        table[:, 0] += 1.4e9
    with h5py.File(path, "w") as file:
        file["object_pose"], file["tip_pose"] = pose[::-1], tip  # rows in any order


def test_a_planar_push_shows_the_friction_of_its_tip():
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/push.h5"
        for friction, angle in ((0.2, 0.2), (0.35, -0.3)):
            push_file(path, friction, angle)
            result = run_fit("pushing.py", path)
            assert result.returncode == 0, f"{result.stdout}{result.stderr}"
            found = float(re.search(r"friction = (\S+)", result.stdout)[1])
            # The start, the mean of five noisy frames, is known to 0.05 mm.
            assert abs(found - friction) < 0.02, result.stdout
            assert float(re.search(r"ends (\S+) mm", result.stdout)[1]) < 1.0, result.stdout
        with h5py.File(path, "w") as file:
            file["object_pose"] = np.zeros((3, 3))
        assert "no dataset tip_pose" in run_fit("pushing.py", path).stderr
        with h5py.File(path, "a") as file:
            file["tip_pose"] = np.zeros((3, 4))
        assert "has the shape (3, 3)" in run_fit("pushing.py", path).stderr


def test_a_missing_file_is_exit_code_2_and_one_line():
    for name, arguments in (("cube.py", ["/none"]), ("pushing.py", ["/none.h5"])):
        result = run_fit(name, *arguments)
        assert result.returncode == 2 and "/none" in result.stderr, result.stderr
        assert len(result.stderr.strip().splitlines()) == 1, result.stderr
    assert run_fit("cube.py", "/none", "--laws", "coulom").returncode == 2


if __name__ == "__main__":
    run_tests(globals())
