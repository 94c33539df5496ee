#!/usr/bin/python3
"""Checks that parked bodies, the spares of a scene, stay where they are until they are released."""
import numpy as np

import amontons as am
from harness import raises, run_tests

GROUND = {"name": "ground", "fixed": True, "shapes": [{"half_space": {"normal": [0, 0, 1]}}]}


def spares():
    """Returns a simulator of a box on the ground and a parked body inside of it."""
    sim = am.Simulator(am.make_scene({
        "amontons": 1, "simulation": {"step": 0.002, "duration": 1},
        "bodies": [GROUND, *({"name": name, "mass": 1.0, "shapes": [{"box": [0.2, 0.2, 0.2]}],
                              "pose": {"position": [0, 0, height]}}
                             for name, height in (("box", 0.1), ("spare", 0.15)))]}))
    sim.park("spare")
    return sim


def test_a_parked_body_takes_no_wrench_effort_or_velocity():
    sim = spares()
    first = sim.bodies["spare"].v_index
    moving = sim.v.copy()
    moving[first + 3] = 1.0
    for call in (lambda: sim.set_wrench("spare", [1, 0, 0]),
                 lambda: sim.set_wrench("spare", [0, 0, 0], [0, 1, 0]),
                 lambda: sim.set_efforts(moving), lambda: sim.set_state(sim.q, moving)):
        said = raises(ValueError, call)
        assert "'spare'" in said and "is parked" in said and "release it" in said, said
    sim.set_wrench("spare", [0, 0, 0])          # no force is none
    sim.set_efforts(np.where(np.arange(sim.v.size) < first, 0.1, 0.0))
    for _ in range(20):
        sim.step()
    assert np.array_equal(sim.bodies["spare"].position, [0, 0, 0.15])
    # It may be placed.
    q = sim.q.copy()
    q[sim.bodies["spare"].q_index + 4:][:3] = [1, 2, 3]
    sim.set_state(q, sim.v)
    sim.step()
    assert np.allclose(sim.bodies["spare"].position, [1, 2, 3])
    sim.release("spare")
    sim.set_wrench("spare", [1, 0, 9.81])
    sim.step()
    assert np.isclose(sim.bodies["spare"].velocity[0], 0.002)


def test_a_release_that_cannot_be_leaves_the_body_parked():
    sim = spares()
    for keys in ({"position": [np.nan, 0, 0]}, {"velocity": [np.inf, 0, 0]},
                 {"angular_velocity": [0, 0, np.nan]}, {"quat_wxyz": [0, 0, 0, 0]},
                 {"quat_wxyz": [1e200, 0, 0, 0]}):
        before = sim.q.copy()
        assert raises(ValueError, sim.release, "spare", **keys).startswith("release: ")
        assert sim.is_parked("spare") and np.array_equal(sim.q, before)


def test_a_body_is_released_where_it_is_told_whatever_carries_it():
    box = {"mass": 1.0, "inertia": [1, 2, 3]}
    for kind in ("revolute", "fixed"):
        joint = {"name": "j", "type": kind, "parent": "root", "child": "child"}
        sim = am.Simulator(am.make_scene({
            "amontons": 1, "simulation": {"step": 0.002, "duration": 1},
            "bodies": [{"name": "root", **box}, {"name": "child", "pose": {
                "position": [0.3, 0, 0], "rpy_deg": [0, 0, 30]}, **box}],
            "joints": [joint | ({"axis": [0, 1, 0], "at": [-0.1, 0, 0], "position": 0.4}
                                if kind == "revolute" else {})]}))
        root, child = sim.bodies["root"], sim.bodies["child"]
        apart = child.rotation.T @ (root.position - child.position)
        sim.park("child")
        assert sim.is_parked("root")
        sim.release("child", [5, 0, 1], [0.5, 0.5, 0.5, 0.5], [0, 0, 2], [0, 3, 0])
        assert np.allclose(child.position, [5, 0, 1]) and np.allclose(child.quat_wxyz, 0.5)
        assert np.allclose(child.velocity, [0, 0, 2]) and np.allclose(child.angular_velocity, [0, 3, 0])
        assert np.allclose(child.rotation.T @ (root.position - child.position), apart)
        assert np.allclose(root.angular_velocity, [0, 3, 0])


def test_a_body_that_a_joint_holds_is_not_parked_and_a_parked_one_not_held():
    sim = am.Simulator(am.make_scene({
        "amontons": 1, "simulation": {"step": 0.002, "duration": 1},
        "bodies": [{"name": name, "mass": 1.0, "inertia": [1, 1, 1]} for name in ("a", "b")],
        "joints": [{"name": "weld", "type": "fixed", "parent": "a", "child": "b",
                    "coordinates": "maximal"}]}))
    assert "held by joint 'weld'" in raises(ValueError, sim.park, "b")
    assert not sim.is_parked("b")
    sim.detach("weld")
    sim.park("b")
    assert "'b' is parked" in raises(ValueError, sim.attach, "weld")
    for _ in range(20):
        sim.step()
    assert np.allclose(sim.bodies["b"].position, 0) and sim.bodies["a"].position[2] < -1e-3
    sim.release("b")
    sim.attach("weld")
    assert sim.step().certificate.holds


def test_a_robot_is_parked_as_a_whole_whichever_of_its_bodies_is_named():
    links = ("root", "arm", "hand")
    sim = am.Simulator(am.make_scene({
        "amontons": 1, "simulation": {"step": 0.002, "duration": 1},
        "bodies": [{"name": name, "mass": 1.0, "inertia": [1, 2, 3],
                    "pose": {"position": [0.5 * k, 0, 0]}} for k, name in enumerate(links)],
        "joints": [{"name": f"j{k}", "type": "revolute", "parent": links[k], "child": links[k + 1],
                    "axis": [0, 1, 0], "at": [-0.25, 0, 0]} for k in range(2)]}))
    # Whatever was parked or released before by another name.
    for parked, released in (("hand", "root"), ("root", "arm"), ("hand", "arm"), ("arm", "hand")):
        sim.park(parked)
        assert all(sim.is_parked(name) for name in links)
        sim.release(released)
        assert not any(sim.is_parked(name) for name in links)
    # No joint of it takes an effort or a velocity, and the efforts on all of them end.
    along_hand = np.zeros(sim.v.size)
    along_hand[sim.joints["j1"].index] = 0.7
    sim.set_efforts(along_hand)
    sim.park("hand")
    for call in (lambda: sim.set_efforts(along_hand), lambda: sim.set_state(sim.q, along_hand)):
        said = raises(ValueError, call)
        assert "'root'" in said and "is parked" in said, said
    before = sim.q.copy()
    for _ in range(20):
        assert sim.step().certificate.holds
    assert np.array_equal(sim.q, before) and not sim.v.any()
    sim.release("arm")
    sim.set_efforts(along_hand)
    sim.step()
    assert sim.joints["j1"].velocity > 0


def robot_of_drives(method):
    """Returns a simulator of a free robot with a spring, a servo and an effort along its joints."""
    return am.Simulator(am.make_scene({
        "amontons": 1, "simulation": {"step": 0.002, "duration": 1, "method": method},
        "bodies": [{"name": name, "mass": 1.0, "inertia": [0.1, 0.1, 0.1],
                    "pose": {"position": [4, 0, 0.4 * k]}} for k, name in enumerate("abc")],
        "joints": [{"name": "knee", "type": "revolute", "parent": "a", "child": "b",
                    "axis": [0, 1, 0], "at": [0, 0, 0], "position": 0.3, "stiffness": 30.0,
                    "rest_position": -0.5},
                   {"name": "ankle", "type": "revolute", "parent": "b", "child": "c",
                    "axis": [0, 1, 0], "at": [0, 0, 0]}],
        "actuators": [{"joint": "knee", "position": {"kp": 20, "kd": 1, "target": 0.8}},
                      {"joint": "ankle", "effort": 1.5}]}))


def test_springs_servos_and_efforts_of_a_parked_robot_do_not_act_until_its_release():
    for method in ("time-stepping", "event-driven", "hybrid"):
        sim, free = robot_of_drives(method), robot_of_drives(method)
        for _ in range(5):
            sim.step()
        sim.park("c")
        parked = sim.q.copy()
        for _ in range(50):
            report = sim.step()
            assert report.certificate.holds and abs(report.energy.unexplained) < 1e-12
        # Its weight is carried link by link, within rounding.
        assert np.allclose(sim.q, parked, rtol=0, atol=1e-15), method
        assert abs(sim.v).max() < 1e-13, method
        # A gain that is set in between is in force with the others after the release.
        sim.set_servo_gains("knee", kd=2.0)
        free.set_servo_gains("knee", kd=2.0)
        sim.release("a")
        free.set_state(sim.q, sim.v)
        for _ in range(10):
            sim.step()
            free.step()
        assert np.allclose(sim.v, free.v, rtol=0, atol=1e-9) and abs(sim.v[-2]) > 1e-3, method


def test_parking_ends_the_commands_on_the_body_and_no_others():
    sim = spares()
    sim.release("spare", [5, 0, 5])
    first = sim.bodies["spare"].v_index
    efforts = np.zeros(sim.v.size)
    efforts[[3, first + 4]] = 0.5
    sim.set_efforts(efforts)
    sim.set_wrench("spare", [3, 0, 0])
    sim.set_wrench("box", [0, 0, -1])
    sim.park("spare")
    state = sim.save()
    report = sim.step()
    assert np.array_equal(sim.bodies["spare"].position, [5, 0, 5])
    assert np.allclose(sim.contact_wrench("box")[0], [-0.5, 0, 10.81], atol=1e-6), report
    # A state with a parked body brings it back, in another simulator, too.
    other = spares()
    other.release("spare")
    other.restore(state)
    other.step()
    assert other.q.tobytes() == sim.q.tobytes() and other.is_parked("spare")
    sim.release("spare")
    sim.step()
    assert np.isclose(sim.bodies["spare"].velocity[0], 0.0)


if __name__ == "__main__":
    run_tests(globals())
