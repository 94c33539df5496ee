#!/usr/bin/python3
"""Fits the friction of a real cube to half of its measured tosses, and judges it on the other half.

usage: cube.py FOLDER [--models MODEL ...] [--every N] [--report FILE.html]

FOLDER has tosses.h5: one dataset per toss with columns t, x y z, qw qx qy qz, vx vy vz (world axes)
and wx wy wz (axes of the body), in SI units: the tosses of ContactNets
(Pfrommer, Halm and Posa, 2020), converted.
--every N takes one toss of N, to save time.
"""
import argparse
import pathlib
import sys

import amontons as am
import numpy as np

try:
    import h5py
except ImportError:
    sys.exit("cube.py: h5py is missing; install the package python3-h5py")

WIDTH, MASS, INERTIA = 0.1048, 0.37, 0.00081  # [m, kg, kg m^2], as published
STEP = 1.0 / 296.0  # half the time between two frames [s]
FRICTION = "materials.acrylic.friction"

SCENE = am.make_scene({
    "amontons": 1, "simulation": {"step": STEP, "duration": 10},
    "materials": [{"name": "acrylic", "friction": 0.2, "restitution": 0.125}],
    "bodies": [{"name": "cube", "mass": MASS, "inertia": [INERTIA] * 3,
                "shapes": [{"box": [WIDTH] * 3, "material": "acrylic"}]},
               {"name": "table", "fixed": True,
                "shapes": [{"half_space": {"normal": [0, 0, 1]}, "material": "acrylic"}]}]})


def turned(quaternion, vector):
    """Returns a vector of body axes in world axes."""
    w, axis = quaternion[0], quaternion[1:]
    return vector + 2.0 * np.cross(axis, np.cross(axis, vector) + w * vector)


def motion_of(table, name):
    """Returns a toss. The mean velocity of its first interval, in free flight, is that of the
    interval's middle; half an interval earlier the cube fell more slowly."""
    fall = np.array([0.0, 0.0, -9.81]) * table[1, 0]
    start = {"bodies.cube.pose": {"position": table[0, 1:4], "quat_wxyz": table[0, 4:8]},
             "bodies.cube.velocity": {"linear": table[1, 8:11] - 0.5 * fall,
                                      "angular": turned(table[0, 4:8], table[1, 11:14])}}
    return am.Motion(table[:, 0], bodies={"cube": (table[:, 1:4], table[:, 4:8])},
                     overrides=start, name=f"toss {name}")


def errors(fit, motions):
    """Returns the mean error of each toss: position [per cent of the width], rotation [degrees]."""
    found = []
    for motion, simulated in zip(motions, fit.simulate(motions)):
        a, b = motion.quaternions["cube"], simulated.quaternions["cube"]
        distance = np.linalg.norm(simulated.positions["cube"] - motion.positions["cube"], axis=1)
        cosine = np.minimum(1.0, np.abs(np.sum(a * b, axis=1)))
        found.append((100.0 * distance.mean() / WIDTH, np.degrees(2.0 * np.arccos(cosine)).mean()))
    return np.array(found)


def with_interval(values):
    """Returns the mean and its 95 % interval by bootstrap over tosses, as text."""
    random = np.random.default_rng(0)
    means = values[random.integers(values.size, size=(5000, values.size))].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return f"{values.mean():.1f} ({low:.1f} to {high:.1f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--models", nargs="+", default=["coulomb"], metavar="MODEL")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--report")
    options = parser.parse_args()
    if options.every < 1:
        parser.error("--every must be at least 1")
    try:
        with h5py.File(options.folder / "tosses.h5") as file:
            motions = [motion_of(file[name][:], name) for name in sorted(file)][::options.every]
    except OSError as error:
        sys.exit(f"cube.py: {options.folder / 'tosses.h5'} cannot be read: {error}")
    training, others = motions[::2], motions[1::2]
    # A rotation counts as the way of a face's center. Errors within a toss depend on each other.
    # Tumbling makes the sum of squares rugged, so that several descents are needed.
    best = am.fit(SCENE, training, {FRICTION: (0.05, 0.6)}, length=0.5 * WIDTH, errors="motions",
                  models=options.models, starts=3, samples=16)
    for fit in best.models:
        low, high = fit.intervals[FRICTION]
        position, rotation = errors(fit, others).T
        print(f"{fit.model}: friction {fit.values[FRICTION]:.4f} (95 %: {low:.4f} to "
              f"{high:.4f}) of {len(training)} tosses; {len(others)} others: position {with_interval(position)} % "
              f"of the width, rotation {with_interval(rotation)} degrees")
    if options.report:
        best.report(options.report)


if __name__ == "__main__":
    main()
