#!/usr/bin/python3
"""Checks the report of published experiments, in each of its forms.  usage: reproduce_test.py PROGRAM"""
import html
import html.parser
import json
import pathlib
import re
import shlex
import shutil
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

from program import ROOT, amontons

EXPERIMENT = "signed-distance"  # quick, with a figure
SVG = "{http://www.w3.org/2000/svg}"
# Errata of each of the five papers, and between them.
NUMBER_OF_ERRATA = [19, 11, 11, 21, 13, 3]
HOSTILE = """<b>bold</b> & "quoted" | *star* _line_ [link](x) ~~gone~~ #1"""


class Page(html.parser.HTMLParser):
    """Collects tags, ids and links of a page, and the text of its headings."""
    def __init__(self, text):
        super().__init__()
        self.tags, self.ids, self.links, self.headings, self.heading = set(), set(), set(), [], False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.tags.add(tag)
        self.ids.add(attributes.get("id"))
        if tag == "a":
            self.links.add(attributes["href"])
        if tag in ("h1", "h2"):
            self.heading = True
            self.headings.append("")

    def handle_endtag(self, tag):
        if tag in ("h1", "h2"):
            self.heading = False

    def handle_data(self, data):
        if self.heading:
            self.headings[-1] += data


class ReproduceTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def report(self, *options, name="report.md", check=0):
        """Returns the page, and the Markdown."""
        result = amontons("reproduce", EXPERIMENT, "--quiet", "-o", "out", "--markdown", name,
                          *options, cwd=self.folder, check=check)
        if check == 0:
            return ((self.folder / "out/report.html").read_text(),
                    (self.folder / name).read_text())
        return result

    def own_experiments(self):
        """Returns a copy of the experiment and the errata, to be changed."""
        copy = self.folder / "experiments"
        shutil.copytree(ROOT / "experiments" / EXPERIMENT, copy / EXPERIMENT)
        shutil.copy(ROOT / "experiments/errata.yaml", copy)
        return copy

    def test_the_sets_are_disjoint_and_the_papers_are_all(self):
        def names(*options):
            listed = json.loads(amontons("reproduce", "--list", "--json", *options, check=0).stdout)
            return [entry["name"] for entry in listed], {entry["set"] for entry in listed}
        every, sets = names()
        papers, public = names("--set", "papers"), names("--set", "public")
        self.assertEqual(every, papers[0] + public[0])
        self.assertEqual((sets, papers[1], public[1]),
                         ({"papers", "public"}, {"papers"}, {"public"}))
        self.assertEqual(len(every), len(set(every)))
        folders = {path.parent.name for path in (ROOT / "experiments/public").glob("*/claim.yaml")}
        self.assertEqual(set(public[0]), folders)

    def test_a_set_is_chosen_alone_and_a_wrong_one_is_refused(self):
        for options, word in ((("--set", "publik"), "papers or public"),
                              (("--set", "public", "--all"), "not both"),
                              (("--set", "public", "ramp"), "not both"),
                              ((), "--set public")):
            with self.subTest(options=options):
                result = amontons("reproduce", *options, cwd=self.folder, check=2)
                self.assertIn(word, result.stderr)

    def test_a_public_scene_sets_the_published_figure_beside_ours_in_every_form(self):
        result = amontons("reproduce", "backspin", "--quiet", "-o", "out", "--markdown", "page.md",
                          cwd=self.folder, check=0)
        page, markdown = ((self.folder / name).read_text() for name in ("out/report.html", "page.md"))
        self.assertTrue(markdown.startswith("# Public scenes\n"))
        for text in (result.stdout, page, html.unescape(markdown)):
            self.assertIn("paper -11.429", text)
            self.assertIn("-11.42857143", text)
            self.assertNotIn("Errata", text)
        listed, = json.loads(amontons("reproduce", "backspin", "--json", "--quiet", "-o", "out",
                                      cwd=self.folder, check=0).stdout)
        self.assertEqual(len(listed["comparisons"]), 2)
        self.assertIn("all 240", markdown)

    def test_steps_that_meet_their_law_beyond_the_tolerance_are_named_beside_the_figures(self):
        result = amontons("reproduce", "thin-card-house", "--quiet", "--json", "-o", "out",
                          "--markdown", "page.md", cwd=self.folder, check=0)
        experiment, = json.loads(result.stdout)
        steps = experiment["expectations"][-1]["result"]
        rows = [html.unescape(line) for line in (self.folder / "page.md").read_text().splitlines()
                if line.startswith("| thin-card-house ")]
        self.assertEqual(len(rows), 1)
        self.assertRegex(steps, "acceptable, the worst .* at step .* and |all 90 steps, within")
        self.assertEqual(rows[0].endswith(f": {steps} |"), "acceptable" in steps, rows[0])
        # Each of them, up to ten, has its residual and place in the section of the scene.
        apart = experiment["steps_apart"]
        count = int((re.search(r"and (\d+) acceptable", steps) or [0, 0])[1])
        self.assertEqual((apart["count"], len(apart["first"])), (count, min(count, 10)))
        page = (self.folder / "page.md").read_text()
        for step in apart["first"]:
            self.assertGreater(step["residual"], 1e-8)
            cells = [str(step["step"]), f"{step['time_s']:.6g}", "acceptable",
                     f"{step['residual']:.1e}", step["bodies"]]
            self.assertIn(f"| {' | '.join(cells)} |", html.unescape(page))
            report = (self.folder / "out/report.html").read_text()
            self.assertIn("".join(f"<td>{cell}</td>" for cell in cells), report)

    def test_the_runs_of_public_scenes_are_verified_from_their_logs(self):
        for name, run in (("incline", "threshold"), ("masonry-arch", "25-stones"),
                          ("rolling", "oblique"), ("pd-control", "stand"),
                          ("impacting-stick", "stick"), ("woodpecker", "toy"),
                          ("four-bar-clearance", "linkage"), ("rockfall", "rock"),
                          ("contactbench", "sliding"), ("gz-physics", "damped")):
            with self.subTest(name=name):
                amontons("reproduce", name, "--quiet", "-o", "out", cwd=self.folder, check=0)
                amontons("verify", f"out/{name}/{run}.h5", "--quiet", cwd=self.folder, check=0)
                self.assertTrue((self.folder / f"out/{name}/{run}.yaml").is_file())

    def test_the_scene_beside_a_run_makes_it_again(self):
        # A scene that the experiment generates, one of meshes and terrain, one with forces over
        # time, and a file with changes.
        for name, run in (("incline", "threshold"), ("rockfall", "rock"), ("energy", "fall"),
                          ("euler-disk", "coin")):
            with self.subTest(name=name):
                amontons("reproduce", name, "--quiet", "-o", "out", cwd=self.folder, check=0)
                folder = self.folder / "out" / name
                first = (folder / f"{run}.yaml").read_text().splitlines()[0]
                command = shlex.split(first)
                self.assertEqual(command[:4], ["#", "amontons", "run", f"{run}.yaml"])
                amontons(*command[2:], "-o", "again.h5", "--quiet", cwd=folder)
                tables = []
                for log in (f"{run}.h5", "again.h5"):
                    amontons("export", log, "--quiet", "-o", "table.csv", "--force", cwd=folder,
                             check=0)
                    tables.append((folder / "table.csv").read_text().splitlines())
                # An experiment may end before its scene does; solve times differ.
                self.assertGreater(len(tables[0]), 50)
                columns = [k for k, column in enumerate(tables[0][0].split(","))
                           if "time" not in column or column == "time"]
                for own, again in zip(*tables):
                    own, again = own.split(","), again.split(",")
                    self.assertEqual([own[k] for k in columns], [again[k] for k in columns])

    def test_a_picture_is_shown_where_it_lies_beside_the_page(self):
        options = ("reproduce", "masonry-arch", "--quiet", "-o", "out", "--markdown", "page.md")
        amontons(*options, cwd=self.folder, check=0)
        self.assertNotIn("masonry-arch.png", (self.folder / "page.md").read_text())
        (self.folder / "pictures").mkdir()
        (self.folder / "pictures/masonry-arch.png").write_bytes(b"")
        amontons(*options, cwd=self.folder, check=0)
        self.assertIn("](pictures/masonry-arch.png)", (self.folder / "page.md").read_text())

    def test_every_claim_has_sizes_and_a_verdict_and_a_wrong_one_is_refused(self):
        page, markdown = self.report()
        for text in (page, markdown):
            self.assertIn("a figure", text)
            self.assertIn("reproduced", text)
        copy = self.own_experiments()
        claim = copy / EXPERIMENT / "claim.yaml"
        claim.write_text(claim.read_text().replace('verdict: "reproduced"', 'verdict: "proved"'))
        result = self.report("--experiments", copy, check=2)
        self.assertIn("must begin with one of: reproduced, reproduced smaller", result.stderr)

    def test_the_page_names_its_machine_and_build_and_each_link_leads_to_a_section(self):
        page, markdown = self.report()
        read = Page(page)
        version = amontons("--version", check=0).stdout
        build = re.search(r"\((\w+)", version).group(1)
        for text in (page, markdown):
            self.assertIn(build, text)
            self.assertRegex(text, r"\d+ core")
            self.assertRegex(text, r"\d{4}-\d\d-\d\d")
        self.assertEqual(read.links, {f"#{EXPERIMENT}", "#errata"})
        self.assertLessEqual({link[1:] for link in read.links}, read.ids)
        self.assertEqual(len(read.headings), 3)
        for anchor in re.findall(r"\]\(#([\w-]+)\)", markdown):
            self.assertIn(f'<a id="{anchor}">', markdown)

    def test_every_criterion_is_in_every_form(self):
        page, markdown = self.report()
        listed = json.loads(amontons("reproduce", EXPERIMENT, "--json", "--quiet", "-o", "out",
                                     cwd=self.folder, check=0).stdout)
        expectations = listed[0]["expectations"]
        self.assertGreater(len(expectations), 3)
        self.assertEqual(page.count('<td class="pass">'), len(expectations))
        self.assertEqual(len(re.findall(r"^\| pass \| [^\[]", markdown, re.MULTILINE)),
                         len(expectations))
        self.assertIn(f"{len(expectations)} of {len(expectations)}", markdown)

    def test_curves_stay_within_the_axes_also_where_they_begin_at_zero(self):
        # Before its first impact the ellipse has no overlap, which a log axis has on its edge.
        amontons("reproduce", "ellipse", "--quiet", "-o", "out", "--markdown", "page.md",
                 cwd=self.folder, check=0)
        drawing = xml.parse(self.folder / "page-figures/ellipse-1.svg").getroot()
        width = float(drawing.get("width"))
        points = [float(x) for path in drawing.iter(SVG + "path")
                  for x in re.findall(r"[ML](-?[\d.]+) ", path.get("d"))]
        self.assertGreater(len(points), 100)
        self.assertGreater(min(points), 0.05 * width)
        self.assertLess(max(points), width)

    def test_figures_are_whole_svg_in_the_page_and_in_files_of_their_own(self):
        page, markdown = self.report(name="sub/folder.md")
        drawings = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
        shown = re.findall(r"!\[[^\]]*\]\[([^\]]+)\]", markdown)
        links = dict(re.findall(r"^\[([^\]]+)\]: (\S+)$", markdown, re.MULTILINE))
        images = [links[name] for name in shown]
        self.assertEqual(images, [f"folder-figures/{EXPERIMENT}-1.svg"])
        self.assertEqual(len(drawings), len(images))
        for image in images:
            root = xml.parse(self.folder / "sub" / image).getroot()
            self.assertEqual(root.tag, SVG + "svg")
            self.assertIn("prefers-color-scheme:dark", root.find(SVG + "style").text)
            self.assertGreater(len(root.findall(SVG + "path")), 0)
        for drawing in drawings:
            root = xml.fromstring(drawing)
            self.assertIsNone(root.find(SVG + "style"), "a style would leak into the page")

    def test_drawings_of_an_earlier_report_go_and_other_files_stay(self):
        folder = self.folder / "report-figures"
        folder.mkdir()
        for name in ("gone-1.svg", "logo.svg", "notes.txt"):
            (folder / name).write_text("old")
        self.report()
        self.assertEqual(sorted(file.name for file in folder.iterdir()),
                         sorted([f"{EXPERIMENT}-1.svg", "logo.svg", "notes.txt"]))

    def test_formulas_are_typeset_and_code_is_not(self):
        page, markdown = self.report()
        for text in (page, html.unescape(markdown)):
            self.assertIn("M<sup>-1</sup>", text)  # M^-1
            self.assertIn("\u03bc<sub>c</sub><sup>2</sup> x<sub>N</sub><sup>2</sup>", text)
            self.assertIn("q\u0307<sub>i</sub>", text)  # qdot_i
            self.assertIn("\u2265", text)
            self.assertIn("<code>tests/models/lcp_models_test.cc</code>", text)

    def test_names_and_texts_stay_text(self):
        copy = self.own_experiments()
        claim = copy / EXPERIMENT / "claim.yaml"
        claim.write_text(re.sub("^title: .*$", lambda _: f"title: '{HOSTILE}'", claim.read_text(),
                                flags=re.MULTILINE))
        page, markdown = self.report("--experiments", copy)
        read = Page(page)
        self.assertNotIn("b", read.tags)
        self.assertIn(HOSTILE, read.headings[1])
        heading = next(line for line in markdown.splitlines() if line.startswith("## &#60;"))
        self.assertEqual(html.unescape(heading), f"## {HOSTILE}: pass")
        self.assertFalse(set("<>*_|[]~") & set(heading))

    def test_all_errata_are_listed_and_what_shows_them_exists(self):
        page, markdown = self.report()
        parts = [part.partition(":") for part in markdown.split("\n### ")[1:]]
        ids = {paper: re.findall(r"^- \*\*(\S+)\*\* \([ABC]\), ", text, re.MULTILINE)
               for paper, _, text in parts}
        for paper, listed in ids.items():
            self.assertEqual(listed, [f"{paper}-{k + 1}" for k in range(len(listed))])
            for name in listed:
                self.assertIn(f"<tr><td>{name}</td>", page)
        self.assertEqual([len(listed) for listed in ids.values()], NUMBER_OF_ERRATA)
        self.assertEqual(page.split('id="errata"')[1].count("<tr><td>"), sum(NUMBER_OF_ERRATA))
        names = {entry["name"] for entry in
                 json.loads(amontons("reproduce", "--list", "--json", check=0).stdout)}
        shown = re.findall(r"<code>(.*?)</code>", page.split('id="errata"')[1])
        self.assertGreater(len(shown), 50)
        section = html.unescape(markdown.split('id="errata"')[1])
        self.assertEqual(shown, re.findall(r"<code>(.*?)</code>", section))
        for place in shown:
            if place.startswith("reproduce "):
                self.assertIn(place.split()[1], names)
            else:
                self.assertTrue((ROOT / place).is_file(), place)

    def test_two_runs_write_the_same_markdown(self):
        self.assertEqual(self.report()[1], self.report()[1])

    def test_wrong_errata_are_refused_at_their_line(self):
        copy = self.own_experiments()
        errata = copy / "errata.yaml"
        good = errata.read_text()
        lines = good.splitlines()
        severity = next(i for i, line in enumerate(lines) if line.strip() == "severity: A")
        second = next(i for i, line in enumerate(lines) if line.strip() == "- number: 2")
        for line, changed, word in ((severity, "      severity: D", "severity"),
                                    (second, "    - number: 3", "number must be 2"),
                                    (severity, "      severty: A", "did you mean 'severity'")):
            with self.subTest(changed=changed):
                errata.write_text("\n".join(lines[:line] + [changed] + lines[line + 1:]))
                message = self.report("--experiments", copy, check=2).stderr
                self.assertIn(f"errata.yaml:{line + 1}", message)
                self.assertIn(word, message)
        errata.unlink()
        self.assertIn("errata.yaml", self.report("--experiments", copy, check=2).stderr)

    def test_an_unknown_name_is_refused_before_a_folder_is_made(self):
        result = amontons("reproduce", "signed-distanse", "-o", "out", "--markdown", "sub/page.md",
                          cwd=self.folder, check=2)
        self.assertIn("no experiment 'signed-distanse'; did you mean signed-distance?",
                      result.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_markdown_goes_to_a_page_of_that_name_or_nowhere(self):
        message = self.report(name="report.txt", check=2).stderr
        self.assertIn("'report.txt' must end in .md", message)
        self.assertFalse((self.folder / "report.txt").exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
