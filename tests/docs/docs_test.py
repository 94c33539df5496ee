#!/usr/bin/python3
"""Checks the documentation: every code block runs, every link and command leads somewhere, every
page that is made of the code is up to date.
usage: docs_test.py PROGRAM PYTHON_FOLDER COMPILER EIGEN_INCLUDE"""
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM, PYTHON, COMPILER, EIGEN = sys.argv[1:5]
PROGRAM, PYTHON = (str(pathlib.Path(path).resolve()) for path in (PROGRAM, PYTHON))
PAGES = sorted((ROOT / "docs").rglob("*.md")) + [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# The blocks of python-reference.md are examples within docstrings, which tests/python runs in their
# context. The shell block of the README builds a checkout; scripts/newcomer-path runs it.
NOT_RUN = {"README.md": {"sh"}, "python-reference.md": {"python", ""}}
FOLDERS = "amontons|benchmarks|cmake|docs|examples|experiments|python|scripts|tests|tools|viewer"
SOURCES = [path for folder in FOLDERS.split("|") for path in sorted((ROOT / folder).rglob("*"))
           if path.suffix in (".h", ".cc")]
SOURCE_NAMES = {str(path.relative_to(ROOT)) for path in SOURCES}


def is_file_of_the_repository(name):
    """Finds a path from the top or from a module's folder, or a source's own name; `*` as in a shell."""
    if any(next(folder.glob(name), None) for folder in (ROOT, ROOT / "amontons")):
        return True
    return any(source.endswith("/" + name) for source in SOURCE_NAMES)


def load_script(name):
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), str(ROOT / "scripts" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def amontons(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=True).stdout


def blocks(folder):
    """Returns the functions that run a block, by its language."""
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


def slug(heading):
    """Returns the anchor that the site and repository pages give a heading."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", text).strip().lower())


def prose(page):
    return FENCE.sub("", page.read_text())


def anchors(page):
    text = prose(page)
    return ({slug(heading) for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)} |
            set(re.findall(r'<a id="([^"]+)">', text)))


def commands_of(text, program):
    """Returns the words of each command in code spans and shell blocks that starts with the program."""
    spans = re.findall(r"`([^`\n]+)`", FENCE.sub("", text))
    for language, block in FENCE.findall(text):
        if language == "sh":
            spans += block.replace("\\\n", " ").splitlines()
    spans += [line.strip() for line in re.findall(r"^ {4}(.*)$", FENCE.sub("", text), re.MULTILINE)]
    for span in spans:
        # Each command of a pipe or list by itself; `[...]` in usage lines are alternatives.
        for command in re.split(r"\|\|?|&&|;|<\(|\)", span.split("  #")[0]):
            words = command.split()
            if words and words[0] in (program, f"build/{program}"):
                try:
                    yield shlex.split(command)[1:]
                except ValueError:  # a quotation mark that is not closed
                    yield words[1:]


class DocsTest(unittest.TestCase):
    def test_every_code_block_runs(self):
        for page in PAGES:
            with self.subTest(page=page.name), tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                for shared in ("examples", "experiments"):
                    (folder / shared).symlink_to(ROOT / shared)
                run = blocks(folder)
                for language, text in FENCE.findall(page.read_text()):
                    if language in NOT_RUN.get(page.name, ()):
                        continue
                    self.assertIn(language, run, f"{page}: a block of {language or 'no language'}")
                    run[language](text)

    def test_every_link_leads_to_a_page_and_a_place_on_it(self):
        known = {page: anchors(page) for page in PAGES}
        for page in PAGES:
            for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", prose(page)):
                if "://" in target:
                    continue
                place = (page.parent / target).resolve() if target else page
                self.assertTrue(place.exists(), f"{page}: {target}")
                if anchor:
                    self.assertIn(anchor, known[place], f"{page}: {target}#{anchor}")

    def test_every_file_that_is_named_exists(self):
        named = 0
        for page in PAGES:
            for name in re.findall(r"`([\w./*-]+)`", page.read_text()):
                if "..." in name:
                    continue
                if re.match(rf"({FOLDERS})/", name) or re.search(r"\w\.(h|cc|cmake)$", name):
                    named += 1
                    self.assertTrue(is_file_of_the_repository(name), f"{page}: {name}")
        self.assertGreater(named, 100)

    def test_every_file_that_a_comment_names_exists(self):
        named = 0
        for source in SOURCES:
            for comment in re.findall(r"//(.*)", source.read_text()):
                for name in re.findall(r"(?<![\w./<])[\w/]+\.(?:h|cc)\b", comment):
                    named += 1
                    self.assertTrue(is_file_of_the_repository(name), f"{source}: {name}")
        self.assertGreater(named, 100)

    def test_every_command_that_is_named_exists_with_its_options(self):
        verbs = set(re.findall(r"^  ([a-z]+) {2,}\S", amontons("--help").split("Subcommands:")[1],
                               re.MULTILINE))
        options = {verb: set(re.findall(r"(--?[a-z][a-z-]*)\b", amontons(verb, "--help")))
                   for verb in verbs}
        named = 0
        for page in PAGES:
            for words in commands_of(page.read_text(), "amontons"):
                if not words or words[0].startswith("-") or not words[0].islower():
                    continue
                named += 1
                self.assertIn(words[0], verbs, f"{page}: amontons {' '.join(words)}")
                for word in words[1:]:
                    # The minus of `man -l -` is no option, nor is a number.
                    if re.match(r"--?[a-z]", word):
                        self.assertIn(word.split("=")[0], options[words[0]],
                                      f"{page}: amontons {' '.join(words)}")
        self.assertGreater(named, 50)

    def test_every_script_that_is_named_with_arguments_can_be_run(self):
        named = 0
        for page in PAGES:
            # A command is indented or in backquotes, and a blank follows the script.
            for name in re.findall(rf"(?:^    |`)((?:{FOLDERS})/[\w/.-]+) ", page.read_text(),
                                   re.MULTILINE):
                named += 1
                self.assertTrue(os.access(ROOT / name, os.X_OK), f"{page}: {name}")
        self.assertGreater(named, 4)

    def test_every_target_of_make_that_is_named_exists(self):
        targets = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))
        named = set()
        for page in PAGES:
            for words in commands_of(page.read_text(), "make"):
                named |= {word for word in words if re.fullmatch("[a-z-]+", word)}
        self.assertGreater(len(named), 5)
        self.assertLessEqual(named, targets)

    def test_every_page_is_in_the_menu(self):
        menu = set(re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE))
        pages = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")}
        self.assertEqual(menu, pages)

    def test_the_site_is_built_without_a_warning_and_needs_no_network(self):
        with tempfile.TemporaryDirectory() as site:
            result = subprocess.run(["mkdocs", "build", "--strict", "--quiet", "-d", site], cwd=ROOT,
                                    capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 0, result.stderr)
            for page in pathlib.Path(site).rglob("*.html"):
                loaded = re.findall(r'<(?:script|img)[^>]* src="([^"]+)"|<link [^>]*href="([^"]+)"',
                                    page.read_text())
                for source in (first or second for first, second in loaded):
                    self.assertFalse(source.startswith(("http:", "https:", "//")), f"{page}: {source}")

    def test_every_verb_is_documented(self):
        verbs = re.findall(r"^  ([a-z]+) {2,}\S", amontons("--help").split("Subcommands:")[1],
                           re.MULTILINE)
        page = (ROOT / "docs/command-line.md").read_text()
        for verb in verbs:
            self.assertRegex(page, rf"`{verb}[ `]", verb)

    def test_every_row_of_verify_is_documented(self):
        with tempfile.TemporaryDirectory() as folder:
            run = f"{folder}/first.h5"
            amontons("run", str(ROOT / "examples/first.yaml"), "-o", run, "--quiet")
            checks = json.loads(amontons("verify", run, "--json"))["figures"]
        page = (ROOT / "docs/how-to/read-a-certificate.md").read_text()
        rows = re.findall(r"^\| `([^`]+)` \|.*\| `?([^|` ]+)`? \|$", page.split("| row |")[1], re.MULTILINE)
        self.assertEqual([name for name, _ in rows], [check["name"] for check in checks])
        for (name, bound), check in zip(rows, checks):
            if bound == "tolerance":
                bound = 1e-8  # of the scene, by default
            if bound == "acceptable_tolerance":
                bound = 1e-4  # the same
            self.assertEqual(float(bound), check["tolerance"], name)

    def test_every_exit_code_is_documented(self):
        manual = amontons("manual").split(".SH EXIT STATUS")[1].split(".SH")[0]
        codes = re.findall(r"^\.B (\d+)$", manual, re.MULTILINE)
        self.assertGreater(len(codes), 5)
        page = (ROOT / "docs/command-line.md").read_text()
        self.assertEqual(re.findall(r"^\| (\d+) \|", page, re.MULTILINE), codes)

    def test_the_version_is_the_same_everywhere(self):
        cmake = re.search(r"project\(amontons VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())
        program = re.match(r"amontons ([\d.]+) ", amontons("--version"))
        package = subprocess.run(["/usr/bin/python3", "-c", "import amontons; print(amontons.__version__)"],
                                 env=os.environ | {"PYTHONPATH": PYTHON}, capture_output=True,
                                 text=True, check=True).stdout.strip()
        released = re.search(r"^## (\d[\d.]*) - ", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
        cited = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
        self.assertEqual({match[1] for match in (cmake, program, released, cited)}, {package})

    def test_every_model_has_a_section(self):
        listed = subprocess.run(["/usr/bin/python3", "-c",
                                 "import amontons as am; print(*am.model_names())"],
                                env=os.environ | {"PYTHONPATH": PYTHON}, capture_output=True,
                                text=True, check=True).stdout.split()
        self.assertIn("coulomb", listed)
        headings = anchors(ROOT / "docs/models.md")
        self.assertLessEqual({*listed, "mirtich"}, headings)

    def test_public_scenes_have_the_figures_of_other_simulators_from_their_results(self):
        script = load_script("peer-tables")
        page = (ROOT / "docs/public-scenes.md").read_text()
        results = json.loads((ROOT / "benchmarks/results/public.json").read_text())
        self.assertEqual(script.with_tables(page, results), page)
        # Every case of the results stands in a table, beside our own figure.
        for case in results["cases"]:
            self.assertTrue(any(case["id"].startswith(begin) for _, begin in script.SECTIONS),
                            case["id"])
        case, = (one for one in results["cases"] if one["id"] == "public backspin")
        section = page.split('<a id="backspin">')[1].split("<a id=")[0]
        for one in case["results"]:
            self.assertIn(f" | {one['figures'][0]['value']:.2g} | {one['median_ms']:.2g} |", section)
        results["cases"][0]["results"][0]["figures"][0]["value"] = 123.0
        self.assertNotEqual(script.with_tables(page, results), page)

    def test_pages_made_of_the_code_are_what_it_makes(self):
        made = load_script("reference-pages").pages(PROGRAM, pathlib.Path(PYTHON))
        for name, text in made.items():
            self.assertEqual((ROOT / "docs" / name).read_text(), text,
                             f"docs/{name} is out of date: run make reference")
            # Link targets count no columns; tables, headings and blocks of code have their own width.
            for line in re.sub(r"\]\([^)]*\)", "]", FENCE.sub("", text)).splitlines():
                if not line.startswith(("|", "#")):
                    self.assertLessEqual(len(line), 100, f"docs/{name}: {line}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
