"""Checks a simulation that is shown while it runs: in a headless browser, and by plain clients.

    live_test.py PROGRAM

Exit 77 (skipped) without a Chromium.
"""

import base64
import contextlib
import http.client
import json
import pathlib
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import h5py

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "cli")]
from headless_browser import Browser, find_browser  # noqa: E402
from program import FIRST, PROGRAM, amontons  # noqa: E402


class Live:
    """Runs `amontons replay --live`, and holds its address."""

    def __init__(self, folder, *arguments, scene=FIRST, verb="replay"):
        self.process = subprocess.Popen(
            [str(PROGRAM), verb, "--live", str(scene), *map(str, arguments)], cwd=folder,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        self.sockets = []
        self.port = int(re.search(r"http://127\.0\.0\.1:(\d+)/", line).group(1))

    def get(self, path="/", host=None, method="GET", origin=None, parts=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        names = {"Host": host, "Origin": origin, "Range": parts}
        headers = {key: value for key, value in names.items() if value}
        connection.request(method, path, headers=headers)
        # The client forgets the socket where the server is to close it.
        self.sockets.append(connection.sock)
        return connection.getresponse()

    def stream(self):
        page = self.get().read().decode()
        return "/" + re.search(r'"live":"([^"]+)"', page).group(1)

    def finish(self):
        """Returns the exit code and the printed text."""
        out, _ = self.process.communicate(timeout=120)
        return self.process.returncode, out

    def close(self):
        for one in self.sockets:
            one.close()
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()


def events(response):
    """Returns name and data of each server-sent event."""
    name, data = "message", None
    for raw in response:
        line = raw.decode().rstrip("\n")
        if line.startswith("event: "):
            name = line[7:]
        elif line.startswith("data: "):
            data = json.loads(line[6:])
        elif line == "" and data is not None:
            yield name, data
            name, data = "message", None


def floats(text):
    data = base64.b64decode(text)
    return struct.unpack(f"<{len(data) // 4}f", data)


def doubles(text):
    data = base64.b64decode(text)
    return struct.unpack(f"<{len(data) // 8}d", data)


class LiveTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="amontons-live-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def live(self, *arguments):
        live = Live(self.folder, *arguments)
        self.addCleanup(live.close)
        return live

    def test_a_simulation_that_is_watched_takes_the_same_steps(self):
        live = self.live("-o", "live.h5")
        list(events(live.get(live.stream())))
        self.assertEqual(live.finish()[0], 0)
        amontons("run", FIRST, "-o", "plain.h5", "--quiet", cwd=self.folder, check=0)
        result = amontons("compare", "plain.h5", "live.h5", cwd=self.folder, check=0)
        self.assertIn("identical", result.stdout)

    def test_the_stream_brings_the_last_state_and_says_that_it_is_the_end(self):
        live = self.live("-o", "live.h5", "--json")
        began = time.monotonic()
        news = list(events(live.get(live.stream())))
        self.assertGreater(time.monotonic() - began, 1.9)  # 2 s of motion, not faster than the clock
        code, out = live.finish()
        self.assertEqual((code, json.loads(out)["log"]), (0, "live.h5"))
        self.assertEqual(news[-1], ("end", "The simulation is at its end."))
        frames = [data for name, data in news if name == "message"]
        times = [frame["time"] for frame in frames]
        self.assertEqual(times, sorted(set(times)))
        self.assertAlmostEqual(times[-1], 2.0)
        self.assertEqual((frames[-1]["steps"], frames[-1]["missed"]), (400, 0))
        with h5py.File(self.folder / "live.h5") as log:
            position = log["bodies/position"][-1].ravel()
            quaternion = log["bodies/quat_wxyz"][-1].ravel()
        poses = doubles(frames[-1]["poses"])
        for body in range(len(poses) // 7):
            recorded = [*position[3 * body:3 * body + 3], *quaternion[4 * body:4 * body + 4]]
            for shown, value in zip(poses[7 * body:7 * body + 7], recorded):
                self.assertEqual(shown, value)

    def test_only_browsers_that_name_this_machine_are_answered(self):
        live = self.live()
        for host in (f"localhost:{live.port}", f"127.0.0.1:{live.port}"):
            response = live.get(host=host)
            self.assertEqual(response.status, 200)
            self.assertEqual(response.getheader("X-Frame-Options"), "DENY")
        for host in ("evil.example", f"evil.example:{live.port}", "127.0.0.1:1", ""):
            for path in ("/", live.stream()):
                self.assertEqual(live.get(path, host=host or "x").status, 403, host)
        self.assertEqual(live.get(method="POST").status, 405)
        self.assertEqual(live.get("/frames").status, 404)
        listening = subprocess.run(["ss", "-ltnH", f"sport = :{live.port}"], capture_output=True,
                                   text=True, check=False).stdout
        if listening:
            self.assertNotRegex(listening, r"(0\.0\.0\.0|\*|\[::\]):" + str(live.port))
        with self.assertRaises(OSError):  # the server listens at one address alone
            socket.create_connection(("127.0.0.2", live.port), timeout=5).close()

    def test_lists_of_parts_of_the_page_are_refused(self):
        live = self.live("--duration", "600")
        ranges = "bytes=" + ",".join("0-" for _ in range(900))
        self.assertEqual(live.get(parts=ranges).status, 416)
        self.assertEqual(live.get().status, 200)

    def test_a_port_that_is_taken_is_one_clear_line(self):
        live = self.live()
        result = amontons("replay", "--live", FIRST, "--port", live.port, "-o", "x.h5",
                          cwd=self.folder, check=2)
        self.assertRegex(result.stderr, rf"^replay --live: port {live.port} .*--port.*\n$")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_browser_that_does_not_read_slows_nobody(self):
        live = self.live("-o", "live.h5", "--duration", "4")
        path = live.stream()
        stuck = []
        for _ in range(3):
            client = socket.socket()
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect(("127.0.0.1", live.port))
            client.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost:{live.port}\r\n\r\n".encode())
            stuck.append(client)
            self.addCleanup(client.close)
        news = list(events(live.get(path)))
        self.assertEqual(news[-1][0], "end")
        began = time.monotonic()
        self.assertEqual(live.finish()[0], 0)
        self.assertLess(time.monotonic() - began, 30.0)  # it waits at most briefly for a client

    def test_clients_that_send_slowly_or_nothing_keep_nobody_waiting(self):
        live = self.live("--duration", "600")
        watched = events(live.get(live.stream()))
        heads = (b"", b"GET / HTTP/1.1\r\nHost: 127", b"POST /x HTTP/1.1\r\nContent-Length: 9\r\n\r\nab")
        slow, stopping = [], threading.Event()

        def drip():
            # Bound: 200 connections, each of which the server ends after a second.
            for k in range(200):
                if stopping.is_set():
                    return
                with contextlib.suppress(OSError):
                    with socket.create_connection(("127.0.0.1", live.port), timeout=5) as client:
                        client.sendall(heads[k % len(heads)])
                        for _ in range(50):
                            client.sendall(b"a")
                            time.sleep(0.1)

        for _ in range(60):
            slow.append(threading.Thread(target=drip, daemon=True))
            slow[-1].start()
        for _ in range(100):
            silent = socket.create_connection(("127.0.0.1", live.port), timeout=5)
            self.addCleanup(silent.close)
        for _ in range(20):
            self.assertEqual(live.get().status, 200)
            self.assertIn(next(watched)[0], ("message", "status"))
        # They are ended: each gets the end of its connection.
        silent.settimeout(60)
        self.assertEqual(silent.recv(1), b"")
        stopping.set()
        for thread in slow:
            thread.join()

    def test_of_too_many_silent_clients_the_oldest_are_turned_away(self):
        if int(pathlib.Path("/proc/sys/net/core/somaxconn").read_text()) < 512:
            self.skipTest("the system holds fewer connections than the server asks for")
        live = self.live("--duration", "600")
        watched = events(live.get(live.stream()))
        for _ in range(5):
            # The server is halted while they connect, so that it meets all of them at once.
            live.process.send_signal(signal.SIGSTOP)
            clients = [socket.create_connection(("127.0.0.1", live.port), timeout=60)
                       for _ in range(400)]
            asking = socket.create_connection(("127.0.0.1", live.port), timeout=60)
            asking.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{live.port}\r\n\r\n".encode())
            live.process.send_signal(signal.SIGCONT)
            self.assertEqual(asking.recv(12), b"HTTP/1.1 200")  # who asks is served nevertheless
            answers = [client.recv(12) for client in clients]
            for client in (asking, *clients):
                client.close()
            self.assertEqual(answers[-1], b"")  # a second later, for its silence
            # A server that then rests for a second ends the first for their silence, too.
            if answers[0] != b"":
                break
        self.assertEqual(answers[0], b"HTTP/1.1 503")
        self.assertIn(next(watched)[0], ("message", "status"))  # who was served before still is
        self.assertEqual(live.get().status, 200)

    def test_an_interrupt_ends_it_and_leaves_a_log_to_go_on_with(self):
        live = self.live("-o", "live.h5", "--duration", "600")
        news = events(live.get(live.stream()))
        for _ in range(10):
            next(news)
        live.process.send_signal(signal.SIGINT)
        self.assertEqual(list(news)[-1], ("end", "The simulation was interrupted."))
        code, out = live.finish()
        self.assertEqual(code, 130)
        self.assertIn("amontons resume live.h5", out)
        amontons("verify", "live.h5", "--quiet", cwd=self.folder, check=0)

    def test_an_interrupt_before_anybody_looks_ends_it(self):
        live = self.live()
        time.sleep(0.3)
        live.process.send_signal(signal.SIGINT)
        self.assertEqual(live.finish()[0], 130)
        self.assertEqual(list(self.folder.iterdir()), [])  # no log was requested

    def test_a_stop_of_the_page_ends_it_and_leaves_a_log_to_go_on_with(self):
        live = self.live("-o", "live.h5", "--duration", "60")
        stream = live.stream()
        ours = f"http://127.0.0.1:{live.port}"
        news = events(live.get(stream))
        for _ in range(10):
            next(news)
        # Another site knows neither the address nor our origin.
        for origin in (None, "null", "http://evil.example", f"https://127.0.0.1:{live.port}"):
            self.assertEqual(live.get(f"{stream}/stop", method="POST", origin=origin).status, 403)
        self.assertEqual(live.get("/frames/stop", method="POST", origin=ours).status, 405)
        self.assertEqual(live.get(f"{stream}/stop", origin=ours).status, 404)
        next(news)  # it still runs
        self.assertEqual(live.get(f"{stream}/stop", method="POST", origin=ours).status, 204)
        self.assertEqual(list(news)[-1], ("end", "The simulation was interrupted."))
        code, out = live.finish()
        self.assertEqual(code, 130)
        self.assertIn("amontons resume live.h5", out)
        with h5py.File(self.folder / "live.h5") as log:
            rows = log["time"].shape[0]
        # The rest has the bits of a run that was never stopped.
        amontons("resume", "live.h5", "--quiet", cwd=self.folder, check=0)
        amontons("run", FIRST, "-o", "plain.h5", "--duration", "60", "--quiet", cwd=self.folder,
                 check=0)
        result = amontons("compare", "plain.h5", "live.h5", cwd=self.folder, check=0)
        self.assertIn("identical", result.stdout)
        self.assertGreater(rows, 1)

    def test_what_needs_live_is_refused_without_it(self):
        for option in (["--port", "8000"], ["--step", "0.1"], ["--set", "simulation.seed=1"]):
            result = amontons("replay", "x.h5", *option, check=2)
            self.assertIn("--live", result.stderr)


class LivePage(unittest.TestCase):
    def wait_for(self, browser, expression, seconds=60):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if browser.evaluate(expression):
                return
            time.sleep(0.05)
        self.fail(expression)

    def test_two_browsers_follow_pause_and_see_the_end(self):
        with tempfile.TemporaryDirectory(prefix="amontons-live-") as folder:
            live = Live(folder, "--duration", "600")
            self.addCleanup(live.close)
            page = f"http://127.0.0.1:{live.port}/"
            browsers = [Browser(find_browser(), 640, 400) for _ in range(2)]
            for browser in browsers:
                self.addCleanup(browser.close)
                self.assertEqual(browser.open(page), "true")
            first = browsers[0]
            for browser in browsers:
                self.wait_for(browser, "document.body.dataset.amontonsLive === 'running'")
                self.wait_for(browser, "amontons.frame > 3")
            self.assertEqual(first.evaluate("document.getElementById('live-state').textContent"),
                             "Live")
            first.press(" ", 32, " ")  # pauses the view, not the simulation
            frame, count = first.evaluate("[amontons.frame, amontons.runs[0].numFrames]")
            self.wait_for(first, f"amontons.runs[0].numFrames > {count}")
            self.assertEqual(first.evaluate("amontons.frame"), frame)
            self.wait_for(first, "document.body.dataset.amontonsLive === 'paused'")
            first.press("l", 76, "l")
            self.assertGreater(first.evaluate("amontons.frame"), frame)
            self.assertEqual(first.evaluate("document.getElementById('stop').disabled"), False)
            first.evaluate("document.getElementById('stop').click()")
            for browser in browsers:
                self.wait_for(browser, "document.body.dataset.amontonsLive === 'ended'")
                self.assertTrue(browser.evaluate("document.getElementById('stop').disabled"))
                self.assertEqual(browser.errors, [])
                self.assertTrue(all(url.startswith(page) for url in browser.requests),
                                browser.requests)
            self.assertEqual(live.finish()[0], 130)
            # The frames that it has seen can still be stepped through.
            first.press("Home", 36)
            self.assertEqual(first.evaluate("amontons.frame"), 0)
            self.assertGreater(first.evaluate("document.querySelectorAll('.chart').length"), 3)
            self.assertIn("law asked, coulomb: in all",
                          first.evaluate("document.getElementById('verdict').textContent"))


if __name__ == "__main__":
    if not find_browser():
        print("SKIPPED: no Chromium is installed (package chromium)")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
