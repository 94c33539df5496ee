#!/usr/bin/python3
"""Checks that a run has the same bits where the C library uses no fused operations, as on processors
without them [docs/theory/same-bits.md].  usage: same_bits_test.py PROGRAM"""
import os
import pathlib
import sys
import tempfile
import unittest

import h5py

from program import FIRST, ROOT, amontons

# Bodies that turn about every axis, a driven pendulum, polygons of friction, a cylinder's rim.
TURNING = """amontons: 1
simulation: {step: 0.004, duration: 0.4, model: %s, method: %s}
materials:
  - {name: default, friction: 0.37, restitution: 0.3}
bodies:
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
  - name: box
    mass: 1
    shapes: [{box: [0.3, 0.2, 0.1]}]
    pose: {position: [0, 0, 0.5], rpy_deg: [17, -23, 41]}
    velocity: {linear: [0.3, 0, -1], angular: [5, -7, 3]}
  - name: drum
    mass: 2
    shapes: [{cylinder: [0.1, 0.3]}]
    pose: {position: [1, 0, 0.3], rpy_deg: [11, 31, 7]}
    velocity: {angular: [1, 9, 2]}
"""


def without_fused_operations():
    """Returns an environment in which the C library's own functions use none."""
    features = "-AVX2,-FMA,-FMA4,-AVX2_Usable,-FMA_Usable,-FMA4_Usable"
    return {**os.environ, "GLIBC_TUNABLES": f"glibc.cpu.hwcaps={features}"}


def numbers(path):
    """Returns the bytes of every number of a run that is not a time of the wall clock."""
    found = {}

    def collect(name, item):
        if isinstance(item, h5py.Dataset) and item.dtype.kind in "fiu" and "time_s" not in name:
            found[name] = item[()].tobytes()

    with h5py.File(path) as file:
        file.visititems(collect)
    return found


class SameBitsTest(unittest.TestCase):
    def check(self, scene, folder):
        runs = []
        for name, environment in (("fused", os.environ), ("plain", without_fused_operations())):
            run = folder / f"{name}.h5"
            amontons("run", scene, "-o", run, "--quiet", "--accept", "safe", check=0, env=environment)
            runs.append(numbers(run))
        self.assertTrue(runs[0])
        self.assertEqual(runs[0].keys(), runs[1].keys())
        differing = [name for name in runs[0] if runs[0][name] != runs[1][name]]
        self.assertEqual(differing, [])

    def test_turning_bodies(self):
        for model, method in (("coulomb", "time-stepping"), ("stewart-trinkle", "time-stepping"),
                              ("maximum-dissipation", "time-stepping"),
                              ("coulomb", "event-driven")):
            with self.subTest(model=model, method=method), tempfile.TemporaryDirectory() as folder:
                scene = pathlib.Path(folder) / "turning.yaml"
                scene.write_text(TURNING % (model, method))
                self.check(scene, pathlib.Path(folder))

    def test_examples(self):
        for scene in (FIRST, ROOT / "examples" / "events" / "bounce.yaml"):
            with self.subTest(scene=scene.name), tempfile.TemporaryDirectory() as folder:
                self.check(scene, pathlib.Path(folder))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
