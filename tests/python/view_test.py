#!/usr/bin/python3
"""Checks views: a simulation in the browser while a loop of Python steps it.
usage: view_test.py PROGRAM"""
import contextlib
import gc
import http.client
import io
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np

import amontons as am
from harness import FIRST, ROOT, raises, run_tests

PROGRAM = sys.argv[1] if len(sys.argv) > 1 else "amontons"
SCENE = {"amontons": 1, "simulation": {"step": 0.005, "duration": 20},
         "bodies": [{"name": "ground", "fixed": True,
                     "shapes": [{"half_space": {"normal": [0, 0, 1]}}]},
                    {"name": "box", "mass": 2, "shapes": [{"box": [0.2, 0.2, 0.2]}],
                     "pose": {"position": [0, 0, 0.1]}},
                    {"name": "ball", "mass": 1, "shapes": [{"sphere": 0.1}],
                     "pose": {"position": [1, 0, 0.5]}}]}


def simulator():
    return am.Simulator(am.make_scene(SCENE))


def quiet_view(*arguments, **options):
    with contextlib.redirect_stdout(io.StringIO()):
        return am.view(*arguments, open_browser=False, **options)


class Page:
    """Watches a view as its page does."""

    def __init__(self, view):
        self.port = int(re.search(r":(\d+)/", view.address).group(1))
        with contextlib.closing(self.connect()) as connection:
            connection.request("GET", "/")
            text = connection.getresponse().read().decode()
        self.stream = "/" + re.search(r'"live":"([^"]+)"', text).group(1)
        self.frames, self.statuses, self.ending = [], [], None
        watching = self.connect()
        watching.request("GET", self.stream)
        self.socket = watching.sock  # the client forgets it where the server is to close it
        self.response = watching.getresponse()
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()
        assert view.wait(20)

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def read(self):
        name = "message"
        with contextlib.suppress(OSError, ValueError, http.client.HTTPException, AttributeError):
            for raw in self.response:
                line = raw.decode().rstrip("\n")
                if line.startswith("event: "):
                    name = line[7:]
                elif line.startswith("data: "):
                    data = json.loads(line[6:])
                    if name == "end":
                        self.ending = data
                        return
                    (self.statuses if name == "status" else self.frames).append(data)
                elif line == "":
                    name = "message"

    def ask(self, request):
        self.post("/ask", json.dumps(request))

    def post(self, place, text=""):
        with contextlib.closing(self.connect()) as connection:
            connection.request("POST", self.stream + place, text,
                               {"Origin": f"http://127.0.0.1:{self.port}"})
            response = connection.getresponse()
            assert response.status == 204, response.read()

    def leave(self):
        self.socket.shutdown(2)


def test_a_loop_without_a_browser_does_not_wait_and_takes_the_same_steps():
    sim, plain = simulator(), simulator()
    with quiet_view(sim) as view:
        began = time.monotonic()
        while view.running and sim.time < 5:
            sim.step()
            assert view.update()
        assert time.monotonic() - began < 4.0  # of 5 simulated seconds
        assert view.num_viewers == 0 and not view.paused
    while plain.time < 5:
        plain.step()
    assert sim.q.tobytes() == plain.q.tobytes() and sim.v.tobytes() == plain.v.tobytes()
    assert not view.running and view.update() is False
    sim.step()  # a closed view is out of the way
    view.close()


def test_a_paused_view_waits_for_a_page_in_which_joints_are_placed():
    sim = am.Simulator(am.make_scene({
        "amontons": 1, "simulation": {"step": 0.005, "duration": 20},
        "bodies": [{"name": "arm", "mass": 1, "inertia": [1, 1, 1], "pose": {"position": [0, 0, -1]}}],
        "joints": [{"name": "hinge", "type": "revolute", "parent": "world", "child": "arm",
                    "axis": [0, 1, 0], "at": [0, 0, 0]}]}))
    view = quiet_view(sim, paused=True)
    assert view.running

    def place():
        time.sleep(0.5)
        page = Page(view)
        page.ask({"position": {"joint": 0, "value": 1.0}})
        page.ask({"pause": False})

    other = threading.Thread(target=place)
    other.start()
    for _ in view:
        break
    other.join(20)
    # No step was taken, and the joint is where the page has placed it.
    assert sim.time == 0.0 and sim.q[0] == 1.0 and sim.v[0] == 0.0
    sim.step()
    assert sim.v[0] < 0
    view.close()
    assert "True or False" in raises(TypeError, am.view, sim, paused="no", open_browser=False)


def test_the_address_is_printed_and_the_page_answers_this_machine_alone():
    said = io.StringIO()
    with contextlib.redirect_stdout(said), am.view(simulator(), open_browser=False) as view:
        assert view.address in said.getvalue()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", view.address)
        port = int(view.address.split(":")[2].strip("/"))
        for host, status in ((f"localhost:{port}", 200), ("evil.example", 403)):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            connection.request("GET", "/", headers={"Host": host})
            assert connection.getresponse().status == status
            connection.close()
        text = raises(OSError, am.view, simulator(), port=port, open_browser=False)
        assert str(port) in text and "port=" in text


def test_a_watched_loop_keeps_to_the_clock_and_the_page_sees_its_end():
    sim = simulator()
    view = quiet_view(sim, speed=2)
    page = Page(view)
    began = time.monotonic()
    for given in view:
        assert given is sim
        sim.step()
        if sim.time >= 2:
            break
    assert 0.9 < time.monotonic() - began < 30
    view.close()
    page.thread.join(20)
    assert page.ending == "The view was closed."
    times = [frame["time"] for frame in page.frames]
    assert times == sorted(times) and abs(times[-1] - sim.time) < 1e-9
    assert 10 < len(times) < 200  # some 30 a second


def test_a_loop_ends_with_its_scene_and_with_the_stop_of_the_page():
    sim = am.Simulator(am.load_scene(FIRST, {"simulation.duration": 0.1}))
    with quiet_view(sim) as view:
        for _ in view:
            sim.step()
    assert sim.finished
    sim = simulator()
    with quiet_view(sim) as view:
        page = Page(view)
        threading.Timer(0.3, page.post, ["/stop"]).start()
        for _ in view:
            sim.step()
        assert not sim.finished and not view.running


def test_a_pause_holds_the_loop_until_the_page_continues_or_goes():
    sim = simulator()
    with quiet_view(sim, speed=None) as view:
        page = Page(view)
        for ending in ({"pause": False}, None):
            page.ask({"pause": True})
            timer = threading.Timer(0.5, (lambda: page.ask(ending)) if ending else page.leave)
            timer.start()
            began = time.monotonic()
            view.update()
            assert 0.4 < time.monotonic() - began < 20
            timer.join()
        assert not view.paused


def test_ctrl_c_is_heard_in_a_pause():
    with quiet_view(simulator()) as view:
        page = Page(view)
        page.ask({"pause": True})
        sent = []
        def interrupt():
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)
        threading.Timer(0.3, interrupt).start()
        try:
            view.update()
            raise AssertionError("the pause ended by itself")
        except KeyboardInterrupt:
            assert time.monotonic() - sent[0] < 1.0


def test_restart_brings_the_state_of_the_start_or_calls_the_function():
    sim = simulator()
    for _ in range(20):
        sim.step()
    start, called = (sim.q.copy(), sim.v.copy(), sim.time), []
    for restart in (None, lambda given: (called.append(given), given.reset())):
        with quiet_view(sim, restart=restart, speed=None) as view:
            page = Page(view)
            for _ in range(30):
                sim.step()
                view.update()
            page.ask({"restart": True})
            view.update()
            if restart is None:
                assert (sim.q == start[0]).all() and (sim.v == start[1]).all()
                assert sim.time == start[2]
            else:
                assert called == [sim] and sim.time == 0


def test_a_function_of_restart_that_raises_is_heard():
    def fail(_):
        raise RuntimeError("no way back")
    with quiet_view(simulator(), restart=fail) as view:
        Page(view).ask({"restart": True})
        assert "no way back" in raises(RuntimeError, view.update)
        assert view.update()  # once


def test_a_pull_adds_to_the_wrench_of_the_program_and_leaves_it_afterwards():
    scene = am.make_scene(SCENE | {"gravity": [0, 0, 0]})
    sim = am.Simulator(scene)
    own = np.array([0.0, 0.0, 2.0])
    sim.set_wrench("ball", own)
    with tempfile.TemporaryDirectory() as folder, quiet_view(sim, speed=None) as view:
        path = pathlib.Path(folder) / "pulled.h5"
        with am.record(sim, scene, path):
            page = Page(view)
            rate, target = 10.0, np.array([1.5, 0.2, 0.5])
            page.ask({"pull": {"body": 2, "at": [0, 0, 0], "target": list(target), "rate": rate}})
            for _ in range(40):
                view.update()
                before = sim.q.copy(), sim.v.copy()
                sim.step()
                place, speed = before[0][-3:], before[1][-3:]
                expected = own + 1.0 * rate * (rate * (target - place) - 2 * speed)
                gained = 1.0 * (sim.v[-3:] - speed) / 0.005
                np.testing.assert_allclose(gained, expected, rtol=1e-9, atol=1e-9)
            page.ask({"pull": None})
            view.update()
            speed = sim.v[-3:].copy()
            sim.step()
            np.testing.assert_allclose((sim.v[-3:] - speed) / 0.005, own, rtol=1e-9, atol=1e-9)
        result = subprocess.run([PROGRAM, "verify", str(path), "--quiet"], capture_output=True,
                                text=True, check=False)
        assert result.returncode == 0, result.stdout + result.stderr


ARM = {"amontons": 1, "simulation": {"step": 0.002, "duration": 100},
       "bodies": [{"name": "base", "fixed": True, "shapes": [{"sphere": 0.01}]},
                  {"name": "upper", "mass": 1, "shapes": [{"box": [0.1, 0.1, 0.5]}],
                   "pose": {"position": [0, 0, -0.3]}},
                  {"name": "lower", "mass": 0.5, "shapes": [{"box": [0.08, 0.08, 0.4]}],
                   "pose": {"position": [0.1, 0, -0.8]}},
                  {"name": "needle", "mass": 0.3, "shapes": [{"box": [0.01, 0.01, 0.6]}],
                   "pose": {"position": [3, 0, 2]}}],
       "joints": [{"name": "shoulder", "type": "revolute", "parent": "base", "child": "upper",
                   "axis": [0, 1, 0], "at": [0, 0, 0]},
                  {"name": "elbow", "type": "universal", "parent": "upper", "child": "lower",
                   "axis": [0, 1, 0], "axis2": [1, 0, 0], "at": [0, 0, -0.6]}]}


def test_a_pull_of_a_link_has_the_mass_of_its_point():
    sim, twin = (am.Simulator(am.make_scene(ARM)) for _ in range(2))
    at, target, rate = [0.04, 0.01, -0.2], np.array([0.5, 0.2, -0.6]), 7.0
    with quiet_view(sim, speed=None) as view:
        Page(view).ask({"pull": {"body": sim.body_names.index("lower"), "at": at,
                                 "target": list(target), "rate": rate}})
        for _ in range(20):
            view.update()
            J = sim.jacobian("lower", at=at)[3:]
            mass = 3 / np.trace(J @ np.linalg.solve(sim.mass_matrix(), J.T))
            place = sim.forward_kinematics(sim.q, sim.frame("lower", at))[0]
            expected = mass * rate * (rate * (target - place) - 2 * J @ sim.v)
            twin.restore(sim.save())
            twin.set_wrench("lower", expected, at=at)
            for both in (sim, twin):
                both.step()
            # Rounding of both forces, some 1e-15 of 30 N.
            np.testing.assert_allclose(sim.v, twin.v, rtol=1e-10, atol=1e-12)


def test_a_pull_does_not_move_a_parked_body():
    sim = simulator()
    with quiet_view(sim, speed=None) as view:
        page = Page(view)
        page.ask({"pull": {"body": 2, "at": [0, 0, 0], "target": [3, 0, 1], "rate": 8.0}})
        for parked in (False, True, False):
            sim.park("ball") if parked else sim.release("ball", [1, 0, 0.5])
            before = sim.bodies["ball"].position
            for _ in range(20):
                sim.step()
                assert view.update()
            assert np.array_equal(sim.bodies["ball"].position, before) == parked


def test_a_stiff_pull_brings_any_body_near_the_pointer_and_stays_stable():
    # Points with little mass of their own, a rate beyond all steps, and calls that are far apart.
    for body, at, every in (("lower", [0, 0, -0.2], 1), ("needle", [0, 0, 0.3], 1),
                            ("needle", [0.005, 0, 0.3], 7), ("upper", [0.05, 0, -0.2], 3)):
        sim = am.Simulator(am.make_scene(ARM | {"gravity": [0, 0, 0]}))
        start = sim.forward_kinematics(sim.q, sim.frame(body, at))[0]
        target = start + ([0.4, 0.3, 0.2] if body == "needle" else [0.05, 0, 0])
        with quiet_view(sim, speed=None) as view:
            page = Page(view)
            pull = {"body": sim.body_names.index(body), "at": at, "target": list(target),
                    "rate": 1e6}
            for step in range(1400):
                if step % 350 == 0:
                    page.ask({"pull": pull})
                if step % every == 0:
                    view.update()
                sim.step()
            place = sim.forward_kinematics(sim.q, sim.frame(body, at))[0]
            away = np.linalg.norm((place - target) if body == "needle" else (place - target)[0])
            # A needle that swings about its held end pulls that end about, against the spring.
            assert away < (0.15 if body == "needle" else 0.02), (body, every, away)
            assert np.abs(sim.v).max() < 10


def test_a_run_that_its_page_alone_commanded_is_continued_by_resume():
    scene = am.make_scene(SCENE)
    with tempfile.TemporaryDirectory() as folder:
        def amontons(*words):
            result = subprocess.run([PROGRAM, *words, "--quiet"], capture_output=True, text=True,
                                    check=False, cwd=folder)
            return result.returncode, result.stdout + result.stderr
        for commander, code in (("page", 0), ("program", 2)):
            sim = am.Simulator(scene)
            path = f"{commander}.h5"
            with quiet_view(sim, speed=None) as view, \
                    am.record(sim, scene, pathlib.Path(folder) / path, commander=commander):
                page = Page(view)
                page.ask({"pull": {"body": 1, "at": [0.1, 0, 0], "target": [0.5, 0, 0.3],
                                   "rate": 20}})
                for _ in range(100):
                    view.update()
                    sim.step()
            assert amontons("verify", path)[0] == 0
            found, said = amontons("resume", path)
            assert found == code, said
            assert amontons("verify", path)[0] == 0
            with am.open_run(pathlib.Path(folder) / path) as run:
                assert run.time[-1] == (20 if code == 0 else sim.time)
        sim = am.Simulator(scene)
        with am.record(sim, scene, pathlib.Path(folder) / "own.h5", commander="page"):
            sim.set_material("default", friction=0.3)
            sim.step()
        found, said = amontons("resume", "own.h5")
        assert found == 2 and "own.h5" in said and "program" in said, said
        text = raises(ValueError, am.record, sim, scene, "x.h5", commander="nobody")
        assert "nobody" in text


def test_wrong_arguments_are_refused():
    sim = simulator()
    for options in ({"port": -1}, {"port": 70000}, {"speed": 0}, {"speed": -1},
                    {"speed": float("nan")}):
        raises(ValueError, am.view, sim, open_browser=False, **options)
    raises(TypeError, am.view, "sim", open_browser=False)
    raises(TypeError, am.view, sim, open_browser=False, restart=3)
    raises(TypeError, am.view, sim, "scene.yaml", open_browser=False)
    text = raises(ValueError, am.view, sim, am.load_scene(FIRST), open_browser=False)
    assert "not that of the simulator" in text


def test_a_view_of_a_scene_has_its_name_and_the_looks_of_its_models():
    scene = am.load_scene(ROOT / "examples/quadruped/demo.yaml")
    pages = []
    for own in (scene, None):
        with quiet_view(am.Simulator(scene), own) as view:
            page = Page(view)
            with contextlib.closing(page.connect()) as connection:
                connection.request("GET", "/")
                pages.append(connection.getresponse().read().decode())
    assert '"title":"demo.yaml"' in pages[0] and '"title":"simulation"' in pages[1]
    assert '"visual":true' in pages[0] and '"visual":true' not in pages[1]


def test_views_and_simulators_may_go_in_any_order():
    sim = simulator()
    views = [quiet_view(sim) for _ in range(2)]
    sim.step()
    assert [view.simulator for view in views] == [sim, sim]
    del views
    gc.collect()
    sim.step()
    view = quiet_view(sim)
    del sim
    gc.collect()
    view.simulator.step()
    assert view.update()
    assert "127.0.0.1" in repr(view)


if __name__ == "__main__":
    run_tests(globals())
