#!/usr/bin/python3
"""Checks robots and worlds with a fault: exit code 2 and one error at its line.  usage: refusal_test.py PROGRAM"""
import os
import pathlib
import sys
import tempfile
import unittest

from program import amontons

INERTIAL = "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>"

# Each file has one fault. The sign @ marks the line where the error must be reported.
FAULTS = {
    "r.urdf": {
        "not closed": "<robot name='r'>\n@<link name='a'>\n</robot>\n",
        "mass is no number": f"<robot name='r'>\n<link name='a'>{INERTIAL}</link>\n<link name='b'><inertial>\n"
                             "@<mass value='much'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>"
                             "</inertial></link>\n<joint name='j' type='fixed'><parent link='a'/><child link='b'/>"
                             "</joint></robot>\n",
        "mesh is not there": f"<robot name='r'>\n<link name='a'>{INERTIAL}<collision><geometry>\n"
                             "@<mesh filename='none.stl'/></geometry></collision></link></robot>\n",
    },
    "w.sdf": {
        "not closed": "<sdf version='1.9'>\n<model name='m'>\n@<link name='a'>\n</model></sdf>\n",
        "unknown version": "@<sdf version='9.9'>\n<model name='m'><link name='a'/></model></sdf>\n",
        "radius negative": "<sdf version='1.9'><model name='m'><link name='a'><collision name='c'><geometry>\n"
                           "<sphere>\n@<radius>-1</radius></sphere></geometry></collision></link></model></sdf>\n",
        "no such link": "<sdf version='1.9'><model name='m'><link name='a'/><link name='b'/>\n"
                        "@<joint name='j' type='revolute'><parent>a</parent><child>nobody</child>\n"
                        "<axis><xyz>0 0 1</xyz></axis></joint></model></sdf>\n",
    },
    "m.xml": {
        "not closed": "<mujoco>\n<worldbody>@\n",
        "unknown geom": "<mujoco><worldbody><body name='a'>\n@<geom type='ball' size='0.1'/></body></worldbody></mujoco>\n",
        "no mass": "<mujoco><worldbody>\n@<body name='a'><freejoint/></body>\n</worldbody></mujoco>\n",
        "no such joint": "<mujoco><worldbody><body name='a'><joint name='j'/><geom size='0.1'/></body></worldbody>\n"
                         "<actuator>\n@<motor joint='k'/></actuator></mujoco>\n",
    },
}


class RefusalTest(unittest.TestCase):
    def test_a_broken_robot_is_one_error_at_its_line_whatever_the_verb(self):
        for name, faults in FAULTS.items():
            for title, text in faults.items():
                line = text[:text.index("@")].count("\n") + 1
                for verb in ("run", "lint", "info"):
                    with self.subTest(file=name, fault=title, verb=verb), \
                            tempfile.TemporaryDirectory() as folder:
                        (pathlib.Path(folder) / name).write_text(text.replace("@", ""))
                        result = amontons(verb, name, cwd=folder, check=2)
                        self.assertTrue(result.stderr.startswith(f"{name}:{line}:"), result.stderr)
                        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
                        self.assertEqual(result.stdout, "")
                        self.assertEqual([path.name for path in pathlib.Path(folder).iterdir()], [name])

    def test_a_broken_robot_within_a_scene_is_refused_the_same_way(self):
        text = FAULTS["w.sdf"]["radius negative"]
        line = text[:text.index("@")].count("\n") + 1
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "w.sdf").write_text(text.replace("@", ""))
            (pathlib.Path(folder) / "scene.yaml").write_text(
                "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels: [{name: m, file: w.sdf}]\n")
            result = amontons("run", "scene.yaml", cwd=folder, check=2)
            self.assertTrue(result.stderr.startswith(f"w.sdf:{line}:"), result.stderr)

    def test_a_file_of_xacro_is_expanded_by_the_program_where_it_is_installed(self):
        robot = ("<robot name='r' xmlns:xacro='http://ros.org/xacro'>\n<xacro:macro name='leg'/>\n"
                 f"<link name='a'>{INERTIAL}</link></robot>\n")
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "r.urdf.xacro").write_text(robot)
            programs = folder / "programs"
            programs.mkdir()
            environment = {**os.environ, "PATH": f"{programs}:/usr/bin:/bin"}
            # A program that leaves the macros out, one that refuses, and none.
            program = programs / "xacro"
            program.write_text("#!/bin/sh\ngrep -v '<xacro:' \"$1\"\n")
            program.chmod(0o755)
            shown = amontons("run", "r.urdf.xacro", "--duration", "0.01", cwd=folder, check=0,
                             env=environment)
            self.assertIn("certificate: met by every step", shown.stdout)
            run = next(folder.glob("*.h5")).name
            amontons("verify", run, cwd=folder, check=0, env={**os.environ, "PATH": "/none"})
            program.write_text("#!/bin/sh\necho 'no such property' >&2\nexit 2\n")
            refused = amontons("lint", "r.urdf.xacro", cwd=folder, check=2, env=environment)
            self.assertRegex(refused.stderr, r"^r\.urdf\.xacro:2: .* code 2: no such property\n$")
            program.unlink()
            missing = amontons("lint", "r.urdf.xacro", cwd=folder, check=2, env=environment)
            self.assertIn("expand them first with 'xacro r.urdf.xacro > robot.urdf'", missing.stderr)

    def test_a_model_file_that_is_missing_has_no_line(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("none.urdf", "none.sdf", "none.xml", "none.yaml"):
                missing = amontons("lint", name, cwd=folder, check=2)
                self.assertRegex(missing.stderr, rf"^{name}: cannot read the \w+: ")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
