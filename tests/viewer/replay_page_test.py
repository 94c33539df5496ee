"""Opens a replay page in a headless browser and checks the view of a reader.

    replay_page_test.py REPLAY_DEMO_PAGE

runs the program that writes the page. Exit 77 (skipped) without a Chromium.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from headless_browser import Browser, find_browser  # noqa: E402
from picture import colorful_share, count_changed, decode_png  # noqa: E402

# Left, top, right, bottom of the scene's middle, clear of the panels, in a window of 1280 x 800.
MIDDLE = (320, 60, 960, 520)


class ReplayPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="amontons-replay-")
        cls.page = pathlib.Path(cls.folder.name) / "replay.html"
        printed = subprocess.run([cls.program, str(cls.page)], check=True, capture_output=True)
        cls.expected = json.loads(printed.stdout)["poses"]
        cls.browser = Browser(find_browser())
        cls.addClassCleanup(cls.folder.cleanup)
        cls.addClassCleanup(cls.browser.close)
        cls.state = cls.browser.open(cls.page.as_uri() + "#theme=dark&frame=60")

    def setUp(self):
        self.browser.evaluate("amontons.select(null); amontons.setFrame(60)")

    def text_of(self, element):
        return self.browser.evaluate(f"document.getElementById('{element}').textContent")

    def picture(self):
        """Returns the pixels of the scene's middle, at half size."""
        self.browser.evaluate("amontons.render()")
        return decode_png(self.browser.screenshot(MIDDLE, 0.5))

    def test_the_page_opens_without_errors_or_requests(self):
        self.assertEqual(self.state, "true")
        self.assertEqual(self.browser.errors, [])
        self.assertEqual([url.split("#")[0] for url in self.browser.requests],
                         [self.page.as_uri()])

    def test_the_page_runs_its_own_script_alone(self):
        policy = self.browser.evaluate(
            "document.querySelector('meta[http-equiv=Content-Security-Policy]').content")
        self.assertNotIn("unsafe", policy)
        foreign = ("(() => { const e = document.createElement('script');"
                   "e.textContent = 'window.foreign = true'; document.head.append(e);"
                   "return window.foreign === true; })()")
        self.assertFalse(self.browser.evaluate(foreign))
        self.browser.errors.clear()  # that the browser refused it

    def test_the_page_without_its_data_is_below_3_mb(self):
        text = self.page.read_text()
        begin = text.index('<script type="application/json"')
        data = text[begin:text.index("</script>", begin)]
        self.assertGreater(len(data), 10000)
        self.assertLess(len(text.encode()) - len(data.encode()), 3_000_000)

    def test_a_script_sets_the_time_and_learns_when_it_is_drawn(self):
        drawn = self.browser.evaluate("amontons.showTime(0.5)")
        self.assertEqual((drawn["frame"], drawn["time"]), (50, 0.5))
        self.assertGreater(drawn["colors"], 10)
        self.assertEqual(self.browser.evaluate("amontons.showTime(99)")["frame"], 200)

    def test_poses_read_in_the_page_are_those_of_the_run(self):
        for key, pose in self.expected.items():
            run, body, frame = key.split()
            shown = self.browser.evaluate(f"amontons.pose({run}, {body}, {frame})")
            for value, recorded in zip(shown[:3], pose[:3]):
                self.assertAlmostEqual(value, recorded, delta=4.0 / 131070)  # ranges below 4 m
            overlap = abs(sum(a * b for a, b in zip(shown[3:], pose[3:])))
            self.assertGreater(overlap, 1 - (0.5 * 1.6e-4) ** 2)

    def test_names_that_are_html_are_shown_as_text(self):
        self.browser.evaluate("amontons.select({run: 0, body: 1})")
        self.assertIn("<img src=x onerror=alert(1)>", self.text_of("selection"))
        self.assertIn("</script><b>bold</b>", self.text_of("runs"))
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('img').length"), 0)

    def test_title_steps_and_verdict_stand_in_the_header(self):
        header = self.text_of("top")
        for part in ("thirty bodies, mu 0.4", "2,000 steps", "all steps certified"):
            self.assertIn(part, header)

    def test_keys_step_through_time_and_stop_at_its_ends(self):
        for key, code, frame in (("ArrowRight", 39, 61), ("ArrowLeft", 37, 60), ("End", 35, 200),
                                 ("ArrowRight", 39, 200), ("Home", 36, 0), ("ArrowLeft", 37, 0)):
            self.browser.press(key, code)
            self.assertEqual(self.browser.evaluate("amontons.frame"), frame, key)
        self.assertIn("0.000 s", self.text_of("clock"))

    def test_the_space_key_plays_and_pauses(self):
        self.browser.press(" ", 32, " ")
        for _ in range(200):  # 20 s for a busy machine to draw its first frames
            time.sleep(0.1)
            if self.browser.evaluate("amontons.frame") > 60:
                break
        self.browser.press(" ", 32, " ")
        frame = self.browser.evaluate("amontons.frame")
        self.assertGreater(frame, 60)
        time.sleep(0.3)
        self.assertEqual(self.browser.evaluate("amontons.frame"), frame)

    def test_the_slider_and_the_charts_share_the_time(self):
        self.browser.evaluate(
            "(() => { const s = document.getElementById('slider'); s.value = 5000;"
            "s.dispatchEvent(new Event('input')); })()")
        self.assertEqual(self.browser.evaluate("amontons.frame"), 100)
        box = self.browser.evaluate(
            "(() => { const b = document.querySelector('.u-over').getBoundingClientRect();"
            "return [b.left, b.top, b.width, b.height]; })()")
        self.browser.click(box[0] + 0.25 * box[2], box[1] + 0.5 * box[3])
        self.assertAlmostEqual(self.browser.evaluate("amontons.frame"), 50, delta=2)
        shift = self.browser.evaluate(
            "new DOMMatrix(getComputedStyle(document.querySelector('.chart-playhead')).transform).e")
        self.assertAlmostEqual(shift, 0.25 * box[2], delta=3)

    def test_every_chart_of_the_run_is_drawn(self):
        titles = self.browser.evaluate(
            "[...document.querySelectorAll('.chart-title')].map(e => e.textContent)")
        self.assertEqual(titles, ["Energy [J]", "Worst gap [m]", "Certificate", "Contacts",
                                  "Solve time [s]"])
        overflow = self.browser.evaluate(
            "document.documentElement.scrollWidth > innerWidth ||"
            "document.getElementById('charts').getBoundingClientRect().bottom > innerHeight + 1")
        self.assertFalse(overflow)

    def test_bodies_are_visible_and_move(self):
        first = self.picture()
        self.assertEqual(len(first), 320 * 230)
        self.assertGreater(colorful_share(first), 0.01)
        self.browser.evaluate("amontons.setFrame(5)")
        self.assertGreater(count_changed(first, self.picture()), 500)

    def test_the_light_theme_is_lighter(self):
        def brightness():
            some = self.picture()
            return sum(map(sum, some)) / (3 * len(some))
        dark = brightness()
        self.browser.press("t", 84, "t")
        light = brightness()
        self.browser.press("t", 84, "t")
        self.assertLess(dark, 90)
        self.assertGreater(light, 170)

    def test_a_click_on_a_body_names_it(self):
        self.browser.press("z", 90, "z")
        for x in range(400, 900, 20):  # a row through the middle of the bodies
            self.browser.click(x, 300)
            if not self.browser.evaluate("document.getElementById('selection').hidden"):
                break
        self.assertIn("Position [m]", self.text_of("selection"))
        self.browser.press("Escape", 27)
        self.assertTrue(self.browser.evaluate("document.getElementById('selection').hidden"))
        self.browser.press("r", 82, "r")

    def test_the_camera_looks_from_where_the_page_says(self):
        for key, code, direction in (("2", 50, (0, -1, 0)), ("3", 51, (1, 0, 0)),
                                     ("4", 52, (0, 0, 1))):
            self.browser.press(key, code, key)
            for seen, asked in zip(self.browser.evaluate("amontons.direction()"), direction):
                self.assertAlmostEqual(seen, asked, delta=1e-3)
        self.browser.press("r", 82, "r")
        self.assertLess(self.browser.evaluate("amontons.direction()")[1], -0.5)

    def test_the_wheel_zooms_the_charts_and_a_double_click_ends_it(self):
        shift = ("new DOMMatrix(getComputedStyle(document.querySelector('.chart-playhead'))"
                 ".transform).e / document.querySelector('.u-over').clientWidth")
        whole = self.browser.evaluate(shift)
        self.assertAlmostEqual(whole, 60 / 200, delta=0.02)
        self.browser.evaluate(
            "(() => { const o = document.querySelector('.u-over'); const b = o.getBoundingClientRect();"
            "for (let k = 0; k < 4; ++k) o.dispatchEvent(new WheelEvent('wheel', {deltaY: -100,"
            "clientX: b.left, clientY: b.top + 5, cancelable: true})); })()")
        # Zooms about the left end, four times by 1.2.
        self.assertAlmostEqual(self.browser.evaluate(shift), whole * 1.2 ** 4, delta=0.03)
        self.browser.evaluate(
            "document.querySelector('.u-over').dispatchEvent(new MouseEvent('dblclick'))")
        self.assertAlmostEqual(self.browser.evaluate(shift), whole, delta=0.02)

    def test_arrows_can_be_hidden(self):
        with_arrows = self.picture()
        self.browser.press("a", 65, "a")
        self.browser.press("c", 67, "c")
        without = self.picture()
        self.browser.press("a", 65, "a")
        self.browser.press("c", 67, "c")
        self.assertGreater(count_changed(with_arrows, without), 100)

    def test_force_chains_are_drawn_from_body_to_body(self):
        self.browser.evaluate("amontons.setFrame(180)")
        without = self.picture()
        self.browser.press("n", 78, "n")
        self.assertGreater(count_changed(self.picture(), without), 100)
        self.browser.press("n", 78, "n")
        self.assertEqual(count_changed(self.picture(), without), 0)

    def forces_of(self, body, frame):
        """Returns the normal forces, friction forces and slip margins of a body's contacts [N]."""
        return self.browser.evaluate(
            "(() => { const run = amontons.runs[0], c = run.newContact(), found = [];"
            f"const [b, e] = run.contactRange({frame});"
            "for (let i = b; i < e; ++i) { run.readContact(i, c);"
            f"if (c.bodyA !== {body} && c.bodyB !== {body}) continue;"
            "const n = c.force.dot(c.normal);"
            "const t = Math.hypot(c.force.x - n * c.normal.x, c.force.y - n * c.normal.y,"
            "c.force.z - n * c.normal.z);"
            "found.push([n, t, c.friction * n - t]); } return found; })()")

    def test_the_selected_body_has_a_chart_of_its_forces_and_fills_the_picture_with_f(self):
        body = next(b for b in range(1, 30) if any(n > 0 for n, _, _ in self.forces_of(b, 180)))
        self.browser.evaluate(f"amontons.setFrame(180); amontons.select({{run: 0, body: {body}}})")
        shown = [float(text) for text in self.browser.evaluate(
            "[...document.querySelectorAll('#body-chart .chart-value')].map(v => v.textContent)")]
        forces = self.forces_of(body, 180)
        for value, expected in zip(shown, (sum(f[0] for f in forces), sum(f[1] for f in forces),
                                           min(f[2] for f in forces if f[0] > 0))):
            self.assertAlmostEqual(value, expected, delta=1e-3 * (1 + abs(expected)))
        far = self.browser.evaluate("amontons.distance()")
        self.browser.press("f", 70, "f")
        self.assertLess(self.browser.evaluate("amontons.distance()"), 0.6 * far)
        place = self.browser.evaluate(f"amontons.pose(0, {body}, 180).slice(0, 3)")
        for seen, asked in zip(self.browser.evaluate("amontons.target()"), place):
            self.assertAlmostEqual(seen, asked, delta=1e-3)
        self.browser.press("Escape", 27)
        self.assertTrue(self.browser.evaluate("document.getElementById('body-chart').hidden"))
        self.browser.press("r", 82, "r")

    def test_a_click_on_a_contact_shows_its_data_at_every_frame(self):
        self.browser.evaluate("amontons.setFrame(180)")
        x, y = self.browser.evaluate(
            "(() => { const run = amontons.runs[0]; const [b, e] = run.contactRange(180);"
            "for (let i = b; i < e; ++i) { const [x, y] = amontons.placeOf(run.readContact(i,"
            "run.newContact()).position);"
            "if (x > 320 && x < 900 && y > 100 && y < 500) return [x, y]; } return [0, 0]; })()")
        self.browser.click(x, y)
        for part in ("Body A", "Normal force [N]", "Slip margin [N]", "Mode"):
            self.assertIn(part, self.text_of("contact"))
        self.browser.evaluate("amontons.setFrame(0)")  # all bodies are in the air
        self.assertIn("no contact", self.text_of("contact"))
        self.browser.evaluate("amontons.setFrame(180)")
        self.assertIn("Normal force [N]", self.text_of("contact"))
        self.browser.press("Escape", 27)
        self.assertTrue(self.browser.evaluate("document.getElementById('contact').hidden"))

    def test_a_body_is_hidden_and_all_are_shown_again(self):
        self.browser.evaluate("document.getElementById('show-points').click();"
                              "document.getElementById('show-forces').click()")
        before = self.picture()
        for body in range(1, 9):
            self.browser.evaluate(f"amontons.select({{run: 0, body: {body}}})")
            self.browser.press("h", 72, "h")
        hidden = self.picture()
        self.assertGreater(count_changed(before, hidden), 100)
        self.assertIn("8 hidden", self.text_of("show-all"))
        self.browser.evaluate("document.getElementById('show-all').click()")
        again = self.picture()
        self.assertEqual(count_changed(before, again), 0)
        self.browser.evaluate("document.getElementById('show-points').click();"
                              "document.getElementById('show-forces').click()")

    def test_a_section_cuts_bodies_away(self):
        whole = self.picture()
        self.browser.press("x", 88, "x")
        cut = self.picture()
        self.assertGreater(count_changed(whole, cut), 200)
        self.assertIn("x \u2264", self.text_of("section-value"))
        self.browser.evaluate("document.getElementById('section-flip').click()")
        other = self.picture()
        self.assertGreater(count_changed(other, cut), 200)
        self.browser.evaluate("document.getElementById('section-flip').click()")
        for _ in range(3):
            self.browser.press("x", 88, "x")
        self.assertEqual(count_changed(whole, self.picture()), 0)

    def test_arrows_have_a_scale_in_newtons(self):
        def set_newtons(value):
            self.browser.evaluate(
                "(() => { const f = document.getElementById('force-newtons');"
                f"f.value = '{value}'; f.dispatchEvent(new Event('change')); }})()")
            return float(self.browser.evaluate("document.getElementById('force-newtons').value"))
        before = float(self.browser.evaluate("document.getElementById('force-newtons').value"))
        first = self.picture()
        self.assertAlmostEqual(set_newtons(before / 4), before / 4, delta=0.01 * before)
        self.assertGreater(count_changed(first, self.picture()), 50)
        for wrong in ("0", "-3", ""):
            self.assertAlmostEqual(set_newtons(wrong), before / 4, delta=0.01 * before)
        set_newtons(before)

    def test_runs_that_are_overlaid_have_colors_and_can_be_hidden(self):
        colors = self.browser.evaluate(
            "[...document.querySelectorAll('.run .dot')]"
            ".map(dot => getComputedStyle(dot).backgroundColor)")
        self.assertEqual(len(set(colors)), 2)
        both = self.picture()
        hide = "(() => document.querySelectorAll('.run input')[1].click())()"
        self.browser.evaluate(hide)
        alone = self.picture()
        self.browser.evaluate(hide)
        self.assertGreater(count_changed(both, alone), 100)

    def test_another_run_can_lead(self):
        self.browser.evaluate("[...document.querySelectorAll('.run button')][1].click()")
        self.assertIn("3 steps missed", self.text_of("verdict"))
        self.browser.evaluate("[...document.querySelectorAll('.run button')][0].click()")
        self.assertIn("all steps certified", self.text_of("verdict"))


class LargePage(unittest.TestCase):
    """Measures the time that drawing costs a script, since software rasterization is no graphics card."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="amontons-replay-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.browser = Browser(find_browser(), 320, 240)
        cls.addClassCleanup(cls.browser.close)

    def cost(self, num_bodies):
        page = pathlib.Path(self.folder.name) / f"{num_bodies}.html"
        subprocess.run([self.program, str(page), str(num_bodies), "60"], check=True,
                       capture_output=True)
        self.assertEqual(self.browser.open(page.as_uri()), "true")
        return self.browser.evaluate("amontons.measure(5)")

    def test_a_frame_of_1000_bodies_costs_8_ms_of_script_and_as_many_draw_calls_as_one_of_500(self):
        half, whole = self.cost(500), self.cost(1000)
        print(f"1,000 bodies, 4,000 contacts: {whole['scriptMs']:.2f} ms of script, "
              f"{whole['drawCalls']} draw calls; 500 bodies: {half['scriptMs']:.2f} ms")
        self.assertEqual(half["drawCalls"], whole["drawCalls"])
        self.assertLess(whole["drawCalls"], 20)
        self.assertLess(whole["scriptMs"], 8.0)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: replay_page_test.py REPLAY_DEMO_PAGE")
    if not find_browser():
        print("SKIPPED: no Chromium is installed (package chromium)")
        sys.exit(77)
    ReplayPage.program = LargePage.program = sys.argv[1]
    unittest.main(argv=sys.argv[:1], verbosity=2)
