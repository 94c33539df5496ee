"""Makes pages of runs, and checks in a headless browser what they say and where they say it.

    page_values_test.py PROGRAM

Exit 77 (skipped) without a Chromium.
"""

import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "cli")]
from headless_browser import Browser, find_browser  # noqa: E402
from program import SMALL_SCENE, amontons  # noqa: E402

LONG_VERDICT = "law asked, no-slip: " + "in 147 of 500 steps, the worst 4.3e-05 at step 135; " * 6


class PageTest(unittest.TestCase):
    width, height = 1280, 800

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="amontons-page-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.browser = Browser(find_browser(), cls.width, cls.height)
        cls.addClassCleanup(cls.browser.close)

    def make_run(self, name, scene, *arguments):
        """Runs a scene, and returns the name of its file."""
        (self.folder / f"{name}.yaml").write_text(scene)
        amontons("run", f"{name}.yaml", "-o", f"{name}.h5", "--quiet", *arguments, cwd=self.folder)
        return f"{name}.h5"

    def open_page(self, *runs, options="theme=dark"):
        amontons("replay", *runs, "-o", "page.html", cwd=self.folder, check=0)
        page = (self.folder / "page.html").as_uri()
        self.assertEqual(self.browser.open(f"{page}?{'-'.join(runs)}#{options}"), "true")
        self.assertEqual(self.browser.errors, [])

    def set_verdict(self, text):
        """Lets the first run have another verdict, and shows it."""
        self.browser.evaluate(
            f"(() => {{ amontons.runs[0].verdict = {text!r}; amontons.runs[0].certified = false;"
            "document.querySelector('.run button').click(); })()")

    def box_of(self, selector):
        """Returns left, top, right and bottom of an element in the window [pixels]."""
        return self.browser.evaluate(
            f"(() => {{ const b = document.querySelector({selector!r}).getBoundingClientRect();"
            "return [b.left, b.top, b.right, b.bottom]; })()")

    def assert_in_window(self, *selectors):
        for selector in selectors:
            left, _, right, _ = self.box_of(selector)
            self.assertGreaterEqual(left, 0, selector)
            self.assertLessEqual(right, self.width, selector)
            self.assertGreater(right - left, 20, selector)


class HeaderTest(PageTest):
    def test_a_long_verdict_leaves_room_for_the_name_and_the_theme_and_a_click_shows_all_of_it(self):
        self.open_page(self.make_run("a", SMALL_SCENE))
        self.set_verdict(LONG_VERDICT)
        self.assert_in_window("#verdict", "#theme", ".run button")
        self.assertIn(LONG_VERDICT.strip(), self.browser.evaluate("document.getElementById('verdict').title"))
        cut = ("(() => { const v = document.getElementById('verdict');"
               "return v.scrollWidth > v.clientWidth + 1 || v.scrollHeight > v.clientHeight + 1; })()")
        self.assertTrue(self.browser.evaluate(cut))
        left, top, right, bottom = self.box_of("#verdict")
        self.browser.click(0.5 * (left + right), 0.5 * (top + bottom))
        self.assertFalse(self.browser.evaluate(cut))
        self.assert_in_window("#verdict", "#theme", ".run button")
        self.assertGreaterEqual(self.box_of("#stage")[1], self.box_of("#verdict")[3])

    def test_each_of_nine_runs_can_be_chosen_and_hidden(self):
        first = self.make_run("a_rather_long_name_of_a_run_1", SMALL_SCENE)
        names = [first]
        for k in range(2, 10):
            names.append(f"a_rather_long_name_of_a_run_{k}.h5")
            (self.folder / names[-1]).write_bytes((self.folder / first).read_bytes())
        self.open_page(*names)
        reached = self.browser.evaluate(
            "[...document.querySelectorAll('.run :is(button, input)')].map((e) => {"
            "const b = e.getBoundingClientRect();"
            "return document.elementFromPoint(0.5 * (b.left + b.right), 0.5 * (b.top + b.bottom))"
            "=== e; })")
        self.assertEqual(reached, [True] * 18)
        self.assert_in_window("#verdict", "#theme")


class NarrowWindowTest(PageTest):
    width, height = 390, 844

    def test_nothing_lies_beside_a_phones_window_or_upon_another_part(self):
        self.open_page(self.make_run("a", SMALL_SCENE), options="theme=light&select=1")
        self.set_verdict(LONG_VERDICT)
        parts = ["#runs", "#verdict", "#scene", "#transport", "#selection", "#display", "#charts"]
        self.assert_in_window("#theme", ".run button", "#slider", "#clock", *parts)
        ends = [self.box_of(part)[3] for part in parts]
        begins = [self.box_of(part)[1] for part in parts]
        for end, begin, part in zip(ends, begins[1:], parts[1:]):
            self.assertLessEqual(end, begin + 0.5, part)
        self.assertGreater(ends[2] - begins[2], 300)
        self.assertLess(self.box_of("#transport")[3], self.height)
        self.browser.evaluate("scrollTo(0, 1e6)")
        self.assertLessEqual(self.box_of("#charts")[3], self.height + 1)
        self.assertEqual(self.browser.evaluate("document.documentElement.scrollWidth"), self.width)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: page_values_test.py PROGRAM")
    if not find_browser():
        print("SKIPPED: no Chromium is installed (package chromium)")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
