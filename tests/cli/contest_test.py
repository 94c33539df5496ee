#!/usr/bin/python3
"""The contact models side by side.  usage: contest_test.py PROGRAM"""
import json
import math
import sys
import unittest

from program import ROOT, amontons

SCENES = ROOT / "examples" / "contest"
GRAVITY = 9.81


def contest(scene, *options):
    result = amontons("contest", SCENES / f"{scene}.yaml", "--json", "--quiet", *options, check=0)
    return {entry["model"]: entry for entry in json.loads(result.stdout)}


class ContestTest(unittest.TestCase):
    def test_a_convex_contact_that_slides_lifts_by_h_mu_times_its_speed_and_an_exact_one_stays(self):
        entries = contest("lift", "--models", "coulomb,convex-relaxation,anitescu-hart")
        relaxed = entries["convex-relaxation"]
        self.assertAlmostEqual(relaxed["lift_m"], relaxed["predicted_lift_m"], delta=1e-10)
        self.assertGreater(relaxed["lift_m"], 0.01)
        for model in ("coulomb", "anitescu-hart"):
            self.assertLess(entries[model]["lift_m"], 1e-12)
            self.assertLess(entries[model]["coulomb"], 1e-8)
            # Friction mu m g = 4.905 N works over the mean velocity of each step, while the box
            # moves with that at its end: h (v_0 - v_end)/2 less, v_0 - v_end = mu g T.
            distance = entries[model]["final_positions"]["box"][0]
            behind = 0.5 * 0.01 * 0.5 * GRAVITY * 0.5
            self.assertAlmostEqual(entries[model]["energy_change_J"],
                                   -0.5 * GRAVITY * (distance + behind), delta=1e-9)

    def test_round_friction_stops_on_a_line_and_a_pyramid_curves_away(self):
        entries = contest("pyramid-bias")
        unit = 1.0 / (0.4 * GRAVITY)  # 1/(mu g)
        lag = 2.0 * 0.01  # the discrete motion is behind by h v/2
        x, y, _ = entries["coulomb"]["final_positions"]["box"]
        self.assertAlmostEqual(math.atan2(y, x), math.radians(30), delta=1e-9)
        self.assertAlmostEqual(math.hypot(x, y), 2.0 * unit, delta=lag)
        # Friction along -x until both components are 1 m/s, then 0.707 of it along the diagonal.
        for model in ("anitescu-potra", "anitescu-hart", "stewart-trinkle"):
            x, y, _ = entries[model]["final_positions"]["box"]
            self.assertAlmostEqual(x, 2.0 * unit, delta=lag)
            self.assertAlmostEqual(y, math.sqrt(3.0) * unit, delta=lag)
            self.assertGreater(entries[model]["coulomb"], 0.1)
            self.assertLess(entries[model]["residual"], 1e-8)  # its own law holds

    def test_the_first_model_is_the_reference_and_none_is_left_out(self):
        entries = contest("three-disks")
        first, *others = entries
        self.assertEqual(first, "coulomb")
        self.assertEqual(entries[first]["distance_m"], 0.0)
        self.assertIn("frictionless", others)
        self.assertGreater(entries["frictionless"]["distance_m"], 0.01)  # 0.3 > tan 15 degrees
        self.assertLess(entries["anitescu-hart"]["distance_m"], 1e-9)
        table = amontons("contest", SCENES / "rod.yaml", "--quiet", check=0).stdout
        for model in entries:
            self.assertIn(f"\n{model} ", table)

    def test_an_unknown_model_or_scene_is_exit_2(self):
        result = amontons("contest", SCENES / "rod.yaml", "--models", "coulomb,anitescu-heart",
                          check=2)
        self.assertIn("did you mean 'anitescu-hart'?", result.stderr)
        amontons("contest", "none.yaml", check=2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
