"""Checks what pages ask of a simulation that is shown live: pauses, steps, pulls, targets.

    touch_test.py PROGRAM

Exit 77 (skipped) without a Chromium.
"""

import http.client
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import h5py
import numpy as np

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "cli")]
from headless_browser import Browser, find_browser  # noqa: E402
from live_test import Live, events, floats  # noqa: E402
from program import PROGRAM, amontons  # noqa: E402

# A body that nothing holds: a pull alone moves it.
FLOATING = """amontons: 1
gravity: [0, 0, 0]
simulation: {step: 0.005, duration: 100000}
bodies:
  - {name: wall, fixed: true, shapes: [{box: [1, 1, 0.1]}], pose: {position: [0, 0, -3]}}
  - {name: brick, mass: 2, shapes: [{box: [0.4, 0.2, 0.1]}],
     pose: {position: [0.1, 0.2, 0.3], rpy_deg: [10, 20, 30]}}
"""
# Boxes at rest: a pull drags one over the ground and against the other.
RESTING = """amontons: 1
simulation: {step: 0.005, duration: 100000}
materials: [{name: default, friction: 0.5}]
bodies:
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
  - {name: left, mass: 1, shapes: [{box: [0.2, 0.2, 0.2]}], pose: {position: [0, 0, 0.1]}}
  - {name: right, mass: 3, shapes: [{box: [0.2, 0.2, 0.2]}], pose: {position: [0.3, 0, 0.1]}}
"""
# An arm with a servo of position at one joint, none at the next, and a rail with one of rate.
ARM = """amontons: 1
simulation: {step: 0.002, duration: 100000}
bodies:
  - {name: base, fixed: true, shapes: [{box: [0.1, 0.1, 0.1]}]}
  - {name: upper, mass: 1, shapes: [{box: [0.1, 0.1, 0.5]}], pose: {position: [0, 0, -0.3]}}
  - {name: lower, mass: 0.5, shapes: [{box: [0.08, 0.08, 0.4]}], pose: {position: [0, 0, -0.8]}}
  - {name: slider, mass: 1, shapes: [{box: [0.1, 0.1, 0.1]}], pose: {position: [1, 0, 0]}}
joints:
  - {name: shoulder, type: revolute, parent: base, child: upper, axis: [0, 1, 0], at: [0, 0, 0],
     limits: [-1, 1.5]}
  - {name: elbow, type: revolute, parent: upper, child: lower, axis: [0, 1, 0], at: [0, 0, -0.6]}
  - {name: rail, type: prismatic, parent: world, child: slider, axis: [1, 0, 0], at: [1, 0, 0]}
actuators:
  - {joint: shoulder, position: {kp: 200, kd: 20, target: 0.25}}
  - {joint: rail, velocity: {kd: 20, target: 0.001}}
"""


class Page:
    """Watches a simulation as a page does, and asks for things."""

    def __init__(self, live):
        self.live = live
        self.stream = live.stream()
        self.ours = f"http://127.0.0.1:{live.port}"
        self.frames, self.statuses, self.ending = [], [], None
        response = live.get(self.stream)
        self.thread = threading.Thread(target=self.read, args=(response,), daemon=True)
        self.thread.start()

    def read(self, response):
        try:
            for name, data in events(response):
                {"message": self.frames, "status": self.statuses}.get(name, []).append(data)
                if name == "end":
                    self.ending = data
                    return
        except (OSError, ValueError, AttributeError, http.client.HTTPException):
            return  # the program was killed

    def ask(self, *requests, check=204):
        for request in requests:
            body = request if isinstance(request, (str, bytes)) else json.dumps(request)
            connection = http.client.HTTPConnection("127.0.0.1", self.live.port, timeout=60)
            connection.request("POST", self.stream + "/ask", body, {"Origin": self.ours})
            response = connection.getresponse()
            text = response.read().decode()
            connection.close()
            assert response.status == check, (request, response.status, text)
        return text

    def stop(self):
        response = self.live.get(self.stream + "/stop", method="POST", origin=self.ours)
        assert response.status == 204

    def wait_for(self, condition, seconds=60):
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, "waited in vain"
            time.sleep(0.01)

    def pull_for(self, seconds, pull):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.ask({"pull": pull})
            time.sleep(0.1)
        self.ask({"pull": None})


def mass_at(mass, size, r):
    """Returns 3 / trace of the mobility of a box's point r, both in axes of the box."""
    x, y, z = size
    inertia = mass / 12 * np.array([y * y + z * z, x * x + z * z, x * x + y * y])
    cross = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
    mobility = np.eye(3) / mass - cross @ np.diag(1 / inertia) @ cross
    return 3 / np.trace(mobility)


def rotation(w, x, y, z):
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


class TouchTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="amontons-touch-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def page(self, text, *arguments):
        (self.folder / "scene.yaml").write_text(text)
        live = Live(self.folder, *arguments, scene=self.folder / "scene.yaml")
        self.addCleanup(live.close)
        return Page(live)

    def verify(self, name="live.h5"):
        return amontons("verify", name, cwd=self.folder, check=0).stdout

    def test_the_force_of_a_pull_is_that_of_its_spring_and_damper(self):
        page = self.page(FLOATING, "-o", "live.h5")
        at, target, rate = [0.2, -0.1, 0.05], [0.6, 0.3, 0.4], 8.0
        page.pull_for(1.0, {"body": 1, "at": at, "target": target, "rate": rate})
        time.sleep(0.3)
        page.live.process.send_signal(signal.SIGINT)
        self.assertEqual(page.live.finish()[0], 130)
        self.verify()
        with h5py.File(self.folder / "live.h5") as log:
            offset, force = log["commands/offset"][:], log["commands/force"][:]
            self.assertEqual(set(log["commands/kind"][:]), {2})
            q, v = log["q_start"][:], log["v_start"][:]
        mass, checked = mass_at(2, (0.4, 0.2, 0.1), at), 0
        for row in np.flatnonzero(np.diff(offset)):
            # q is (quaternion, position), v is (angular, linear) in the world.
            arm = rotation(*q[row, :4]) @ at
            speed = v[row, 3:] + np.cross(v[row, :3], arm)
            expected = mass * rate * (rate * (target - q[row, 4:] - arm) - 2 * speed)
            np.testing.assert_allclose(force[offset[row]], expected, rtol=1e-9, atol=1e-9)
            checked += 1
        self.assertGreater(checked, 100)  # of 200 steps a second
        self.assertEqual(offset[-1], offset[-2])  # nothing is left of the pull

    def test_a_pulled_run_is_verified_and_continued(self):
        page = self.page(RESTING, "-o", "live.h5")
        page.pull_for(1.0, {"body": 1, "at": [0, 0, 0], "target": [0.6, 0.1, 0.4], "rate": 20.0})
        page.stop()
        code, out = page.live.finish()
        self.assertEqual(code, 130)
        self.assertIn("amontons resume live.h5", out)
        self.assertRegex(self.verify(), r"[1-9]\d* of these steps were commanded")
        with h5py.File(self.folder / "live.h5") as log:
            rows = log["time"].shape[0]
            moved = np.abs(log["bodies/position"][-1] - log["bodies/position"][0]).max(axis=1)
            self.assertEqual(log.attrs["commander"], "page")
        self.assertGreater(moved[1], 0.05)
        # The continuation has no end of its own in reach: it is interrupted, too.
        self.resume_for_a_while()
        self.verify()
        with h5py.File(self.folder / "live.h5") as log:
            self.assertGreater(log["time"].shape[0], rows)
            offset = log["commands/offset"][:]
            self.assertEqual(offset[rows], offset[-1])

    def resume_for_a_while(self):
        process = subprocess.Popen([str(PROGRAM), "resume", "live.h5", "--quiet"], cwd=self.folder,
                                   stdout=subprocess.DEVNULL)
        time.sleep(2.0)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(60), 130)

    def test_a_run_that_is_killed_in_a_pull_repeats_its_steps_to_the_same_bits(self):
        page = self.page(RESTING, "-o", "live.h5")
        pull = {"body": 1, "at": [0.1, 0, 0], "target": [0.5, 0.1, 0.3], "rate": 15.0}
        end = time.monotonic() + 2.5
        while time.monotonic() < end:
            pull["target"][1] += 0.01
            page.ask({"pull": pull})
            time.sleep(0.05)
        page.live.process.kill()
        page.live.process.wait()
        shutil.copy(self.folder / "live.h5", self.folder / "killed.h5")
        self.resume_for_a_while()
        self.verify()
        with h5py.File(self.folder / "killed.h5", swmr=True) as cut, \
                h5py.File(self.folder / "live.h5") as log:
            rows = np.isfinite(cut["time"][:]).sum()
            self.assertGreater(rows, 100)
            self.assertGreater(log["time"].shape[0], rows)
            for name in ("time", "q", "v", "commands/offset"):
                np.testing.assert_array_equal(cut[name][:rows], log[name][:rows], name)
            count = cut["commands/offset"][rows]
            self.assertGreater(count, 100)
            np.testing.assert_array_equal(cut["commands/force"][:count],
                                          log["commands/force"][:count])

    def test_a_pull_ends_when_its_page_says_nothing_more(self):
        page = self.page(FLOATING, "-o", "live.h5")
        page.ask({"pull": {"body": 1, "at": [0, 0, 0], "target": [5, 0, 0], "rate": 5.0}})
        time.sleep(2.0)
        page.stop()
        page.live.finish()
        with h5py.File(self.folder / "live.h5") as log:
            pulled = log["time"][1:][np.diff(log["commands/offset"][:])[1:] > 0]
            self.assertLess(pulled[-1] - pulled[0], 1.2)
            self.assertGreater(pulled[-1] - pulled[0], 0.5)

    def test_targets_of_servos_are_set_and_recorded(self):
        page = self.page(ARM, "-o", "live.h5")
        page.wait_for(lambda: page.statuses and page.frames)
        joints = page.statuses[0]["joints"]
        self.assertEqual([joint["name"] for joint in joints], ["shoulder", "elbow", "rail"])
        self.assertEqual([joint["servo"] for joint in joints], [True, False, False])
        self.assertEqual([joint["unit"] for joint in joints], ["rad", "rad", "m"])
        self.assertEqual((joints[0]["low"], joints[0]["high"]), (-1, 1.5))
        page.ask({"target": {"joint": 0, "value": 0.75}})
        page.wait_for(lambda: floats(page.frames[-1]["targets"])[0] == 0.75)
        page.ask({"target": {"joint": 1, "value": 0.1}}, {"target": {"joint": 2, "value": 0.1}},
                 {"target": {"joint": 9, "value": 0.1}}, check=400)
        time.sleep(1.5)
        page.stop()
        page.live.finish()
        self.verify()
        self.resume_for_a_while()
        self.verify()
        with h5py.File(self.folder / "live.h5") as log:
            # The target stays in force after the interrupt.
            self.assertEqual(log["commands/value"][-1], 0.75)
            self.assertEqual(np.diff(log["commands/offset"][:])[-1], 1)

    def test_pause_steps_speed_and_restart(self):
        page = self.page(RESTING)
        page.wait_for(lambda: len(page.frames) > 3)
        self.assertEqual(page.statuses[0]["restarts"], True)
        page.ask({"pause": True})
        page.wait_for(lambda: page.statuses[-1]["paused"])
        time.sleep(0.3)
        count, steps = len(page.frames), page.frames[-1]["steps"]
        time.sleep(0.5)
        self.assertEqual(len(page.frames), count)
        page.ask({"steps": 3})
        page.wait_for(lambda: page.frames[-1]["steps"] == steps + 3)
        time.sleep(0.3)
        self.assertEqual(page.frames[-1]["steps"], steps + 3)
        page.ask({"restart": True})  # also while paused
        page.wait_for(lambda: page.frames[-1]["time"] == 0.0)
        self.assertEqual(page.frames[-1]["steps"], 0)
        page.ask({"speed": 4.0}, {"pause": False})
        page.wait_for(lambda: page.frames[-1]["time"] > 0.4)
        began, start = time.monotonic(), page.frames[-1]["time"]
        page.wait_for(lambda: page.frames[-1]["time"] > start + 4.0)
        self.assertGreater(time.monotonic() - began, 0.8)
        page.ask({"speed": 0})
        page.wait_for(lambda: page.frames[-1]["time"] > start + 30.0)
        page.stop()
        self.assertEqual(page.live.finish()[0], 130)

    def test_a_log_is_not_set_back(self):
        page = self.page(RESTING, "-o", "live.h5")
        page.wait_for(lambda: page.statuses and len(page.frames) > 3)
        self.assertEqual(page.statuses[0]["restarts"], False)
        page.ask({"restart": True})
        time.sleep(0.3)
        page.stop()
        page.live.finish()
        with h5py.File(self.folder / "live.h5") as log:
            self.assertTrue((np.diff(log["time"][:]) > 0).all())

    def test_an_interrupt_is_heard_in_a_pause(self):
        page = self.page(RESTING)
        page.wait_for(lambda: page.frames)
        page.ask({"pause": True})
        page.wait_for(lambda: page.statuses[-1]["paused"])
        page.live.process.send_signal(signal.SIGINT)
        self.assertEqual(page.live.finish()[0], 130)

    def test_a_pause_ends_with_the_last_page(self):
        live_page = self.page(RESTING, "--duration", "1")
        live_page.wait_for(lambda: live_page.frames)
        live_page.ask({"pause": True})
        live_page.wait_for(lambda: live_page.statuses[-1]["paused"])
        for connection in live_page.live.connections:
            if connection.sock:
                connection.sock.shutdown(2)
        self.assertEqual(live_page.live.finish()[0], 0)

    def test_wrong_requests_are_refused_and_change_nothing(self):
        page = self.page(RESTING)
        page.wait_for(lambda: page.frames)
        pull = {"body": 1, "at": [0, 0, 0], "target": [1, 0, 0], "rate": 5.0}
        for wrong in ("", "{", "[]", "{}", "7", b"\xff\xfe", {"pull": {}}, {"pull": 3},
                      {"pull": pull | {"body": 0}}, {"pull": pull | {"body": 3}},
                      {"pull": pull | {"body": -1}}, {"pull": pull | {"body": 1.5}},
                      {"pull": pull | {"at": [0, 0]}}, {"pull": pull | {"rate": 0}},
                      {"pull": pull | {"target": [1e300, 0, 0]}},
                      '{"pull": {"body": 1, "at": [0,0,NaN], "target": [0,0,0], "rate": 1}}',
                      {"speed": -1}, {"speed": "fast"}, {"steps": -1}, {"steps": 1e9},
                      {"pause": 1}, {"target": {"joint": 0, "value": 1}}, {"quit": True},
                      {"pause": True, "stop": True}, "[" * 3000):
            self.assertNotEqual(page.ask(wrong, check=400), "")
        page.ask("x" * 5000, check=413)
        for origin in (None, "null", "http://evil.example", f"https://127.0.0.1:{page.live.port}"):
            response = page.live.get(page.stream + "/ask", method="POST", origin=origin)
            self.assertEqual(response.status, 403)
        self.assertEqual(page.live.get("/frames/ask", method="POST", origin=page.ours).status, 405)
        count = len(page.frames)
        page.wait_for(lambda: len(page.frames) > count)
        self.assertFalse(page.statuses[-1]["paused"])
        page.stop()


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
