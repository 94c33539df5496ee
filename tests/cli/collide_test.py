#!/usr/bin/python3
"""Checks which bodies collide, and as what, from the command line to the log of a run.
usage: collide_test.py PROGRAM"""
import json
import pathlib
import tempfile
import unittest

from program import amontons

# A wedge with a notch of half its width, and a robot of two of them.
NOTCHED = """v 0 0 0\nv 1 0 0\nv 1 0 1.5\nv 0.5 0 1.5\nv 0.5 0 3\nv 0 0 3
v 0 2 0\nv 1 2 0\nv 1 2 1.5\nv 0.5 2 1.5\nv 0.5 2 3\nv 0 2 3
f 1 2 3 4\nf 1 4 5 6\nf 10 9 8 7\nf 12 11 10 7\nf 2 1 7 8\nf 3 2 8 9\nf 4 3 9 10\nf 5 4 10 11
f 6 5 11 12\nf 1 6 12 7
"""
LINK = """<link name="{name}"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><mesh filename="notched.obj"/></geometry></collision></link>
"""
ROBOT = ("<robot name='r'>\n" + LINK.format(name="base") + LINK.format(name="tip") +
         "<joint name='j' type='continuous'><parent link='base'/><child link='tip'/>"
         "<origin xyz='4 0 0'/></joint>\n</robot>\n")
# A ball that starts in the notch and falls to its floor; a second one falls past the ground.
SCENE = """amontons: 1
simulation: {step: 0.005, duration: 0.3}
bodies:
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
  - {name: wedge, fixed: true, shapes: [{mesh: {file: notched.obj}}]}
  - {name: ball, mass: 1, shapes: [{sphere: 0.1}], pose: {position: [0.75, 1, 1.8]}}
  - {name: ghost, mass: 1, shapes: [{sphere: 0.1}], pose: {position: [5, 0, 0.1]}}
collision_filters:
  - {exclude: [ghost, ground]}
"""


class CollideTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.dir = pathlib.Path(self.folder.name)
        for name, text in (("notched.obj", NOTCHED), ("robot.urdf", ROBOT), ("scene.yaml", SCENE)):
            (self.dir / name).write_text(text)

    def tearDown(self):
        self.folder.cleanup()

    def amontons(self, *arguments, check=0):
        return amontons(*arguments, cwd=self.dir, check=check)

    def reasons(self, *options):
        """Returns the ledger's records of meshes and links that do not collide."""
        ledger = json.loads(self.amontons("lint", "robot.urdf", "--json", *options).stdout)
        return [(entry["fate"], entry["reason"].split(" (")[0]) for entry in ledger["entries"]
                if entry["element"].endswith("geometry mesh") or "shapes of" in entry["element"]]

    def test_the_ledger_says_how_each_mesh_collides(self):
        hull = ("approximated", "collides as its convex hull, as asked")
        self.assertEqual(self.reasons(), [("applied", "collides as a mesh")] * 2)
        self.assertEqual(self.reasons("--collide", "hull"), [hull] * 2)
        self.assertEqual(self.reasons("--set", "models.model.collide=hull"), [hull] * 2)
        self.assertEqual(
            self.reasons("--collide", "hull", "--collide", "model/t*=none"),
            [hull, ("ignored", "does not collide, as asked"),
             ("ignored", "none of them collides, as asked")])
        self.assertIn("did you mean 'hull'?",
                      self.amontons("run", "robot.urdf", "--collide", "hul", check=2).stderr)
        self.assertIn("did you mean 'model/tip'?",
                      self.amontons("run", "robot.urdf", "--collide", "model/tpi=hull",
                                    check=2).stderr)

    def test_a_limit_of_vertices_simplifies_hulls_and_the_ledger_says_how_far(self):
        def reasons(*options):
            ledger = json.loads(self.amontons("lint", "robot.urdf", "--json", *options).stdout)
            return [entry["reason"] for entry in ledger["entries"]
                    if entry["element"].endswith("geometry mesh")]
        limited = reasons("--collide", "hull", "--max-hull-vertices", "6")
        self.assertEqual(len(limited), 2)
        for reason in limited:
            self.assertRegex(reason, r"6 of 10 vertices are left, and the others lie up to \d\.\d+ m")
        one = reasons("--collide", "hull", "--max-hull-vertices", "model/tip=6")
        self.assertNotIn("vertices", one[0])
        self.assertIn("6 of 10 vertices", one[1])
        self.assertEqual(reasons("--collide", "hull", "--set", "max_hull_vertices=6"), limited)
        self.amontons("run", "scene.yaml", "-o", "six.h5", "--quiet", "--collide", "hull",
                      "--max-hull-vertices", "6")
        self.amontons("verify", "six.h5")

    def test_a_limit_of_vertices_that_means_nothing_is_one_line(self):
        for limit, said in (("3", "must be an integer of at least 4, or -1 for no limit, not 3"),
                            ("4.5", "must be an integer of at least 4"),
                            ("few", "must be a number"),
                            ("model/tip=0", "must be an integer of at least 4"),
                            ("model/tpi=8", "did you mean 'model/tip'?")):
            with self.subTest(limit=limit):
                result = self.amontons("run", "robot.urdf", "--max-hull-vertices", limit, check=2)
                self.assertEqual((result.stdout, result.stderr.count("\n")), ("", 1))
                self.assertIn(said, result.stderr)
                self.assertIn("max_hull_vertices", result.stderr)

    def test_info_counts_the_pairs_and_says_why_they_do_not_collide(self):
        def pairs(*options):
            text = self.amontons("info", *options, "--json").stdout
            return json.loads(text)["pairs_of_shapes"]
        self.assertEqual(pairs("scene.yaml"),
                         {"all": 6, "collide": 4,
                          "filtered": {"both_fixed": 1, "collision_filters": 1}})
        self.assertEqual(pairs("robot.urdf"), {"all": 1, "collide": 0, "filtered": {"joined": 1}})
        self.assertEqual(pairs("robot.urdf", "--collide", "none")["filtered"], {"collide_none": 1})
        self.assertEqual(pairs("robot.urdf", "--set", "models.model.self_collide=all"),
                         {"all": 1, "collide": 1, "filtered": {}})
        self.assertIn("collision_filters: 1", self.amontons("info", "scene.yaml").stdout)

    def test_a_run_with_filters_and_hulls_verifies_and_keeps_them(self):
        self.amontons("run", "scene.yaml", "-o", "mesh.h5", "--quiet")
        self.amontons("run", "scene.yaml", "-o", "hull.h5", "--quiet", "--collide", "hull")
        for run in ("mesh.h5", "hull.h5"):
            self.amontons("verify", run)
            self.assertIn("nothing to resume", self.amontons("resume", run).stdout)
        # In its hull the ball starts inside the wedge, which pushes it out.
        self.amontons("compare", "mesh.h5", "hull.h5", check=1)
        # An interrupted run goes on with the same filters, to the same bits.
        options = ("--quiet", "--collide", "hull", "--set", "simulation.tolerance=1e-20")
        self.amontons("run", "scene.yaml", "-o", "part.h5", *options, "--strict-steps", check=3)
        self.amontons("run", "scene.yaml", "-o", "whole.h5", *options, check=3)
        self.amontons("resume", "part.h5", check=3)
        self.amontons("compare", "part.h5", "whole.h5")

    def test_filters_of_the_command_line_are_part_of_the_run(self):
        self.amontons("run", "scene.yaml", "-o", "all.h5", "--quiet", "--set",
                      "collision_filters=[{exclude: [\"*\", \"*\"]}]")
        self.amontons("verify", "all.h5")
        energy = json.loads(self.amontons("info", "all.h5", "--json").stdout)["energy_at_end_J"]
        # Both balls fell freely: m (g t)^2 / 2 each.
        self.assertAlmostEqual(energy["kinetic"], 2 * 0.5 * (9.81 * 0.3) ** 2, places=6)


if __name__ == "__main__":
    unittest.main(argv=[__file__])
