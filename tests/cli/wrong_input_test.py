#!/usr/bin/python3
"""Gives wrong files, outputs and words to every verb: one clear line, nothing written or lost.
usage: wrong_input_test.py PROGRAM"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from program import PROGRAM, SMALL_SCENE, amontons

READS_RUN = ("resume", "verify", "replay", "info", "export", "repair", "solve")
READS_SCENE = ("run", "contest", "lint")
# Names of each kind of file in the errors of verbs that want an HDF5 file, or a scene.
WRONG = {
    "none.h5": ("there is no such file", "there is no such file"),
    "folder": ("it is a folder", "it is a folder"),
    "empty.h5": ("the file is empty", "the file is empty"),
    "noise.h5": ("not an HDF5 file", "not a text file"),
    "cut.h5": ("does not open: damaged, cut short", "an HDF5 file, where YAML is needed"),
}


class WrongInputTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)
        (self.dir / "small.yaml").write_text(SMALL_SCENE)
        self.amontons("run", "small.yaml", "--quiet", check=0)
        (self.dir / "folder").mkdir()
        (self.dir / "empty.h5").touch()
        (self.dir / "noise.h5").write_bytes(bytes(range(256)) * 20)
        whole = (self.dir / "small.h5").read_bytes()
        (self.dir / "cut.h5").write_bytes(whole[:len(whole) // 3])

    def test_a_name_of_a_megabyte_does_not_hide_what_is_said_about_it(self):
        name = "n" * 1_000_000
        (self.dir / "long.yaml").write_text(SMALL_SCENE + f"joints: [{{name: {name}}}]\n")
        said = self.amontons("run", "long.yaml", check=2).stderr
        self.assertLess(len(said), 2000)
        self.assertRegex(said, r"long.yaml:\d+:\d+: .*nnn\.\.\.\(\d+ bytes\)\.\.\.nnn")

    def test_what_a_message_quotes_leaves_it_one_line_with_a_place(self):
        inertial = ('<inertial><mass value="1"/>'
                    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>')
        body = "bodies: [{name: b, mass: 1, inertia: [%s], center_of_mass: [%s, 0, 0]}]\n"
        head = "amontons: 1\nsimulation: {step: 0.01, duration: 1}\n"
        for name, text, said in (
                ("name.urdf", f'<robot name="r"><link name="a">{inertial}<collision><geometry>'
                 '<mesh filename="a&#10;b.obj"/></geometry></collision></link></robot>', r"a\\nb.obj"),
                ("pose.sdf", '<sdf version="1.9"><model name="m"><pose>' + "1 " * 100_000
                 + '</pose><link name="a"/></model></sdf>', r"bytes\)\.\.\."),
                ("mass.urdf", '<robot name="r"><link name="a"><inertial><mass value="5e-324"/>'
                 '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>',
                 "not positive definite"),
                ("step.xml", '<mujoco><option timestep="1e-320"/><worldbody/></mujoco>', "timestep is absurdly"),
                ("far.yaml", head + body % ("1, 1, 1", "1e50"), "not far from its center"),
                ("small.yaml", head + body % (", ".join(["1e-320"] * 3), "0"), "not positive definite"),
                ("latin.yaml", head.encode() + b"bodies: [{name: b\xff\xfe}]\n", "not a text file in UTF-8")):
            with self.subTest(file=name):
                data = text if isinstance(text, bytes) else text.encode()
                (self.dir / name).write_bytes(data)
                line = self.refused("lint", name)
                self.assertRegex(line, rf"^{name}:\d+[:\d]*: .*{said}")
                self.assertLess(len(line), 5000)
                self.assertEqual(self.refused("run", name), line)

    def amontons(self, *words, check, **options):
        return amontons(*words, cwd=self.dir, check=check, **options)

    def refused(self, *words, code=2):
        """Returns the one line that the program prints; every file must be as it was."""
        before = {path: path.read_bytes() for path in self.dir.rglob("*") if path.is_file()}
        result = self.amontons(*words, check=code)
        after = {path: path.read_bytes() for path in self.dir.rglob("*") if path.is_file()}
        self.assertEqual(before, after, words)
        self.assertEqual((result.stdout, result.stderr.count("\n")), ("", 1), result)
        return result.stderr

    def test_every_verb_says_what_is_wrong_with_its_file(self):
        for name, (of_run, of_scene) in WRONG.items():
            for verb in READS_RUN + READS_SCENE:
                with self.subTest(verb=verb, file=name):
                    said = self.refused(verb, name)
                    self.assertTrue(said.startswith(name), said)
                    if verb != "info":  # info accepts both
                        self.assertIn(of_run if verb in READS_RUN else of_scene, said)
            with self.subTest(verb="compare", file=name):
                self.assertIn(of_run, self.refused("compare", "small.h5", name))
        for verb in READS_RUN:
            if verb != "info":
                self.assertIn("not an HDF5 file", self.refused(verb, "small.yaml"))
        for verb in READS_SCENE:
            self.assertIn("`amontons info` tells", self.refused(verb, "small.h5"))

    def test_no_output_takes_the_place_of_its_input(self):
        os.link(self.dir / "small.yaml", self.dir / "same.yaml")
        for words in (("run", "small.yaml", "-o", "small.yaml"),
                      ("run", "small.yaml", "-o", "folder/../same.yaml"),
                      ("replay", "small.h5", "-o", "small.h5"),
                      ("replay", "small.h5", "--video", "small.h5"),
                      ("export", "small.h5", "-o", "small.h5"),
                      ("contest", "small.yaml", "--html", "small.yaml")):
            self.assertIn("an input cannot be the output", self.refused(*words), words)

    def test_no_run_takes_the_place_of_a_device_or_pipe(self):
        os.mkfifo(self.dir / "pipe")
        result = self.amontons("run", "small.yaml", "-o", "pipe", check=5)
        self.assertRegex(result.stderr, "^pipe: cannot create: it is a device or pipe")
        self.assertTrue((self.dir / "pipe").is_fifo())

    def test_an_output_that_cannot_be_written_is_an_error_before_the_work(self):
        for words in (("run", "small.yaml", "-o", "none/a.h5"), ("export", "small.h5", "-o", "folder"),
                      ("contest", "small.yaml", "--html", "none/a.html"), ("init", "none/a.yaml"),
                      ("reproduce", "ramp", "-o", "small.yaml/a"),
                      ("replay", "small.h5", "-o", "folder")):
            self.assertRegex(self.refused(*words, code=5), ": cannot (write|create): ", words)

    def test_words_that_mean_nothing_are_refused_with_what_they_should_be(self):
        for words, said in (
                (("run", "small.yaml", "--threads", "0"), "--threads: must be a whole number of at least 1, not 0"),
                (("replay", "--live", "small.yaml", "--port", "65536"), "from 1 to 65535, not 65536"),
                (("compare", "small.h5", "small.h5", "--tolerance", "nan"), "must be a number of at least 0, not nan"),
                (("replay", "small.h5", "--video", "a/", "--speed", "-1"), "must be a positive number, not -1"),
                (("run", "small.yaml", "--quiet=3"), "quiet"),
                (("run", "small.yaml", "-o", "a.h5", "--no-log"), "not both"),
                (("reproduce", "ramp", "--all"), "not both"),
                (("run", "small.yaml", "--step", "0.01", "--set", "simulation.step=0.02"),
                 "simulation.step is given twice"),
                (("run", "small.yaml", "--set", "simulation.step="), "there is no value after the '='"),
                (("frobnicate", "--help"), "unknown verb 'frobnicate'; verbs: init run"),
                (("-x", "frobnicate", "--help"), "unknown option -x"),
                (("--nope", "--help"), "unknown option --nope"),
                (("run", "--frob", "--help"), "run: unknown option --frob"),
                (("run", "small.yaml", "--frob=1", "--help"), "run: unknown option --frob"),
                (("frobnicate",), "unknown verb 'frobnicate'; verbs: init run"),
                (("run", "small.yaml", "--method", "rk4"), "cannot be 'rk4' (one of: time-stepping")):
            self.assertIn(said, self.refused(*words))

    def test_what_was_printed_and_did_not_arrive_is_an_error(self):
        with open("/dev/full", "w") as full:
            for words in (("info", "small.h5"), ("export", "small.h5", "-o", "-"), ("--help",)):
                result = subprocess.run([PROGRAM, *words], cwd=self.dir, stdout=full, text=True,
                                        stderr=subprocess.PIPE, check=False)
                self.assertEqual(result.returncode, 5)
                self.assertRegex(result.stderr, "^standard output: cannot write what was printed")

    def test_streams_that_are_closed_do_not_reach_the_log(self):
        for closed, expected in (("<&-", 0), (">&-", 5), ("2>&-", 0), ("<&- >&- 2>&-", 5)):
            code = subprocess.run(["bash", "-c", f'"$0" run small.yaml -o log.h5 {closed}', PROGRAM],
                                  cwd=self.dir, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, check=False).returncode
            self.assertEqual(code, expected, closed)
            same = self.amontons("compare", "small.h5", "log.h5", check=0)
            self.assertIn("identical", same.stdout)

    def test_a_reader_that_leaves_early_costs_nothing(self):
        script = '"$0" run small.yaml -o log.h5 | true; "$0" export small.h5 -o - | head -1'
        result = subprocess.run(["bash", "-c", script, PROGRAM], cwd=self.dir, text=True,
                                capture_output=True, check=False)
        self.assertTrue(result.stdout.startswith("time,"), result)
        self.assertEqual(result.stderr, "")
        self.assertIn("identical", self.amontons("compare", "small.h5", "log.h5", check=0).stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
