#!/usr/bin/python3
"""Finds the joint friction of an arm, and the mass of its load, from a recorded motion with noise.

usage: arm.py [--cases N] [--report FILE.html]

An arm of two links is driven by torques, and its run recorded (am.record). The joint positions of the
run, with noise of 1 mrad, are the measurements. --cases repeats that with other noise, and counts how
often the 95 % intervals hold the true values.
"""
import argparse
import pathlib
import sys
import tempfile

import amontons as am
import numpy as np

from origin import origin
from recover import Hits

NOISE = 1e-3  # [rad]
EVERY = 5  # steps between two measurements
TRUTH = {"joints.shoulder.coulomb_friction": 0.6, "joints.shoulder.viscous_friction": 0.10,
         "joints.elbow.coulomb_friction": 0.3, "joints.elbow.viscous_friction": 0.05,
         "bodies.load.mass": 0.7}
BOUNDS = {"joints.shoulder.coulomb_friction": (0, 3), "joints.shoulder.viscous_friction": (0, 1),
          "joints.elbow.coulomb_friction": (0, 3), "joints.elbow.viscous_friction": (0, 1),
          "bodies.load.mass": (0.1, 3)}


def hinge(name, parent, child, x, friction):
    """Returns a hinge about y at x [m]; `friction` is (dry [N m], viscous [N m s])."""
    return {"name": name, "type": "revolute", "parent": parent, "child": child, "axis": [0, 1, 0],
            "at": [x, 0, 1], "coulomb_friction": friction[0], "viscous_friction": friction[1]}


def arm(shoulder, elbow, load):
    """Returns an arm with friction in its joints, and the mass of its load [kg]."""
    return am.make_scene({
        "amontons": 1, "simulation": {"step": 0.004, "duration": 2},
        "bodies": [{"name": "upper", "mass": 2.0, "center_of_mass": [0.2, 0, 0],
                    "inertia": [0.01, 0.04, 0.04], "pose": {"position": [0, 0, 1]}},
                   {"name": "lower", "mass": 1.0, "center_of_mass": [0.15, 0, 0],
                    "inertia": [0.004, 0.01, 0.01], "pose": {"position": [0.4, 0, 1]}},
                   {"name": "load", "mass": load, "inertia": [0.0005, 0.0005, 0.0005],
                    "pose": {"position": [0.7, 0, 1]}}],
        "joints": [hinge("shoulder", "world", "upper", 0.0, shoulder),
                   hinge("elbow", "upper", "lower", 0.4, elbow),
                   {"name": "grip", "type": "fixed", "parent": "lower", "child": "load"}]})


WORLD = arm((0.6, 0.10), (0.3, 0.05), 0.7)  # what is recorded
SCENE = arm((0.0, 0.0), (0.0, 0.0), 0.5)    # what the fit knows


def drive(simulator):
    """Drives both joints by known torques [N m], which mostly carry the arm's weight."""
    t = simulator.time
    simulator.set_effort("shoulder", -16.0 + 9.0 * np.sin(4.0 * t))
    simulator.set_effort("elbow", -3.5 + 3.0 * np.sin(7.0 * t))


def recorded(folder):
    """Returns (times [s], {joint: positions [rad]}) of the recorded run of the true arm."""
    simulator = am.Simulator(WORLD)
    simulator.set_controller(drive)
    file = f"{folder}/arm.h5"
    with am.record(simulator, WORLD, file):
        while not simulator.finished:
            simulator.step()
    with am.open_run(file) as run:
        assert all(run.has_law_asked)
        kept = slice(None, None, EVERY)
        return run.time[kept], {name: run.q[kept, simulator.joints[name].q_index]
                                for name in ("shoulder", "elbow")}


def fitted(times, positions, seed):
    """Returns the fit to the recorded motion with noise."""
    random = np.random.default_rng(seed)
    noisy = {name: q + random.normal(0.0, NOISE, q.size) for name, q in positions.items()}
    motion = am.Motion(times, joints=noisy, controller=drive, name="recorded arm")
    return am.fit(SCENE, motion, BOUNDS, starts=1, samples=8, threads=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=1)
    parser.add_argument("--report")
    options = parser.parse_args()
    if options.cases < 1:
        parser.error("--cases must be at least 1")
    if options.report and not pathlib.Path(options.report).absolute().parent.is_dir():
        parser.error(f"--report: there is no folder for {options.report}")
    print(origin())
    with tempfile.TemporaryDirectory() as folder:
        times, positions = recorded(folder)
    hits = Hits(TRUTH)
    for seed in range(options.cases):
        fit = fitted(times, positions, seed)
        hits.add(fit)
        if seed == 0:
            print(fit)
            if options.report:
                fit.report(options.report)
    print(hits)
    if not hits.are_enough():
        sys.exit("arm.py: the intervals hold too few of the true values")


if __name__ == "__main__":
    main()
