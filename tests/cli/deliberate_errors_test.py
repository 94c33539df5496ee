#!/usr/bin/python3
"""Checks that criteria of every experiment can fail: a deliberate error of what it simulates, or of what it asks
solvers for, fails them.  usage: deliberate_errors_test.py PROGRAM"""
import json
import os
import pathlib
import sys
import tempfile
import unittest

from program import amontons

# Experiments take the long size as --full, which takes hours: their errors show at the usual one.
LONG = os.environ.pop("AMONTONS_TEST_SIZE", "") == "long"

# Experiment, error, and words of a criterion that must fail.
ERRORS = (
    ("ramp", "friction-halved", "position against the closed form"),
    ("ramp", "early-stop", "law asked"),
    ("bouncing-ball", "wrong-restitution", "apex k against"),
    ("ellipse", "no-stabilization", "I(10 s) at gamma 0"),
    ("ellipse", "friction-halved", "mean I over the last half"),
    ("newtons-cradle", "wrong-restitution", "one in, one out"),
    ("dissipative-impacts", "friction-halved", "against the closed form"),
    ("dissipative-impacts", "early-stop", "law asked"),
    ("dissipative-impacts", "friction-halved", "one kappa for the system"),
    ("arm-holding", "friction-halved", "joint speed"),
    ("arm-sliding", "friction-halved", "order of the error"),
    ("barrett-hand", "no-stabilization", "(b) gamma 0.2"),
    ("wind", "early-stop", "law asked"),
    ("signed-distance", "larger-shapes", "distance for y"),
    ("theorems", "larger-shapes", "T04"),
    ("box-qp", "rounded-answers", "KKT residual"),
    ("pendulum-drift", "no-stabilization", "ratio of the largest errors"),
    ("rimless-wheel", "early-stop", "law asked"),
    ("events", "wrong-restitution", "first five apexes"),
    ("grasp", "early-stop", "largest sag"),
    ("gripper", "friction-halved", "grip of a finger"),
    ("painleve-rod", "friction-halved", "box on a ramp by rk4"),
    ("no-slip-limits", "friction-halved", "order of the implicit velocity level"),
    ("disks", "friction-halved", "mu 0.6"),
    ("impacts", "friction-halved", "after 216 impacts"),
    ("incline", "friction-halved", "discrete motion of the exact law"),
    ("backspin", "friction-halved", "farthest point"),
    ("turntable", "friction-halved", "mu 0.5, 2 rad/s"),
    ("painleve-box", "friction-halved", "travel"),
    ("rolling", "friction-halved", "mean squared error"),
    ("billiards", "wrong-restitution", "velocity of the struck ball"),
    ("impacting-stick", "wrong-restitution", "without friction"),
    ("woodpecker", "friction-halved", "periods in 1.3 s"),
    ("four-bar-clearance", "friction-halved", "of sliding contacts off mu"),
    ("rockfall", "friction-halved", "closed form of rolling"),
    ("contactbench", "friction-halved", "way of the sliding cube"),
    ("card-house", "friction-halved", "motion of a card"),
    ("junkyard", "early-stop", "law asked"),
    ("bouncing", "wrong-restitution", "event-driven: error"),
    ("sphere-cube", "wrong-restitution", "elastic, event-driven"),
    ("momentum", "heavier-bodies", "error of the momentum"),
    ("energy", "damped-joints", "error of the energy"),
    ("pd-control", "early-stop", "law asked"),
    ("rattleback", "larger-shapes", "time of the reversal"),
    ("tippe-top", "larger-shapes", "Jellett"),
    ("euler-disk", "early-stop", "law asked"),
    ("rocking-block", "larger-shapes", "Housner"),
    ("thin-card-house", "early-stop", "motion of a card"),
    ("gz-physics", "larger-shapes", "height of the ball"),
)
# The same, which take minutes together.
LONG_ERRORS = (
    ("spheres", "early-stop", "kinetic energy at 5 s"),
    ("linkages", "no-stabilization", "order of that error"),
    ("brazil-nut", "early-stop", "convex problem was not solved"),
    ("engine-timing", "rounded-answers", "velocities of our solvers"),
    ("contact-count", "rounded-answers", "wrong solutions"),
    ("engine", "larger-shapes", "without certificate"),
    ("quadruped-no-slip", "early-stop", "slip of a loaded foot"),
    ("quadruped-viscous", "friction-halved", "against -mu_v v_t"),
    ("masonry-arch", "early-stop", "motion of a stone"),
    ("pyramids", "early-stop", "large_pyramid"),
)


class DeliberateErrors(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_a_deliberate_error_fails_the_criteria_of_what_it_changes(self):
        for name, error, criterion in ERRORS + (LONG_ERRORS if LONG else ()):
            with self.subTest(name=name, error=error):
                result = amontons("reproduce", name, "--quiet", "--json", "--mutate", error, "-o", "out",
                                  cwd=self.folder, check=1)
                experiment, = json.loads(result.stdout)
                failed = [e["text"] for e in experiment["expectations"]
                          if not e["passed"] and not e["timing"]]
                self.assertTrue(any(criterion in text for text in failed), failed)
                self.assertEqual(experiment["verdict"], "criteria not met")
                self.assertIn("Deliberate error", " ".join(experiment["notes"]))

    def test_every_experiment_has_an_error_that_must_fail_it(self):
        listed = {line.split()[0] for set_name in ("papers", "public")
                  for line in amontons("reproduce", "--list", "--set", set_name,
                                       check=0).stdout.splitlines()}
        self.assertEqual(listed, {name for name, _, _ in ERRORS + LONG_ERRORS})

    def test_an_unknown_error_is_refused_with_the_known_ones(self):
        result = amontons("reproduce", "signed-distance", "--mutate", "gravity", cwd=self.folder, check=2)
        self.assertIn("friction-halved, no-stabilization", result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
