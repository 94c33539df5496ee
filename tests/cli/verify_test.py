#!/usr/bin/python3
"""Checks that a run that was tampered with does not verify.  usage: verify_test.py PROGRAM"""
import json
import pathlib
import shutil
import sys
import tempfile
import unittest

import h5py
import numpy as np

from program import FIRST, SMALL_SCENE, amontons


# A spinning box whose corners bounce one after the other without loss.
ELASTIC_BOX = """amontons: 1
gravity: [0, 0, 0]
simulation: {step: 0.005, duration: 0.5}
materials: [{name: default, friction: 0, restitution: 1}]
bodies:
  - name: box
    mass: 1
    shapes: [{box: [0.3, 0.1, 0.1]}]
    pose: {position: [0, 0, 0.4], rpy_deg: [-2, -19, 0]}
    velocity: {linear: [0, 0, -2], angular: [6, -7, -8]}
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
"""


# A box that tumbles over a floor; positions are moved out of overlaps after each step.
TUMBLING_BOX = """amontons: 1
simulation: {step: 0.01, duration: 0.5, gamma: 0, post_stabilization: 1}
bodies:
  - name: box
    mass: 1
    shapes: [{box: [0.3, 0.2, 0.1]}]
    pose: {position: [0, 0, 0.25], rpy_deg: [30, -20, 10]}
    velocity: {linear: [1, 0, 0], angular: [3, 9, -2]}
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
"""


# A spring of 100 N/m whose motion half a second of long steps damps out.
DAMPED_BY_STEPS = """amontons: 1
gravity: [0, 0, 0]
simulation: {step: 0.05, duration: 0.5}
bodies: [{name: bob, mass: 1, shapes: [{sphere: 0.05}]}]
joints:
  - {name: slide, type: prismatic, parent: world, child: bob, axis: [1, 0, 0], at: [0, 0, 0],
     position: 0.5, stiffness: 100}
"""


class VerifyTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.dir = pathlib.Path(cls.folder.name)
        (cls.dir / "small.yaml").write_text(SMALL_SCENE)
        amontons("run", "small.yaml", "-o", "good.h5", cwd=cls.dir, check=0)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_what_the_steps_took_of_the_energy_is_said_wherever_a_run_is_shown(self):
        said = "the length of the steps changed the energy by -"
        (self.dir / "damped.yaml").write_text(DAMPED_BY_STEPS)
        for name, is_said in (("damped", True), ("small", False)):
            printed = [amontons("run", f"{name}.yaml", "-o", "run.h5", "--force", cwd=self.dir,
                                check=0).stdout]
            printed += [amontons(verb, "run.h5", cwd=self.dir, check=0).stdout
                        for verb in ("verify", "info")]
            amontons("replay", "run.h5", "-o", "page.html", "--force", cwd=self.dir, check=0)
            printed.append((self.dir / "page.html").read_text())
            self.assertEqual([said in text for text in printed], [is_said] * 4, name)
            shares = [json.loads(amontons(verb, "run.h5", "--json", cwd=self.dir,
                                          check=0).stdout)["integration_share"]
                      for verb in ("verify", "info")]
            self.assertEqual(shares[0], shares[1])
            self.assertEqual(shares[0] > 0.1, is_said)

    def verify_tampered(self, tamper, expected=1):
        """Returns the report on a copy that `tamper` has changed."""
        shutil.copy(self.dir / "good.h5", self.dir / "bad.h5")
        with h5py.File(self.dir / "bad.h5", "r+") as run:
            tamper(run)
        text = amontons("verify", "bad.h5", cwd=self.dir, check=expected).stdout
        if expected != 1:
            return {}, text
        report = json.loads(amontons("verify", "--json", "bad.h5", cwd=self.dir, check=1).stdout)
        return {f["name"]: f for f in report["figures"] if not f["passed"]}, text

    def test_honest_runs_verify(self):
        self.assertIn("\nverified", amontons("verify", "good.h5", cwd=self.dir, check=0).stdout)
        amontons("run", FIRST, "-o", "first.h5", cwd=self.dir, check=0)
        amontons("verify", "first.h5", cwd=self.dir, check=0)
        # Islands that give only a share of their rebound back, with contacts that stay open.
        (self.dir / "elastic.yaml").write_text(ELASTIC_BOX)
        amontons("run", "elastic.yaml", "-o", "elastic.h5", cwd=self.dir, check=0)
        with h5py.File(self.dir / "elastic.h5") as run:
            self.assertLess(np.min(run["contacts/restitution_share"]), 1.0)
        amontons("verify", "elastic.h5", cwd=self.dir, check=0)
        (self.dir / "tumbling.yaml").write_text(TUMBLING_BOX)
        amontons("run", "tumbling.yaml", "-o", "tumbling.h5", cwd=self.dir, check=0)
        amontons("verify", "tumbling.h5", cwd=self.dir, check=0)

    def test_a_changed_contact_number_is_named_with_step_bodies_and_figure(self):
        with h5py.File(self.dir / "good.h5") as run:
            row = 7
            begin, end = map(int, run["contacts/offset"][row : row + 2])
            # The corner of the crate, which slides, with most friction.
            records = run["contacts/record"][begin:end]
            first = records[np.argmax(np.abs(run["contacts/impulse"][()][records, 0]))]

        def scale(name, factor, *component):
            def tamper(run):
                where = (first, *component)
                run[f"contacts/{name}"][where] = factor * run[f"contacts/{name}"][where]
            return tamper

        cases = {
            "impulse up": (scale("impulse", 1.01, 2), "dynamics", ""),
            "impulse sign": (scale("impulse", -1, 2), "normal law", "ground and crate"),
            "friction sign": (scale("impulse", -1, 0), "friction law", "ground and crate"),
            "coefficient": (scale("friction", 0.9), "friction", "ground and crate"),
            "normal": (scale("normal", -1), "contact point", "ground and crate"),
            "velocity": (scale("velocity", 1.01, 0), "contact velocity", "ground and crate"),
        }
        for label, (tamper, figure, where) in cases.items():
            with self.subTest(label):
                failed, text = self.verify_tampered(tamper)
                self.assertIn(figure, failed)
                self.assertEqual(failed[figure]["step"], row)
                self.assertIn(where, failed[figure]["where"])
                self.assertIn("NOT verified", text)
                self.assertIn(f"step {row} ", text)
                self.assertIn(where, text)

    def test_a_changed_gap_is_found(self):
        def tamper(run):
            run["contacts/gap"][3] += 1e-5
        failed, _ = self.verify_tampered(tamper)
        self.assertIn("gap", failed)

    def test_changed_states_and_claims_are_found(self):
        def change(name, where, by):
            def tamper(run):
                run[name][where] = run[name][where] + by
            return tamper
        cases = {
            "q": (change("q", (4, 5), 1e-6), "positions"),
            "v": (change("v", (4, 3), 1e-6), "dynamics"),
            "q_start": (change("q_start", (4, 5), 1e-6), "chain"),
            "initial": (change("q", (0, 5), 1e-6), "initial state"),
            "energy": (change("energy/kinetic", 9, 1e-6), "energy"),
            "claimed": (change("certificate/claimed", 9, -1), "claim"),
            "pose": (change("bodies/position", (9, 1, 0), 1e-6), "body poses"),
        }
        for label, (tamper, figure) in cases.items():
            with self.subTest(label):
                failed, _ = self.verify_tampered(tamper)
                self.assertIn(figure, failed)

    def test_a_claim_that_is_no_truth_value_is_refused(self):
        def claim_more(run):
            run["certificate/claimed"][3] = 2
        _, text = self.verify_tampered(claim_more, expected=2)
        self.assertEqual(text, "")

    def test_a_changed_scene_is_found(self):
        def heavier(run):
            text = run.attrs["scene"].replace("mass: 2", "mass: 3")
            run.attrs["scene"] = text
        _, text = self.verify_tampered(heavier, expected=2)  # its SHA-256 does not match
        del text

    def test_a_missing_contact_is_found(self):
        def tamper(run):
            records = run["contacts/record"]
            records[:-1] = np.delete(records[:], 2)
            run["contacts/offset"][2:] -= 1
        failed, _ = self.verify_tampered(tamper)
        self.assertIn("contact set", failed)

    def test_what_is_no_run_is_exit_2(self):
        (self.dir / "text.h5").write_text("hello")
        result = amontons("verify", "text.h5", cwd=self.dir, check=2)
        self.assertTrue(result.stderr.startswith("text.h5: "))
        amontons("verify", "none.h5", cwd=self.dir, check=2)

        def drop(run):
            del run["q_start"]
        self.verify_tampered(drop, expected=2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
