#!/usr/bin/python3
"""Checks the table that scripts/import-survey makes of a folder.  usage: import_survey_test.py PROGRAM"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import program

SURVEY = pathlib.Path(__file__).resolve().parents[2] / "scripts/import-survey"
BODY = "<worldbody><body name='b'><freejoint/><geom size='.1'/></body></worldbody>"
INERTIAL = "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>"
# The cells behind the name: format, loads, moves otherwise, findings.
FILES = {
    "ball.mjcf": (f"<mujoco>{BODY}</mujoco>", ("MJCF", "yes", "0", "0")),
    "deep/arm.xacro": (f"<robot name='r'><link name='a'>{INERTIAL}</link><xacro:sensor/></robot>",
                       ("URDF", "yes", "1", "1")),
    "box.sdf": ("<sdf version='1.9'><model name='m'><link name='a'/></model></sdf>", ("SDF", "yes", "0", "0")),
    "notes.xml": ("<notes/>", None),
    "part.xml": ("<mujoco><asset/></mujoco>", None),
    "readme.txt": (f"<mujoco>{BODY}</mujoco>", None),
}


class TheSurvey(unittest.TestCase):
    def test_a_summary_has_a_row_for_each_folder_with_the_findings_of_its_files(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, (text, _) in FILES.items():
                file = pathlib.Path(folder, "one" if name.startswith("b") else "two", name)
                file.parent.mkdir(exist_ok=True, parents=True)
                file.write_text(text)
            result = subprocess.run([sys.executable, SURVEY, folder, "--summary", "--amontons", program.PROGRAM,
                                     "--duration", "0.1"], capture_output=True, text=True, check=True)
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in result.stdout.splitlines()[2:]]
        self.assertEqual([row[:6] for row in rows],
                         [["one", "2", "2", "2", "0", "2"], ["two", "1", "1", "0", "1", "1"]])
        self.assertTrue(all(float(row[6]) > 0.0 for row in rows))

    def test_each_robot_and_world_below_a_folder_has_a_row_with_its_findings(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, (text, _) in FILES.items():
                file = pathlib.Path(folder, name)
                file.parent.mkdir(exist_ok=True)
                file.write_text(text)
            result = subprocess.run([sys.executable, SURVEY, folder, "--amontons", program.PROGRAM, "--duration", "0.1"],
                                    capture_output=True, text=True, check=True)
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in result.stdout.splitlines()[2:]]
        self.assertEqual({row[0]: tuple(row[1:5]) for row in rows},
                         {name: cells for name, (_, cells) in FILES.items() if cells})
        for row in rows:
            asked, steps = row[5].split(" of ")
            self.assertEqual(asked, steps)
            self.assertGreater(float(row[6]), 0.0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
