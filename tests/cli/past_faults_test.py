#!/usr/bin/python3
"""Makes the damage of files that once crashed, hung or deceived a verb, in files of the current
format: each verb refuses it with the file's name, or says what it left out.
usage: past_faults_test.py PROGRAM"""
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np

import faults
from program import SMALL_SCENE, amontons

# A joint with a coordinate and contacts in every row.
SCENE = SMALL_SCENE + """  - {name: arm, mass: 1, shapes: [{box: [0.1, 0.1, 0.4]}], pose: {position: [5, 0, 2]}}
joints:
  - {name: hinge, type: revolute, parent: world, child: arm, axis: [0, 1, 0], at: [5, 0, 2.2]}
"""
VERBS = (("info",), ("verify", "--quiet"), ("export", "-o", "out.csv", "--force", "--quiet"),
         ("export", "--contacts", "-o", "out.csv", "--force", "--quiet"),
         ("replay", "-o", "out.html", "--force", "--quiet"))
# Leaves a run as its killed writer does: marked as open for writing.
LEAVE_OPEN = """
import os, signal, sys, h5py
file = h5py.File(sys.argv[1], "r+", libver=("v110", "v110"))
file.swmr_mode = True
file.flush()
os.kill(os.getpid(), signal.SIGKILL)
"""
MAX_RANK = 32


def leave_open(path):
    ended = subprocess.run([sys.executable, "-c", LEAVE_OPEN, str(path)], check=False)
    assert ended.returncode == -signal.SIGKILL


def last_offset(value):
    def change(file):
        file["contacts/offset"][-1] = value
    return change


def with_all_axes(file):
    values = file["energy/kinetic"][()]
    faults.replace(file, "energy/kinetic", values.reshape((-1,) + (1,) * (MAX_RANK - 1)))


class PastFaultsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.dir = pathlib.Path(cls.folder.name)
        (cls.dir / "scene.yaml").write_text(SCENE)
        amontons("run", "scene.yaml", "-o", "whole.h5", "--quiet", cwd=cls.dir, check=0)

    def damaged(self, change, left_open=False):
        """Writes run.h5, a copy of the run that `change` has changed; returns its bytes."""
        for old in self.dir.glob("run.*"):
            old.unlink()
        path = self.dir / "run.h5"
        shutil.copy(self.dir / "whole.h5", path)
        with h5py.File(path, "r+") as file:
            change(file)
            file.attrs.pop("header_sha256", None)
        if left_open:
            leave_open(path)
        return path.read_bytes()

    def refused(self, words, said):
        verb, *options = words
        result = amontons(verb, "run.h5", *options, cwd=self.dir, check=2)
        self.assertRegex(result.stderr, rf"^run\.h5: .*{said}.*\n$", words)

    def test_a_repair_never_cuts_to_an_offset_that_points_nowhere(self):
        for value in (0, -5, 2**62):
            for left_open in (False, True):
                with self.subTest(offset=value, left_open=left_open):
                    before = self.damaged(last_offset(value), left_open)
                    for words in VERBS:
                        self.refused(words, f"damaged: /contacts/offset is {value} at record 21")
                    result = amontons("repair", "run.h5", cwd=self.dir, check=0)
                    self.assertIn("run.h5: 20 complete rows\nlost: rows 20 to 20; the first is damaged: "
                                  f"/contacts/offset is {value} at record 21", result.stdout)
                    self.assertEqual((self.dir / "run.before-repair.h5").read_bytes(), before)
                    with h5py.File(self.dir / "run.h5") as run, h5py.File(self.dir / "whole.h5") as whole:
                        kept = whole["contacts/offset"][20]
                        self.assertGreater(kept, 0)
                        self.assertEqual(run["contacts/offset"][-1], kept)
                        self.assertEqual(run["contacts/record"].shape, (kept,))
                        np.testing.assert_array_equal(run["q"][()], whole["q"][:20])
                    amontons("verify", "run.h5", "--quiet", cwd=self.dir, check=0)

    def test_a_dataset_of_the_largest_rank_is_refused_by_every_verb(self):
        for left_open in (False, True):
            before = self.damaged(with_all_axes, left_open)
            for words in (*VERBS, ("repair",), ("resume", "--quiet")):
                with self.subTest(verb=words[0], left_open=left_open):
                    self.refused(words, "/energy/kinetic.? has 32 axes")
            self.assertEqual((self.dir / "run.h5").read_bytes(), before)

    def test_runs_of_different_widths_are_not_identical_whichever_comes_first(self):
        self.damaged(lambda file: faults.replace(file, "q", file["q"][:, :3]))
        for files in (("whole.h5", "run.h5"), ("run.h5", "whole.h5")):
            result = amontons("compare", *files, cwd=self.dir, check=2)
            self.assertRegex(result.stderr, r"^run\.h5: damaged: /q\w* has an axis of")

    def test_places_of_joints_lie_within_their_vectors(self):
        def more(file):
            faults.replace(file, "joints/q_offset", np.zeros(2, "i4"))

        def several(file):
            values = file["bodies/quat_wxyz"][()]
            faults.replace(file, "bodies/quat_wxyz", np.stack([values, values], axis=-1))
            file["contacts/offset"][...] = -1
            file["start_was_set"][...] = 7

        def far(value):
            def change(file):
                file["joints/q_offset"][0] = value
            return change
        cases = [(far(2**31 - 1), "/joints/q_offset points outside"), (far(-2**31), "/joints/q_offset points outside"),
                 (more, "/joints/\\w+ has an axis of"), (several, "/bodies/quat_wxyz has 4 axes")]
        for change, said in cases:
            self.damaged(change)
            for words in (*VERBS, ("repair",)):
                with self.subTest(said=said, verb=words[0]):
                    self.refused(words, said)

    def test_texts_whose_heap_is_damaged_are_refused_and_not_followed(self):
        # The collection of texts (HDF5's global heap) has no checksum of its own.
        whole = (self.dir / "whole.h5").read_bytes()
        heap = whole.index(b"GCOL")
        changes = {"size of a text": (heap + 24, struct.pack("<Q", 2**62)),
                   "index of a text": (heap + 16, struct.pack("<H", 999)),
                   "size of the heap": (heap + 8, struct.pack("<Q", 2**40)),
                   "a letter": (heap + 32, b"\xff")}
        for title, (at, value) in changes.items():
            (self.dir / "run.h5").write_bytes(whole[:at] + value + whole[at + len(value):])
            for words in (*VERBS, ("repair",), ("compare", "whole.h5")):
                with self.subTest(change=title, verb=words[0]):
                    self.refused(words, "")

    def test_scenes_whose_matrices_are_hard_to_factor_have_an_answer_in_every_step(self):
        spring = """amontons: 1
simulation: {step: 1.0, duration: DURATION}
bodies:
  - {name: a, mass: 1, shapes: [{box: [0.1, 0.1, 0.1]}]}
  - {name: b, mass: 1, shapes: [{sphere: 0.1}]}
joints:
  - {name: j, type: revolute, parent: a, child: b, at: [0.75, 0, 0.5], axis: [1, 2, 3], stiffness: 1.0e12}
"""
        drag = """amontons: 1
simulation: {step: 0.01, duration: 0.1, model: frictionless}
materials: [{name: default, viscous_friction: 1.0e6}]
bodies:
  - {name: a, mass: 1, shapes: [{box: [0.2, 0.2, 0.2]}], pose: {position: [0, 0, 0.1]}}
  - {name: b, mass: 1.0e-9, shapes: [{box: [0.2, 0.2, 0.2]}], pose: {position: [0, 0, 0.3]}}
  - {name: g, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
"""
        for text, steps, codes in ((spring.replace("DURATION", "2"), 2, (0, 3)),
                                   (spring.replace("DURATION", "25"), 25, (0, 3)), (drag, 10, (0,))):
            (self.dir / "hard.yaml").write_text(text)
            result = amontons("run", "hard.yaml", "-o", "hard.h5", "--force", "--quiet", cwd=self.dir)
            self.assertIn(result.returncode, codes, result.stderr)
            with h5py.File(self.dir / "hard.h5") as run:
                self.assertEqual(run["step_count"][-1], steps)

    def test_a_mark_of_a_writer_that_is_no_mark_ends_at_once(self):
        data = bytearray((self.dir / "whole.h5").read_bytes())
        data[47] ^= 0x80  # the checksum of the superblock
        (self.dir / "run.h5").write_bytes(data)
        for words in (*VERBS, ("repair",)):
            self.refused(words, "does not open: damaged")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
