#!/usr/bin/python3
"""Real robots load, drop on the ground and simulate without a missed certificate.

usage: robots_test.py PROGRAM
Reads robots from shared data beside the project when it is there; exits with 77 (skipped) when it is not.
Under AMONTONS_TEST_SIZE=long each robot is simulated for 2 s, else for 0.4 s.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared/data/robots"
EXAMPLES = DATA / "example-robot-data/robots"
ROBOTS = {
    "solo12": EXAMPLES / "solo_description/robots/solo12.urdf",
    "hyq": EXAMPLES / "hyq_description/robots/hyq_no_sensors.urdf",
    "panda": EXAMPLES / "panda_description/urdf/panda.urdf",
    "allegro_left": EXAMPLES / "allegro_hand_description/urdf/allegro_left_hand.urdf",
    "allegro_right": EXAMPLES / "allegro_hand_description/urdf/allegro_right_hand.urdf",
    "barrett": DATA / "barrett_hand_description/urdf/bh280.urdf",
    "double_pendulum": EXAMPLES / "double_pendulum_description/urdf/double_pendulum.urdf",
    "double_pendulum_simple": EXAMPLES / "double_pendulum_description/urdf/double_pendulum_simple.urdf",
}
SCENE = """amontons: 1
simulation: {{step: 0.001, duration: {duration}}}
models:
  - {{name: robot, file: "{file}", base: free, pose: {{position: [0, 0, {height}]}}}}
bodies:
  - {{name: ground, fixed: true, shapes: [{{half_space: {{normal: [0, 0, 1]}}}}]}}
"""
HEIGHT = {"hyq": 1.0, "panda": 0.5}


# Worlds and models that run as they are; the others of the folder start deep inside each other.
WORLDS = [DATA / "gz-physics-worlds" / name
          for name in ("falling.world", "joint_constraint.sdf", "mimic_pendulum_world.sdf",
                       "multiple_objects_complex.sdf")] + [
    DATA.parent / "ur10/ur10.sdf", DATA.parent / "quadruped/lynx.sdf"]


def runs_alone(program: str, file: pathlib.Path, folder: pathlib.Path) -> str:
    """Returns what went wrong with `run FILE`, or nothing."""
    result = subprocess.run([program, "run", str(file), "--duration", "0.2", "--no-log", "--quiet"],
                            capture_output=True, text=True, check=False, cwd=folder)
    if result.returncode != 0 or result.stderr:
        return f"exit code {result.returncode}: {result.stderr.strip()} {result.stdout.strip()[-600:]}"
    return ""


def drop(program: str, name: str, file: pathlib.Path, folder: pathlib.Path) -> str:
    """Returns what went wrong, or nothing."""
    duration = 2.0 if os.environ.get("AMONTONS_TEST_SIZE") == "long" else 0.4
    # The data folder is read-only: the scene lies elsewhere and names the robot by its path.
    scene = folder / f"{name}.yaml"
    scene.write_text(SCENE.format(duration=duration, file=file, height=HEIGHT.get(name, 0.4)))
    result = subprocess.run([program, "run", str(scene), "--no-log", "--quiet", "--json"],
                            capture_output=True, text=True, check=False, cwd=folder)
    if result.returncode != 0:
        return f"exit code {result.returncode}: {result.stderr.strip()} {result.stdout.strip()[-600:]}"
    summary = json.loads(result.stdout)
    print(f"{name}: {summary.get('steps')} steps, {json.dumps(summary.get('contacts'))} contacts")
    return ""


def lints(program: str, file: pathlib.Path) -> str:
    """The ledger must say something of each fault, and list what is stored and not used."""
    result = subprocess.run([program, "lint", str(file), "--json"], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        return f"lint: exit code {result.returncode}: {result.stderr.strip()}"
    return "" if json.loads(result.stdout) else "lint: an empty ledger"


def main() -> int:
    if not DATA.is_dir():
        print(f"SKIPPED: no robots at {DATA}")
        return 77
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, file in ROBOTS.items():
            for fault in (drop(sys.argv[1], name, file, pathlib.Path(folder)), lints(sys.argv[1], file)):
                if fault:
                    print(f"{name}: {fault}")
                    faults += 1
        for file in WORLDS:
            for fault in (runs_alone(sys.argv[1], file, pathlib.Path(folder)), lints(sys.argv[1], file)):
                if fault:
                    print(f"{file.name}: {fault}")
                    faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
