#!/usr/bin/python3
"""Counts how often the 95 % intervals of am.fit hold the numbers that made motions with noise.

usage: recover.py [KIND ...] [--cases N]

Kinds: friction of a crate that slides and spins; restitution of a ball that bounces; mass of a driven
link; joint-friction, dry and viscous, of its joint. Each case simulates the true numbers, adds white
noise of 2 mm (2 mrad of a joint, 20 mrad of an orientation), and fits.
"""
import argparse
import sys
from typing import NamedTuple

import amontons as am
import numpy as np
from amontons.motion import simulate

from origin import origin

SIGMA = 2e-3  # noise [m, and rad of joints]
TIMES = np.linspace(0.0, 1.0, 51)  # of the measurements [s]
FRICTION, RESTITUTION = "materials.wood.friction", "materials.wood.restitution"
MASS, DRY, VISCOUS = "bodies.link.mass", "joints.elbow.coulomb_friction", \
    "joints.elbow.viscous_friction"


def scene(bodies, step, friction=0.5, restitution=0.0, method="time-stepping", joints=()):
    """Returns a scene of bodies on level ground."""
    ground = {"name": "ground", "fixed": True,
              "shapes": [{"half_space": {"normal": [0, 0, 1]}, "material": "wood"}]}
    return am.make_scene({
        "amontons": 1, "simulation": {"step": step, "duration": 1, "method": method},
        "materials": [{"name": "wood", "friction": friction, "restitution": restitution}],
        "bodies": bodies + [ground], "joints": list(joints)})


CRATE = scene([{"name": "crate", "mass": 1,
                "shapes": [{"box": [0.2, 0.2, 0.2], "material": "wood"}],
                "pose": {"position": [0, 0, 0.1]},
                "velocity": {"linear": [1, 0.3, 0], "angular": [0, 0, 2]}}], 0.004)
BALL = scene([{"name": "ball", "mass": 1, "shapes": [{"sphere": 0.05, "material": "wood"}],
               "pose": {"position": [0, 0, 0.5]}}], 0.01, method="event-driven")
LINK = scene([{"name": "link", "mass": 1.5, "center_of_mass": [0.25, 0, 0],
               "inertia": [0.01, 0.03, 0.03], "pose": {"position": [0, 0, 1]}}], 0.002, joints=[
    {"name": "elbow", "type": "revolute", "parent": "world", "child": "link", "axis": [0, 1, 0],
     "at": [0, 0, 1], "coulomb_friction": 0.3, "viscous_friction": 0.05}])


def push(simulator):
    """Drives the link by a known torque [N m]."""
    simulator.set_effort("elbow", 2.0 * np.sin(5.0 * simulator.time))


def shape_of(times, body=None, joint=None, controller=None):
    """Returns a motion whose measurements only say what to simulate."""
    pose = (np.zeros((times.size, 3)), np.tile([1.0, 0, 0, 0], (times.size, 1)))
    return am.Motion(times, bodies={body: pose} if body else None,
                     joints={joint: np.zeros(times.size)} if joint else None, controller=controller)


def measured(world, shape, truth, seed, sigma=SIGMA, length=0.1):
    """Simulates the truth and adds white noise, to orientations sigma / length [rad]."""
    random = np.random.default_rng(seed)
    exact, _ = simulate(world, shape, truth)
    bodies = {}
    for name, position in exact.positions.items():
        a, b, c = 0.5 * random.normal(0, sigma / length, position.shape).T
        w, x, y, z = exact.quaternions[name].T
        turned = np.column_stack([w - a * x - b * y - c * z, x + a * w + b * z - c * y,
                                  y + b * w + c * x - a * z, z + c * w + a * y - b * x])
        bodies[name] = (position + random.normal(0, sigma, position.shape), turned)
    joints = {name: position + random.normal(0, sigma, position.shape)
              for name, position in exact.joints.items()}
    return am.Motion(exact.times, bodies, joints, overrides=shape.overrides,
                     controller=shape.controller)


class Kind(NamedTuple):
    """Holds what is simulated, and what is fitted."""
    world: am.Scene
    shape: am.Motion
    bounds: dict
    truth: dict

    def fitted(self, seed):
        """Returns the fit to a motion whose noise has this seed."""
        return am.fit(self.world, measured(self.world, self.shape, self.truth, seed), self.bounds,
                      starts=1, samples=8)


DRIVEN = shape_of(TIMES, joint="elbow", controller=push)
KINDS = {
    "friction": Kind(CRATE, shape_of(TIMES, body="crate"), {FRICTION: (0.05, 1)}, {FRICTION: 0.3}),
    "restitution": Kind(BALL, shape_of(TIMES, body="ball"), {RESTITUTION: (0, 1)},
                        {RESTITUTION: 0.7}),
    "mass": Kind(LINK, DRIVEN, {MASS: (0.3, 5)}, {MASS: 2.0}),
    "joint-friction": Kind(LINK, DRIVEN, {DRY: (0, 2), VISCOUS: (0, 1)}, {DRY: 0.4, VISCOUS: 0.1})}


class Hits:
    """Counts the fits whose intervals hold the true values."""

    def __init__(self, truth):
        self.truth, self.cases, self.counts = truth, 0, dict.fromkeys(truth, 0)

    def add(self, fit):
        self.cases += 1
        for name, (low, high) in fit.intervals.items():
            self.counts[name] += low <= self.truth[name] <= high

    def are_enough(self):
        """Returns false for counts that have a chance of 1 %: below 90 % of 100 cases, below 92 % of
        300, nearer to 95 % the more there are. Of 5 cases and more 60 % are enough: 0.1 %."""
        share = 0.95 - 2.3 * (0.95 * 0.05 / self.cases)**0.5 if self.cases >= 100 else 0.6
        return self.cases < 5 or min(self.counts.values()) >= share * self.cases

    def __str__(self):
        return "\n".join([f"true values within their 95 % intervals, of {self.cases}:",
                          *(f"  {name} = {self.truth[name]}: {count}"
                            for name, count in self.counts.items())])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="by default all")
    parser.add_argument("--cases", type=int, default=5)
    options = parser.parse_args()
    if options.cases < 1:
        parser.error("--cases must be at least 1")
    for name in options.kinds:
        if name not in KINDS:
            parser.error(f"there is no kind {name!r}; kinds: {', '.join(KINDS)}")
    print(origin())
    missed = []
    for name in options.kinds or KINDS:
        hits = Hits(KINDS[name].truth)
        for seed in range(options.cases):
            hits.add(KINDS[name].fitted(seed))
        print(f"{name}: {hits}", flush=True)
        missed += [] if hits.are_enough() else [name]
    if missed:
        sys.exit(f"recover.py: the intervals hold too few of the true values: {', '.join(missed)}")


if __name__ == "__main__":
    main()
