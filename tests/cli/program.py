"""Runs the program for the tests of the command line."""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIRST = ROOT / "examples" / "first.yaml"
PROGRAM = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT / "build" / "amontons"


def amontons(*arguments, cwd=None, check=None, **options):
    """Returns the finished process. With `check`, its exit code must be that."""
    result = subprocess.run([str(PROGRAM), *map(str, arguments)], cwd=cwd, capture_output=True,
                            text=True, timeout=600, check=False, **options)
    if check is not None and result.returncode != check:
        raise AssertionError(f"amontons {' '.join(map(str, arguments))}: exit {result.returncode}, "
                             f"expected {check}\n{result.stdout}\n{result.stderr}")
    return result


# A box at rest and a ball that rolls: small, quick, with contacts in every row.
SMALL_SCENE = """amontons: 1
simulation: {step: 0.01, duration: 0.2}
materials:
  - {name: wood, friction: 0.4}
bodies:
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}, material: wood}]}
  - name: crate
    mass: 2
    shapes: [{box: [0.3, 0.2, 0.2], material: wood}]
    pose: {position: [0, 0, 0.1]}
    velocity: {linear: [1, 0, 0]}
  - {name: ball, mass: 1, shapes: [{sphere: 0.1}], pose: {position: [2, 0, 0.1]}}
"""


def moving_scene(duration):
    """Returns the small scene for a duration [s], with a ball that never comes to rest."""
    return SMALL_SCENE.replace("duration: 0.2", f"duration: {duration}").replace(
        "shapes: [{sphere: 0.1}]", "shapes: [{sphere: 0.1}], velocity: {linear: [1, 0, 0]}")
