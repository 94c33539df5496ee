#!/usr/bin/python3
"""Checks what changes during a run.  usage: changes_test.py PROGRAM"""
import copy
import pathlib
import pickle
import subprocess
import sys
import tempfile

import h5py
import numpy as np

import amontons as am
from harness import raises, run_tests

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
GROUND = {"name": "ground", "fixed": True,
          "shapes": [{"half_space": {"normal": [0, 0, 1]}, "material": "floor"}]}


def box(name, position, **keys):
    return {"name": name, "mass": 1.0, "shapes": [{"box": [0.2, 0.2, 0.2], "material": "wood"}],
            "pose": {"position": position}, **keys}


def scene(**keys):
    return am.make_scene({
        "amontons": 1, "simulation": {"step": 0.002, "duration": 10, **keys.pop("simulation", {})},
        "materials": [{"name": "wood", "friction": 0.4}, {"name": "floor", "friction": 0.4}],
        "bodies": [GROUND, box("box", [0, 0, 0.1], velocity={"linear": [3, 0, 0]})], **keys})


def deceleration(sim, steps=20):
    before = sim.v[3]
    for _ in range(steps):
        sim.step()
    return (before - sim.v[3]) / (0.002 * steps)


def test_friction_and_gravity_act_from_the_next_step_on():
    sim = am.Simulator(scene())
    assert np.isclose(deceleration(sim), 0.4 * 9.81, rtol=1e-6)
    sim.set_material("floor", friction=0.1)
    assert np.isclose(sim.material_pair("wood", "floor")["friction"], 0.2)
    assert np.isclose(deceleration(sim), 0.2 * 9.81, rtol=1e-6)
    sim.set_material_pair("floor", "wood", friction=0.3)
    sim.set_material("floor", friction=0.9)          # the pair keeps its own
    sim.set_gravity([0, 0, -1.62])
    assert np.isclose(deceleration(sim), 0.3 * 1.62, rtol=1e-6)
    assert np.allclose(sim.gravity, [0, 0, -1.62])
    sim.reset()
    assert np.allclose(sim.gravity, [0, 0, -9.81])
    assert np.isclose(deceleration(sim), 0.4 * 9.81, rtol=1e-6)


def test_a_body_at_rest_notices_a_change():
    # A box that rests is not computed again; a change must still reach it.
    sim = am.Simulator(scene(gravity=[1.0, 0, -9.81], bodies=[GROUND, box("box", [0, 0, 0.1])]))
    for _ in range(200):
        sim.step()
    assert np.allclose(sim.v, 0)
    sim.set_material_pair("wood", "floor", friction=0.05)
    assert np.isclose(-deceleration(sim), 1.0 - 0.05 * 9.81, rtol=1e-5)
    sim.set_material_pair("wood", "floor", friction=2.0)
    for _ in range(300):
        sim.step()
    assert np.allclose(sim.v, 0, atol=1e-9)


def test_masses_change_with_their_inertia():
    sim = am.Simulator(scene(gravity=[0, 0, 0], bodies=[box("box", [0, 0, 1])]))
    M = sim.mass_matrix()
    sim.set_mass("box", 2.5)
    assert sim.mass("box") == 2.5 and np.allclose(sim.mass_matrix(), 2.5 * M)
    sim.set_wrench("box", [5.0, 0, 0])
    sim.step()
    assert np.isclose(sim.v[3], 5.0 / 2.5 * 0.002)
    for mass in (0.0, -1.0, np.inf, np.nan):
        raises(ValueError, sim.set_mass, "box", mass)
    assert sim.mass("box") == 2.5


def test_the_works_of_a_step_begin_after_the_changes_of_the_program():
    sim = am.Simulator(scene())
    before = sim.step().energy.kinetic
    sim.set_mass("box", 4.0)
    energy = sim.step().energy
    works = sum(getattr(energy, name) for name in (
        "gravity", "actuators", "contact_normal", "contact_friction", "springs", "joint_friction",
        "impacts", "stabilization", "integration", "unexplained"))
    # Four times the mass and inertia: the step starts with four times the energy.
    assert abs(energy.kinetic - works - 4.0 * before) < 1e-12 * energy.kinetic


def test_gains_of_servos_change():
    sim = am.Simulator(am.make_scene({
        "amontons": 1, "gravity": [0, 0, 0], "simulation": {"step": 0.001, "duration": 1},
        "bodies": [{"name": "arm", "mass": 1, "inertia": [1, 1, 1]}],
        "joints": [{"name": "hinge", "type": "revolute", "parent": "world", "child": "arm",
                    "axis": [0, 0, 1], "at": [0, 0, 0]}],
        "actuators": [{"joint": "hinge", "position": {"target": 0.1, "kp": 10.0}}]}))
    sim.step()
    weak = sim.joints["hinge"].effort
    sim.reset()
    sim.set_servo_gains("hinge", kp=40.0)
    sim.step()
    assert np.isclose(sim.joints["hinge"].effort / weak, 4.0, rtol=1e-3)
    sim.reset()
    sim.step()
    assert sim.joints["hinge"].effort == weak
    sim.reset()
    sim.set_servo_gains("hinge", effort_limit=0.5)
    sim.step()
    assert np.isclose(sim.joints["hinge"].effort, 0.5)
    assert "no servo" in raises(ValueError, am.Simulator(welded()).set_servo_gains, "weld", kp=1.0)


def test_collisions_are_switched_off_and_on():
    sim = am.Simulator(scene(bodies=[GROUND, box("box", [0, 0, 0.1])]))
    for _ in range(10):
        sim.step()
    assert sim.contacts.size == 4
    sim.set_collision("box", "ground", False)
    for _ in range(10):
        sim.step()
    assert sim.contacts.size == 0 and np.isclose(sim.v[5], -9.81 * 0.02)
    sim.set_state(np.array([1, 0, 0, 0, 0, 0, 0.3]), np.zeros(6))
    sim.set_collision("ground", "box", True)
    for _ in range(300):
        sim.step()
    assert np.isclose(sim.q[6], 0.1, atol=1e-6)


def welded():
    return scene(bodies=[GROUND, box("a", [0, 0, 1.0]), box("b", [0.2, 0, 1.0])],
                 joints=[{"name": "weld", "type": "fixed", "parent": "a", "child": "b",
                          "coordinates": "maximal"}])


def test_a_weld_lets_go_and_holds_what_it_finds():
    sim = am.Simulator(welded())
    for _ in range(5):
        assert sim.step().certificate.holds
    sim.detach("weld")
    sim.set_wrench("b", [4.0, 0, 9.81])
    for _ in range(50):
        assert sim.step().certificate.holds
    gap = sim.bodies["b"].position - sim.bodies["a"].position
    assert gap[0] > 0.21 and gap[2] > 0.04
    assert abs(sim.bodies["a"].velocity[0]) < 1e-6
    sim.attach("weld")
    sim.set_wrench("b", [0, 0, 0])
    for _ in range(50):
        assert sim.step().certificate.holds
    R = sim.bodies["a"].rotation
    held = R.T @ (sim.bodies["b"].position - sim.bodies["a"].position)
    assert np.allclose(held, gap, atol=1e-4), (held, gap)
    # What they had apart they have together: momentum is kept.
    momentum = sim.bodies["a"].velocity[0] + sim.bodies["b"].velocity[0]
    assert np.isclose(momentum, 4.0 * 0.1, atol=1e-6)


def hinged_scene():
    """Returns a scene of a wheel on a hinge that is rows of J, with limits and a servo."""
    return am.make_scene({
        "amontons": 1, "simulation": {"step": 0.001, "duration": 10}, "gravity": [0, 0, 0],
        "bodies": [{"name": "a", "mass": 1, "inertia": [1, 1, 1],
                    "velocity": {"angular": [0, 2.0, 0]}}],
        "joints": [{"name": "j", "type": "revolute", "parent": "world", "child": "a",
                    "axis": [0, 1, 0], "at": [0, 0, 0], "coordinates": "maximal",
                    "limits": [-0.5, 0.5], "coulomb_friction": 0.1}],
        "actuators": [{"joint": "j", "position": {"target": 0.0, "kp": 3, "kd": 1}}]})


def test_nothing_acts_along_a_hinge_that_is_detached():
    sim = am.Simulator(hinged_scene())
    start = sim.q.copy()
    sim.set_effort("j", 1.0)
    for _ in range(50):
        assert sim.step().certificate.holds
    twist = sim.bodies["a"].angular_velocity.copy()
    sim.detach("j")
    assert "detached" in raises(ValueError, sim.set_effort, "j", 1.0)
    sim.set_wrench("a", [2.0, 0, 0])
    for _ in range(1000):
        assert sim.step().certificate.holds
    # It turns on beyond its limits, without friction or servo, and is pushed off.
    assert np.allclose(sim.bodies["a"].angular_velocity, twist, atol=1e-9) and twist[1] > 1
    assert np.isclose(sim.bodies["a"].position[0], 1.0, rtol=2e-3)
    # Back at its place the limits and the servo act again: it comes to rest at the target.
    sim.set_wrench("a", [0, 0, 0])
    sim.set_state(start, np.zeros(sim.v.size))
    sim.attach("j")
    sim.set_servo_gains("j", kp=0, kd=0)
    sim.set_wrench("a", [0, 0, 0], torque=[0, 10.0, 0])
    for _ in range(500):
        assert sim.step().certificate.holds
    assert np.isclose(sim.joints["j"].position, 0.5, atol=1e-3)


def test_a_run_with_a_hinge_that_is_detached_is_verified():
    with tempfile.TemporaryDirectory() as folder:
        run, the_scene = pathlib.Path(folder) / "run.h5", hinged_scene()
        sim = am.Simulator(the_scene)
        with am.record(sim, the_scene, run):
            for k in range(60):
                if k == 20:
                    sim.detach("j")
                if k == 40:
                    sim.attach("j")
                sim.step()
        holds, said = verified(run)
        assert holds, said


def test_a_joint_that_others_follow_is_not_detached():
    joints = [{"name": name, "type": "revolute", "parent": "world", "child": name[-1],
               "axis": [0, 1, 0], "at": [0, 0, 0], "coordinates": "maximal"} for name in ("ja", "jb")]
    sim = am.Simulator(am.make_scene({
        "amontons": 1, "simulation": {"step": 0.001, "duration": 1},
        "bodies": [{"name": name, "mass": 1, "inertia": [1, 1, 1]} for name in "ab"],
        "joints": joints, "couplings": [{"name": "gear", "joint": "ja", "reference": "jb", "multiplier": 2}]}))
    for name in ("ja", "jb"):
        assert "coupling" in raises(ValueError, sim.detach, name)


def test_bodies_that_were_welded_collide_once_they_are_not():
    sim = am.Simulator(welded())
    sim.detach("weld")
    sim.set_wrench("b", [-20.0, 0, 0])
    for _ in range(20):
        sim.step()
    assert len(sim.contacts) > 0
    assert sim.bodies["b"].position[0] - sim.bodies["a"].position[0] > 0.199
    with_limits = am.Simulator(am.make_scene({
        "amontons": 1, "simulation": {"step": 0.001, "duration": 1},
        "bodies": [box("a", [0, 0, 0]) | {"shapes": []} | {"inertia": [1, 1, 1]}],
        "joints": [{"name": "j", "type": "revolute", "parent": "world", "child": "a",
                    "axis": [0, 1, 0], "at": [0, 0, 0], "coordinates": "maximal",
                    "limits": [-1, 1]}]}))
    with_limits.detach("j")
    tree = am.Simulator(am.make_scene({
        "amontons": 1, "simulation": {"step": 0.001, "duration": 1},
        "bodies": [{"name": "a", "mass": 1, "inertia": [1, 1, 1]}],
        "joints": [{"name": "j", "type": "revolute", "parent": "world", "child": "a",
                    "axis": [0, 1, 0], "at": [0, 0, 0]}]}))
    assert "maximal" in raises(ValueError, tree.detach, "j")


def test_spares_are_parked_and_released():
    sim = am.Simulator(scene(bodies=[GROUND, box("box", [0, 0, 0.1]), box("spare", [0, 0, 0.15])]))
    sim.park("spare")
    assert sim.is_parked("spare") and not sim.is_parked("box")
    for _ in range(100):
        report = sim.step()
    assert report.problem.num_contacts == 4 and report.certificate.holds
    assert np.allclose(sim.bodies["spare"].position, [0, 0, 0.15]) and np.allclose(sim.v, 0)
    # Its weight is carried, and needs no effort.
    own = slice(sim.bodies["spare"].v_index, sim.bodies["spare"].v_index + 6)
    assert np.allclose(sim.gravity_compensation(sim.q)[own], 0)
    assert am.needed_efforts(sim, sim.q, sim.v, 0 * sim.v).possible
    sim.release("spare", quat_wxyz=[1, 0, 0, 1], angular_velocity=[0, 1, 0])
    spare = sim.bodies["spare"]
    assert np.allclose(spare.angular_velocity, [0, 1, 0]) and np.allclose(spare.velocity, 0)
    assert np.allclose(spare.rotation[:, 0], [0, 1, 0])
    sim.release("spare", position=[0, 0, 1.0], quat_wxyz=[1, 0, 0, 0], velocity=[0, 0, -1.0])
    assert np.allclose(spare.velocity, [0, 0, -1])
    sim.step()
    assert np.allclose(sim.bodies["spare"].velocity, [0, 0, -1 - 0.002 * 9.81], atol=1e-9)
    for _ in range(400):
        sim.step()
    assert 0.25 < sim.bodies["spare"].position[2] < 0.35
    assert "fixed" in raises(ValueError, sim.park, "ground")


def changing(sim, steps):
    """Steps with all kinds of changes, by the number of the step."""
    for _ in range(steps):
        k = round(sim.time / 0.002)
        if k == 10:
            sim.set_material("wood", friction=0.1)
        if k == 20:
            sim.set_gravity([0.5, 0, -5.0])
            sim.set_mass("a", 3.0)
        if k == 30:
            sim.detach("weld")
            sim.set_material_pair("wood", "floor", friction=0.7, restitution=0.2)
        if k == 60:
            sim.attach("weld")
            sim.set_collision("a", "ground", False)
        if k == 80:
            sim.park("spare")
        if k == 90:
            sim.release("spare", [2, 0, 0.5])
            sim.set_collision("a", "ground", True)
        sim.step()


def test_changes_are_saved_restored_copied_and_pickled():
    start = am.Simulator(many(), threads=1)
    changing(start, 70)
    state = start.save()
    changing(start, 60)
    for saved in (state, copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        other = am.Simulator(many(), threads=2)
        other.restore(saved)
        assert other.mass("a") == 3.0 and np.allclose(other.gravity, [0.5, 0, -5.0])
        changing(other, 60)
        assert other.q.tobytes() == start.q.tobytes() and other.v.tobytes() == start.v.tobytes()
    # A state from before the changes brings the scene's properties back.
    fresh = am.Simulator(many()).save()
    start.restore(fresh)
    assert start.mass("a") == 1.0 and np.allclose(start.gravity, [0, 0, -9.81])


def many(method="time-stepping"):
    return scene(simulation={"method": method},
                 bodies=[GROUND, box("a", [0, 0, 0.1], velocity={"linear": [1, 0, 0]}),
                         box("b", [0.2, 0, 0.1], velocity={"linear": [1, 0, 0]}),
                         box("spare", [1.5, 0, 0.1], velocity={"linear": [0, 1, 0]})],
                 joints=[{"name": "weld", "type": "fixed", "parent": "a", "child": "b",
                          "coordinates": "maximal"}])


def test_a_run_with_changes_is_verified_and_not_resumed():
    for method in ("time-stepping", "event-driven"):
        with tempfile.TemporaryDirectory() as folder:
            run = pathlib.Path(folder, "run.h5")
            sim = am.Simulator(many(method))
            with am.record(sim, many(method), run):
                while sim.time < 0.25 - 1e-9:
                    k = round(sim.time / 0.002)
                    if abs(sim.time - 0.002 * k) < 1e-9 and k in (10, 20, 30, 60, 80, 90):
                        changing(sim, 1)
                    else:
                        sim.step()
            result = subprocess.run([PROGRAM, "verify", run], capture_output=True, text=True,
                                    check=False)
            assert result.returncode == 0, f"{method}\n{result.stdout}{result.stderr}"
            result = subprocess.run([PROGRAM, "resume", run], capture_output=True, text=True,
                                    check=False)
            assert result.returncode == 2 and "program" in result.stderr, result
    # Without its changes the run is another one, and verify says so.
    with tempfile.TemporaryDirectory() as folder:
        run = pathlib.Path(folder, "run.h5")
        sim = am.Simulator(scene())
        with am.record(sim, scene(), run):
            sim.set_material("floor", friction=0.1)
            for _ in range(20):
                sim.step()
        with h5py.File(run, "r+") as file:
            assert set(file["commands/kind"][:]) == {5}
            file["commands/value"][:] = 0.2
        result = subprocess.run([PROGRAM, "verify", run], capture_output=True, text=True, check=False)
        assert result.returncode != 0


def test_names_that_are_missing_and_values_out_of_range_change_nothing():
    sim = am.Simulator(scene())
    assert "did you mean 'wood'" in raises(ValueError, sim.set_material, "wod", friction=1.0)
    assert "did you mean 'box'" in raises(ValueError, sim.set_mass, "bx", 1.0)
    raises(ValueError, sim.set_material, "wood", friction=-1.0)
    raises(ValueError, sim.set_material, "wood", restitution=1.5)
    raises(ValueError, sim.set_gravity, [0, 0, np.nan])
    raises(ValueError, sim.set_collision, "box", "box", False)
    assert np.isclose(deceleration(sim), 0.4 * 9.81, rtol=1e-6)


def test_a_report_from_before_a_change_stays_as_it_was():
    sim = am.Simulator(scene())
    report = sim.step()
    wrench = sim.bodies["box"].contact_wrench[0]
    sim.set_gravity([0, 0, -1.0])
    sim.set_gravity([0, 0, -2.0])
    assert np.array_equal(sim.bodies["box"].contact_wrench[0], wrench)
    sim.step()
    assert np.allclose(report.contacts["impulse"][:, 2].sum(), 9.81 * 0.002)


def verified(path):
    result = subprocess.run([PROGRAM, "verify", path], capture_output=True, text=True, check=False)
    return result.returncode == 0, result.stdout + result.stderr


def test_a_run_may_begin_in_the_middle_after_changes_and_go_back():
    the_scene = scene()
    with tempfile.TemporaryDirectory() as folder:
        run = pathlib.Path(folder) / "run.h5"
        sim = am.Simulator(the_scene)
        sim.set_gravity([0, 0, -3.0])            # row 0 has energies, too
        sim.set_mass("box", 2.5)
        for _ in range(30):
            sim.step()
        state = sim.save()
        for _ in range(10):
            sim.step()
        with am.record(sim, the_scene, run):
            for _ in range(20):
                sim.step()
            sim.restore(state)
            for _ in range(20):
                sim.step()
        holds, said = verified(run)
        assert holds and "2 of these steps began in a state that a program set" in said, said
        assert subprocess.run([PROGRAM, "resume", run], capture_output=True,
                              check=False).returncode != 0
        # A jump that the run does not own up to is found.
        with h5py.File(run, "r+") as file:
            file["start_was_set"][21] = 0
        holds, said = verified(run)
        assert not holds and "/time is 0.062 at row 21, below 0.12" in said, said
        with h5py.File(run, "r+") as file:
            file["start_was_set"][:] = [0] + [0] * 20 + [1] + [0] * 19
        holds, said = verified(run)
        assert not holds and "FAIL initial state" in said, said


def test_a_run_with_rows_now_and_then_is_verified_across_states_that_a_program_set():
    # Of 3 and 7 steps a row: states are set in between, forwards and backwards.
    for every in (0.006, 0.014):
        the_scene = scene(output={"every": every})
        sim = am.Simulator(the_scene)
        with tempfile.TemporaryDirectory() as folder:
            run = pathlib.Path(folder) / "run.h5"
            with am.record(sim, the_scene, run):
                states = []
                for steps in (5, 8, 4):
                    states.append(sim.save())
                    for _ in range(steps):
                        sim.step()
                for state in (states[1], states[0], states[2]):
                    sim.restore(state)
                    for _ in range(5):
                        sim.step()
                sim.set_state(sim.q, 1.1 * sim.v)
                sim.step()
            holds, said = verified(run)
            assert holds, said
            assert "4 of these steps began in a state that a program set" in said, said


def hanging():
    """Returns a simulator of an arm on a hinge, with a sensor of its acceleration, after a step."""
    sim = am.Simulator(am.make_scene({
        "amontons": 1, "simulation": {"step": 0.001, "duration": 1},
        "bodies": [{"name": "arm", "mass": 2, "inertia": [0.1, 0.1, 0.1]},
                   {"name": "load", "mass": 1, "inertia": [0.1, 0.1, 0.1],
                    "pose": {"position": [1, 0, 0]}}],
        "joints": [{"name": "hinge", "type": "revolute", "parent": "world", "child": "arm",
                    "axis": [0, 1, 0], "at": [-0.5, 0, 0]},
                   {"name": "weld", "type": "fixed", "parent": "arm", "child": "load",
                    "coordinates": "maximal"}],
        "actuators": [{"joint": "hinge", "position": {"target": 0.1, "kp": 10.0}}]}))
    sim.step()
    return sim


def test_sensors_of_the_last_step_keep_their_readings_through_changes():
    def readings(sim):
        return [sim.imu("arm"), sim.bodies["arm"].imu, sim.joints["hinge"].wrench,
                sim.joints["weld"].wrench, sim.force_torque("arm"), sim.contact_wrench("arm"),
                sim.bodies["arm"].acceleration, sim.joints["hinge"].effort]

    changes = {"gravity": lambda sim: sim.set_gravity([0, 0, 0]),
               "mass": lambda sim: sim.set_mass("arm", 200.0),
               "gains": lambda sim: sim.set_servo_gains("hinge", kp=40.0),
               "target": lambda sim: sim.set_servo_target("hinge", 3.0),
               "effort": lambda sim: sim.set_effort("hinge", 3.0),
               "wrench": lambda sim: sim.set_wrench("load", [1, 2, 3]),
               "weld": lambda sim: sim.detach("weld")}
    for name, change in changes.items():
        sim = hanging()
        before = readings(sim)
        change(sim)
        for one, other in zip(before, readings(sim)):
            assert np.array_equal(one, other), (name, one, other)
        change(sim)  # twice is no other system
        sim.step()
        assert not np.array_equal(sim.bodies["arm"].acceleration, before[6])
        changed = readings(sim)
        sim.set_gravity([1, 0, 0])
        sim.set_gravity([0, 0, -9.81] if name != "gravity" else [0, 0, 0])
        assert all(map(np.array_equal, changed, readings(sim))), name


if __name__ == "__main__":
    run_tests(globals())
