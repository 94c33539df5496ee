#!/usr/bin/python3
"""Checks states, controllers and rollouts: a motion cut into parts has the same bits."""
import copy
import pickle
import threading
import time

import numpy as np

import amontons as am
from harness import FIRST, raises, run_tests

SLIDE = {"amontons": 1, "gravity": [0, 0, 0], "simulation": {"step": 0.01, "duration": 1},
         "bodies": [{"name": "mass", "mass": 2, "inertia": [1, 1, 1]}],
         "joints": [{"name": "slide", "type": "prismatic", "parent": "world", "child": "mass",
                     "axis": [0, 0, 1]}]}


def test_a_saved_state_goes_on_bit_for_bit():
    sim = am.Simulator(am.load_scene(FIRST))
    for _ in range(150):
        sim.step()
    state = sim.save()
    assert state.step_count == 150 and state.q.tobytes() == sim.q.tobytes()
    ends = []
    for _ in range(2):
        sim.restore(state)
        for _ in range(100):
            sim.step()
        ends.append((sim.q.tobytes(), sim.v.tobytes(), sim.time))
    other = am.Simulator(am.load_scene(FIRST))
    other.restore(state)
    for _ in range(100):
        other.step()
    assert ends[0] == ends[1] == (other.q.tobytes(), other.v.tobytes(), other.time)


def test_a_profile_divides_the_time_of_steps_and_changes_no_bit():
    plain, measured = (am.Simulator(am.load_scene(FIRST)) for _ in range(2))
    with am.Profile() as profile:
        began = time.perf_counter()
        for _ in range(200):
            measured.step()
        wall = time.perf_counter() - began
        assert raises(RuntimeError, profile.__enter__)
    times = profile.times
    for _ in range(200):
        plain.step()
    assert list(times) == ["collision", "dynamics", "assembly", "solve", "certificate", "log", "other"]
    assert min(times.values()) >= 0 and wall <= sum(times.values()) < wall + 0.05
    assert times["solve"] > 0 and times["collision"] > 0 and times["log"] == 0
    assert plain.q.tobytes() == measured.q.tobytes()
    other = []
    with am.Profile() as profile:
        thread = threading.Thread(target=lambda: other.append(raises(RuntimeError, profile.__exit__)))
        thread.start()
        thread.join()
    assert other[0] and profile.times["solve"] == 0


def test_a_controller_commands_every_step():
    sim = am.Simulator(am.make_scene(SLIDE))
    seen = []

    def push(simulator):
        seen.append(simulator.time)
        simulator.set_effort("slide", 4.0)

    sim.set_controller(push)
    while not sim.finished:
        sim.step()
    assert len(seen) == 100 and abs(sim.v[0] - 2.0) < 1e-12
    sim.reset()
    sim.set_controller(None)
    sim.step()
    assert sim.v[0] == 0.0 and len(seen) == 100


def test_an_error_of_a_controller_arrives():
    sim = am.Simulator(am.make_scene(SLIDE))

    def fail(_):
        raise KeyError("no such sensor")

    sim.set_controller(fail)
    assert "no such sensor" in raises(KeyError, sim.step)


def test_rollouts_are_what_a_simulator_does_for_any_number_of_threads():
    scene = am.load_scene(FIRST)
    sim = am.Simulator(scene)
    states = []
    for _ in range(5):
        for _ in range(40):
            sim.step()
        states.append(sim.save())
    random = np.random.default_rng(7)
    controls = random.standard_normal((5, 30, sim.v.size))
    one = am.rollout(scene, states, controls, threads=1)
    two = am.rollout(scene, states, controls, threads=2)
    assert all(one[name].tobytes() == two[name].tobytes() for name in one)
    assert one["q"].shape == (5, 31, sim.q.size) and one["holds"].all()
    sim.restore(states[3])
    for step in range(30):
        sim.set_efforts(controls[3, step])
        sim.step()
    assert one["q"][3, -1].tobytes() == sim.q.tobytes()
    assert one["time"][3, -1] == sim.time


def test_rollouts_refuse_what_does_not_fit():
    scene = am.make_scene(SLIDE)
    state = am.Simulator(scene).save()
    assert "controls or steps" in raises(ValueError, am.rollout, scene, [state])
    assert "shape" in raises(ValueError, am.rollout, scene, [state], np.zeros((3, 1)))
    assert "2 tables" in raises(ValueError, am.rollout, scene, [state], np.zeros((2, 3, 1)))
    assert am.rollout(scene, [], steps=3)["q"].shape[0] == 0


DRIVEN = {"amontons": 1, "simulation": {"step": 0.01, "duration": 1},
          "bodies": [{"name": "arm", "mass": 2, "inertia": [1, 1, 1]},
                     {"name": "block", "mass": 1, "inertia": [1, 1, 1]},
                     {"name": "sled", "mass": 1, "inertia": [1, 1, 1]}],
          "joints": [{"name": "hinge", "type": "revolute", "parent": "world", "child": "arm",
                      "axis": [0, 1, 0], "at": [-0.5, 0, 0]},
                     {"name": "rail", "type": "prismatic", "parent": "world", "child": "sled",
                      "axis": [1, 0, 0], "coordinates": "maximal", "coulomb_friction": 0.1}],
          "actuators": [{"joint": "hinge", "position": {"target": 0.2, "kp": 30, "kd": 3}}]}


def commanded(sim, share=1.0):
    """Gives each kind of command that lasts."""
    sim.set_servo_target("hinge", -0.7 * share, 0.1)
    sim.set_efforts(np.linspace(0.1, 0.9, sim.v.size) * share)
    sim.set_effort("rail", 0.6 * share)
    sim.set_wrench("arm", [0, 0, 5 * share], [0, share, 0], [0.1, 0, 0])
    sim.set_wrench("block", [share, 0, 9.81], [0, 0, 0.2])


def test_a_saved_state_has_the_commands_in_force():
    sim = am.Simulator(am.make_scene(DRIVEN))
    start = sim.save()
    commanded(sim)
    for _ in range(10):
        sim.step()
    state = sim.save()

    def end(other):
        for _ in range(20):
            other.step()
        return other.q.tobytes() + other.v.tobytes()
    expected = end(sim)
    for saved in (state, pickle.loads(pickle.dumps(state)), copy.deepcopy(state)):
        other = am.Simulator(am.make_scene(DRIVEN))
        other.restore(saved)
        assert end(other) == expected
        commanded(other, 0.5)                    # what was given since then ends
        other.restore(saved)
        assert end(other) == expected
    motions = am.rollout(am.make_scene(DRIVEN), [state] * 2, steps=20, threads=1)
    assert motions["q"][1, -1].tobytes() + motions["v"][1, -1].tobytes() == expected
    # The start had none: the servo returns to the target of its scene.
    sim.restore(start)
    assert end(sim) == end(am.Simulator(am.make_scene(DRIVEN))) != expected


def test_commands_of_another_scene_are_refused_and_change_nothing():
    sim, other = am.Simulator(am.make_scene(DRIVEN)), DRIVEN | {"actuators": []}
    commanded(sim)
    stranger = am.Simulator(am.make_scene(other))
    stranger.step()
    q = stranger.q.tobytes()
    assert "another scene" in raises(ValueError, stranger.restore, sim.save())
    assert stranger.q.tobytes() == q


if __name__ == "__main__":
    run_tests(globals())
