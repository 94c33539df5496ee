#!/usr/bin/python3
"""Checks that Ctrl-C is heard inside a step, and leaves the state of the step's start."""
import copy
import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np

import amontons as am
from amontons._core import _StopFlag
from harness import FIRST, raises, run_tests


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


# A solver in Python, which Ctrl-C reaches in its own code, in what it calls, and between.
SOLVERS = {"solve": "p.solve()[0].impulses[:3 * g.size]", "A": "p.A[0, 0] * 0 + np.zeros(3 * g.size)"}
PROGRAM = """
import sys
import numpy as np
import amontons as am
from interrupt_test import heap
sim = am.Simulator(heap(60), threads={threads})
print("ready", flush=True)
while True:
    sim.reset()
    for _ in range(5):
        sim.step(solver=lambda p, g: {solver})
"""


def interrupted(program, delay):
    """Returns (seconds from Ctrl-C to its end, what it said) of a program."""
    search = os.pathsep.join((str(pathlib.Path(__file__).parent), *sys.path))
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, start_new_session=True,
                               env=os.environ | {"PYTHONPATH": search})
    process.stdout.readline()
    time.sleep(delay)
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    try:
        _, said = process.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    return time.monotonic() - begin, said


def test_ctrl_c_in_a_solver_of_python_is_a_plain_keyboard_interrupt():
    random = np.random.default_rng(1)
    for solver in SOLVERS.values():
        for threads in (1, 2):
            for _ in range(4):
                _, said = interrupted(PROGRAM.format(solver=solver, threads=threads),
                                      random.uniform(0.05, 0.4))
                assert said.startswith("Traceback"), said
                assert said.endswith("\nKeyboardInterrupt\n") and "lost" not in said, said
                assert "unknown exception" not in said and said.count("Traceback") == 1, said


def test_ctrl_c_stops_the_threads_of_environments():
    def observe(sim):
        seen[threading.get_ident()] = sim.time
        return [sim.time]

    scene, seen = heap(200), {}
    for threads in (1, 2):
        envs = am.VectorEnv(pushed(scene), 4, joints=["rail"], threads=threads, substeps=10000,
                            observe=observe)
        envs.reset()
        seen.clear()
        interrupt_after(0.5)
        begin = time.monotonic()
        raises(KeyboardInterrupt, envs.step, np.zeros((4, 1)))
        assert time.monotonic() - begin < 20  # 10000 steps take minutes
        times = [env.simulator.time for env in envs.envs]
        time.sleep(0.3)
        assert times == [env.simulator.time for env in envs.envs]
        assert "call reset()" in raises(ValueError, envs.step, np.zeros((4, 1)))
        envs.reset()
        envs.close()


def pushed(scene):
    """Returns the scene with a cart on a rail beside it, which an action can push."""
    contents = json.loads(scene.text)
    contents["bodies"].append({"name": "cart", "mass": 1, "inertia": [1, 1, 1],
                               "pose": {"position": [5, 0, 5]}})
    contents["joints"] = [{"name": "rail", "type": "prismatic", "parent": "world", "child": "cart",
                           "axis": [1, 0, 0], "at": [5, 0, 5]}]
    contents["simulation"]["duration"] = 1e6
    return am.make_scene(contents)


def test_ctrl_c_is_heard_by_large_pictures_and_by_hulls_of_grasps():
    film = am.Film(am.Simulator(heap(300)), size=(4096, 4096))
    rng = np.random.default_rng(0)
    points = rng.normal(size=(60, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]

    def hull():
        return am.Grasp(points, -points, 0.5, directions=16).volume

    for work in (film.array, hull):
        interrupt_after(0.2)
        try:
            begin = time.monotonic()
            while time.monotonic() < begin + 60:
                work()
            raise AssertionError("Ctrl-C was not heard")
        except KeyboardInterrupt:
            assert time.monotonic() - begin < 5


# SciPy reads the tables of Sobol's sequences by numpy.load, at the first one of a process.
FIRST_SOBOL = """
import os
import signal
import sys
import time
import numpy as np
import amontons as am

load = np.load

def interrupting(*arguments, **options):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.05)
    return load(*arguments, **options)

np.load = interrupting
scene = am.load_scene(sys.argv[1], {{"simulation.duration": 0.1}})
motion = am.Motion(np.linspace(0, 0.1, 11), {{"crate": np.zeros((11, 3))}})
bounds = {{"materials.wood.friction": (0.1, 0.9)}}
try:
    {call}
except KeyboardInterrupt:
    print("heard")
# The tables are whole: the same call has an answer now.
np.load = load
{call}
print("answered")
"""
SOBOL_CALLS = ("am.fit(scene, [motion], bounds, starts=1, samples=4, max_iterations=2)",
               "am.fit(scene, [motion], bounds, search='global', generations=1, max_iterations=2)",
               "am.campaign(scene, {'materials.wood.friction': am.Range(0.1, 0.9)}, "
               "samples=2, workers=1)")


def test_ctrl_c_in_the_first_sobol_sequence_is_heard():
    for call in SOBOL_CALLS:
        done = subprocess.run([sys.executable, "-c", FIRST_SOBOL.format(call=call), FIRST],
                              capture_output=True, text=True, timeout=120,
                              env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})
        assert done.stdout == "heard\nanswered\n", (call, done.stdout, done.stderr)
        assert "ignored" not in done.stderr, done.stderr


LOCKED_POOL = """
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from amontons.interrupts import map_on

calls = []
with ThreadPoolExecutor(2) as pool:
    semaphore = pool._idle_semaphore
    acquire = semaphore.acquire

    def interrupting(*arguments, **options):
        calls.append(1)
        if len(calls) == 3:
            semaphore._cond.acquire()
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.05)
            semaphore._cond.release()
        return acquire(*arguments, **options)

    semaphore.acquire = interrupting
    map_on(pool, lambda item: time.sleep(0.01), range(20))
"""


def test_ctrl_c_while_work_is_handed_out_leaves_no_lock_of_the_pool_taken():
    done = subprocess.run([sys.executable, "-c", LOCKED_POOL], capture_output=True, text=True,
                          timeout=30, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})
    assert done.stderr.endswith("\nKeyboardInterrupt\n"), done.stderr


def stopped_at_once(call):
    """Returns True if a call in a thread ends with KeyboardInterrupt where its work is to stop."""
    stop, found = _StopFlag(), []

    def begin():
        stop.set()
        call()

    def run():
        try:
            stop.call(begin)
            found.append(False)
        except KeyboardInterrupt:
            found.append(True)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return found[0]


def test_long_calls_beside_steps_hear_a_stop():
    scene = heap(20)
    sim, bytes_of = am.Simulator(scene), pickle.dumps(scene)
    problem = sim.step().problem
    still = np.zeros(sim.v.size)
    calls = (lambda: pickle.loads(bytes_of), lambda: copy.deepcopy(scene), lambda: problem.jams(),
             lambda: am.Film(sim, size=(64, 64)), lambda: problem.opening_velocities(),
             lambda: sim.inverse_dynamics(sim.q, still, still, contacts=True, touching=1.0))
    for k, call in enumerate(calls):
        assert stopped_at_once(call) == (k != 1), k  # a copy reads nothing
        call()


def test_ctrl_c_ends_the_search_for_forces_of_many_contacts():
    program = """
import numpy as np
import amontons as am
from interrupt_test import heap
sim = am.Simulator(heap(200))
print("ready", flush=True)
while True:
    sim.inverse_dynamics(sim.q, sim.v, 0 * sim.v, contacts=True, touching=1.0)
"""
    seconds, said = interrupted(program, 1.0)
    assert said.endswith("KeyboardInterrupt\n") and seconds < 5, (seconds, said)


def test_islands_too_large_to_examine_cost_a_search_for_jams_nothing():
    sim = am.Simulator(heap(400))
    problem = None
    while problem is None or problem.num_contacts < 1000:
        problem = sim.step().problem
    begin = time.process_time()
    problem.jams(8)
    few = time.process_time()
    problem.jams(1000)
    assert time.process_time() - few < 0.3 + 10 * (few - begin)


if __name__ == "__main__":
    run_tests(globals())
