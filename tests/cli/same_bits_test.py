#!/usr/bin/python3
"""Checks that a run has the same bits where the C library uses no fused operations and the program
no wide vectors, as on processors without them [docs/theory/same-bits.md].

    same_bits_test.py PROGRAM
"""
import os
import pathlib
import random
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


def as_older_processor(bits):
    """Returns an environment in which the C library's own functions use no fused operations and
    vectors of AVX, and the program none of more than some bits."""
    names = ("AVX2", "FMA", "FMA4", "AVX512F", "AVX512VL", "AVX512BW", "AVX512DQ", "AVX512CD")
    features = ",".join(f"-{name},-{name}_Usable" for name in names)
    return {**os.environ, "GLIBC_TUNABLES": f"glibc.cpu.hwcaps={features}",
            "AMONTONS_VECTOR_BITS": str(bits)}


def random_pose(rng):
    """Returns position [m] and angles [rad] as text."""
    return " ".join(f"{rng.uniform(-30, 30):.5f}" for _ in range(3)), " ".join(
        f"{rng.uniform(-3, 3):.5f}" for _ in range(3))


def sdf_of(rng):
    """Returns a world of bodies and hinged pairs in frames, and of models in others, which libsdformat
    resolves, with angles everywhere."""
    models = []
    for k in range(150):
        (at, turned), (of_link, link_turned) = random_pose(rng), random_pose(rng)
        models.append(
            f"<model name='m{k}'><pose>{at} {turned}</pose><link name='a'>"
            f"<inertial><pose>0 0 0 {link_turned}</pose><mass>1</mass></inertial></link>"
            f"<frame name='f' attached_to='a'><pose>{of_link} {link_turned}</pose></frame>"
            "<link name='b'><pose relative_to='f'>0.1 0 0 0.3 0.2 0.1</pose></link>"
            "<joint name='j' type='revolute'><parent>f</parent><child>b</child>"
            "<axis><xyz>0.3 0.5 1</xyz></axis></joint></model>")
    for k in range(200):
        poses = [" ".join(random_pose(rng)) for _ in range(3)]
        models.append(
            f"<model name='n{k}'><pose>{poses[0]}</pose><model name='in'><pose>{poses[1]}</pose>"
            f"<link name='a'><pose>{poses[2]}</pose><inertial><mass>1</mass></inertial></link></model></model>")
    return f"<sdf version='1.9'><world name='w'>{''.join(models)}</world></sdf>"


def urdf_of(rng):
    """Returns a tree of hinges whose origins are turned."""
    links, joints = ["<link name='l0'/>"], []
    for k in range(1, 60):
        at, turned = random_pose(rng)
        links.append(f"<link name='l{k}'><inertial><origin xyz='0 0 0.1' rpy='{turned}'/><mass "
                     "value='1'/><inertia ixx='1' iyy='2' izz='2.5' ixy='0' ixz='0' iyz='0'/>"
                     "</inertial></link>")
        joints.append(f"<joint name='j{k}' type='continuous'><origin xyz='{at}' rpy='{turned}'/>"
                      f"<parent link='l{rng.randrange(k)}'/><child link='l{k}'/></joint>")
    return f"<robot name='r'>{''.join(links + joints)}</robot>"


def mjcf_of(rng):
    """Returns bodies on free joints, turned by angles and by axes."""
    bodies = []
    for k in range(150):
        at, turned = random_pose(rng)
        bodies.append(f"<body pos='{at}' euler='{turned}'><freejoint/><geom size='0.1 0.2 0.3' "
                      f"type='box' axisangle='1 2 3 {rng.uniform(-3, 3)}'/></body>")
    return ("<mujoco><compiler angle='radian'/><option gravity='0 0 0'/><worldbody>"
            f"{''.join(bodies)}</worldbody></mujoco>")


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
    def check(self, scene, folder, *options):
        own = None
        for name, environment in (("own", os.environ), ("wide", as_older_processor(256)),
                                  ("narrow", as_older_processor(128))):
            run = folder / f"{name}.h5"
            amontons("run", scene, "-o", run, "--quiet", "--accept", "safe", *options, check=0,
                     env=environment)
            found = numbers(run)
            own = own or found
            self.assertTrue(found)
            self.assertEqual(own.keys(), found.keys())
            self.assertEqual([key for key in own if own[key] != found[key]], [], name)

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

    def test_imported_models(self):
        for name, text_of in (("w.sdf", sdf_of), ("r.urdf", urdf_of), ("m.xml", mjcf_of)):
            with self.subTest(file=name), tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder) / name
                file.write_text(text_of(random.Random(7)))
                self.check(file, pathlib.Path(folder), "--duration", "0.004")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
