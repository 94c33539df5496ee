#!/usr/bin/python3
"""Simulates random scenes of extreme sizes, masses, springs and steps: each is refused at a line, or
every step of it has an answer, which `verify` finds again, and what is certified a computation of our
own (recomputed_steps.py), too.  usage: extreme_scenes_test.py PROGRAM"""
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np

from program import PROGRAM
from recomputed_steps import RunCheck

LONG = os.environ.get("AMONTONS_TEST_SIZE") == "long"
# Past faults: limits left without a row, links of very different mass, and an answer that met its
# law though no solver said so.
SEEDS = range(10000) if LONG else [*range(40), 2629, 5851, 8812]
SECONDS = 120
MODELS = ("coulomb", "convex-relaxation", "anitescu-hart", "stewart-trinkle", "no-slip", "frictionless")


def power(rng, low, high):
    """Returns a number whose logarithm is uniform."""
    return float(f"{10.0 ** rng.uniform(low, high):.3g}")


def body(rng, name, is_free):
    size = power(rng, -4, 2)
    shape = rng.choice([f"{{sphere: {size}}}", f"{{box: [{size}, {power(rng, -4, 2)}, {size}]}}",
                        f"{{capsule: [{size}, {power(rng, -4, 2)}]}}"])
    position = [round(rng.uniform(-1, 1), 3) for _ in range(2)] + [round(rng.uniform(0, 2), 3)]
    speed = [0, 0, 0]  # a joint allows no other
    if is_free:
        speed = [round(rng.uniform(-1, 1) * power(rng, -2, 2), 3) for _ in range(3)]
    return (f"  - {{name: {name}, mass: {power(rng, -9, 9)}, shapes: [{shape}], "
            f"pose: {{position: {position}}}, velocity: {{linear: {speed}, angular: {speed}}}}}\n")


def joint(rng, name, parent, child):
    kind = rng.choice(["revolute", "prismatic", "spherical", "distance", "fixed"])
    at = [round(rng.uniform(-1, 1), 2) for _ in range(3)]
    text = f"  - {{name: {name}, type: {kind}, parent: {parent}, child: {child}, at: {at}"
    if kind == "distance":
        text += f", to: {rng.choice([at, [0, 0, 1]])}, length: {power(rng, -3, 1)}"
    if kind in ("revolute", "prismatic"):
        text += ", axis: [1, 2, 3]"
        if rng.random() < 0.6:
            text += f", stiffness: {power(rng, -3, 15)}"
        if rng.random() < 0.3:
            text += f", coulomb_friction: {power(rng, -6, 9)}"
        if rng.random() < 0.3:
            text += f", limits: [-{power(rng, -6, 1)}, {power(rng, -6, 1)}]"
    return text + "}\n"


def scene(seed):
    """Returns a random scene with at most four bodies and two joints, for a few steps."""
    rng = random.Random(seed)
    step = power(rng, -6, 0.5)
    count = rng.randrange(1, 5)
    text = (f"amontons: 1\nsimulation: {{step: {step}, duration: {float(f'{5 * step:.4g}')}, "
            f"model: {rng.choice(MODELS)}}}\n"
            f"materials: [{{name: default, friction: {rng.choice([0, 0.3, 1, 50])}, "
            f"restitution: {rng.choice([0, 0, 0.5, 1])}, viscous_friction: {rng.choice([0, 0, power(rng, -6, 9)])}}}]\n"
            "bodies:\n  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}\n")
    has_joints = count > 1 and rng.random() < 0.7
    text += "".join(body(rng, f"b{i}", not has_joints) for i in range(count))
    if has_joints:
        text += "joints:\n" + joint(rng, "j1", "b0", "b1")
        if count > 2 and rng.random() < 0.5:
            text += joint(rng, "j2", rng.choice(["b0", "b1"]), "b2")
    return text


class ExtremeScenesTest(unittest.TestCase):
    def amontons(self, folder, *words):
        return subprocess.run([str(PROGRAM), *words], cwd=folder, capture_output=True, text=True,
                              timeout=SECONDS, check=False)

    def test_every_step_has_an_answer_that_verify_finds_again(self):
        recorded = steps = contacts = 0
        for seed in SEEDS:
            with self.subTest(seed=seed), tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                (folder / "scene.yaml").write_text(scene(seed))
                result = self.amontons(folder, "run", "scene.yaml", "-o", "run.h5", "--quiet")
                self.assertIn(result.returncode, (0, 2, 3), scene(seed) + result.stderr)
                if result.returncode == 2:
                    self.assertRegex(result.stderr, r"^scene\.yaml:(\d+:\d+:)? ")
                    continue
                recorded += 1
                found = self.amontons(folder, "verify", "run.h5", "--quiet")
                self.assertIn(found.returncode, (0, 1, 3), scene(seed) + found.stderr)
                if result.returncode == 0:  # what was claimed holds again
                    self.assertEqual(found.returncode, 0, scene(seed) + found.stdout)
                # What is called missed is missed.
                self.assertNotIn("is met", found.stdout + found.stderr, scene(seed))
                check = RunCheck(folder / "run.h5", scene(seed))
                self.assertEqual(check.faults, [], scene(seed))
                steps, contacts = steps + check.num_steps, contacts + check.num_contacts
        self.assertGreater(recorded, len(SEEDS) // 2)
        print(f"{len(SEEDS)} scenes, {recorded} recorded; recomputed: {steps} certified steps with "
              f"{contacts} contacts")
        self.assertGreater(steps, 2 * len(SEEDS))

    def test_steps_that_are_wrong_are_found_when_they_are_computed_again(self):
        text = """amontons: 1
simulation: {step: 0.01, duration: 0.05}
materials: [{name: default, friction: 0.3}]
bodies:
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
  - {name: brick, mass: 2, shapes: [{box: [0.2, 0.1, 0.4]}], pose: {position: [1, 2, 0.2]},
     velocity: {linear: [1, 0.5, 0], angular: [0, 0, 1]}}
"""
        def change(name, by, *component):
            def tamper(run):
                data = run[name]
                where = (int(np.argmax(run["contacts/impulse"][:, 2])), *component)
                data[where] = by(data[where])
            return tamper

        def faster(run):
            run["v"][2] *= 2

        cases = {
            "a contact pulls": change("contacts/impulse", lambda p: -p, 2),
            "momentum": change("contacts/impulse", lambda p: 1.001 * p, 2),
            "friction outside of its cone": change("contacts/friction", lambda mu: 0.9 * mu),
            "friction pushes": change("contacts/impulse", lambda p: -p, 0),
            "a velocity at a contact": change("contacts/velocity", lambda u: u + 1e-6, 1),
            "shapes approach beyond their gap": change("contacts/velocity", lambda u: u - 1e-3, 2),
            "energy from contact": faster,
        }
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "scene.yaml").write_text(text)
            self.amontons(folder, "run", "scene.yaml", "-o", "run.h5", "--quiet")
            self.assertEqual(RunCheck(folder / "run.h5", text).faults, [])
            for what, tamper in cases.items():
                with self.subTest(what):
                    shutil.copy(folder / "run.h5", folder / "wrong.h5")
                    with h5py.File(folder / "wrong.h5", "r+") as run:
                        tamper(run)
                    faults = RunCheck(folder / "wrong.h5", text).faults
                    self.assertTrue(any(what in fault for fault in faults), faults)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
