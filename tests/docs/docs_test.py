#!/usr/bin/python3
"""The documentation is true: every code block runs, every link leads somewhere, every verb is told.
usage: docs_test.py PROGRAM PYTHON_FOLDER COMPILER EIGEN_INCLUDE"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM, PYTHON, COMPILER, EIGEN = sys.argv[1:5]
PROGRAM = str(pathlib.Path(PROGRAM).resolve())
PAGES = sorted((ROOT / "docs").rglob("*.md")) + [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Blocks of these pages are about a checkout and its build, or fragments of a format.
NOT_RUN = {"README.md", "CONTRIBUTING.md", "scene-format.md", "import.md", "design.md",
           "benchmarks.md"}


def commands(folder):
    """What runs a block of each language."""
    environment = os.environ | {"PATH": f"{pathlib.Path(PROGRAM).parent}:{os.environ['PATH']}",
                                "PYTHONPATH": PYTHON, "MPLBACKEND": "Agg"}

    def run(command, text):
        result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, input=text,
                                text=True, timeout=300, check=False)
        if result.returncode != 0:
            raise AssertionError(f"exit {result.returncode}:\n{text}\n{result.stdout}{result.stderr}")

    def write(text):
        name = re.match(r"# file: (\S+)\n", text)
        assert name, "a yaml block begins with '# file: NAME':\n" + text
        (folder / name.group(1)).write_text(text)

    return {
        "sh": lambda text: run(["bash", "-euo", "pipefail"], text),
        "python": lambda text: run(["/usr/bin/python3", "-"], text),
        "yaml": write,
        "cpp": lambda text: run([COMPILER, "-std=c++20", "-fsyntax-only", f"-I{ROOT}", "-isystem",
                                 EIGEN, "-x", "c++", "-"], text),
    }


class DocsTest(unittest.TestCase):
    def test_every_code_block_runs(self):
        for page in PAGES:
            if page.name in NOT_RUN:
                continue
            with self.subTest(page=page.name), tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                for shared in ("examples", "experiments"):
                    (folder / shared).symlink_to(ROOT / shared)
                run = commands(folder)
                for language, text in FENCE.findall(page.read_text()):
                    self.assertIn(language, run, f"{page}: a block of {language or 'no language'}")
                    run[language](text)

    def test_every_link_leads_to_a_page(self):
        for page in PAGES:
            for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text()):
                if "://" not in target:
                    self.assertTrue((page.parent / target).exists(), f"{page}: {target}")

    def test_every_file_that_is_named_exists(self):
        for page in PAGES:
            for name in re.findall(r"`((?:docs|examples|experiments|tests|scripts|benchmarks)/[\w./-]+)`",
                                   page.read_text()):
                self.assertTrue((ROOT / name).exists(), f"{page}: {name}")

    def test_every_page_is_in_the_menu(self):
        menu = set(re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE))
        pages = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")}
        self.assertEqual(menu, pages)

    def test_the_site_is_built_without_a_warning(self):
        with tempfile.TemporaryDirectory() as site:
            result = subprocess.run(["mkdocs", "build", "--strict", "--quiet", "-d", site], cwd=ROOT,
                                    capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertTrue((pathlib.Path(site) / "index.html").exists())

    def test_every_verb_is_documented(self):
        text = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, check=True).stdout
        verbs = re.findall(r"^  ([a-z]+) {2,}\S", text.split("Subcommands:")[1], re.MULTILINE)
        page = (ROOT / "docs/command-line.md").read_text()
        for verb in verbs:
            self.assertRegex(page, rf"`{verb}[ `]", verb)

    def test_every_key_of_a_scene_is_documented(self):
        page = (ROOT / "docs/scene-format.md").read_text()
        known = set()
        for source in (ROOT / "amontons/io").glob("scene_*.cc"):
            for keys in re.findall(r'\{(\s*"\w+"(?:,\s*"\w+")*)\s*\}', source.read_text()):
                known |= set(re.findall(r'"(\w+)"', keys))
        self.assertTrue({"friction_directions", "quat_wxyz", "jitter"} <= known, known)
        missing = {key for key in known if not re.search(rf"\b{key}\b", page)}
        self.assertFalse(missing)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
