#!/usr/bin/python3
"""Checks joints that begin detached.  usage: attached_test.py PROGRAM"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import amontons as am
from harness import raises, run_tests

PROGRAM = pathlib.Path(sys.argv[1]).resolve()


def body(name, position, **keys):
    return {"name": name, "mass": 1.0, "inertia": [0.1, 0.1, 0.1],
            "pose": {"position": position}, **keys}


def content(**joint):
    """Returns a scene of two bodies in space that a joint may join, with a servo along it."""
    return {"amontons": 1, "simulation": {"step": 0.001, "duration": 0.2}, "gravity": [0, 0, 0],
            "bodies": [body("a", [0, 0, 0]), body("b", [1, 0, 0], velocity={"linear": [0, 0.5, 0]})],
            "joints": [{"name": "j", "type": "revolute", "parent": "a", "child": "b",
                        "axis": [0, 0, 1], "at": [0.5, 0, 0], "limits": [-0.2, 0.2],
                        "coulomb_friction": 0.3, "attached": False, **joint}],
            "actuators": [{"joint": "j", "position": {"target": 0.1, "kp": 5.0, "kd": 1.0}}]}


def amontons(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_bodies_move_as_without_a_joint_that_begins_detached():
    sim = am.Simulator(am.make_scene(content()))
    assert not sim.joints["j"].attached and sim.joints["j"].limits == (-np.inf, np.inf)
    assert "detached" in raises(ValueError, sim.set_effort, "j", 1.0)
    while not sim.finished:
        assert sim.step().certificate.holds
    # The child keeps its own velocity, which the joint would not allow, and nothing pulls.
    assert np.allclose(sim.bodies["b"].velocity, [0, 0.5, 0], atol=1e-12)
    assert np.allclose(sim.bodies["a"].velocity, 0, atol=1e-12)
    assert np.allclose(sim.joints["j"].wrench[0], 0)


def test_a_joint_that_is_attached_later_is_the_one_of_the_scene():
    late, early = content(), content(attached=True)
    late["bodies"][1].pop("velocity")
    early["bodies"][1].pop("velocity")
    one, other = am.Simulator(am.make_scene(late)), am.Simulator(am.make_scene(early))
    one.attach("j")
    assert one.joints["j"].attached and one.joints["j"].limits == (-0.2, 0.2)
    for _ in range(100):
        assert one.step().certificate.holds
        other.step()
        assert one.q.tobytes() == other.q.tobytes() and one.v.tobytes() == other.v.tobytes()
    assert one.joints["j"].position > 0.01
    # Motions from either start have the same coordinates.
    both = am.rollout(am.make_scene(late), steps=20, parameters={"joints.j.attached": [True, False]})
    assert not np.array_equal(both["q"][0], both["q"][1]) and np.allclose(both["v"][1], 0)
    # A new episode begins detached again.
    one.reset()
    assert not one.joints["j"].attached
    one.step()
    assert np.allclose(one.v, 0)


def test_a_weld_that_begins_detached_holds_what_it_finds_and_its_bodies_collide_before():
    scene = content()
    scene["joints"] = [{"name": "grip", "type": "fixed", "parent": "a", "child": "b",
                        "attached": False}]
    scene.pop("actuators")
    for one in scene["bodies"]:
        one["shapes"] = [{"sphere": 0.2, "material": "wood"}]
    scene["materials"] = [{"name": "wood", "friction": 0.0, "restitution": 1.0}]
    scene["bodies"][1]["velocity"] = {"linear": [-4.0, 0, 0]}
    sim = am.Simulator(am.make_scene(scene))
    while sim.bodies["a"].velocity[0] > -1:
        sim.step()
    # Equal balls exchange their velocities.
    assert np.allclose(sim.bodies["a"].velocity, [-4, 0, 0], atol=1e-9)
    sim.attach("grip")
    gap = sim.bodies["b"].position - sim.bodies["a"].position
    for _ in range(20):
        assert sim.step().certificate.holds
    assert np.allclose(sim.bodies["b"].position - sim.bodies["a"].position, gap, atol=1e-6)
    assert np.allclose(sim.bodies["a"].velocity, [-2, 0, 0], atol=1e-9)


def test_runs_are_verified_resumed_and_restored():
    scene = am.make_scene(content())
    with tempfile.TemporaryDirectory() as folder:
        run = pathlib.Path(folder, "run.h5")
        sim = am.Simulator(scene)
        with am.record(sim, scene, run):
            for k in range(60):
                if k == 30:
                    sim.attach("j")
                if k == 50:
                    sim.detach("j")
                sim.step()
        code, said = amontons("verify", run)
        assert code == 0, said
        state = sim.save()
        twin = am.Simulator(scene)
        twin.restore(state)
        assert not twin.joints["j"].attached
        twin.attach("j"), sim.attach("j")
        for _ in range(10):
            sim.step(), twin.step()
        assert sim.q.tobytes() == twin.q.tobytes()
        # The program runs the scene, and attaches the joint where it is told to.
        file, whole = pathlib.Path(folder, "scene.yaml"), pathlib.Path(folder, "whole.h5")
        file.write_text(json.dumps(content(), indent=1))
        rates = []
        for more in ([], ["--set", "joints.j.attached=true"]):
            code, said = amontons("run", file, "-o", whole, "--force", *more,
                                  "--set", "bodies.b.velocity.linear=[0,0,0]")
            assert code == 0, said
            code, said = amontons("verify", whole)
            assert code == 0, said
            with am.open_run(whole) as recorded:
                rates.append(np.abs(recorded.v).max())
        assert rates[0] == 0 and rates[1] > 0.01


def test_info_lists_detached_joints_and_counts_no_rows_of_them():
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "scene.yaml")
        file.write_text(json.dumps(content()))
        code, said = amontons("info", file, "--json")
        told = json.loads(said)
        assert told["detached_joints"] == ["j"] and told["loop_joints"] == 1
        assert told["joint_rows"] == {"rows": 0, "rank": 0}
        code, said = amontons("lint", file)
        assert code == 0 and "redundant" not in said, said


def test_what_would_depend_on_a_detached_joint_is_an_error():
    def fault(change):
        scene = content()
        change(scene)
        return raises(am.ParseError, am.make_scene, scene)

    assert "cannot place" in fault(lambda scene: scene["joints"][0].update(position=0.1))
    assert "cannot place" in fault(lambda scene: scene["joints"][0].update(rate=0.1))
    assert "tree" in fault(lambda scene: scene["joints"][0].update(coordinates="reduced"))
    gear = content()
    gear["bodies"].append(body("c", [0, 2, 0]))
    gear["joints"].append({"name": "k", "type": "revolute", "parent": "world", "child": "c",
                           "axis": [0, 0, 1], "at": [0, 2, 0]})
    gear["couplings"] = [{"name": "gear", "joint": "k", "reference": "j", "multiplier": 2}]
    said = raises(ValueError, am.Simulator, am.make_scene(gear))
    assert "'j' begins detached" in said and "coupling" in said, said


if __name__ == "__main__":
    run_tests(globals())
