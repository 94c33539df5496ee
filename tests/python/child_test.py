#!/usr/bin/python3
"""Checks that long linear programs and hulls, which processes of their own compute, end at Ctrl-C."""
import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np

import amontons as am
from amontons import child, efforts, grasp_wrenches
from amontons._core import _StopFlag
from harness import raises, run_tests
from interrupt_test import heap


@contextlib.contextmanager
def replaced(place, name, value):
    """Gives a module another value while the block lasts."""
    before = getattr(place, name)
    setattr(place, name, value)
    try:
        yield
    finally:
        setattr(place, name, before)


@contextlib.contextmanager
def begun(act):
    """Yields the processes that begin meanwhile, and calls act(process) in a thread for each."""
    class Popen(subprocess.Popen):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            found.append(self)
            threading.Thread(target=act, args=(self,)).start()

    found = []
    with replaced(child.subprocess, "Popen", Popen):
        yield found


def balls(num):
    """Returns a call that asks for the efforts of a heap; its bodies are all free."""
    sim = am.Simulator(heap(num))
    return lambda: am.needed_efforts(sim, sim.q, sim.v, 0 * sim.v, touching=0.01)


def hull():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(60, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    return am.Grasp(points, -points, 0.5, directions=16).volume  # takes seconds


def bits(found):
    return found.share, found.share_bound, found.forces.tobytes(), found.efforts.tobytes()


def test_a_process_of_its_own_gives_the_same_bits():
    work = balls(80)
    with begun(lambda process: None) as processes:
        own = work()
        assert len(processes) == 1 and processes[0].returncode == 0
        with replaced(efforts, "MOST_WORK", 10**12):
            here = work()
        assert len(processes) == 1
        small = balls(20)()  # begins none
        assert len(processes) == 1 and small.possible
    assert own.possible and len(own.forces) > 200 and bits(own) == bits(here)
    rng = np.random.default_rng(0)
    points = rng.normal(size=(30, 3))
    volumes = []
    for most in (10, 10**6):
        with replaced(grasp_wrenches, "MOST_HULL", most):
            volumes.append(am.Grasp(points, -points, 0.5).volume)
    assert volumes[0] == volumes[1] > 0


def test_ctrl_c_ends_linear_programs_and_hulls_at_once():
    for work in (balls(320), hull):
        sent = []

        def interrupt(_):
            time.sleep(1.0)
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        with begun(interrupt) as processes:
            raises(KeyboardInterrupt, work)
            seconds = time.monotonic() - sent[0]
        assert seconds < 0.3, seconds
        assert processes[0].wait(timeout=10) == -signal.SIGKILL  # and no zombie is left


def test_a_handler_that_raises_nothing_lets_the_program_go_on():
    heard = []
    before = signal.signal(signal.SIGINT, lambda *_: heard.append(1))
    try:
        def interrupt(_):
            time.sleep(0.1)
            os.kill(os.getpid(), signal.SIGINT)

        with begun(interrupt):
            assert balls(100)().possible
        assert heard
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_process_that_dies_is_named():
    with begun(lambda process: process.kill()):
        said = raises(ChildProcessError, balls(80))
    assert said == ("needed_efforts: the process that computes it was ended by signal 9 (SIGKILL), "
                    "which happens where memory is short"), said
    for program, words in (("/bin/false", "ended with code 1 and said: nothing"),
                           ("/nowhere/python", "begins no process: No such file or directory")):
        with replaced(sys, "executable", program):
            said = raises(ChildProcessError, hull)
        assert said.startswith("Grasp.volume: ") and said.endswith(words), said


def test_errors_of_the_process_are_those_of_the_function():
    said = raises(np.linalg.LinAlgError, child.in_child, "inverse", np.linalg.inv, np.zeros((2, 2)))
    assert said == "Singular matrix"


def test_programs_without_an_interpreter_file_compute_by_themselves():
    work = balls(80)
    with begun(lambda process: None) as processes, replaced(sys, "executable", ""):
        assert work().possible
    assert not processes


def test_threads_compute_side_by_side_and_hear_a_stop():
    results = [None] * 3
    work = balls(80)

    def run(k):
        results[k] = bits(work())

    threads = [threading.Thread(target=run, args=(k,)) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results[0] is not None and results.count(results[0]) == 3

    stop, ends = _StopFlag(), []

    def stopped():
        try:
            stop.call(hull)
        except KeyboardInterrupt:
            ends.append(time.monotonic())

    def set_stop(_):
        time.sleep(0.5)
        ends.append(time.monotonic())
        stop.set()

    with begun(set_stop) as processes:
        thread = threading.Thread(target=stopped)
        thread.start()
        thread.join()
    assert len(ends) == 2 and ends[1] - ends[0] < 0.3, ends
    assert processes[0].wait(timeout=10) == -signal.SIGKILL


# The package is found by the program's own sys.path alone; the current folder, which is not on it,
# has other modules of those names.
PROGRAM = """
import sys
sys.path[:] = {places!r} + [place for place in sys.path if place]
import child_test
print(child_test.balls(80)().possible, child_test.child.__file__)
"""


def test_programs_find_the_package_by_their_own_path():
    places = [str(pathlib.Path(__file__).parent), str(pathlib.Path(am.__file__).parents[1])]
    bare = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with tempfile.TemporaryDirectory() as folder:
        for name in ("amontons", "json", "numpy"):
            pathlib.Path(folder, f"{name}.py").write_text("print('wrong')\nraise SystemExit(3)\n")
        done = subprocess.run([sys.executable, "-c", PROGRAM.format(places=places)], cwd=folder,
                              capture_output=True, text=True, env=bare, timeout=120)
    assert done.returncode == 0 and done.stdout.startswith("True "), (done.stdout, done.stderr)


if __name__ == "__main__":
    run_tests(globals())
