"""Checks in a headless browser that the page of a live simulation pulls bodies and moves sliders.

    touch_page_test.py PROGRAM

Exit 77 (skipped) without a Chromium.
"""

import pathlib
import sys
import tempfile
import time
import unittest

import numpy as np

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "cli")]
from headless_browser import Browser, find_browser  # noqa: E402
from live_page import ARM, RESTING  # noqa: E402
from live_test import Live  # noqa: E402


class TouchPage(unittest.TestCase):
    def wait_for(self, browser, expression, seconds=60):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if browser.evaluate(expression):
                return
            time.sleep(0.05)
        self.fail(expression)

    def open(self, text):
        folder = tempfile.TemporaryDirectory(prefix="amontons-touch-")
        self.addCleanup(folder.cleanup)
        scene = pathlib.Path(folder.name) / "scene.yaml"
        scene.write_text(text)
        self.live = Live(folder.name, scene=scene)
        self.addCleanup(self.live.close)
        browser = Browser(find_browser(), 900, 640)
        self.addCleanup(browser.close)
        self.assertEqual(browser.open(f"http://127.0.0.1:{self.live.port}/"), "true")
        self.wait_for(browser, "document.body.dataset.amontonsPaused === 'false'")
        self.wait_for(browser, "amontons.frame > 3")
        return browser

    def mouse(self, browser, kind, x, y, modifiers=0):
        browser.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left",
                     buttons=0 if kind == "mouseReleased" else 1, clickCount=1,
                     modifiers=modifiers)

    def place(self, browser, body):
        return np.array(browser.evaluate(
            f"amontons.pose(0, {body}, amontons.frame).slice(0, 3)"))

    def find(self, browser, body):
        """Returns a point of the window that shows a body."""
        return browser.evaluate(
            "(() => { const box = document.getElementById('scene').getBoundingClientRect();"
            "for (let i = 1; i < 60; ++i) for (let j = 1; j < 60; ++j) {"
            "  const x = box.left + box.width * i / 60, y = box.top + box.height * j / 60;"
            "  if (document.elementFromPoint(x, y).id !== 'scene') continue;"
            f"  if (amontons.pick(x, y) === {body}) return [x, y]; }} return null; }})()")

    def test_a_drag_with_the_control_key_pulls_a_body_and_not_the_camera(self):
        browser = self.open(RESTING)
        before, view = self.place(browser, 1), browser.evaluate("amontons.direction()")
        x, y = self.find(browser, 1)
        self.mouse(browser, "mousePressed", x, y, modifiers=2)
        for k in range(1, 11):
            self.mouse(browser, "mouseMoved", x - 6 * k, y - 14 * k, modifiers=2)
            time.sleep(0.03)
        self.assertEqual(browser.evaluate("document.getElementById('scene').style.cursor"),
                         "grabbing")
        self.wait_for(browser, f"amontons.pose(0, 1, amontons.frame)[2] > {before[2] + 0.02}")
        self.mouse(browser, "mouseReleased", x - 60, y - 140, modifiers=2)
        # It falls back, and the camera has not moved.
        self.wait_for(browser, "Math.abs(amontons.pose(0, 1, amontons.frame)[2] - 0.1) < 1e-3")
        self.assertGreater(np.linalg.norm(self.place(browser, 1) - before), 1e-3)
        np.testing.assert_allclose(browser.evaluate("amontons.direction()"), view, atol=1e-12)
        # Without the key a drag turns the camera, unless the box is set.
        for is_set in (False, True):
            now = browser.evaluate("amontons.direction()")
            browser.evaluate(f"document.getElementById('pull-bodies').checked = {str(is_set).lower()};"
                             "document.getElementById('pull-bodies').dispatchEvent(new Event('change'))")
            x, y = self.find(browser, 1)
            self.mouse(browser, "mousePressed", x, y)
            self.mouse(browser, "mouseMoved", x + 30, y + 10)
            self.mouse(browser, "mouseReleased", x + 30, y + 10)
            turned = np.linalg.norm(np.subtract(browser.evaluate("amontons.direction()"), now))
            self.assertEqual(turned > 1e-3, not is_set)
        self.assertEqual(browser.errors, [])

    def test_the_buttons_and_sliders_act_on_the_simulation(self):
        browser = self.open(ARM)
        click = "document.getElementById('{}').click()".format
        browser.evaluate(click("sim-pause"))
        self.wait_for(browser, "document.body.dataset.amontonsPaused === 'true'")
        time.sleep(0.3)
        steps = browser.evaluate("amontons.runs[0].steps")
        browser.evaluate(click("sim-step"))
        self.wait_for(browser, f"amontons.runs[0].steps === {steps + 1}")
        # In a pause the slider of a joint without a servo places it.
        before = self.place(browser, 2)
        browser.evaluate("(() => { const s = document.querySelectorAll('.joints input')[1];"
                         "s.value = s.max; s.dispatchEvent(new Event('input'));"
                         "s.dispatchEvent(new Event('change')); })()")
        self.wait_for(browser, "amontons.pose(0, 2, amontons.frame).slice(0, 3)"
                               f".some((x, i) => Math.abs(x - {before.tolist()}[i]) > 0.01)")
        self.assertEqual(browser.evaluate("amontons.runs[0].steps"), steps + 1)
        browser.evaluate(click("sim-restart"))
        self.wait_for(browser, "amontons.runs[0].lastTime === 0")
        self.assertEqual(browser.evaluate("amontons.runs[0].numFrames"), 1)
        browser.evaluate(click("sim-pause"))
        self.wait_for(browser, "amontons.runs[0].lastTime > 0.3")
        sliders = browser.evaluate(
            "[...document.querySelectorAll('.joints input')].map((s) => [s.disabled, s.min, s.max])")
        self.assertEqual([slider[0] for slider in sliders], [False, True, True])
        self.assertEqual(sliders[0][1:], ["-1", "1.5"])
        browser.evaluate("(() => { const s = document.querySelector('.joints input');"
                         "s.value = 0.5; s.dispatchEvent(new Event('input'));"
                         "s.dispatchEvent(new Event('change')); })()")
        self.wait_for(browser, "document.querySelector('.joints output').textContent"
                               ".endsWith('→ 0.5 rad')")
        browser.evaluate("(() => { const s = document.getElementById('sim-speed');"
                         "s.value = '4'; s.dispatchEvent(new Event('change')); })()")
        self.wait_for(browser, "amontons.runs[0].lastTime > 3")
        browser.evaluate(click("stop"))
        self.wait_for(browser, "document.getElementById('sim-pause').disabled")
        x, y = self.find(browser, 1)
        self.mouse(browser, "mousePressed", x, y, modifiers=2)
        self.assertEqual(browser.evaluate("document.getElementById('scene').style.cursor"), "")
        self.mouse(browser, "mouseReleased", x, y, modifiers=2)
        self.assertEqual(browser.errors, [])
        self.assertEqual(self.live.finish()[0], 130)


if __name__ == "__main__":
    if not find_browser():
        print("SKIPPED: no Chromium is installed (package chromium)")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
