#!/usr/bin/python3
"""Checks `--json` of every verb: one document on stdout whose keys are those of docs/json.md.
usage: json_test.py PROGRAM"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np

from program import PROGRAM, ROOT, SMALL_SCENE, amontons
from solve_test import write_local

PAGE = ROOT / "docs" / "json.md"

# Inside each other at the start, and a loop whose joint is rows of J.
SUNK = SMALL_SCENE.replace("[0, 0, 0.1]", "[0, 0, 0.06]")
LOOP = """amontons: 1
simulation: {step: 0.01, duration: 0.1}
bodies:
  - {name: left, mass: 1, inertia: [1, 1, 1], pose: {position: [0, 0, 1]}}
  - {name: right, mass: 1, inertia: [1, 1, 1], pose: {position: [1, 0, 1]}}
joints:
  - {name: a, type: revolute, parent: world, child: left, axis: [0, 1, 0], at: [0, 0, 0]}
  - {name: b, type: revolute, parent: world, child: right, axis: [0, 1, 0], at: [1, 0, 0]}
  - {name: rod, type: revolute, parent: left, child: right, axis: [0, 1, 0], at: [0.5, 0, 1]}
  - {name: spare, type: fixed, parent: left, child: right, attached: false}
"""
# A cart that fits between the stop of its rail and a wall.
GUIDE = """amontons: 1
simulation: {step: 0.01, duration: 0.1}
gravity: [-1, 0, -9.81]
bodies:
  - {name: wall, fixed: true, shapes: [{half_space: {normal: [-1, 0, 0], offset: -0.1}}]}
  - {name: cart, mass: 1, shapes: [{box: [0.2, 0.2, 0.2]}]}
joints:
  - {name: rail, type: prismatic, parent: world, child: cart, axis: [1, 0, 0], limits: [0, 1]}
"""
TETRAHEDRON = "v 0 0 0\nv 3 0 0\nv 0 2 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
# A wedge with a notch, which collides triangle by triangle.
NOTCHED = """v 0 0 0\nv 1 0 0\nv 1 0 1.5\nv 0.5 0 1.5\nv 0.5 0 3\nv 0 0 3
v 0 2 0\nv 1 2 0\nv 1 2 1.5\nv 0.5 2 1.5\nv 0.5 2 3\nv 0 2 3
f 1 2 3 4\nf 1 4 5 6\nf 10 9 8 7\nf 12 11 10 7\nf 2 1 7 8\nf 3 2 8 9\nf 4 3 9 10\nf 5 4 10 11
f 6 5 11 12\nf 1 6 12 7
"""
MESH = """amontons: 1
simulation: {step: 0.01, duration: 0.1}
bodies:
  - {name: ground, fixed: true, shapes: [{box: [9, 9, 1]}], pose: {position: [0, 0, -0.5]}}
  - {name: notched, density: 1, shapes: [{mesh: {file: notched.obj}}]}
"""
PLAN = "{amontons_campaign: 1, scene: small.yaml, parameters: {materials.wood.friction: [0.1]}}\n"
IMPOSSIBLE = ("--set", "simulation.tolerance=1e-20")  # rounding alone exceeds it

HAS_PYTHON = (PROGRAM.parent.parent / "python/amontons/campaign/__main__.py").exists()

# Calls of each verb, and their exit codes: together they show all documented keys.
CASES = {
    "init": [(("fresh.yaml",), 0)],
    "run": [(("small.yaml", "-o", "again.h5"), 0), (("small.yaml", "--no-log", "--profile"), 0),
            (("mesh.yaml", "--no-log"), 0), (("small.yaml", "-o", "missed.h5", *IMPOSSIBLE), 3)],
    "resume": [(("small.h5",), 0), (("stopped.h5", "--profile"), 3),
               (("mesh.h5",), 3)],
    "verify": [(("small.h5",), 0)],
    "replay": [(("small.h5", "-o", "small.html"), 0),
               (("small.h5", "--still", "0.1", "-o", "small.png", "--size", "64x64"), 0),
               (("small.h5", "--video", "small/", "--size", "64x64", "--fps", "10"), 0)],
    "info": [((name,), 0) for name in ("small.h5", "small.yaml", "sunk.yaml", "loop.yaml", "t.obj",
                                       "robot.h5", "problem.h5", "local.h5", "lcp.h5")] +
            [(("guide.yaml", "--jams"), 0), ((ROOT / "examples/quadruped/demo.yaml",), 0)],
    "compare": [(("small.h5", "small.h5"), 0), (("small.h5", "short.h5"), 1),
                (("small.h5", "stopped.h5", "--tolerance", "1e-9"), 1)],
    "export": [(("small.h5",), 0), (("small.h5", "--contacts"), 0)],
    "repair": [(("small.h5",), 0)],
    "solve": [(("problem.h5",), 0), (("problem.h5", "--intervals"), 0), (("lcp.h5",), 0),
              (("local.h5",), 0), (("local.h5", "--compare"), 0),
              (("problem.h5", "--intervals", "--model", "maximum-dissipation"), 0),
              (("problem.h5", "--compare", "--time-limit", "60"), 0)],
    "contest": [(("small.yaml", "--models", "coulomb,frictionless"), 0)],
    "campaign": [(("plan.yaml", "--quiet"), 0)],
    "lint": [(("small.yaml",), 0), (("sunk.yaml", "--strict-import"), 4)],
    "reproduce": [(("--list",), 0), (("bouncing-ball", "-o", "reproduced"), 0),
                  (("thin-card-house", "-o", "reproduced"), 0),
                  (("backspin", "-o", "reproduced"), 0)],
    "completion": [(("bash",), 0)],
    "manual": [((), 0), (("scene",), 0)],
}
# Calls that fail: the words, the exit code, and the keys besides `error` and `exit_code`.
FAULTS = [
    (("run", "none.yaml"), 2, {"file"}),
    (("lint", "broken.yaml"), 2, {"file", "line", "column"}),
    (("lint", "faulty.yaml"), 2, {"file", "line", "column", "faults"}),
    (("verify", "small.yaml"), 2, {"file"}),
    (("solve", "problem.h5", "--model", "colomb"), 2, set()),
    (("run", "small.yaml", "--sep", "1"), 2, set()),
    (("runn", "small.yaml"), 2, set()),
    (("run", "sunk.yaml", "--strict-import"), 4, set()),
    (("run", "small.yaml", "-o", "none/small.h5"), 5, {"file"}),
    (("init", "small.yaml"), 2, {"file"}),
    (("completion", "tcsh"), 2, {"file"}),
    (("reproduce", "box-qq"), 2, {"file"}),
]


def verbs():
    text = amontons("--help", check=0).stdout
    return re.findall(r"^  ([a-z]+) {2,}\S", text.split("Subcommands:")[1], re.MULTILINE)


def paths(value, path=""):
    """Returns the keys of a document, those of nested objects after a dot, of lists after []."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from paths(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value):
        for item in value:
            yield from paths(item, path + "[]")
    elif value == []:
        return  # an empty list shows no keys
    else:
        yield path


def documented():
    """Returns the keys in the table of each verb; * means any one name."""
    keys, verb = {}, None
    for line in PAGE.read_text().splitlines():
        if match := re.match(r"## `(\w+)`", line):
            verb = keys.setdefault(match.group(1), [])
        elif verb is not None and (match := re.match(r"As `(\w+)`", line)):
            verb += keys[match.group(1)]
        elif verb is not None and (match := re.match(r"\| (`[^|]*`) \|", line)):
            verb += re.findall(r"`([^`]+)`", match.group(1))
    return keys


def pattern(key):
    return re.compile(re.escape(key).replace(r"\*", ".+") + "$")


class JsonTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.dir = pathlib.Path(cls.folder.name)
        cls.prepare()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def prepare(cls):
        """Makes a file of each kind that a verb reads."""
        def run(*words, check=0):
            amontons("run", *words, "--quiet", cwd=cls.dir, check=check)

        for name, text in (("small.yaml", SMALL_SCENE), ("plan.yaml", PLAN), ("sunk.yaml", SUNK), ("loop.yaml", LOOP),
                           ("guide.yaml", GUIDE), ("mesh.yaml", MESH), ("notched.obj", NOTCHED),
                           ("t.obj", TETRAHEDRON),
                           ("broken.yaml", SMALL_SCENE + "gravitation: [0, 0, -1]\n"),
                           ("faulty.yaml", SMALL_SCENE.replace("step: 0.01", "step: x")
                            .replace("friction: 0.4", "frictoin: 0.4"))):
            (cls.dir / name).write_text(text)
        run("small.yaml")
        run(ROOT / "examples/quadruped/quadruped.urdf", "-o", "robot.h5", "--duration", "0.01")
        run("small.yaml", "-o", "short.h5", "--duration", "0.1")
        run("small.yaml", "-o", "stopped.h5", *IMPOSSIBLE, "--strict-steps", check=3)
        run("mesh.yaml", "-o", "mesh.h5", *IMPOSSIBLE, "--strict-steps", check=3)
        failure, = cls.dir.glob("stopped.failure-*.h5")
        failure.rename(cls.dir / "problem.h5")
        with h5py.File(cls.dir / "lcp.h5", "w") as file:
            file["lcp/M"], file["lcp/q"] = np.eye(2), -np.ones(2)
        write_local(cls.dir / "local.h5", np.eye(3), [-2.0, 3.0, 4.0], [0.5], 3)

    def answer(self, *words, check):
        """Returns the one document on stdout, which must hold nothing else."""
        result = amontons(*words, "--json", cwd=self.dir, check=check)
        return json.loads(result.stdout), result

    def test_every_verb_answers_with_one_document_whose_keys_are_documented(self):
        documented_keys = documented()
        self.assertEqual(list(documented_keys), list(CASES), "docs/json.md has a table of each verb")
        self.assertEqual(sorted(CASES), sorted(verbs()))
        for verb, cases in CASES.items():
            if verb == "campaign" and not HAS_PYTHON:
                print("SKIPPED: campaign, as this build has no Python module", file=sys.stderr)
                continue
            seen = set()
            for words, code in cases:
                document, _ = self.answer(verb, *words, check=code)
                seen |= set(paths(document))
            with self.subTest(verb=verb):
                keys = {key: pattern(key) for key in documented_keys[verb]}
                unknown = {path for path in seen
                           if not any(key.match(path) for key in keys.values())}
                self.assertFalse(unknown, f"{verb}: not in docs/json.md")
                stale = {name for name, key in keys.items()
                         if not any(key.match(path) for path in seen)}
                self.assertFalse(stale, f"{verb}: in docs/json.md alone")

    def test_what_has_no_answer_is_a_document_too_and_the_same_line_on_stderr(self):
        for words, code, place in FAULTS:
            with self.subTest(words=words):
                document, result = self.answer(*words, check=code)
                self.assertEqual(set(document), {"error", "exit_code"} | place)
                self.assertEqual(document["exit_code"], code)
                self.assertEqual(result.stderr, document["error"] + "\n")
                plain = amontons(*words, cwd=self.dir, check=code)
                self.assertEqual((plain.stdout, plain.stderr), ("", result.stderr))
        document, _ = self.answer("lint", "faulty.yaml", check=2)
        self.assertEqual([fault["line"] for fault in document["faults"]], [2, 4])
        self.assertEqual(document["line"], 2)
        document, _ = self.answer("lint", "broken.yaml", check=2)
        where = ":".join(str(document[key]) for key in ("file", "line", "column"))
        self.assertTrue(document["error"].startswith(where + ": "), document)

    def test_one_document_and_one_table_are_not_both_for_stdout(self):
        document, _ = self.answer("export", "small.h5", "--output", "-", check=2)
        self.assertIn("--output -", document["error"])

    def test_a_motion_that_ends_before_its_time_says_why_in_its_document(self):
        # A velocity beyond 1e12 m/s is invalid. The seventh step would begin with one, so the sixth ends
        # the run.
        scene = """amontons: 1
gravity: [0, 0, -G]
simulation: {step: 1, duration: 20}
bodies: [{name: ball, mass: 1, shapes: [{sphere: 0.1}]}]
"""
        (self.dir / "flung.yaml").write_text(scene.replace("G", "1.5e+11"))
        document, result = self.answer("run", "flung.yaml", check=3)
        self.assertEqual(result.stderr, f"flung.yaml: {document['divergence']}\n")
        self.assertEqual((document["steps"], document["log"]), (5, "flung.h5"))
        (self.dir / "shot.yaml").write_text(scene.replace("G", "1.0e+99"))
        document, _ = self.answer("run", "shot.yaml", check=3)
        self.assertRegex(document["error"], r"^shot\.yaml: .* t = 0")

    def test_progress_goes_to_stderr(self):
        _, result = self.answer("run", "small.yaml", "-o", "again.h5", check=0)
        self.assertEqual(result.stdout[0] + result.stdout[-2:], "{}\n")
        _, result = self.answer("reproduce", "bouncing-ball", "-o", "reproduced", check=0)
        self.assertIn("reproduce bouncing-ball", result.stderr)

    def test_rounding_of_what_rests_is_no_share_of_its_kinetic_energy(self):
        bodies = [{"name": "ground", "fixed": True, "shapes": [{"half_space": {"normal": [0, 0, 1]}}]}]
        bodies += [{"name": f"b{k}", "mass": 1e6 if k == 5 else 1, "shapes": [{"box": [0.2] * 3}],
                    "pose": {"position": [0.01 * (k % 2), 0, 0.1 + 0.2 * k]}} for k in range(6)]
        (self.dir / "loaded.yaml").write_text(json.dumps({
            "amontons": 1, "simulation": {"step": 0.002, "duration": 0.02, "model": "anitescu-hart"},
            "bodies": bodies}))
        document, _ = self.answer("run", "loaded.yaml", "--no-log", check=0)
        self.assertLess(max(document["energy"]["kinetic"]), 1e-12)
        self.assertLess(document["integration_share"], 0.1)

    def test_a_name_that_is_no_text_is_written_all_the_same(self):
        name = os.fsdecode(b"sm\xff.yaml")
        shutil.copy(self.dir / "small.yaml", self.dir / name)
        result = subprocess.run([PROGRAM, "info", name, "--json"], cwd=self.dir, check=True,
                                capture_output=True)
        self.assertEqual(json.loads(result.stdout)["file"], "sm\ufffd.yaml")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
