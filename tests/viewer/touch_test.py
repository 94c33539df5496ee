"""Checks what pages ask of a simulation that is shown live, as plain clients: pauses, pulls, targets.

    touch_test.py PROGRAM
"""

import contextlib
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import h5py
import numpy as np

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "cli")]
from live_page import ARM, FLOATING, RESTING, Page  # noqa: E402
from live_test import Live, floats  # noqa: E402
from program import PROGRAM, amontons  # noqa: E402


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

    def page(self, text, *arguments, verb="replay"):
        (self.folder / "scene.yaml").write_text(text)
        live = Live(self.folder, *arguments, scene=self.folder / "scene.yaml", verb=verb)
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
        # No state is set in a run that a log must repeat.
        page.ask({"pause": True})
        page.ask({"position": {"joint": 1, "value": 0.1}}, check=400)
        page.ask({"pause": False})
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

    def test_joints_without_a_servo_are_placed_in_a_pause_and_move_on_from_there(self):
        page = self.page(ARM)
        page.wait_for(lambda: page.statuses and len(page.frames) > 3)
        joints = page.statuses[0]["joints"]
        self.assertEqual([joint["pose"] for joint in joints], [False, True, True])
        wanted = {"position": {"joint": 1, "value": joints[1]["high"]}}
        page.ask(wanted, check=400)  # it moves
        page.ask({"pause": True})
        page.wait_for(lambda: page.statuses[-1]["paused"])
        page.ask(wanted)
        page.wait_for(lambda: abs(floats(page.frames[-1]["joints"])[1] - joints[1]["high"]) < 1e-6)
        page.ask({"position": {"joint": 0, "value": 0.1}},  # that of a servo has a target
                 {"position": {"joint": 1, "value": joints[1]["high"] + 0.01}}, check=400)
        steps = page.frames[-1]["steps"]
        page.ask({"steps": 1})
        page.wait_for(lambda: page.frames[-1]["steps"] == steps + 1)
        self.assertLess(abs(floats(page.frames[-1]["joints"])[1] - joints[1]["high"]), 0.05)
        page.ask({"restart": True})
        page.wait_for(lambda: page.frames[-1]["time"] == 0.0)
        self.assertLess(abs(floats(page.frames[-1]["joints"])[1]), 1e-6)
        page.stop()

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

    def test_joints_that_gears_lead_follow_the_one_that_is_placed(self):
        wheel = ("  - {{name: {0}, mass: 1, inertia: [1, 1, 1], pose: {{position: [{1}, 0, 0]}}}}\n").format
        joint = ("  - {{name: j{0}, type: continuous, parent: world, child: {0}, axis: [0, 1, 0],"
                 " at: [{1}, 0, 0]}}\n").format
        page = self.page("amontons: 1\nsimulation: {step: 0.01, duration: 1000}\nbodies:\n" +
                         wheel("a", 0) + wheel("b", 1) + wheel("c", 2) + "joints:\n" +
                         joint("a", 0) + joint("b", 1) + joint("c", 2) + "couplings:\n"
                         "  - {name: g1, joint: jc, reference: jb, multiplier: 3}\n"
                         "  - {name: g2, joint: jb, reference: ja, multiplier: -0.5, offset: 0}\n",
                         "--paused")
        page.wait_for(lambda: page.statuses)
        self.assertEqual([joint["pose"] for joint in page.statuses[0]["joints"]], [True, False, False])
        page.ask({"position": {"joint": 0, "value": 0.4}})
        page.wait_for(lambda: page.frames and np.allclose(floats(page.frames[-1]["joints"]),
                                                          [0.4, -0.2, -0.6], atol=1e-6))
        page.ask({"position": {"joint": 1, "value": 0.4}}, check=400)
        page.stop()

    def test_a_paused_simulation_stays_at_its_start_until_a_page_goes_on(self):
        page = self.page(ARM, "--paused")
        page.wait_for(lambda: page.statuses)
        self.assertTrue(page.statuses[0]["paused"])
        page.ask({"position": {"joint": 1, "value": 0.7}})
        page.wait_for(lambda: page.frames and abs(floats(page.frames[-1]["joints"])[1] - 0.7) < 1e-6)
        self.assertEqual((page.frames[-1]["steps"], page.frames[-1]["time"]), (0, 0.0))
        page.ask({"pause": False})
        page.wait_for(lambda: page.frames[-1]["time"] > 0.1)
        page.stop()
        result = amontons("run", "scene.yaml", "--paused", cwd=self.folder, check=2)
        self.assertIn("--live", result.stderr)

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

    def test_run_takes_live_too_and_writes_its_log(self):
        page = self.page(RESTING, "--quiet", verb="run")
        page.pull_for(0.5, {"body": 1, "at": [0, 0, 0], "target": [0.5, 0, 0.3], "rate": 20.0})
        page.stop()
        code, out = page.live.finish()
        self.assertEqual(code, 130)
        self.assertIn("amontons resume scene.h5", out)
        self.assertRegex(self.verify("scene.h5"), r"[1-9]\d* of these steps were commanded")
        result = amontons("run", "scene.yaml", "--port", 8000, cwd=self.folder, check=2)
        self.assertIn("--live", result.stderr)

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
        for one in live_page.live.sockets:
            with contextlib.suppress(OSError):  # those that were answered are closed
                one.shutdown(socket.SHUT_RDWR)
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


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
