#!/usr/bin/python3
"""Repairs runs with damaged rows: the rows before stay, and the run as it was stays beside them.
usage: repair_test.py PROGRAM"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import h5py
import numpy as np

from program import PROGRAM, SMALL_SCENE, amontons, moving_scene

ROWS = 21
VERBS_THAT_READ = (("verify", "--quiet"), ("export", "-o", "out.csv", "--force", "--quiet"),
                   ("export", "--contacts", "-o", "out.csv", "--force", "--quiet"),
                   ("replay", "-o", "out.html", "--force", "--quiet"))


def number(name, row, value):
    """Returns a change of the first number of a row."""
    def change(file):
        file[name][(row,) + (0,) * (file[name].ndim - 1)] = value
    return change


def offset(name, value):
    """Returns a change, by row, of the offset at which the records of the next row begin."""
    return lambda row: number(name, row + 1, value)


def of_contact(name, value):
    """Returns a change, by row, of the record of a row's first contact."""
    def of_row(row):
        def change(file):
            record = file["contacts/record"][file["contacts/offset"][row]]
            file[name][record:] = value
        return change
    return of_row


# Changes of a row that make it one which no reader accepts, and those that need contacts of it.
DAMAGE = {
    "time": lambda row: number("time", row, np.nan),
    "position": lambda row: number("q", row, np.nan),
    "pose": lambda row: number("bodies/position", row, np.inf),
    "status": lambda row: number("solver/status", row, 99),
    "energy": lambda row: number("energy/kinetic", row, np.inf),
    "count": lambda row: number("step_count", row, -1),
    "offset": offset("contacts/offset", -5),
    "offset far away": offset("bounded/offset", 2**62),
}
OF_CONTACTS = {
    "mode": of_contact("contacts/mode", 99),
    "impulse": of_contact("contacts/impulse", np.nan),
    "shape": of_contact("contacts/shape_b", -7),
    "record": lambda row: lambda file: number("contacts/record", file["contacts/offset"][row], -1)(file),
}


class RepairTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.dir = pathlib.Path(self.folder.name)
        # The crate spins, so that the contacts of each row differ from those before.
        (self.dir / "scene.yaml").write_text(
            SMALL_SCENE.replace("linear: [1, 0, 0]", "linear: [1, 0, 0], angular: [0, 0, 3]"))
        self.record()

    def record(self, *words):
        amontons("run", "scene.yaml", "-o", "whole.h5", "--force", "--quiet", *words, cwd=self.dir, check=0)

    def damaged(self, change):
        """Writes a copy that `change` has changed; returns its bytes."""
        for old in self.dir.glob("run.*"):
            old.unlink()
        shutil.copy(self.dir / "whole.h5", self.dir / "run.h5")
        shutil.copy(self.dir / "whole.checkpoint", self.dir / "run.checkpoint")
        with h5py.File(self.dir / "run.h5", "r+") as file:
            change(file)
        return (self.dir / "run.h5").read_bytes()

    def names(self):
        return sorted(path.name for path in self.dir.glob("run*"))

    def refusals(self):
        """Returns what the verbs say that do not accept the run."""
        said = []
        for verb, *words in VERBS_THAT_READ:
            result = amontons(verb, "run.h5", *words, cwd=self.dir)
            if result.returncode == 2:
                said.append(result.stderr)
        self.assertTrue(said)
        return said

    def test_a_repair_that_leaves_no_row_is_refused_and_recommended_by_no_verb(self):
        for title, change in DAMAGE.items():
            with self.subTest(damage=title):
                before = self.damaged(change(0))
                for said in self.refusals():
                    self.assertNotIn("amontons repair", said)
                result = amontons("repair", "run.h5", cwd=self.dir, check=2)
                self.assertRegex(result.stderr, r"^run\.h5: .*stays as it was, since no row would be left; ")
                self.assertEqual((self.dir / "run.h5").read_bytes(), before)
                self.assertEqual(self.names(), ["run.checkpoint", "run.h5"])

    def test_a_repair_keeps_the_rows_before_the_damage_and_the_run_as_it_was(self):
        for row in (1, ROWS // 2, ROWS - 1):
            for title, change in (DAMAGE | OF_CONTACTS).items():
                if title == "time" and row == ROWS - 1:
                    continue  # a last row without a time is one that its writer had begun
                with self.subTest(damage=title, row=row):
                    before = self.damaged(change(row))
                    said = amontons("verify", "run.h5", cwd=self.dir, check=2).stderr
                    self.assertIn("`amontons repair` keeps the rows before", said)
                    result = amontons("repair", "run.h5", cwd=self.dir, check=0)
                    self.assertIn(f"run.h5: {row} complete rows\nlost: rows {row} to {ROWS - 1}; "
                                  "the first is damaged: ", result.stdout)
                    self.assertNotIn("damaged: damaged", result.stdout)
                    self.assertIn("\nthe run as it was: run.before-repair.h5\n", result.stdout)
                    self.assertEqual((self.dir / "run.before-repair.h5").read_bytes(), before)
                    self.assertEqual(self.names(), ["run.before-repair.h5", "run.checkpoint", "run.h5"])
                    with h5py.File(self.dir / "run.h5") as run, h5py.File(self.dir / "whole.h5") as whole:
                        np.testing.assert_array_equal(run["q"][()], whole["q"][:row])
                        self.assertEqual(run["contacts/offset"].shape, (row + 1,))
                    self.assertIn("verified", amontons("verify", "run.h5", cwd=self.dir, check=0).stdout)

    def test_no_original_is_overwritten(self):
        first = self.damaged(DAMAGE["position"](15))
        amontons("repair", "run.h5", cwd=self.dir, check=0)
        with h5py.File(self.dir / "run.h5", "r+") as file:
            DAMAGE["position"](7)(file)
        second = (self.dir / "run.h5").read_bytes()
        result = json.loads(amontons("repair", "run.h5", "--json", cwd=self.dir, check=0).stdout)
        self.assertEqual((result["rows"], result["rows_lost"], result["original"]),
                         (7, 8, "run.before-repair-2.h5"))
        self.assertEqual(result["damage"], "/q is not finite at row 7")
        self.assertEqual((self.dir / "run.before-repair.h5").read_bytes(), first)
        self.assertEqual((self.dir / "run.before-repair-2.h5").read_bytes(), second)
        # A whole run stays as it is.
        whole = (self.dir / "run.h5").read_bytes()
        self.assertEqual(amontons("repair", "run.h5", cwd=self.dir, check=0).stdout,
                         "run.h5: 7 complete rows\n")
        self.assertEqual((self.dir / "run.h5").read_bytes(), whole)
        self.assertFalse((self.dir / "run.before-repair-3.h5").exists())

    def test_a_run_with_fewer_rows_than_its_checkpoint_counts_has_not_ended(self):
        self.damaged(DAMAGE["position"](10))
        amontons("repair", "run.h5", cwd=self.dir, check=0)
        before = (self.dir / "run.h5").read_bytes()
        result = amontons("resume", "run.h5", cwd=self.dir, check=2)
        self.assertEqual(result.stderr, "run.h5: has 10 rows, but its checkpoint is after 21: "
                                        "simulate its scene again (`amontons run`)\n")
        self.assertEqual((self.dir / "run.h5").read_bytes(), before)

    def test_a_run_that_lacks_the_state_of_its_checkpoint_has_not_ended(self):
        # The last row is no whole interval after the start, so that the checkpoint counts one less.
        self.record("--set", "output.every=0.03")
        self.damaged(DAMAGE["position"](7))
        amontons("repair", "run.h5", cwd=self.dir, check=0)
        result = amontons("resume", "run.h5", cwd=self.dir, check=2)
        self.assertIn("run.h5: lacks its last row", result.stderr)

    def test_a_repair_that_begins_before_a_run_ends_leaves_all_of_its_rows(self):
        (self.dir / "long.yaml").write_text(moving_scene(100))
        start = time.monotonic()
        amontons("run", "long.yaml", "-o", "long.h5", "--quiet", cwd=self.dir, check=0)
        whole = time.monotonic() - start
        for share in np.linspace(0.5, 1.0, 8):
            (self.dir / "long.h5").unlink()
            run = subprocess.Popen([str(PROGRAM), "run", "long.yaml", "-o", "long.h5", "--quiet"],
                                   cwd=self.dir, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            time.sleep(share * whole)
            repair = amontons("repair", "long.h5", cwd=self.dir)
            self.assertEqual(run.communicate(timeout=100)[1], b"", repair.stdout)
            self.assertEqual(run.returncode, 0)
            # The run is written still, has ended, or is not there yet.
            self.assertIn(repair.returncode, (0, 2, 5), repair.stderr)
            with h5py.File(self.dir / "long.h5") as file:
                self.assertEqual(len(file["time"]), 10001, repair.stdout)
            self.assertEqual(list(self.dir.glob("*before-repair*")), [])

    def test_a_damaged_run_behind_a_symbolic_link_is_refused_and_stays(self):
        before = self.damaged(DAMAGE["time"](5))
        (self.dir / "link.h5").symlink_to("run.h5")
        result = amontons("repair", "link.h5", cwd=self.dir, check=2)
        self.assertIn("a symbolic link cannot be the output", result.stderr)
        self.assertEqual((self.dir / "run.h5").read_bytes(), before)
        self.assertTrue((self.dir / "link.h5").is_symlink())
        self.assertEqual([path.name for path in self.dir.glob("*before-repair*")], [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
