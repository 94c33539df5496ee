#!/usr/bin/python3
"""Checks that every public name has a docstring, and that exactly the public headers are installed.
usage: cpp_reference_test.py"""
import importlib.machinery
import importlib.util
import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
loader = importlib.machinery.SourceFileLoader("cpp_reference", str(ROOT / "scripts/cpp-reference"))
script = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
loader.exec_module(script)


class CppReferenceTest(unittest.TestCase):
    def test_every_public_name_is_documented(self):
        with tempfile.TemporaryDirectory() as folder:
            site = pathlib.Path(folder) / "cpp"
            self.assertEqual(script.faults(site), [])
            index = (site / "annotated.html").read_text()
            for name in ("Simulator", "ContactProblem", "Certificate", "RunReader"):
                self.assertIn(name, index)

    def test_headers_are_public_or_internal_and_the_page_names_every_public_one(self):
        public = script.public_headers()
        self.assertGreater(len(public), 60)
        page = (ROOT / "docs/cpp.md").read_text()
        listed = re.findall(r'^#include "amontons/(\S+\.h)"',
                            (ROOT / "amontons/amontons.h").read_text(), re.MULTILINE)
        self.assertGreater(len(listed), 50)
        self.assertEqual([name for name in listed if f"`{name}`" not in page], [])

    def test_a_name_without_a_docstring_is_found(self):
        """Checks this test itself, by a header without one of its docstrings."""
        header = ROOT / "amontons/simulation/system/state.h"
        text = header.read_text()
        self.assertIn("///< velocities [nv]", text)
        headers = script.public_headers
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "state.h"
            copy.write_text(text.replace("///< velocities [nv]", ""))
            script.public_headers = lambda: [str(copy)]
            try:
                found = script.faults(pathlib.Path(folder) / "cpp")
            finally:
                script.public_headers = headers
        self.assertEqual(len(found), 1, found)
        self.assertIn("Member v (variable)", found[0])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
