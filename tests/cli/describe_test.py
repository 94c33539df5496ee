#!/usr/bin/python3
"""Checks info, lint and replay.  usage: describe_test.py PROGRAM"""
import base64
import json
import pathlib
import struct
import sys
import tempfile
import unittest

from program import FIRST, SMALL_SCENE, amontons

TETRAHEDRON = "v 0 0 0\nv 3 0 0\nv 0 2 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"


class DescribeTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.dir = pathlib.Path(self.folder.name)
        (self.dir / "small.yaml").write_text(SMALL_SCENE)

    def tearDown(self):
        self.folder.cleanup()

    def info(self, *arguments):
        return json.loads(amontons("info", "--json", *arguments, cwd=self.dir, check=0).stdout)

    def test_info_on_a_scene_gives_the_gaps_at_its_start(self):
        result = self.info("small.yaml")
        gaps = {(g["between"], g["and"]): g["gap_m"] for g in result["gaps_at_start"]}
        self.assertAlmostEqual(gaps["ground", "crate"], 0.0, places=12)
        # The distance is from the crate's face at x = 0.15 to the ball's nearest point at x = 1.9.
        self.assertAlmostEqual(gaps["crate", "ball"], 1.75, places=9)
        self.assertAlmostEqual(result["moving_mass_kg"], 3.0)
        self.assertRegex(amontons("info", FIRST, check=0).stdout,
                         r"gaps_at_start:\n  0\.\d+ m between \w+ and \w+\n")

    def test_info_on_a_mesh_gives_volume_center_and_inertia(self):
        (self.dir / "t.obj").write_text(TETRAHEDRON)
        result = self.info("t.obj")
        self.assertAlmostEqual(result["volume"], 1.0, places=6)  # 3 x 2 x 1 / 6
        for got, expected in zip(result["center_of_mass"], (0.75, 0.5, 0.25)):
            self.assertAlmostEqual(got, expected, places=6)
        # Tetrahedron with legs a, b, c: Ixx = 3 V (b^2 + c^2) / 80 about its center.
        self.assertAlmostEqual(result["inertia_at_unit_density"]["ixx"], 3 * 5 / 80, places=6)
        self.assertTrue(result["closed"])

    def test_info_describes_each_format_of_meshes_alike(self):
        (self.dir / "t.obj").write_text(TETRAHEDRON)
        points = [(0, 0, 0), (3, 0, 0), (0, 2, 0), (0, 0, 1)]
        faces = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]
        (self.dir / "t.ply").write_text(
            "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
            "property float z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n"
            + "".join("%g %g %g\n" % point for point in points) + "".join("3 %d %d %d\n" % face for face in faces))
        corners = [c for point in points for c in point]
        indices = [i for face in faces for i in face]
        (self.dir / "t.msh").write_bytes(struct.pack("<4i12f12i", 4, 0, 0, 4, *corners, *indices))
        (self.dir / "t.STL").write_text("solid t\n" + "".join(
            "facet normal 0 0 0\nouter loop\n"
            + "".join("vertex %g %g %g\n" % points[i] for i in face) + "endloop\nendfacet\n"
            for face in faces) + "endsolid t\n")
        buffer = struct.pack("<12f12I", *corners, *indices)
        (self.dir / "t.gltf").write_text(json.dumps({
            "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
            "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3",
                           "min": [0, 0, 0], "max": [3, 2, 1]},
                          {"bufferView": 1, "componentType": 5125, "count": 12, "type": "SCALAR"}],
            "bufferViews": [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 48}],
            "buffers": [{"byteLength": 96,
                         "uri": "data:application/octet-stream;base64," + base64.b64encode(buffer).decode()}]}))
        expected = self.info("t.obj")
        for name in ("t.ply", "t.msh", "t.STL", "t.gltf"):
            with self.subTest(file=name):
                self.assertEqual(self.info(name), expected | {"file": name})

    def test_info_on_a_run_counts_what_was_recorded(self):
        amontons("run", "small.yaml", "-o", "a.h5", cwd=self.dir, check=0)
        result = self.info("a.h5")
        self.assertEqual((result["kind"], result["rows"], result["steps"]), ("run", 21, 20))
        self.assertTrue(result["closed"])
        self.assertEqual(result["missed_certificates"], 0)
        self.assertGreaterEqual(result["contacts"], 20 * 5)

    def test_lint_answers_with_exit_0_and_refuses_only_when_strict(self):
        result = json.loads(amontons("lint", "--json", FIRST, check=0).stdout)
        self.assertEqual(result["findings"], 0)
        amontons("lint", "--strict-import", FIRST, check=0)
        (self.dir / "bad.yaml").write_text("amontons: 1\nsimulation: {")
        self.assertTrue(amontons("lint", "bad.yaml", cwd=self.dir, check=2).stderr
                        .startswith("bad.yaml:"))

    def test_lint_counts_findings_beside_what_moves_otherwise(self):
        # A sensor moves nothing, whether it is read or not.
        (self.dir / "s.xml").write_text("<mujoco><worldbody><body name='b'><freejoint/><geom size='.1'/></body></worldbody>"
                                        "<sensor><user name='own' dim='2'/></sensor></mujoco>")
        first = amontons("lint", "s.xml", cwd=self.dir, check=0).stdout.splitlines()[0]
        self.assertRegex(first, r"^s\.xml: 0 elements let it move otherwise, 0 look otherwise, \d+ do not matter; "
                                r"findings: 1$")

    def test_a_mesh_of_looks_that_is_missing_stops_nothing_and_is_named(self):
        (self.dir / "r.urdf").write_text(
            "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' "
            "izz='1'/></inertial><visual><geometry><mesh filename='lost.stl'/></geometry></visual></link></robot>")
        self.assertIn("its mesh 'lost.stl' is missing", amontons("lint", "r.urdf", cwd=self.dir, check=0).stdout)
        amontons("run", "r.urdf", "--duration", "0.1", "-o", "r.h5", cwd=self.dir, check=0)
        for more in ((), ("--still", "0", "--size", "64x64", "-o", "r.png")):
            said = amontons("replay", "r.h5", *more, cwd=self.dir, check=0).stderr
            self.assertIn("note: r.h5: visual meshes that cannot be read: 1, the first is lost.stl", said)
            self.assertNotIn("lost.stl", amontons("replay", "r.h5", "--no-visuals", "--force", *more, cwd=self.dir,
                                                  check=0).stderr)

    def test_bodies_inside_each_other_at_the_start_are_named_with_the_depth(self):
        (self.dir / "sunk.yaml").write_text(SMALL_SCENE.replace("[0, 0, 0.1]", "[0, 0, 0.06]"))
        overlap, = self.info("sunk.yaml")["overlaps_at_start"]
        self.assertEqual((overlap["between"], overlap["and"]), ("ground", "crate"))
        self.assertAlmostEqual(overlap["depth_m"], 0.04, places=12)
        findings = [entry for entry in json.loads(amontons("lint", "--json", "sunk.yaml", cwd=self.dir, check=0)
                                                  .stdout)["entries"] if entry["fate"] == "warning"]
        self.assertEqual([(entry["element"], entry["line"]) for entry in findings],
                         [("'ground' and 'crate': start position", 7)])
        self.assertIn("overlap by 0.04 m", findings[0]["reason"])
        for verb in ("lint", "run"):
            amontons(verb, "--strict-import", "sunk.yaml", cwd=self.dir, check=4)
        result = json.loads(amontons("run", "sunk.yaml", "--no-log", "--json", cwd=self.dir, check=0).stdout)
        self.assertEqual(result["relaxed_steps"], 2)  # 0.04 m at 2 m/s at most, steps of 0.01 s

    def test_replay_writes_one_self_contained_page(self):
        amontons("run", "small.yaml", "-o", "a.h5", cwd=self.dir, check=0)
        amontons("run", "small.yaml", "-o", "b.h5", "--step", "0.02", cwd=self.dir, check=0)
        result = json.loads(
            amontons("replay", "a.h5", "b.h5", "-o", "page.html", "--json", cwd=self.dir, check=0)
            .stdout)
        self.assertEqual(result["frames"], [21, 11])
        page = (self.dir / "page.html").read_text()
        self.assertIn("crate", page)
        amontons("replay", "a.h5", cwd=self.dir, check=0)
        self.assertTrue((self.dir / "a.html").exists())
        result = json.loads(
            amontons("replay", "a.h5", "--frames", "5", "--json", cwd=self.dir, check=0).stdout)
        self.assertEqual(result["frames"], [5])
        result = json.loads(
            amontons("replay", "a.h5", "--frames", "1", "--json", cwd=self.dir, check=0).stdout)
        self.assertEqual(result["frames"], [1])
        amontons("replay", "a.h5", "-o", "none/page.html", cwd=self.dir, check=5)
        amontons("replay", "none.h5", cwd=self.dir, check=2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
