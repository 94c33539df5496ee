#!/usr/bin/python3
"""Checks `amontons resume` and `amontons compare`: a killed run continues to the same bits.
usage: resume_test.py PROGRAM"""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import h5py

from program import PROGRAM, SMALL_SCENE, amontons

LONG = os.environ.get("AMONTONS_TEST_SIZE") == "long"
KILLS = 100 if LONG else 6

# Boxes that tumble onto each other: contacts come and go, and each solve starts from the last.
TUMBLING = """amontons: 1
simulation: {step: 0.002, duration: 4.0}
bodies:
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
  - {name: brick, mass: 1, shapes: [{box: [0.2, 0.1, 0.06]}], pose: {position: [0, 0, 0.2], rpy_deg: [20, 10, 0]}}
repeat:
  - {body: brick, grid: [2, 2, 3], spacing: [0.22, 0.15, 0.25], jitter: 0.01}
output: {every: 0.005}
"""


class ResumeTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.dir = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, text):
        (self.dir / name).write_text(text)
        return name

    def amontons(self, *arguments, check=0):
        return amontons(*arguments, cwd=self.dir, check=check)

    def kill_after(self, seconds, *arguments):
        """Returns true if the program was still running."""
        process = subprocess.Popen([str(PROGRAM), *arguments], cwd=self.dir,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        return process.wait() == -signal.SIGKILL

    def test_a_run_killed_at_any_moment_goes_on_to_the_same_bits(self):
        self.kill_and_resume("tumbling.yaml", TUMBLING, KILLS)

    def test_so_does_one_that_is_killed_between_impacts(self):
        for method in ("event-driven", "hybrid", "impulse-based"):
            with self.subTest(method=method):
                bouncing = TUMBLING.replace("duration: 4.0", f"duration: 0.8, method: {method}")
                bouncing = bouncing.replace("grid: [2, 2, 3]", "grid: [1, 1, 2]")
                bouncing += "materials: [{name: default, restitution: 0.6}]\n"
                self.kill_and_resume(f"{method}.yaml", bouncing, max(3, KILLS // 4))

    def kill_and_resume(self, name, scene, kills):
        self.write(name, scene)
        begin = time.monotonic()
        self.amontons("run", name, "-o", "whole.h5", "--quiet")
        whole = time.monotonic() - begin
        moments = random.Random(20261122)
        killed = 0
        for _ in range(4 * kills):
            if killed == kills:
                break
            for file in self.dir.glob("cut.*"):
                file.unlink()
            if not self.kill_after(moments.uniform(0.0, whole), "run", name, "-o", "cut.h5",
                                   "--quiet"):
                whole *= 0.8  # the machine has become less busy
                continue
            if not (self.dir / "cut.h5").exists():
                continue  # killed before there was a run
            killed += 1
            # The resumed run may be killed as well.
            self.kill_after(moments.uniform(0.0, 0.5 * whole), "resume", "cut.h5", "--quiet")
            self.amontons("resume", "cut.h5", "--quiet")
            result = self.amontons("compare", "whole.h5", "cut.h5", "--quiet")
            self.assertIn("identical in all", result.stdout)
        self.assertGreaterEqual(killed, kills // 2)

    def test_an_interrupted_run_says_how_to_go_on_and_does(self):
        self.write("tumbling.yaml", TUMBLING.replace("duration: 4.0", "duration: 20"))
        self.amontons("run", "tumbling.yaml", "-o", "whole.h5", "--quiet")
        process = subprocess.Popen([str(PROGRAM), "run", "tumbling.yaml", "-o", "cut.h5"],
                                   cwd=self.dir, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        while not (self.dir / "cut.h5").exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertIn("amontons resume cut.h5 continues it", out)
        result = self.amontons("resume", "cut.h5", "--json", "--quiet")
        self.assertEqual(json.loads(result.stdout)["log"], "cut.h5")
        self.amontons("compare", "whole.h5", "cut.h5")
        self.assertIn("nothing to resume", self.amontons("resume", "cut.h5").stdout)

    def interrupted_run(self):
        self.write("tumbling.yaml", TUMBLING.replace("duration: 4.0", "duration: 20"))
        process = subprocess.Popen([str(PROGRAM), "run", "tumbling.yaml", "-o", "cut.h5"],
                                   cwd=self.dir, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        while not (self.dir / "cut.h5").exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=60), 130)

    def record_another_build(self, name):
        with h5py.File(self.dir / name, "r+") as run:
            run.attrs["build"] = "0.0.1 abc, Release, GNU 1.0"
            del run.attrs["header_sha256"]

    def test_resuming_with_the_same_program_gives_no_warning(self):
        self.interrupted_run()
        result = self.amontons("resume", "cut.h5", "--quiet")
        self.assertNotIn("another build", result.stderr)

    def test_only_a_run_with_steps_left_warns_of_another_build(self):
        self.interrupted_run()
        self.record_another_build("cut.h5")
        result = self.amontons("resume", "cut.h5", "--quiet")
        self.assertRegex(result.stderr, r"^cut\.h5: written by another build \(0\.0\.1 abc")
        result = self.amontons("resume", "cut.h5")
        self.assertIn("nothing to resume", result.stdout)
        self.assertNotIn("another build", result.stderr)

    def finished_run(self):
        self.write("small.yaml", SMALL_SCENE)
        self.amontons("run", "small.yaml", "-o", "small.h5", "--quiet")

    def test_changed_inputs_are_refused_unless_the_recorded_ones_are_asked_for(self):
        self.finished_run()
        self.write("small.yaml", SMALL_SCENE.replace("mass: 2", "mass: 3"))
        result = self.amontons("resume", "small.h5", check=2)
        self.assertRegex(result.stderr, r"^small\.yaml: has changed since small\.h5 began; .*"
                                        r"--recorded-inputs")
        self.amontons("resume", "small.h5", "--recorded-inputs")

    def test_a_checkpoint_of_another_run_is_refused(self):
        self.finished_run()
        self.write("other.yaml", SMALL_SCENE.replace("mass: 2", "mass: 3"))
        self.amontons("run", "other.yaml", "-o", "other.h5", "--quiet")
        shutil.copy(self.dir / "other.checkpoint", self.dir / "small.checkpoint")
        result = self.amontons("resume", "small.h5", check=2)
        self.assertIn("small.checkpoint: belongs to another run than small.h5", result.stderr)
        (self.dir / "small.checkpoint").unlink()
        result = self.amontons("resume", "small.h5", check=2)
        self.assertIn("small.checkpoint: there is no such file", result.stderr)

    def test_a_run_that_is_being_written_is_left_alone(self):
        self.write("tumbling.yaml", TUMBLING.replace("duration: 4.0", "duration: 400"))
        process = subprocess.Popen([str(PROGRAM), "run", "tumbling.yaml", "-o", "cut.h5"],
                                   cwd=self.dir, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        try:
            while not (self.dir / "cut.h5").exists():
                time.sleep(0.01)
            result = self.amontons("resume", "cut.h5", check=5)
            self.assertIn("another process is writing this run", result.stderr)
        finally:
            process.kill()
            process.wait()

    def test_compare_finds_the_first_number_that_differs(self):
        self.finished_run()
        self.assertIn("identical in all 21 rows",
                      self.amontons("compare", "small.h5", "small.h5").stdout)
        shutil.copy(self.dir / "small.h5", self.dir / "changed.h5")
        with h5py.File(self.dir / "changed.h5", "r+") as run:
            run["q"][7, 0] += 1e-12
            record = run["contacts/record"][run["contacts/offset"][9]]
            run["contacts/impulse"][record, 2] += 1e-3
        result = self.amontons("compare", "small.h5", "changed.h5", "--json", check=1)
        answer = json.loads(result.stdout)
        self.assertEqual(answer["first"]["dataset"], "/q")
        self.assertEqual(answer["first"]["step"], 7)
        self.assertEqual(answer["rows_different"], 2)
        text = self.amontons("compare", "small.h5", "changed.h5", "--tolerance", "1e-9",
                             check=1).stdout
        self.assertIn("1 of 21 rows differ", text)
        self.assertIn("first at step 9 (t = 0.09 s), /contacts/impulse, ground against crate", text)
        self.amontons("compare", "small.h5", "changed.h5", "--tolerance", "0.1")
        self.amontons("compare", "small.h5", "small.h5", "--tolerance", "0")

    def test_compare_tells_runs_of_other_lengths_and_systems_apart(self):
        self.finished_run()
        self.amontons("run", "small.yaml", "-o", "short.h5", "--duration", "0.1", "--quiet")
        result = self.amontons("compare", "small.h5", "short.h5", check=1)
        self.assertIn("21 rows against 11", result.stdout)
        self.write("other.yaml", SMALL_SCENE.replace("crate", "chest"))
        self.amontons("run", "other.yaml", "-o", "other.h5", "--quiet")
        result = self.amontons("compare", "small.h5", "other.h5", check=1)
        self.assertIn("not comparable: their bodies differ", result.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
