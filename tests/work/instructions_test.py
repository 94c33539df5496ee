#!/usr/bin/python3
"""Checks that a step of small scenes takes no more instructions than its guard, as callgrind counts them.

usage: instructions_test.py DRIVER [SCENE...]
DRIVER is step_driver.
Exits with 77 (skipped) unless AMONTONS_TEST_SIZE is long, and where valgrind is missing.
With scenes it runs these alone, whatever the size, and prints their counts.
No clock disturbs the counts; another compiler or C library moves them by some percent, which SLACK covers.
A change that needs more must lower the need or raise the bound, with a reason."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCENES = ROOT / "benchmarks/peers/scenes"
STEP = "amontons::Simulator::step()"
SLACK = 1.15

# Numbers of the balls that slide apart, and of the boxes that slide and that rest; and their scenes.
BALLS = 126
SLIDING, RESTING = 10, 1000
PLANE = """amontons: 1
simulation: {step: %g, duration: 1}
materials: [{name: stone, friction: 0.3}]
bodies:
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1], offset: 0}, material: stone}]}
"""
BALL = """  - name: ball%d
    shapes: [{sphere: 0.04, material: stone}]
    mass: 1.0
    pose: {position: [%g, %g, 0.04]}
    velocity: {linear: [%g, %g, 0]}
"""

BOX = """  - name: %s%d
    shapes: [{box: [0.2, 0.2, 0.2], material: stone}]
    mass: 1.0
    pose: {position: [%g, %g, 0.1]}
    velocity: {linear: [%g, %g, 0]}
"""

# Scene, its number of steps, and the instructions of a step in the mean.
GUARDS = {
    "rolling_yaw30": (200, 18_500),
    "ramp_yaw30": (200, 52_100),
    "arm_swinging": (200, 151_100),
    "quadruped": (200, 66_300),
    "balls_apart": (40, 1_557_000),
    "boxes_that_slide": (200, 387_400),
    "boxes_that_slide_among_rest": (200, 3_596_300),
    "gripper": (100, 134_100),
    "bouncing": (200, 11_700),
    "columns_10_sliding": (40, 1_196_600),
    "granular_126": (40, 6_262_000),
    "spin_down": (200, 22_200),
}


def balls_apart() -> str:
    """Returns a scene of balls that slide apart."""
    balls = [BALL % (i, i // 9 * 0.5, i % 9 * 0.5, 0.1 + 0.01 * (i // 9), 0.05 + 0.01 * (i % 7))
             for i in range(BALLS)]
    return PLANE % 0.005 + "".join(balls)


def boxes_that_slide(num_resting: int) -> str:
    """Returns a scene of boxes that slide beside others at rest."""
    resting = [BOX % ("rests", i, i % 32 * 0.5, i // 32 * 0.5, 0, 0) for i in range(num_resting)]
    sliding = [BOX % ("slides", i, -1, 0.5 * i, -4 - 0.1 * i, 0.3) for i in range(SLIDING)]
    return PLANE % 0.001 + "".join(resting + sliding)


# Scenes that are not those of the benchmarks.
MADE = {
    "balls_apart": balls_apart,
    "boxes_that_slide": lambda: boxes_that_slide(0),
    "boxes_that_slide_among_rest": lambda: boxes_that_slide(RESTING),
}


def write_scene(name: str, folder: pathlib.Path) -> pathlib.Path:
    """Returns the path of a scene: one of the benchmarks, or one made here."""
    if name not in MADE:
        return SCENES / f"{name}.yaml"
    path = folder / f"{name}.yaml"
    path.write_text(MADE[name]())
    return path


def instructions(driver: str, name: str, steps: int, folder: pathlib.Path) -> float:
    """Returns the instructions of a step in the mean over the first steps of a scene."""
    counts = folder / "callgrind.out"
    result = subprocess.run(
        ["valgrind", "--tool=callgrind", f"--callgrind-out-file={counts}", f"--toggle-collect={STEP}",
         driver, write_scene(name, folder), str(steps)],
        cwd=folder, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{name}: exit code {result.returncode}\n{result.stderr}")
    return int(re.search(r"^totals: (\d+)", counts.read_text(), re.MULTILINE).group(1)) / steps


def main() -> int:
    driver, asked = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2:]
    if not asked and os.environ.get("AMONTONS_TEST_SIZE") != "long":
        print("skipped: runs under make test-long")
        return 77
    if not shutil.which("valgrind"):
        print("SKIPPED: NO INSTRUCTION IS COUNTED, valgrind is missing (scripts/install-deps installs it)")
        return 77
    passed = []
    with tempfile.TemporaryDirectory() as folder:
        for name in asked or GUARDS:
            steps, most = GUARDS[name]
            found = instructions(driver, name, steps, pathlib.Path(folder))
            holds = found <= SLACK * most
            print(f"{name}: {found:.0f} instructions a step, guard {most} {'' if holds else 'EXCEEDED'}",
                  flush=True)
            passed.append(holds)
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
