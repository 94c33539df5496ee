#!/usr/bin/python3
"""Gives damaged runs, checkpoints and contact problems to every verb: each is refused with its name,
or answered as the whole file is.  usage: damaged_test.py PROGRAM"""
import hashlib
import os
import pathlib
import random
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import h5py
import numpy as np

import faults
from program import PROGRAM, SMALL_SCENE, amontons, moving_scene

LONG = os.environ.get("AMONTONS_TEST_SIZE") == "long"
CASES = 1000 if LONG else 12

# Contacts, a limit with dry friction, and a row of J: every table but that of commands has rows.
SCENE = SMALL_SCENE + """  - {name: arm, mass: 1, shapes: [{box: [0.1, 0.1, 0.4]}], pose: {position: [5, 0, 2]}}
  - {name: bob, mass: 1, shapes: [{sphere: 0.1}], pose: {position: [8, 0, 2]}}
joints:
  - {name: hinge, type: revolute, parent: world, child: arm, axis: [0, 1, 0], at: [5, 0, 2.2], limits: [-0.1, 0.1], coulomb_friction: 0.1}
  - {name: rod, type: distance, parent: world, child: bob, at: [8, 0, 3], to: [8, 0, 2], length: 1}
"""
# Rounding alone exceeds this tolerance, so that a step leaves its problem.
IMPOSSIBLE = ("--set", "simulation.tolerance=1e-20")
OF_RUNS = (("info",), ("verify", "--quiet"), ("export", "--contacts", "-o", "out.csv", "--quiet"),
           ("export", "-o", "out.csv", "--quiet"), ("replay", "-o", "out.html", "--quiet"),
           ("resume", "--quiet"), ("repair",))
OF_PROBLEMS = (("info",), ("solve", "--model", "coulomb"))
MEMORY = "ulimit -v 6000000; exec \"$0\" \"$@\""
IS_SANITIZED = "sanitize" in str(PROGRAM)
# What an answer has of the machine: wall time.
WALL_TIME = re.compile(r"^ *time .* ms$", re.MULTILINE)


def processor_time():
    """Returns the processor time of all ended processes of this test [s]."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class DamagedTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.dir = pathlib.Path(cls.folder.name)
        (cls.dir / "scene.yaml").write_text(SCENE)
        amontons("run", "scene.yaml", "-o", "whole.h5", "--quiet", cwd=cls.dir, check=0)
        (cls.dir / "small.yaml").write_text(SMALL_SCENE)
        amontons("run", "small.yaml", "-o", "missing.h5", "--quiet", *IMPOSSIBLE, cwd=cls.dir, check=3)
        cls.problem = next(cls.dir.glob("missing.failure-*.h5"))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_verb(self, words, file, seconds=60):
        """Runs a verb on a file within bounded memory and time; returns the process."""
        words = [words[0], file, *words[1:]]
        bounded = [PROGRAM, *words] if IS_SANITIZED else ["bash", "-c", MEMORY, PROGRAM, *words]
        return subprocess.run(bounded, cwd=self.dir, capture_output=True, text=True, timeout=seconds,
                              check=False)

    def check_code(self, words, what):
        """Runs a verb on damaged.h5, which may hold other numbers than the whole file."""
        result = self.run_verb(words, "damaged.h5")
        self.assertIn(result.returncode, faults.ANSWERS, (what, words, result.stderr[-500:]))
        if result.returncode == 2:
            self.assertIn("damaged.", result.stderr, (what, words))

    def answer(self, words):
        """Runs a verb on damaged.h5; returns its exit code, what it prints, and what it writes."""
        for old in self.dir.glob("out.*"):
            old.unlink()
        result = self.run_verb(words, "damaged.h5")
        written = [path.read_bytes() for path in sorted(self.dir.glob("out.*"))]
        return result.returncode, WALL_TIME.sub("", result.stdout), written, result.stderr

    def check_answer(self, words, whole, what):
        """Runs a verb on damaged.h5, a copy of a file with a flipped bit or without its end."""
        code, printed, written, errors = self.answer(words)
        self.assertIn(code, (0, 2), (what, words, printed, errors))
        if code == 2:
            self.assertIn("damaged.", errors, (what, words))
        elif words[0] == "repair" and printed != whole[words][1]:
            self.check_kept_rows(whole, what)
        else:
            self.assertEqual((printed, written), whole[words][1:3], (what, words))

    def check_kept_rows(self, whole, what):
        """Checks that a repaired run has the first rows of the whole one."""
        words = ("export", "-o", "out.csv", "--quiet")
        code, _, (kept,), errors = self.answer(words)
        self.assertEqual(code, 0, (what, errors))
        self.assertTrue(whole[words][2][0].startswith(kept), what)

    def check_damage(self, source, damaged, verbs):
        """Flips bits of a file and cuts it short; gives the copies of its run or problem to verbs."""
        copies = {"damaged.h5": source, "damaged.checkpoint": self.dir / "whole.checkpoint"}

        def copy():
            for name, path in copies.items():
                shutil.copy(path, self.dir / name)
        copy()
        whole = {words: self.answer(words) for words in verbs}
        for words, (code, _, _, errors) in whole.items():
            self.assertEqual(code, 0, (words, errors))
        data = (self.dir / damaged).read_bytes()
        for seed in range(CASES):
            for change in (faults.flipped, faults.truncated):
                with self.subTest(seed=seed, change=change.__name__):
                    copy()
                    (self.dir / damaged).write_bytes(change(data, random.Random(seed)))
                    for words in verbs:
                        self.check_answer(words, whole, (change.__name__, seed))
            for kept in self.dir.glob("damaged.before-repair*"):
                kept.unlink()

    def damaged(self, change, source="whole.h5"):
        """Returns the name of a copy that `change` has changed, without the digest of its header."""
        shutil.copy(self.dir / source, self.dir / "damaged.h5")
        shutil.copy(self.dir / "whole.checkpoint", self.dir / "damaged.checkpoint")
        with h5py.File(self.dir / "damaged.h5", "r+") as file:
            change(file)
            file.attrs.pop("header_sha256", None)
        return "damaged.h5"

    def refused(self, words, file, said):
        before = (self.dir / file).read_bytes()
        result = self.run_verb(words, file, seconds=20)
        self.assertEqual(result.returncode, 2, (words, result.stdout, result.stderr))
        self.assertRegex(result.stderr, said)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertEqual((self.dir / file).read_bytes(), before)

    def test_no_bit_of_the_superblock_keeps_a_verb_busy(self):
        data = (self.dir / "whole.h5").read_bytes()
        places = range(8, 48) if LONG else (8, 9, 10, 11, 12, 20, 28, 36, 44, 47)
        for place in places:
            for bit in range(8) if LONG else (0, 2):
                changed = bytearray(data)
                changed[place] ^= 1 << bit
                (self.dir / "damaged.h5").write_bytes(changed)
                begin = processor_time()
                result = self.run_verb(("info",), "damaged.h5", seconds=20)
                self.assertEqual(result.returncode, 2, (place, bit, result.stdout))
                self.assertLess(processor_time() - begin, 20.0 if IS_SANITIZED else 1.0)

    def test_no_verb_waits_for_a_pipe_or_reads_a_device(self):
        os.mkfifo(self.dir / "pipe")
        for name in ("pipe", "/dev/zero"):
            for verb in ("info", "run", "lint", "verify", "solve", "replay", "export", "repair"):
                result = self.run_verb((verb,), name, seconds=20)
                self.assertEqual(result.returncode, 2, (verb, name))
                self.assertIn("it is a device, pipe or socket", result.stderr)

    def test_a_dataset_of_another_shape_is_refused_whatever_the_verb(self):
        cases = {
            "one column less": (lambda f: faults.replace(f, "q", f["q"][:, :-1]), r"/q_start has an axis of"),
            "three axes": (lambda f: faults.replace(f, "v", f["v"][()][..., None]), r"/v has 3 axes"),
            "32 axes": (lambda f: faults.replace(f, "contacts/gap", f["contacts/gap"][()].reshape((-1,) + (1,) * 31)),
                        r"has 32 axes"),
            "a body less": (lambda f: faults.replace(f, "bodies/position", f["bodies/position"][:, :-1]),
                            r"/bodies/quat_wxyz has an axis|/bodies/position has an axis"),
            "other numbers": (lambda f: faults.replace(f, "time", f["time"][()].astype("f4")), r"/time .*type of number"),
            "a joint far away": (lambda f: f["joints/q_offset"].write_direct(np.full(f["joints/q_offset"].shape, 10**6, "i4")),
                                 r"/joints/q_offset points outside"),
            "no dataset": (lambda f: f.pop("energy/kinetic") and None, r"/energy/kinetic is missing"),
        }
        for title, (change, said) in cases.items():
            file = self.damaged(change)
            for words in OF_RUNS:
                with self.subTest(case=title, verb=words[0]):
                    self.refused(words, file, said)
            result = amontons("compare", "whole.h5", file, cwd=self.dir, check=2)
            self.assertRegex(result.stderr, said)

    def test_a_run_that_does_not_fit_its_own_scene_is_not_taken_for_it(self):
        def narrower(file):
            for name in ("q", "q_start"):
                faults.replace(file, name, file[name][:, :-1])
        file = self.damaged(narrower)
        for words in (("verify",), ("replay", "-o", "out.html"), ("resume", "--quiet")):
            self.refused(words, file, r"/q has \d+ entries per row, the recorded scene has")
        for words in (("compare", "whole.h5", file), ("compare", file, "whole.h5")):
            result = amontons(*words, "--json", cwd=self.dir, check=1)
            self.assertIn("their datasets have other shapes", result.stdout)

    def test_overrides_of_a_run_read_no_file_from_the_disk(self):
        (self.dir / "secret.obj").write_text(
            "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
        with h5py.File(self.dir / "whole.h5") as whole:
            body = whole["bodies/name"].asstr()[-1]
        for words in (("verify",), ("replay", "-o", "out.html"), ("resume", "--quiet")):
            def change(file):
                faults.replace(file, "overrides", np.array(
                    [f"bodies.{body}.shapes=[{{mesh: {{file: {self.dir}/secret.obj}}}}]"], dtype=h5py.string_dtype()))
            self.refused(words, self.damaged(change), r"damaged.h5: the recorded scene: .*secret.obj.*not among the recorded inputs")
        self.assertFalse((self.dir / "out.html").exists())

    def test_offsets_that_point_nowhere_are_refused_and_repaired_without_loss(self):
        for value in (0, -5, 2**62, 10**6):
            def change(file, value=value):
                file["contacts/offset"][-1] = value
            file = self.damaged(change)
            before = (self.dir / file).read_bytes()
            for words in OF_RUNS:
                if words[0] != "repair":
                    self.refused(words, file, r"damaged: /contacts/offset is -?\d+ at record")
            result = amontons("repair", file, cwd=self.dir, check=0)
            self.assertRegex(result.stdout, r"lost: rows (\d+) to \1; the first is damaged: .*/contacts/")
            self.assertNotEqual((self.dir / file).read_bytes(), before)
            with h5py.File(self.dir / file, "r") as repaired, h5py.File(self.dir / "whole.h5", "r") as whole:
                rows = len(whole["time"]) - 1
                kept = whole["contacts/offset"][rows]
                np.testing.assert_array_equal(repaired["q"][()], whole["q"][:rows])
                records = whole["contacts/record"][:kept]
                np.testing.assert_array_equal(repaired["contacts/record"][()], records)
                np.testing.assert_array_equal(repaired["contacts/impulse"][()],
                                              whole["contacts/impulse"][:records.max() + 1])
            self.assertIn("verified", amontons("verify", file, cwd=self.dir, check=0).stdout)

    def test_a_run_of_another_version_names_the_program_that_wrote_it(self):
        def older(file):
            file.attrs["version"] = 8
            file.attrs["build"] = "0.0.9 abcdef"
        file = self.damaged(older)
        for words in OF_RUNS:
            self.refused(words, file, "a run of version 8, written by 0.0.9 abcdef; this program reads")

    def test_contacts_whose_records_are_not_there_are_refused_and_repaired(self):
        for value in (-1, 2**62, 10**6):
            def change(file, value=value):
                file["contacts/record"][-1] = value
            file = self.damaged(change)
            for words in (("verify",), ("replay", "-o", "out.html")):
                self.refused(words, file, "damaged: /contacts/record names a contact that is not there")
            result = amontons("repair", file, cwd=self.dir, check=0)
            self.assertRegex(result.stdout, r"lost: rows (\d+) to \1; the first is damaged: .*/contacts/")
            self.assertIn("verified", amontons("verify", file, cwd=self.dir, check=0).stdout)

    def test_rows_whose_records_are_not_there_are_refused_and_repaired(self):
        for value in (-1, 2**62, 10**6, 7):
            def change(file, value=value):
                file["record"][5] = value
            file = self.damaged(change)
            for words in OF_RUNS:
                if words[0] != "repair":
                    self.refused(words, file, f"damaged: /record is {value} at row 5, after 5 of")
            result = amontons("repair", file, cwd=self.dir, check=0)
            self.assertIn("5 complete rows\nlost: rows 5 to 20; the first is damaged: /record", result.stdout)
            self.assertIn("verified", amontons("verify", file, cwd=self.dir, check=0).stdout)

    def test_a_row_with_the_record_of_another_one_is_found_by_verification(self):
        def repeat(file):
            file["record"][-1] = file["record"][-2]
        result = amontons("verify", self.damaged(repeat), cwd=self.dir, check=1)
        self.assertRegex(result.stdout, r"(?m)^  FAIL chain ")

    def test_a_file_that_is_no_run_stays_as_it_was_when_it_is_repaired(self):
        file = self.damaged(lambda f: faults.replace(f, "contacts/gap", f["contacts/gap"][()].reshape((-1,) + (1,) * 31)))
        self.refused(("repair",), file, "damaged|32 axes")

    def test_values_must_lie_in_the_file_that_claims_them(self):
        def claim(file):
            del file["energy/kinetic"]
            file.create_dataset("energy/kinetic", shape=(2**40,), dtype="f8", chunks=(1024,))

        def link(file):
            del file["energy/kinetic"]
            file["energy/kinetic"] = h5py.ExternalLink("whole.h5", "/energy/kinetic")

        def external(file):
            values = file["energy/kinetic"][()]
            del file["energy/kinetic"]
            file.create_dataset("energy/kinetic", shape=values.shape, dtype="f8",
                                external=[(str(self.dir / "scene.yaml"), 0, values.nbytes)])
        for change, said in ((claim, "claims"), (link, "is a link to another place"),
                             (external, "has its values in other files")):
            file = self.damaged(change)
            for words in OF_RUNS:
                self.refused(words, file, said)

    def test_numbers_that_no_row_has_are_refused_in_each_dataset(self):
        # Offsets and indices of records have tests of their own, the header is read apart.
        apart = ("offset", "record", "shape", "inputs", "overrides", "name", "first_row", "num_rows")
        names = [name for name in faults.numeric_datasets(self.dir / "whole.h5")
                 if not name.endswith(apart) and not name.startswith("inputs/")]
        tried = 0
        for name in names + ["contacts/shape_a", "contacts/shape_b"]:
            def change(file, name=name):
                data, kind = file[name], file[name].dtype.kind
                values = data[()]
                wrong = {"f": np.nan, "i": -7, "u": 99}[kind]
                values.reshape(-1)[values.size // 2] = wrong
                data[...] = values
            with h5py.File(self.dir / "whole.h5") as whole:
                if whole[name].size == 0 or whole[name].dtype == "u4":
                    continue
            tried += 1
            file = self.damaged(change)
            with self.subTest(dataset=name):
                self.refused(("verify", "--quiet"), file,
                             rf"damaged: /{name} is (not finite|-7|99) at row \d+.*; `amontons repair` keeps")
        self.assertGreater(tried, 100)

    def test_every_verb_refuses_what_it_reads_and_no_row_has(self):
        def infinite(file):
            file["energy/kinetic"][7] = np.inf

        def backwards(file):
            file["time"][...] = file["time"][()][::-1]

        def twice(file):
            file["step_count"][7] = 6
        cases = {"an infinite energy": (infinite, "/energy/kinetic is not finite at row 7"),
                 "times that descend": (backwards, r"/time is 0\.19\d* at row 1, below 0\.2"),
                 "a step twice": (twice, "/step_count is 6 at row 7, below 7")}
        for title, (change, said) in cases.items():
            file = self.damaged(change)
            for words in OF_RUNS:
                with self.subTest(case=title, verb=words[0]):
                    if words[0] != "repair":
                        self.refused(words, file, "damaged: " + said)
            result = amontons("repair", file, cwd=self.dir, check=0)
            self.assertRegex(result.stdout, "the first is damaged: " + said)

    def test_a_residual_that_is_no_number_is_read_where_nothing_is_claimed(self):
        for claimed, code in ((1, 2), (0, 0)):
            def change(file, claimed=claimed):
                file["certificate/claimed"][7] = claimed
                file["certificate/normal"][7] = np.nan
            self.damaged(change)
            result = self.run_verb(("info",), "damaged.h5")
            self.assertEqual(result.returncode, code, result.stderr)

    def test_a_checkpoint_with_a_right_digest_is_believed_only_if_it_makes_sense(self):
        data = (self.dir / "whole.checkpoint").read_bytes()
        magic = data[:data.index(b"\n") + 1]
        payload = data[len(magic) + 64:]
        nq = struct.unpack_from("<Q", payload)[0]
        nv = struct.unpack_from("<Q", payload, 8 + 8 * nq)[0]
        time_at = 16 + 8 * (nq + nv)
        for at, form, value, said in ((8, "<d", float("nan"), "not finite"), (time_at, "<d", float("inf"), "time"),
                                      (time_at + 8, "<q", -1, "negative number of steps"),
                                      (0, "<Q", 2**61, "cut short"), (0, "<Q", nq - 1, "")):
            changed = bytearray(payload)
            struct.pack_into(form, changed, at, value)
            shutil.copy(self.dir / "whole.h5", self.dir / "damaged.h5")
            digest = hashlib.sha256(changed).hexdigest().encode()
            (self.dir / "damaged.checkpoint").write_bytes(magic + digest + changed)
            result = self.run_verb(("resume", "--quiet"), "damaged.h5")
            self.assertEqual(result.returncode, 2, (at, result.stderr))
            self.assertRegex(result.stderr, r"^damaged\.checkpoint: .*" + said)

    def test_a_jacobian_whose_sizes_overflow_is_refused(self):
        for name, value in (("contact_jacobian/row_sizes", 2**62), ("contact_jacobian/block_widths", 2**33),
                            ("contact_jacobian/block_columns", -1), ("contact_jacobian/blocks_per_row", 2**40),
                            ("mass_matrix/block_sizes", 2**32), ("mass_matrix/block_sizes", -1),
                            ("contact_jacobian/values", 1e308), ("velocity", -1e200), ("contacts/bodies", 2**40), ("mass_matrix/values", -1)):
            def change(file, name=name, value=value):
                file["amontons"][name][0] = value
                del file["amontons"].attrs["sha256"]
            file = self.damaged(change, self.problem.name)
            for words in OF_PROBLEMS:
                self.refused(words, file, "/amontons: |contact problem: ")
        def columns(file):
            file["amontons/contact_jacobian"].attrs["columns"] = 2**33
            del file["amontons"].attrs["sha256"]
        self.refused(("solve",), self.damaged(columns, self.problem.name), "columns, the mass matrix")

    def test_a_few_kilobytes_do_not_ask_for_gigabytes(self):
        with h5py.File(self.dir / "damaged.h5", "w") as file:
            file.create_dataset("lcp/M", shape=(2**20, 2**20), dtype="f8", chunks=(64, 64))
            file["lcp/q"] = np.zeros(3)
        self.refused(("solve",), "damaged.h5", "claims")
        with h5py.File(self.dir / "damaged.h5", "w") as file:
            local = file.create_group("fclib_local")
            local["spacedim"] = np.array([3], "i4")
            local["vectors/q"], local["vectors/mu"] = np.zeros(3), np.zeros(1)
            for name, value in (("m", 2**31 - 1), ("n", 2**31 - 1), ("nz", 0), ("nzmax", 0)):
                local["W/" + name] = np.array([value], "i4")
            for name in "pi":
                local["W/" + name] = np.zeros(0, "i4")
            local["W/x"] = np.zeros(0)
        self.refused(("solve",), "damaged.h5", "expected 3 x 3")

    def test_the_largest_grid_costs_five_times_that_of_a_fifth(self):
        def seconds(rows):
            (self.dir / "grid.yaml").write_text(
                "amontons: 1\nsimulation: {step: 0.01, duration: 0.01}\n"
                "bodies: [{name: b, mass: 1, shapes: [{sphere: 0.01}]}]\n"
                f"repeat: [{{body: b, grid: [100, {rows}, 10], spacing: [1, 1, 1]}}]\n")
            before = processor_time()
            self.assertEqual(self.run_verb(("info",), "grid.yaml", seconds=300).returncode, 0)
            return processor_time() - before
        small = seconds(20)
        self.assertLess(seconds(100), 10 * small + 1.0)

    def test_a_run_with_a_flipped_bit_or_cut_short_is_refused_or_read_as_the_whole_one(self):
        self.check_damage(self.dir / "whole.h5", "damaged.h5", (("compare", "whole.h5"), *OF_RUNS))

    def test_a_checkpoint_with_a_flipped_bit_or_cut_short_is_refused(self):
        self.check_damage(self.dir / "whole.h5", "damaged.checkpoint", (("resume", "--quiet"),))

    def test_a_problem_with_a_flipped_bit_or_cut_short_is_refused_or_read_as_the_whole_one(self):
        self.check_damage(self.problem, "damaged.h5", OF_PROBLEMS)

    def test_a_run_that_others_have_changed_at_random_is_an_error_or_an_answer(self):
        for seed in range(CASES):
            shutil.copy(self.dir / "whole.checkpoint", self.dir / "damaged.checkpoint")
            what = faults.changed(self.dir / "whole.h5", self.dir / "damaged.h5", random.Random(seed))
            for words in (("compare", "whole.h5"), *OF_RUNS):
                with self.subTest(seed=seed, what=what, verb=words[0]):
                    self.check_code(words, what)
            for kept in self.dir.glob("damaged.before-repair*"):
                kept.unlink()

    def test_a_problem_that_others_have_changed_at_random_is_an_error_or_an_answer(self):
        for seed in range(CASES):
            what = faults.changed(self.problem, self.dir / "damaged.h5", random.Random(seed))
            with h5py.File(self.dir / "damaged.h5", "r+") as file:
                del file["amontons"].attrs["sha256"]
            for words in OF_PROBLEMS:
                with self.subTest(seed=seed, what=what, verb=words[0]):
                    self.check_code(words, what)

    def test_of_runs_begun_at_once_one_is_written_and_the_others_say_who_has_it(self):
        # What moves all the time takes longer than the racers take to begin.
        (self.dir / "long.yaml").write_text(moving_scene(300))
        for count in (2, 3, 8) if LONG else (2, 3):
            for _ in range(25 if LONG else 2):
                racers = []
                for _ in range(count):
                    time.sleep(random.uniform(0.0, 0.2 / count))  # some begin while another is at work
                    racers.append(subprocess.Popen(
                        [str(PROGRAM), "run", "long.yaml", "-o", "race.h5", "--quiet"], cwd=self.dir,
                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True))
                said = [racer.communicate(timeout=300)[1] for racer in racers]
                codes = sorted(racer.returncode for racer in racers)
                self.assertEqual(codes, [0] + [5] * (count - 1), said)
                for text in filter(None, said):
                    self.assertRegex(text, r"^race\.h5: another process ((is beginning|is writing) this run "
                                           r"\((process \d+, amontons|it has ended meanwhile, .*)\)|has "
                                           r"written this run since this one began, and closed it)\n$")
                self.assertIn("closed: true", amontons("info", "race.h5", cwd=self.dir, check=0).stdout)
                self.assertEqual(sorted(path.name for path in self.dir.glob("race.*")), ["race.checkpoint", "race.h5"])
                (self.dir / "race.h5").unlink()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
