#!/usr/bin/python3
"""Checks that Ctrl-C is heard inside a step, and leaves the state of the step's start."""
import os
import signal
import threading
import time

import numpy as np

import amontons as am
from harness import run_tests


def heap(num):
    """Returns balls dropped into a box: cold first steps that take long."""
    rng = np.random.default_rng(3)
    bodies = [{"name": "ground", "fixed": True,
               "shapes": [{"half_space": {"normal": [0, 0, 1]}}]}]
    for k, normal in enumerate([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]]):
        bodies.append({"name": f"wall {k}", "fixed": True,
                       "shapes": [{"half_space": {"normal": normal, "offset": -0.5}}]})
    for i in range(num):
        place = [0.1 * (i % 9) - 0.4, 0.1 * (i // 9 % 9) - 0.4, 0.05 + 0.099 * (i // 81)]
        bodies.append({"name": f"b{i}", "mass": 1, "shapes": [{"sphere": 0.05}],
                       "pose": {"position": [float(x) for x in place]},
                       "velocity": {"linear": [float(x) for x in rng.uniform(-2, 2, 3)]}})
    return am.make_scene({"amontons": 1, "simulation": {"step": 0.005, "duration": 5},
                          "materials": [{"name": "default", "friction": 0.8}], "bodies": bodies})


def interrupt_after(delay):
    threading.Timer(delay, lambda: os.kill(os.getpid(), signal.SIGINT)).start()


def test_ctrl_c_ends_a_step_and_the_simulator_goes_on():
    sim = am.Simulator(heap(600))
    interrupt_after(0.3)
    states = []
    try:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            states = [sim.q.tobytes(), sim.v.tobytes(), sim.time]
            sim.step()
        raise AssertionError("Ctrl-C was not heard")
    except KeyboardInterrupt:
        pass
    # Given up or finished: a step is never half taken.
    assert [sim.q.tobytes(), sim.v.tobytes(), sim.time] == states or sim.time > states[2]
    assert np.isfinite(sim.v).all()


def test_a_handler_that_raises_nothing_lets_the_step_go_on():
    heard = []
    before = signal.signal(signal.SIGINT, lambda *_: heard.append(1))
    try:
        sim, other = am.Simulator(heap(200)), am.Simulator(heap(200))
        interrupt_after(0.05)
        deadline = time.monotonic() + 120
        while not heard and time.monotonic() < deadline and sim.time < 1:
            sim.step()
            other.step()
            assert sim.q.tobytes() == other.q.tobytes()
        assert heard
    finally:
        signal.signal(signal.SIGINT, before)


def test_threads_and_ignored_signals_keep_their_choice():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        sim = am.Simulator(heap(50))
        os.kill(os.getpid(), signal.SIGINT)
        sim.step()
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


if __name__ == "__main__":
    run_tests(globals())
