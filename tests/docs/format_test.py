#!/usr/bin/python3
"""Checks that the reference of file formats names exactly the content of files.
usage: format_test.py PROGRAM"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
SCENE = """
amontons: 1
simulation: {step: 0.005, duration: 0.05, tolerance: TOLERANCE}
bodies:
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
  - {name: box, mass: 1, shapes: [{box: [1, 1, 1]}], pose: {position: [0, 0, 0.5]}, velocity: {linear: [1, 0.3, 0]}}
  - {name: bob, mass: 1, shapes: [{box: [1, 1, 1]}], pose: {position: [3, 0, 3]}}
joints:
  - {name: hinge, type: revolute, parent: world, child: bob, axis: [0, 1, 0], at: [3, 0, 4],
     coulomb_friction: 1, coordinates: maximal}
"""


def table(page):
    """Returns {name: (type, sizes)} of all rows of the page's tables but those of other files."""
    text = subprocess.run([PROGRAM, "manual", page], capture_output=True, text=True,
                          check=True).stdout.split("## Other files")[0]
    rows = re.findall(r"^\| `([^`]+)` \| ([^|]*) \|", text, re.MULTILINE)
    parts = {name: re.fullmatch(r"(\w+)(?: \[(.*)\])?", value) for name, value in rows}
    return {name: match and match.groups() for name, match in parts.items()}


def kind(dtype):
    return "text" if h5py.check_string_dtype(dtype) else str(dtype)


def attribute_kind(value):
    return "text" if isinstance(value, (str, bytes)) else str(np.asarray(value).dtype)


def contents(group, separator):
    """Returns {name: (type, number of dimensions)} of all datasets and attributes below a group."""
    found = {f".{name}": (attribute_kind(value), 0) for name, value in group.attrs.items()}

    def visit(name, item):
        if isinstance(item, h5py.Dataset):
            found[name] = (kind(item.dtype), item.ndim)
        else:
            found.update({f"{name}.{key}": (attribute_kind(value), 0)
                          for key, value in item.attrs.items()})

    group.visititems(visit)
    return {separator + name: value for name, value in found.items()}


class FormatTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def run_scene(self, tolerance, code):
        (self.folder / "scene.yaml").write_text(SCENE.replace("TOLERANCE", tolerance))
        result = subprocess.run([PROGRAM, "run", "scene.yaml", "-o", "run.h5", "--quiet"],
                                cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, code, result.stderr)

    def simulate(self, method, extra):
        settings = ", ".join(f"{key}: {value}" for key, value in extra.items())
        scene = SCENE.replace("tolerance: TOLERANCE", f"method: {method}{', ' * bool(extra)}{settings}")
        (self.folder / "scene.yaml").write_text(scene)
        name = f"{method}-{len(extra)}.h5"
        subprocess.run([PROGRAM, "run", "scene.yaml", "-o", name, "--quiet"], cwd=self.folder,
                       capture_output=True, check=True)
        return name

    def test_a_default_that_is_written_changes_nothing(self):
        page = subprocess.run([PROGRAM, "manual", "scene"], capture_output=True, text=True,
                              check=True).stdout
        section = re.search(r"^## `simulation`$(.*?)^## ", page, re.MULTILINE | re.DOTALL)[1]
        defaults = dict(re.findall(r"^\| `(\w+)` \|(?:[^|]*\|){2} `([^`]+)` \|", section, re.MULTILINE))
        del defaults["method"]
        of_events = {"integrator", "integrator_tolerance", "contact_tolerance", "sustained_contact"}
        of_steps = {"projection", "post_stabilization", "position_iterations"}
        self.assertGreater(len(defaults.keys() - of_events - of_steps), 8)
        for method, others in (("time-stepping", of_events), ("event-driven", of_steps)):
            given = {key: value for key, value in defaults.items() if key not in others}
            result = subprocess.run([PROGRAM, "compare", self.simulate(method, {}),
                                     self.simulate(method, given)], cwd=self.folder,
                                    capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_every_key_of_a_scene_is_read(self):
        readers = [file for file in (ROOT / "amontons/io/scene").glob("scene_*.cc")
                   if not file.name.startswith("scene_format")]
        text = "".join(file.read_text() for file in readers)
        keys = table("scene")
        self.assertGreater(len(keys), 80)
        # The cylinder is the last shape, which the reader accepts without comparing its key.
        self.assertEqual([key for key in keys if f'"{key}"' not in text], ["cylinder"])

    def test_a_run_holds_what_its_reference_names_in_types_and_sizes(self):
        self.run_scene("1e-8", 0)
        documented = table("run")
        with h5py.File(self.folder / "run.h5") as run:
            held = contents(run, "/")
            held = {name: value for name, value in held.items() if not name.startswith("/inputs/")}
            sizes = {"T": len(run["time"]), "nq": run["q"].shape[1], "nv": run["v"].shape[1],
                     "nB": len(run["bodies/name"]), "nJ": len(run["joints/name"]),
                     "nr": run["joints/impulse"].shape[1],
                     "E": len(run["contacts/record"]), "C": len(run["contacts/gap"]),
                     "B": len(run["bounded/gap"]), "K": len(run["commands/kind"]),
                     "R": len(run["q"]), "R + 1": len(run["q"]) + 1, "3": 3, "4": 4, "n": 0}
            self.assertGreater(min(sizes[size] for size in ("T", "R", "nr", "E", "C", "B")), 0)
            del documented["/inputs/*"]
            self.assertEqual(set(documented), set(held))
            for name, (dtype, shape) in documented.items():
                self.assertEqual(dtype, held[name][0], name)
                if "." not in name:
                    self.assertEqual(tuple(sizes[size] for size in shape.split(", ")),
                                     run[name].shape, name)
            for name in run:
                if isinstance(run[name], h5py.Group):
                    for key, data in run[name].items():
                        codes = data.attrs.get("names", "") if data.dtype == np.uint8 else ""
                        if codes and data.size:
                            self.assertLess(data[:].max(), len(codes.split(", ")), key)

    def test_a_contact_problem_holds_what_its_reference_names(self):
        self.run_scene("1e-18", 3)
        file = next(self.folder.glob("run.failure-*.h5"))
        documented = table("problem")
        documented = {name: value[0] for name, value in documented.items()
                      if name != ".missing_in_fclib"}
        for name in [name for name in documented if name.startswith("*")]:
            for row in ("contact", "joint", "bounded"):
                documented[name.replace("*", row)] = documented[name]
            del documented[name]
        with h5py.File(file) as problem:
            held = {name: value[0] for name, value in contents(problem["amontons"], "").items()}
            held.pop(".missing_in_fclib", None)
            self.assertGreater(len(problem["amontons/solution/attempts/solver"]), 0)
        self.assertEqual(documented, held)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
