#!/usr/bin/python3
"""Checks many motions at once: parameters, policies, targets, sensors, against single simulators."""
import os
import signal
import threading
import time

import numpy as np

import amontons as am
from env_test import CART, SERVOS
from harness import FIRST, raises, run_tests
from throws import FRICTION, SCENE


def same(one, other):
    return all(one[name].tobytes() == other[name].tobytes() for name in one)


def by_hand(scene, steps, command=lambda sim, step: None, state=None):
    """Returns (q, v) [steps + 1] of one simulator."""
    sim = am.Simulator(scene, threads=1)
    if state is not None:
        sim.restore(state)
    rows = [(sim.q.copy(), sim.v.copy())]
    for step in range(steps):
        command(sim, step)
        sim.step()
        rows.append((sim.q.copy(), sim.v.copy()))
    return tuple(np.array(column) for column in zip(*rows))


def test_each_motion_has_its_own_parameters_and_the_bits_of_its_scene():
    speeds = [[1, 0, 0], [0, 2, 0], [1, 0, 1], [1, 0, 0]]
    parameters = {FRICTION: np.array([0.1, 0.3, 0.9, 0.1]), "bodies.cube.mass": [1, 2, 3, 1],
                  "bodies.cube.velocity.linear": speeds,
                  "simulation.model": ["coulomb", "coulomb", "convex-relaxation", "coulomb"]}
    one = am.rollout(am.make_scene(SCENE), steps=40, parameters=parameters, threads=1)
    assert same(one, am.rollout(am.make_scene(SCENE), steps=40, parameters=parameters, threads=3))
    assert one["q"].shape == (4, 41, 7) and one["holds"].shape == (4, 40) and one["holds"].all()
    for i in range(4):
        scene = dict(SCENE, materials=[{"name": "wood", "friction": parameters[FRICTION][i]}])
        scene["simulation"] = SCENE["simulation"] | {"model": parameters["simulation.model"][i]}
        scene["bodies"] = [SCENE["bodies"][0], SCENE["bodies"][1] | {
            "mass": parameters["bodies.cube.mass"][i], "velocity": {"linear": speeds[i]}}]
        q, v = by_hand(am.make_scene(scene), 40)
        assert one["q"][i].tobytes() == q.tobytes() and one["v"][i].tobytes() == v.tobytes()
    assert np.array_equal(one["q"][0], one["q"][3]) and not np.array_equal(one["q"][0], one["q"][1])


def test_a_list_of_scenes_moves_each_by_the_bits_of_its_own_simulator():
    def scene(*bodies):
        return am.make_scene({
            "amontons": 1, "simulation": {"step": 0.01, "duration": 1},
            "bodies": [{"name": name, "mass": mass, "shapes": [{shape: size}],
                        "pose": {"position": [0, 0, height]}}
                       for name, mass, shape, size, height in bodies] +
                      [{"name": "ground", "fixed": True,
                        "shapes": [{"half_space": {"normal": [0, 0, 1]}}]}]})

    # The bodies of the second scene are in another order: names find them.
    scenes = [scene(("a", 1.0, "sphere", 0.1, 0.3), ("b", 2.0, "sphere", 0.1, 1.0)),
              scene(("b", 3.0, "box", [0.2, 0.2, 0.2], 1.0), ("a", 1.0, "sphere", 0.1, 0.2)),
              scene(("a", 1.0, "capsule", [0.1, 0.2], 0.9),
                    ("b", 1.0, "sphere", 0.2, 2.0))]
    one = am.rollout(scenes, steps=40, threads=1, sensors=["pose:a"])
    assert same(one, am.rollout(tuple(scenes), steps=40, threads=3, sensors=["pose:a"]))
    for i, own in enumerate(scenes):
        q, v = by_hand(own, 40)
        assert one["q"][i].tobytes() == q.tobytes() and one["v"][i].tobytes() == v.tobytes()
    assert np.array_equal(one["pose:a"][1, :, 2], one["q"][1, 1:, 13])
    # States, commands and policies go with them.
    states = [am.Simulator(own).save() for own in scenes]
    push = am.rollout(scenes, states, steps=40, policy=lambda seen: np.full(seen["v"].shape, 0.5))
    for i, own in enumerate(scenes):
        q, _ = by_hand(own, 40, lambda sim, _: sim.set_efforts(np.full(12, 0.5)))
        assert push["q"][i].tobytes() == q.tobytes()
    said = raises(ValueError, am.rollout, [scenes[0], scene(("a", 1.0, "sphere", 0.1, 1.0))], steps=2)
    assert "start 1" in said and "7 positions" in said, said
    assert "one scene" in raises(ValueError, am.rollout, scenes, steps=2, parameters={FRICTION: [1, 2, 3]})
    assert "empty" in raises(ValueError, am.rollout, [], steps=2)
    assert "scene 1" in raises(TypeError, am.rollout, [scenes[0], "x"], steps=2)
    assert "2 of states" in raises(ValueError, am.rollout, scenes, states[:2], steps=2)
    assert "start 1" in raises(am.UnknownNameError, am.rollout,
                               [scenes[0], scene(("a", 1, "sphere", 1, 2), ("c", 1, "sphere", 1, 5))],
                               steps=1, sensors=["pose:b"])


def test_controls_and_states_go_with_parameters():
    scene = am.load_scene(FIRST)
    sim = am.Simulator(scene)
    states = [sim.save() for _ in range(60) if sim.step()][::20]
    controls = np.random.default_rng(3).standard_normal((3, 15, sim.v.size))
    expected = am.rollout(scene, states, controls)
    friction = {"materials.wood.friction": [0.5] * 3}
    found = am.rollout(scene, states, controls,
                       parameters={path: [value] * 3 for path, value in
                                   {"simulation.duration": 9.0}.items()})
    assert same(expected, found)
    other = am.rollout(scene, states, controls, parameters=friction, sensors=["joint_efforts"])
    assert other["joint_efforts"].shape == (3, 15, sim.v.size)


def test_parameters_replace_the_changes_of_a_state():
    cube = SCENE["bodies"][1] | {"velocity": {"linear": [1, 0, 0]}}
    scene = am.make_scene(SCENE | {"bodies": [SCENE["bodies"][0], cube]})
    plain = am.Simulator(scene).save()
    sim = am.Simulator(scene)
    sim.set_wrench("cube", [3.0, 0.0, 0.0])
    sim.set_material("wood", friction=0.7, restitution=0.2)
    sim.set_mass("cube", 5.0)
    sim.set_gravity([1.0, 0.0, -9.81])
    state = sim.save()
    # One value of each is that of the scene itself.
    set_property = {FRICTION: lambda value: sim.set_material("wood", friction=value),
                    "bodies.cube.mass": lambda value: sim.set_mass("cube", value),
                    "gravity": sim.set_gravity}
    for path, values in ((FRICTION, [0.3, 0.6]), ("bodies.cube.mass", [0.4, 1.0]),
                         ("gravity", [[0, 0, -9.81], [2, 0, -9]])):
        found = am.rollout(scene, [state] * 2, steps=20, parameters={path: values})
        for i, value in enumerate(values):
            sim.restore(state)
            set_property[path](value)
            expected = by_hand(scene, 20, state=sim.save())[1]
            assert np.allclose(found["v"][i], expected, rtol=0, atol=1e-12), (path, i)
    # A state without changes has the parameters as ever.
    found = am.rollout(scene, [plain], steps=20, parameters={FRICTION: [0.0]})
    assert not np.allclose(found["v"], am.rollout(scene, [plain], steps=20)["v"])


def test_controls_end_the_commands_of_a_state():
    scene = am.make_scene(SCENE)
    sim = am.Simulator(scene)
    plain = sim.save()
    sim.set_wrench("cube", [3.0, 0.0, 0.0])
    state = sim.save()
    controls = np.zeros((1, 20, sim.v.size))
    assert same(am.rollout(scene, [state], controls), am.rollout(scene, [plain], controls))
    assert not same(am.rollout(scene, [state], steps=20), am.rollout(scene, [plain], steps=20))
    # A policy that leaves them keeps them.
    kept = am.rollout(scene, [state], steps=20, policy=lambda seen: None)
    assert same(kept, am.rollout(scene, [state], steps=20))


def test_a_policy_sees_all_motions_and_commands_the_next_step():
    masses, seen_steps = [0.5, 1.0, 2.0], []

    def policy(seen):
        assert seen["q"].shape == (3, 2) and seen["time"].shape == (3,)
        seen_steps.append(seen["step"])
        efforts = np.zeros((3, 2))
        efforts[:, 0] = -3.0 * seen["q"][:, 0] - seen["v"][:, 0]
        seen["q"][:] = np.nan  # its own arrays
        return efforts

    parameters = {"bodies.cart.mass": masses, "joints.rail.position": [0.3] * 3}
    scene = am.make_scene(CART)
    found = am.rollout(scene, steps=30, parameters=parameters, policy=policy, threads=2)
    assert seen_steps == list(range(30))
    for i, mass in enumerate(masses):
        own = am.make_scene(CART | {
            "bodies": [CART["bodies"][0] | {"mass": mass}, CART["bodies"][1]],
            "joints": [CART["joints"][0] | {"position": 0.3}, CART["joints"][1]]})
        q, _ = by_hand(own, 30, lambda sim, _: sim.set_efforts(
            [-3.0 * sim.q[0] - sim.v[0], 0.0]))
        assert found["q"][i].tobytes() == q.tobytes()


def test_targets_move_servos_and_a_policy_may_give_them():
    scene = am.make_scene(SERVOS)
    targets = np.linspace(0, 1, 2 * 50).reshape(2, 50, 1)
    found = am.rollout(scene, targets=targets, servos=["rail"])
    policy = am.rollout(scene, steps=50, states=[am.Simulator(scene).save()] * 2, servos=["rail"],
                        policy=lambda seen: targets[:, seen["step"]])
    assert same(found, policy)
    q, _ = by_hand(scene, 50, lambda sim, step: sim.set_servo_target("rail", targets[1, step, 0]))
    assert found["q"][1].tobytes() == q.tobytes() and 0.5 < q[-1, 0] < 1.1


def test_the_target_of_a_servo_without_kp_is_its_rate():
    scene = am.make_scene({
        "amontons": 1, "gravity": [0, 0, 0], "simulation": {"step": 0.01, "duration": 1},
        "bodies": [{"name": "wheel", "mass": 1, "inertia": [0.1, 0.1, 0.1]}],
        "joints": [{"name": "axle", "type": "continuous", "parent": "world", "child": "wheel",
                    "axis": [0, 0, 1], "at": [0, 0, 0]}],
        "actuators": [{"joint": "axle", "velocity": {"target": 1, "kd": 1e5}}]})
    found = am.rollout(scene, targets=np.full((1, 20, 1), 2.0), servos=["axle"])
    assert np.allclose(found["v"][0, -1], 2.0, atol=1e-3)
    sim = am.Simulator(scene)
    for arguments in ((3.0,), (0.0, 3.0), (3.0, 3.0)):
        sim.reset()
        sim.set_servo_target("axle", *arguments)
        sim.step()
        assert np.allclose(sim.v, 3.0, atol=1e-3), (arguments, sim.v)
    assert "give one of both" in raises(ValueError, sim.set_servo_target, "axle", 1.0, 2.0)


def test_sensors_have_no_reading_in_impacts():
    scene = am.make_scene(SCENE | {"simulation": {"step": 0.01, "duration": 0.5,
                                                  "method": "event-driven"}})
    found = am.rollout(scene, states=[am.Simulator(scene).save()], steps=60,
                       sensors=["imu:cube", "pose:cube"])
    impacts = np.isnan(found["imu:cube"][0]).all(axis=1)
    assert 0 < impacts.sum() < 60 and np.isfinite(found["pose:cube"]).all()


def test_sensors_read_what_a_simulator_reads():
    scene = am.make_scene(SCENE)
    names = ["pose:cube", "imu:cube", "contact_wrench:cube", "joint_efforts"]
    heard = []
    found = am.rollout(scene, steps=30, parameters={FRICTION: [0.2, 0.8]}, sensors=names,
                       policy=lambda seen: heard.append({k: seen[k] for k in names}))
    sim = am.Simulator(am.make_scene(SCENE | {"materials": [{"name": "wood", "friction": 0.8}]}))
    for step in range(30):
        sim.step()
        cube = sim.bodies["cube"]
        force, torque = cube.contact_wrench
        acceleration, rate = cube.imu
        assert np.allclose(found["pose:cube"][1, step, :3], cube.position, atol=0)
        assert np.allclose(found["contact_wrench:cube"][1, step], [*force, *torque], atol=1e-12)
        assert np.allclose(found["imu:cube"][1, step], [*acceleration, *rate], atol=1e-12)
    # Before the first step there are poses, but no means over a step.
    assert all(np.isnan(heard[0][name]).all() for name in names if name != "pose:cube")
    assert np.array_equal(heard[0]["pose:cube"][0, :3], am.Simulator(scene).bodies["cube"].position)
    assert all(np.array_equal(heard[k + 1]["pose:cube"], found["pose:cube"][:, k])
               for k in range(29))
    # At rest the floor carries the weight.
    assert np.allclose(found["contact_wrench:cube"][:, -1, 2], 0.4 * 9.81, atol=1e-6)


def test_progress_counts_and_ctrl_c_ends_it_at_once():
    calls = []
    am.rollout(am.make_scene(SCENE), steps=20, parameters={FRICTION: [0.1]},
               progress=lambda *now: calls.append(now))
    assert calls[-1] == (20, 20)
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    try:
        am.rollout(am.make_scene(SCENE), steps=10**6, parameters={FRICTION: [0.1] * 8}, threads=2)
        raise AssertionError("Ctrl-C was not heard")
    except (KeyboardInterrupt, MemoryError) as end:
        assert isinstance(end, KeyboardInterrupt)
    assert time.monotonic() - begin < 10


def test_mistakes_are_refused():
    scene = am.make_scene(SCENE)

    def said(error=ValueError, **options):
        return raises(error, am.rollout, scene, **options)

    assert "one entry per motion" in said(steps=3)
    assert "2 of materials.wood.friction, 3 of bodies.cube.mass" in said(
        steps=3, parameters={FRICTION: [0.1, 0.2], "bodies.cube.mass": [1, 2, 3]})
    assert "start 1: " in said(steps=3, parameters={FRICTION: [0.1, -0.2]})
    assert "did you mean 'friction'" in said(steps=3, parameters={"materials.wood.fricton": [1]})
    assert "controls, targets or steps" in said(parameters={FRICTION: [0.1]})
    assert "steps must be a whole number" in said(parameters={FRICTION: [0.1]}, steps=-1)
    assert "one of controls, targets and policy" in said(
        controls=np.zeros((1, 2, 6)), policy=lambda seen: None)
    assert "targets need servos" in said(targets=np.zeros((1, 2, 1)))
    assert "servos need targets" in said(steps=1, parameters={FRICTION: [0.1]}, servos=["a"])
    assert "list of names" in said(steps=1, parameters={FRICTION: [0.1]}, sensors="pose:cube")
    assert "[1, 6]" in said(steps=2, parameters={FRICTION: [0.1]},
                            policy=lambda seen: np.zeros(6))
    assert "start 0: " in said(targets=np.zeros((1, 2, 1)), servos=["wheel"])
    assert "policy must be a function" in said(TypeError, steps=1, policy=3,
                                               parameters={FRICTION: [0.1]})
    for name in ("pose:cub", "pose", "imu:BODY", "gyro", "", "joint_effort"):
        assert "there is no" in said(KeyError, steps=1, parameters={FRICTION: [0.1]},
                                     sensors=[name])
    assert am.rollout(scene, steps=3, parameters={FRICTION: []})["q"].shape[0] == 0

    def fails(seen):
        raise RuntimeError("of mine")

    assert said(RuntimeError, steps=1, policy=fails, parameters={FRICTION: [0.1]}) == "of mine"


def test_no_motions_have_the_widths_of_any_other_number():
    scene = am.load_scene(FIRST)
    sim = am.Simulator(scene)
    for given in ({"states": []}, {"states": [], "sensors": ["pose:crate"]},
                  {"parameters": {"materials.wood.friction": []}, "sensors": ["pose:crate"]},
                  {"controls": np.zeros((0, 3, sim.v.size))}):
        found = am.rollout(scene, steps=3, **given)
        assert found["q"].shape == (0, 4, sim.q.size) and found["v"].shape == (0, 4, sim.v.size)
        assert found["time"].shape == (0, 4) and found["holds"].shape == (0, 3)
        if "sensors" in given:
            assert found["pose:crate"].shape == (0, 3, 7)


def test_parameters_of_the_start_are_refused_beside_states():
    scene = am.make_scene(SCENE)
    state = am.Simulator(scene).save()
    here = [0, 0, 0.1]
    for path, values in (("bodies.cube.velocity.linear", [[0, 0, 0], [1, 1, 1]]),
                         ("bodies.cube.pose.position", [here, [5, 0, 3]]),
                         ("bodies.cube.pose", [{"position": here}, {"position": [5, 0, 3]}])):
        said = raises(ValueError, am.rollout, scene, [state] * 2, steps=2, parameters={path: values})
        assert path in said and "states" in said, said
        assert am.rollout(scene, steps=2, parameters={path: values})["q"].shape[0] == 2
    # What moves the bodies from the states, too, stays allowed.
    for path, values in ((FRICTION, [0.1, 0.9]), ("bodies.cube.mass", [1.0, 2.0]),
                         ("bodies.cube.center_of_mass", [[0, 0, 0], [0, 0, 0.01]]),
                         ("simulation.step", [0.001, 0.002])):
        assert am.rollout(scene, [state] * 2, steps=2, parameters={path: values})["q"].shape[0] == 2


if __name__ == "__main__":
    run_tests(globals())
