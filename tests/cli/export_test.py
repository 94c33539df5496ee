#!/usr/bin/python3
"""Checks `amontons export` and `amontons init`.  usage: export_test.py PROGRAM"""
import csv
import io
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import h5py

from program import FIRST, PROGRAM, SMALL_SCENE, amontons


class ExportTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.dir = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def amontons(self, *arguments, check=0):
        return amontons(*arguments, cwd=self.dir, check=check)

    def small_run(self, scene=SMALL_SCENE):
        (self.dir / "small.yaml").write_text(scene)
        self.amontons("run", "small.yaml", "-o", "small.h5", "--quiet")

    def test_the_table_has_every_number_of_the_rows_to_the_last_bit(self):
        self.small_run()
        self.assertIn("small.csv: 21 rows", self.amontons("export", "small.h5", "--csv").stdout)
        with open(self.dir / "small.csv", newline="") as file:
            lines = list(csv.DictReader(file))
        self.assertEqual(len(lines), 21)
        self.assertEqual(next(iter(lines[0])), "time")
        with h5py.File(self.dir / "small.h5") as run:
            crate = list(run["bodies/name"].asstr()).index("crate")
            for row, line in enumerate(lines):
                self.assertEqual(float(line["time"]), run["time"][row])
                for axis in range(3):
                    self.assertEqual(float(line[f"bodies/position crate[{axis}]"]),
                                     run["bodies/position"][row, crate, axis])
                self.assertEqual(float(line["energy/kinetic"]), run["energy/kinetic"][row])

    def test_the_table_of_contacts_names_their_bodies(self):
        self.small_run(SMALL_SCENE.replace("crate", '"crate, ""big"""'.replace('""', '\\"')))
        table = self.amontons("export", "small.h5", "--contacts", "-o", "-", "--quiet").stdout
        lines = list(csv.DictReader(io.StringIO(table)))
        with h5py.File(self.dir / "small.h5") as run:
            records = run["contacts/record"][:]
            self.assertEqual(len(lines), len(records))
            self.assertEqual([float(line["contacts/impulse [2]"]) for line in lines],
                             list(run["contacts/impulse"][:][records, 2]))
        self.assertIn('crate, "big"', {line["body_b_name"] for line in lines})

    def test_an_interrupted_table_leaves_nothing(self):
        self.small_run(SMALL_SCENE.replace("duration: 0.2", "duration: 60"))
        with subprocess.Popen([str(PROGRAM), "export", "small.h5", "--quiet"], cwd=self.dir) as process:
            while process.poll() is None and not list(self.dir.glob("*.tmp")):
                time.sleep(0.001)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(timeout=60), 130)
        self.assertEqual([file.name for file in self.dir.glob("*.csv*")], [])

    def test_what_cannot_be_written_or_read_is_an_error(self):
        self.small_run()
        result = self.amontons("export", "small.h5", "-o", "nowhere/small.csv", check=5)
        self.assertTrue(result.stderr.startswith("nowhere/small.csv: cannot write"), result.stderr)
        self.amontons("export", "small.yaml", check=2)

    def test_init_writes_the_first_example_and_keeps_what_is_there(self):
        result = self.amontons("init", "mine.yaml")
        self.assertIn("amontons run mine.yaml", result.stdout)
        written = (self.dir / "mine.yaml").read_text()
        self.assertIn("amontons replay mine.h5 -o mine.html", written)
        self.assertEqual(written.split("amontons: 1")[1], FIRST.read_text().split("amontons: 1")[1])
        self.amontons("run", "mine.yaml", "--duration", "0.1", "--quiet")
        result = self.amontons("init", "mine.yaml", check=2)
        self.assertIn("mine.yaml: exists already", result.stderr)
        self.amontons("init")
        self.assertTrue((self.dir / "scene.yaml").exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
