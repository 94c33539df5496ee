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
from picture import count_changed, decode_png  # noqa: E402
from program import SMALL_SCENE, amontons  # noqa: E402

LONG_VERDICT = "law asked, no-slip: " + "in 147 of 500 steps, the worst 4.3e-05 at step 135; " * 6

# A body that turns by 2 rad from frame to frame of the page, and one that moves slowly across.
TURNING = """amontons: 1
gravity: [0, 0, 0]
simulation: {step: 0.001, duration: 4}
bodies:
  - {name: rotor, mass: 1, shapes: [{box: [0.5, 0.05, 0.02]}], velocity: {angular: [0, 0, 1000]}}
  - {name: probe, mass: 1, inertia: [1, 1, 1], shapes: [{sphere: 0.1}], pose: {position: [0, 2, 0]},
     velocity: {linear: [10, 0, 0.05], angular: [0.1, 0.2, 0.3]}}
"""
# A ball of 2 kg that falls by 0.9 m, and bounces.
BOUNCING = """amontons: 1
simulation: {step: 0.01, duration: 0.6, method: event-driven}
materials: [{name: m, restitution: 0.7, friction: 0}]
bodies:
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}, material: m}]}
  - {name: ball, mass: 2, shapes: [{sphere: 0.1, material: m}], pose: {position: [0, 0, 1]}}
"""
RESTING_BOX = "  - {name: box, mass: 1, shapes: [{box: [0.2, 0.2, 0.2]}], pose: {position: [0, 0, 0.1]}}\n"
GROUND = "  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}\n"
RESTING = "amontons: 1\nsimulation: {step: 0.005, duration: 0.1}\nbodies:\n"
# A box and a ball of 20 cm above a plate, around any place.
FALLING = """amontons: 1
simulation: {{step: 0.005, duration: 0.4}}
bodies:
  - {{name: plate, fixed: true, shapes: [{{box: [4, 4, 0.2]}}], pose: {{position: [{x}, 0, -0.1]}}}}
  - {{name: box, mass: 2, shapes: [{{box: [0.2, 0.3, 0.1]}}], pose: {{position: [{x}, 0, 0.3]}}}}
  - {{name: ball, mass: 2, shapes: [{{sphere: 0.1}}], pose: {{position: [{y}, 0, 0.3]}}}}
"""


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

    def rows_of(self, card):
        """Returns the rows of a card as a dict."""
        return dict(self.browser.evaluate(
            f"[...document.querySelectorAll('#{card} dt')].map("
            "(t) => [t.textContent, t.nextSibling.textContent])"))

    def numbers_of(self, card, row):
        return [float(word) for word in self.rows_of(card)[row].split()]

    def picture(self):
        self.browser.evaluate("amontons.render()")
        return decode_png(self.browser.screenshot((320, 60, 960, 520), 0.5))

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


class ValuesTest(PageTest):
    def assert_near(self, shown, expected, relative=3e-4):
        self.assertEqual(len(shown), len(expected))
        for a, b in zip(shown, expected):
            self.assertAlmostEqual(a, b, delta=relative * abs(b) + 1e-7)

    def test_velocities_are_those_of_the_run_however_fast_a_body_turns(self):
        self.open_page(self.make_run("turning", TURNING))
        self.assertLess(self.browser.evaluate("amontons.runs[0].numFrames"), 2100)  # of 4001 rows
        for frame in (1, 1000):
            self.browser.evaluate(f"amontons.setFrame({frame}); amontons.select({{run: 0, body: 0}})")
            self.assert_near(self.numbers_of("selection", "Turning [rad/s]"), [0, 0, 1000])
            self.browser.evaluate("amontons.select({run: 0, body: 1})")
            self.assert_near(self.numbers_of("selection", "Velocity [m/s]"), [10, 0, 0.05])
            self.assert_near(self.numbers_of("selection", "Turning [rad/s]"), [0.1, 0.2, 0.3])

    def test_an_impact_has_an_impulse_and_frames_of_its_time_are_told_apart(self):
        self.open_page(self.make_run("bouncing", BOUNCING))
        impact = self.browser.evaluate(
            "(() => { const run = amontons.runs[0], c = run.newContact();"
            "for (let f = 0; f < run.numFrames; ++f) { const [b, e] = run.contactRange(f);"
            "for (let i = b; i < e; ++i) if (run.readContact(i, c).force.z > 0) return f; } })()")
        self.browser.evaluate(f"amontons.setFrame({impact}); amontons.select({{run: 0, body: 1}})")
        rows = self.rows_of("selection")
        self.assertNotIn("Contact force [N]", rows)
        speed = (2 * 9.81 * 0.9) ** 0.5
        self.assert_near(self.numbers_of("selection", "Contact impulse [N s]"),
                         [0, 0, 2 * 1.7 * speed], 4e-3)
        self.assert_near(self.numbers_of("selection", "Velocity [m/s]"), [0, 0, 0.7 * speed], 1e-3)
        times = self.browser.evaluate("[...amontons.runs[0].times]")
        self.assertEqual(times[impact - 1], times[impact])
        self.browser.evaluate(f"amontons.setFrame({impact - 1})")
        self.assertEqual(self.rows_of("selection")["Contacts"], "0")
        self.assert_near(self.numbers_of("selection", "Velocity [m/s]"), [0, 0, -speed], 1e-3)

    def test_arrows_are_those_of_the_moving_body_whatever_the_order_of_bodies(self):
        pictures = []
        for name, bodies in (("first", RESTING_BOX + GROUND), ("last", GROUND + RESTING_BOX)):
            self.open_page(self.make_run(name, RESTING + bodies), options="theme=dark&cones=1")
            self.browser.evaluate("amontons.setFrame(15)")
            pictures.append(self.picture())
            x, y = self.browser.evaluate(
                "(() => { const run = amontons.runs[0];"
                "return amontons.placeOf(run.readContact(run.contactRange(15)[0],"
                "run.newContact()).position); })()")
            self.browser.click(x, y)
            side = "A" if name == "first" else "B"
            self.assertGreater(self.numbers_of("contact", f"Force on {side} [N]")[2], 1)
        self.assertLess(count_changed(*pictures), 50)

    def test_far_from_the_origin_everything_looks_the_same(self):
        pictures = []
        for x in (0, 1_000_000):
            self.open_page(self.make_run(f"at{x}", FALLING.format(x=x, y=x + 0.3)))
            self.browser.evaluate("amontons.setFrame(50)")
            pictures.append(self.picture())
        self.assertLess(count_changed(*pictures), 50)
        self.browser.evaluate("amontons.select({run: 0, body: 2})")
        self.assertAlmostEqual(self.numbers_of("selection", "Position [m]")[0], 1000000.3, delta=1e-3)
        self.assertAlmostEqual(self.browser.evaluate("amontons.pose(0, 2, 0)")[0], 1000000.3,
                               delta=1e-3)

    def test_a_select_gives_the_keys_back_after_a_choice(self):
        self.open_page(self.make_run("a", SMALL_SCENE))
        self.browser.evaluate("document.getElementById('speed').focus()")
        self.browser.press("ArrowRight", 39)
        self.assertEqual(self.browser.evaluate("amontons.frame"), 0)  # the select has it
        self.browser.evaluate(
            "(() => { const s = document.getElementById('speed'); s.focus(); s.value = '2';"
            "s.dispatchEvent(new Event('change', {bubbles: true})); })()")
        self.browser.press("ArrowRight", 39)
        self.assertEqual(self.browser.evaluate("amontons.frame"), 1)
        self.assertEqual(self.browser.evaluate("document.getElementById('speed').value"), "2")

    def test_small_numbers_have_significant_digits(self):
        self.open_page(self.make_run("tiny", """amontons: 1
gravity: [0, 0, 0]
simulation: {step: 5e-5, duration: 0.001}
bodies:
  - {name: ball, density: 1000, shapes: [{sphere: 1e-5}], pose: {position: [2.5e-7, 0, -3.123e-8]},
     velocity: {linear: [0, 1.5e-8, 0]}}
"""))
        self.browser.evaluate("amontons.select({run: 0, body: 0})")
        self.assert_near([x * 1e9 for x in self.numbers_of("selection", "Position [m]")],
                         [250, 0, -31.23])
        self.assert_near([x * 1e9 for x in self.numbers_of("selection", "Velocity [m/s]")],
                         [0, 15, 0])

    def test_curves_whose_color_is_taken_are_dashed(self):
        self.open_page(self.make_run("a", SMALL_SCENE))
        looks = self.browser.evaluate(
            "[...document.querySelector('.chart').querySelectorAll('.swatch')]"
            ".map((s) => s.style.background)")
        self.assertGreater(len(looks), 10)
        self.assertEqual(len(set(looks)), len(looks))


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
