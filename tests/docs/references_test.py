#!/usr/bin/python3
"""Checks that every mentioned citation, erratum, experiment and section of the theory exists.
usage: references_test.py"""
import pathlib
import re
import sys
import unicodedata
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("amontons", "tools", "experiments", "python", "benchmarks", "tests", "docs")
SUFFIXES = (".h", ".cc", ".py", ".pyi", ".yaml", ".md")

# A surname begins with a capital, after "van den" and the like.
NAME = r"(?:(?:[Dd]e|den|der|van|von) )*[A-Z][\w'-]*"
CITATION = re.compile(rf"({NAME}(?:(?:,| and) {NAME})*)(?: et al\.)? ((?:1[89]|20)\d\d)\b(.*)")
BRACKET = re.compile(r"\[([^][]*)\](?!\()")
ERRATUM = r"[A-Z][A-Z0-9]*-\d+"
EXPERIMENT = r"[A-Z]\d{1,2}"


def source_files():
    return [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*"))
            if path.suffix in SUFFIXES and path != pathlib.Path(__file__).resolve()]


def unwrapped(text):
    """Returns the text as one line, without the marks that begin a line of a comment."""
    return re.sub(r"\s*\n\s*(?:///?<?|#|\*)?\s*", " ", text)


def comments(path):
    """Returns the comments of a C++ file as one line each; the whole text of another file."""
    text = path.read_text()
    if path.suffix not in (".h", ".cc"):
        return [unwrapped(text)]
    blocks = re.findall(r"//[^\n]*(?:\n[ \t]*//[^\n]*)*", text)
    return [unwrapped("\n" + block) for block in blocks] + test_names(text)


def test_names(text):
    """Returns name and tags of each TEST_CASE."""
    calls = re.findall(r'TEST_CASE\(((?:\s*,?\s*"(?:[^"\\]|\\.)*")+)', text)
    return [" ".join("".join(re.findall(r'"((?:[^"\\]|\\.)*)"', part))
                     for part in re.split(r'(?<="),', call)) for call in calls]


def plain(name):
    """Returns the lower-case letters of a name, without accents."""
    name = unicodedata.normalize("NFKD", name)
    return re.sub(r"[^a-z]", "", name.lower())


class Entry:
    """Describes an entry of the bibliography."""
    def __init__(self, kind, key, body):
        self.kind, self.key = kind, key
        self.fields = dict(re.findall(r"^  (\w+) = \{(.*)\},?$", body, re.MULTILINE))
        authors = self.fields.get("author", "").split(" and ")
        self.authors = [plain(author.split(",")[0]) for author in authors]
        self.words = (kind + " " + self.fields.get("title", "")).lower()


def bibliography():
    text = (ROOT / "docs/references.bib").read_text()
    return [Entry(*found) for found in
            re.findall(r"^@(\w+)\{(\w+),\n(.*?)^\}", text, re.MULTILINE | re.DOTALL)]


def works(entries, authors, year, rest):
    """Returns the entries that a citation may mean. Words after the year, as in [Mirtich 1996, thesis],
    choose between works of the same authors and year."""
    wanted = [plain(name) for name in re.split(r",\s*| and ", authors)]
    found = [e for e in entries if e.fields.get("year") == year and
             e.authors[:len(wanted)] == wanted]
    if len(found) > 1:
        words = re.findall(r"[a-z]{4,}", rest.lstrip(", ").split(",")[0].lower())
        found = [e for e in found if words and all(word in e.words for word in words)]
    return found


def wrong_citations(text, entries):
    """Returns the bracketed citations that do not mean exactly one entry."""
    surnames = {entry.authors[0] for entry in entries}
    faults = []
    for bracket in BRACKET.findall(text):
        for part in (part.strip() for part in bracket.split(";")):
            found = CITATION.match(part)
            if found:
                if len(works(entries, *found.groups())) != 1:
                    faults.append(f"[{part}]")
            elif re.match(r"(?:ibid|(?:1[89]|20)\d\d, [a-z])", part):
                faults.append(f"[{part}] names no author")
            elif (name := re.match(rf"({NAME})(?=[,:]| and |$)", part)) and \
                    plain(name[1]) in surnames:
                faults.append(f"[{part}] has no year")
    return faults


def wrong_errata(text, known):
    faults = []
    for mention in re.findall(rf"\berrat(?:a|um) ({ERRATUM}(?:(?:,| and|, and| to) {ERRATUM})*)",
                              text):
        faults += [name for name in re.findall(ERRATUM, mention) if name not in known]
    faults += re.findall(r"\berrat(?:a|um) (?:no\. ?)?\d+[^,;.\]]*", text)
    # An erratum in brackets without its id.
    faults += [f"[{bracket}]" for bracket in BRACKET.findall(text)
               if re.search(rf"\berrat(?:a|um)\b(?! {ERRATUM})", bracket)]
    return faults


def wrong_experiments(text, known):
    """Returns unknown ids in brackets, as in "[R09, T01]" or "[P1-P5]", and before a colon."""
    faults = re.findall(r"\[\d{3}-[A-Z]\d+\]", text)
    named = re.findall(rf"^({EXPERIMENT}): ", text)
    for bracket in BRACKET.findall(text):
        for part in re.split(r"[,;] ?", bracket):
            if re.fullmatch(rf"{EXPERIMENT}(?:-{EXPERIMENT})?", part):
                named += part.split("-")
    return faults + [name for name in named if name not in known]


def wrong_sections(text, known):
    faults = re.findall(r"\[physics[^]]*\]?|\bphysics of section \d+|\bphysics\.md\b", text)
    for mention in re.findall(r"docs/theory\.md,? sections? (\d+(?:(?:,| and| to) \d+)*)", text):
        faults += [f"docs/theory.md, section {number}" for number in re.findall(r"\d+", mention)
                   if number not in known]
    return faults


def errata_ids():
    return re.findall(rf"^- \*\*({ERRATUM})\*\*", (ROOT / "docs/errata.md").read_text(),
                      re.MULTILINE)


def legend():
    """Returns {id: (source, claim, where it is shown)} of the experiments."""
    rows = re.findall(rf"^\| ({EXPERIMENT}) \|([^|]+)\|([^|]+)\|([^|]+)\|$",
                      (ROOT / "docs/published-experiments.md").read_text(), re.MULTILINE)
    found = {name: cells for name, *cells in rows}
    assert len(found) == len(rows), "an id has two rows"
    return found


def claims():
    """Returns the claims of the papers' experiments and of the public scenes."""
    return sorted((ROOT / "experiments").glob("**/claim.yaml"))


def theory_sections():
    page = ROOT / "docs/theory.md"
    return re.findall(r"^## (\d+)\b", page.read_text(), re.MULTILINE) if page.exists() else []


class ReferencesTest(unittest.TestCase):
    def faults(self, find, paths=None):
        return [f"{path.relative_to(ROOT)}: {fault}" for path in paths or source_files()
                for text in comments(path) for fault in find(text)]

    def test_every_citation_means_one_entry_of_the_bibliography(self):
        entries = bibliography()
        self.assertEqual(self.faults(lambda text: wrong_citations(text, entries)), [])
        cited = {found.group() for path in source_files() for text in comments(path)
                 for bracket in BRACKET.findall(text)
                 for found in map(CITATION.match, bracket.split("; ")) if found}
        self.assertGreater(len(cited), 60)

    def test_every_work_in_the_source_of_an_experiment_is_in_the_bibliography(self):
        entries = bibliography()
        for claim in claims():
            source = re.search(r"^source: (.*)$", claim.read_text(), re.MULTILINE)[1]
            for part in source.split("; "):
                found = CITATION.match(part)
                if found:
                    self.assertEqual(len(works(entries, *found.groups())), 1, f"{claim}: {part}")

    def test_the_bibliography_is_sorted_and_its_entries_are_complete(self):
        entries = bibliography()
        self.assertEqual(len(entries), (ROOT / "docs/references.bib").read_text().count("@"))
        keys = [entry.key.lower() for entry in entries]
        self.assertEqual(keys, sorted(set(keys)))
        needed = {"article": "journal", "book": "publisher", "inproceedings": "booktitle",
                  "phdthesis": "school", "techreport": "institution", "misc": "title"}
        for entry in entries:
            for field in ("author", "title", "year", needed[entry.kind]):
                self.assertIn(field, entry.fields, entry.key)
            self.assertTrue(entry.key.lower().startswith(entry.authors[0]), entry.key)
            self.assertIn(entry.fields["year"], entry.key)

    def test_every_erratum_that_is_mentioned_is_on_the_page(self):
        known = errata_ids()
        self.assertGreater(len(known), 70)
        self.assertEqual(len(known), len(set(known)))
        self.assertEqual(self.faults(lambda text: wrong_errata(text, known)), [])

    def test_every_experiment_in_tags_and_rows_is_in_the_legend(self):
        known = legend()
        self.assertGreater(len(known), 60)
        tests = [path for path in source_files() if path.suffix in (".h", ".cc")]
        self.assertEqual(self.faults(lambda text: wrong_experiments(text, known), tests), [])
        for claim in claims():
            rows = re.search(r"^rows: (.*)$", claim.read_text(), re.MULTILINE)[1]
            for name in re.findall(rf"\b{EXPERIMENT}\b", rows):
                self.assertIn(name, known, claim)

    def test_the_legend_names_experiments_that_exist_or_tests(self):
        for name, (_, _, shown) in legend().items():
            experiments = re.findall(r"`reproduce ([\w-]+)`", shown)
            self.assertTrue(experiments or "`tests/" in shown, name)
            for folder in experiments:
                self.assertTrue((ROOT / "experiments" / folder / "claim.yaml").is_file(), name)

    def test_every_section_of_the_theory_that_is_mentioned_exists(self):
        known = theory_sections()
        self.assertGreater(len(known), 0, "docs/theory.md has no numbered sections")
        self.assertEqual(self.faults(lambda text: wrong_sections(text, known)), [])

    def test_a_wrong_mention_of_each_kind_is_found(self):
        """Checks this test itself."""
        entries = bibliography()
        for text in ("[Mirtich 1995]", "[Mirtich 1996, ch. 3]", "[Stewart, Potra 1996]", "[ibid.]",
                     "[Drumwright 2015; Nobody et al. 2001]", "[Murty, sec. 2]", "[2010, sec. 2]"):
            self.assertEqual(len(wrong_citations(text, entries)), 1, text)
        for text in ("[Mirtich 1996, thesis, ch. 3]", "[Acary et al. 2014]", "[Newton]",
                     "[van den Bergen 2001]", "[De Saxce, Feng 1998; Acary, Brogliato 2008]",
                     "[m/s]"):
            self.assertEqual(wrong_citations(text, entries), [], text)
        for text in ("errata AH-99", "errata AH-6, AH-0", "errata 004 no. 6", "[QP2; errata]"):
            self.assertEqual(len(wrong_errata(text, errata_ids())), 1, text)
        self.assertEqual(wrong_errata("[sec. 2, with errata AH-6 and DS-1]", errata_ids()), [])
        for text in ("falls [E99]", "falls [R01, T77]", "X1: falls", "falls [003-A5]"):
            self.assertEqual(len(wrong_experiments(text, legend())), 1, text)
        self.assertEqual(wrong_experiments("R01: falls [P1-P5, C02]", legend()), [])
        for text in ("[physics: eq. 2]", "physics of section 9", "docs/theory.md, section 99",
                     "docs/theory.md, sections 1 and 99"):
            self.assertEqual(len(wrong_sections(text, ["1", "9"])), 1, text)
        self.assertEqual(wrong_sections("[docs/theory.md, section 9]", ["1", "9"]), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
