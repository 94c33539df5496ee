#!/usr/bin/python3
"""Checks what a simulator says of its model: names, Jacobians, M, bias, views that follow it."""
import gc
import tempfile

import numpy as np

import amontons as am
from harness import FIRST, raises, run_tests

ARM = {
    "amontons": 1, "gravity": [0.3, -0.2, -9.81],
    "simulation": {"step": 0.001, "duration": 1},
    "bodies": [
        {"name": "upper", "mass": 2.0, "inertia": [0.02, 0.03, 0.01],
         "pose": {"position": [0.2, 0, 1]}},
        {"name": "lower", "mass": 1.0, "inertia": [0.01, 0.02, 0.03],
         "pose": {"position": [0.7, 0.1, 1], "rpy_deg": [10, 20, 30]}},
        {"name": "ball", "density": 500, "shapes": [{"sphere": 0.1}],
         "pose": {"position": [3, 0, 0.0999]}, "velocity": {"angular": [1, 2, 3]}},
        {"name": "ground", "fixed": True,
         "shapes": [{"half_space": {"normal": [0, 0, 1], "offset": 0}}]},
    ],
    "joints": [
        {"name": "shoulder", "type": "revolute", "parent": "world", "child": "upper",
         "axis": [0, 1, 0], "at": [-0.2, 0, 0], "limits": [-1.5, 2.0]},
        {"name": "elbow", "type": "spherical", "parent": "upper", "child": "lower",
         "at": [-0.3, 0, 0]},
    ],
}


def moving_arm():
    sim = am.Simulator(am.make_scene(ARM))
    rng = np.random.default_rng(4)
    q, v = sim.q.copy(), rng.normal(size=sim.v.size)
    sim.set_state(q, v)
    for _ in range(20):
        sim.step()
    return sim


def test_jacobians_give_the_velocities_of_points():
    sim = moving_arm()
    model = sim.model
    for name in ("upper", "lower", "ball", "ground"):
        body = sim.bodies[name]
        J = model.jacobian(name)
        twist = J @ sim.v
        assert J.shape == (6, sim.v.size)
        assert np.allclose(twist[:3], body.angular_velocity, atol=1e-12)
        assert np.allclose(twist[3:], body.velocity, atol=1e-12)
        at = np.array([0.3, -0.1, 0.2])
        point = model.jacobian(name, at) @ sim.v
        arm = body.point(at) - body.position
        assert np.allclose(point[3:], body.velocity + np.cross(body.angular_velocity, arm))


def test_free_and_planar_bodies_say_where_they_are_in_q_and_v():
    sim = am.Simulator(am.make_scene({**ARM, "bodies": [*ARM["bodies"], {
        "name": "disk", "base": "planar", "mass": 1.0, "inertia": [1, 1, 1],
        "pose": {"position": [1, 0.5, 2], "rpy_deg": [0, 30, 0]},
        "velocity": {"linear": [0.3, 0, 0.4], "angular": [0, 0.5, 0]}}]}))
    ball, disk = sim.bodies["ball"], sim.bodies["disk"]
    assert np.allclose(sim.q[ball.q_index:ball.q_index + 7], [*ball.quat_wxyz, *ball.position])
    assert np.array_equal(sim.v[ball.v_index:ball.v_index + 6], ball.twist)
    assert np.allclose(sim.q[disk.q_index:disk.q_index + 3], [1, 2, np.pi / 6])
    assert np.allclose(sim.v[disk.v_index:disk.v_index + 3], [0.3, 0.4, 0.5])
    for name in ("upper", "lower", "ground"):
        assert sim.bodies[name].q_index is None and sim.bodies[name].v_index is None


def test_lists_of_names_are_read_only_maps():
    sim = am.Simulator(am.make_scene({**ARM, "frames": [{"name": "tool", "body": "lower"}]}))
    for views in (sim.bodies, sim.joints, sim.frames):
        assert views.keys() == list(views) and len(views.values()) == len(views)
        assert [view.name for view in views.values()] == views.keys()
        assert [name for name, _ in views.items()] == list(dict(views)) == views.keys()
    assert sim.sensors.items() == [] and repr(sim.frames) == "<Frames ['tool']>"


def test_jacobians_are_the_derivatives_of_poses():
    sim = moving_arm()
    before = {name: sim.bodies[name].position for name in sim.bodies}
    twist = {name: sim.model.jacobian(name) @ sim.v for name in sim.bodies}
    h = 1e-3
    # A step moves bodies by h v of its end: half a step on either side is h^2 away.
    sim.step()
    for name in sim.bodies:
        after = sim.model.jacobian(name) @ sim.v
        mean = 0.5 * (twist[name] + after)[3:]
        assert np.allclose((sim.bodies[name].position - before[name]) / h, mean, atol=2e-2), name


def test_mass_matrix_and_bias_are_those_of_inverse_dynamics():
    sim = moving_arm()
    model, rng = sim.model, np.random.default_rng(9)
    for q, v in ((sim.q.copy(), sim.v.copy()), (am.Simulator(am.make_scene(ARM)).q.copy(),
                                                 rng.normal(size=sim.v.size))):
        M, c = model.mass_matrix(q), model.bias(q, v)
        assert np.allclose(M, M.T, atol=1e-14) and np.linalg.eigvalsh(M).min() > 0
        a = rng.normal(size=v.size)
        assert np.allclose(M @ a + c, sim.inverse_dynamics(q, v, a), rtol=1e-11, atol=1e-11)
    # Other positions leave the state as it is.
    assert np.allclose(model.mass_matrix(), model.mass_matrix(sim.q))


def test_forward_kinematics_leaves_the_state():
    sim = moving_arm()
    q = sim.q.copy()
    start = am.Simulator(am.make_scene(ARM))
    poses = sim.model.forward_kinematics(start.q)
    for name, (position, rotation) in poses.items():
        assert np.allclose(position, start.bodies[name].position, atol=1e-14)
        assert np.allclose(rotation, start.bodies[name].rotation, atol=1e-14)
    assert np.array_equal(sim.q, q)


def test_joints_have_their_coordinates():
    sim = moving_arm()
    assert sim.joint_names == list(sim.joints) and "shoulder" in sim.joints
    shoulder, elbow = sim.joints["shoulder"], sim.joints["elbow"]
    assert shoulder.position == sim.q[shoulder.q_index]
    assert shoulder.velocity == sim.v[shoulder.index]
    assert shoulder.limits == (-1.5, 2.0) and elbow.limits == (-np.inf, np.inf)
    assert np.array_equal(elbow.position, sim.q[elbow.q_index:elbow.q_index + 4])
    assert elbow.velocity.shape == (3,)
    sim.set_effort("shoulder", 7.5)
    sim.step()
    assert np.isclose(sim.joints["shoulder"].effort, 7.5)


def test_views_follow_the_state_and_keep_their_simulator():
    sim = moving_arm()
    ball = sim.bodies["ball"]
    before = ball.position
    for _ in range(30):
        sim.step()
    assert not np.allclose(before, ball.position)
    expected = ball.position
    del sim
    gc.collect()
    assert np.array_equal(ball.position, expected)


def test_contact_wrench_and_imu_of_a_resting_ball():
    scene = {**ARM, "gravity": [0, 0, -9.81], "bodies": [dict(one) for one in ARM["bodies"]]}
    scene["bodies"][2].pop("velocity")
    sim = am.Simulator(am.make_scene(scene))
    assert "no step" in raises(ValueError, lambda: sim.bodies["ball"].imu)
    for _ in range(300):
        sim.step()
    weight = 500 * 4 / 3 * np.pi * 0.1**3 * 9.81
    force, torque = sim.bodies["ball"].contact_wrench
    assert np.allclose(force, [0, 0, weight], atol=1e-6 * weight)
    assert np.allclose(torque, 0, atol=1e-8)
    acceleration, rate = sim.bodies["ball"].imu
    assert np.isclose(np.linalg.norm(acceleration), 9.81, atol=1e-6) and np.allclose(rate, 0)


def test_names_that_are_missing_get_the_nearest_one():
    sim = am.Simulator(am.load_scene(FIRST))
    name = sim.bodies and list(sim.bodies)[0]
    assert f"did you mean '{name}'" in raises(KeyError, lambda: sim.bodies[name + "x"])
    sim = moving_arm()
    assert "did you mean 'elbow'" in raises(KeyError, lambda: sim.joints["elbwo"])
    assert "no body" in raises(KeyError, lambda: sim.model.jacobian("nothing at all"))
    assert "entries" in raises(ValueError, lambda: sim.model.mass_matrix(np.zeros(3)))
    assert repr(sim.joints["shoulder"]).startswith("<Joint 'shoulder' at ")
    assert repr(sim.bodies["upper"]).startswith("<Body 'upper' at [")


def test_a_body_on_a_planar_joint_has_no_coordinates_of_its_own():
    # The joint's axes need not be those of the body.
    sim = am.Simulator(am.make_scene({
        "amontons": 1, "simulation": {"step": 0.001, "duration": 1},
        "bodies": [{"name": "puck", "mass": 2, "inertia": [1, 1, 1],
                    "pose": {"position": [1, 2, 3]}}],
        "joints": [{"name": "table", "type": "planar", "parent": "world", "child": "puck",
                    "axis": [0, 0, 1], "at": [1, 2, 3], "rate": [0.1, 0.2, 0.3]}]}))
    puck, table = sim.bodies["puck"], sim.joints["table"]
    assert puck.q_index is None and puck.v_index is None
    assert table.q_index == 0 and table.index == 0
    assert not np.allclose(puck.velocity[:2], sim.v[:2])


def along_rail(coordinates, steps=1, path=None):
    """Returns a simulator of a body that an effort and a servo push along a rail."""
    scene = am.make_scene({
        "amontons": 1, "simulation": {"step": 0.001, "duration": 1}, "gravity": [0, 0, 0],
        "bodies": [{"name": "b", "mass": 1, "inertia": [1, 1, 1]}],
        "joints": [{"name": "s", "type": "prismatic", "parent": "world", "child": "b",
                    "axis": [1, 0, 0], "coordinates": coordinates, "viscous_friction": 3.0,
                    "coulomb_friction": 0.5, "limits": [-1, 1]}],
        "actuators": [{"joint": "s", "position": {"target": 1.0, "kp": 10.0, "effort": 7}}]})
    sim = am.Simulator(scene)
    sim.set_effort("s", 2.0)
    if path is None:
        for _ in range(steps):
            sim.step()
        return sim
    with am.record(sim, scene, path):
        for _ in range(steps):
            sim.step()
    return sim


def test_joints_have_efforts_and_limits_in_both_kinds_of_coordinates():
    with tempfile.TemporaryDirectory() as folder:
        rows = []
        for coordinates in ("reduced", "maximal"):
            path = f"{folder}/{coordinates}.h5"
            joint = along_rail(coordinates, 20, path).joints["s"]
            with am.open_run(path) as run:
                rows.append(np.hstack([run.joint("s"), run.joint_velocity("s")]))
                assert rows[-1].shape == (len(run), 2)
                assert np.allclose(rows[-1][-1], [joint.position, joint.velocity], atol=1e-12)
            assert np.isclose(joint.effort, 9.0 - 3.0 * joint.velocity, rtol=1e-2), coordinates
            assert joint.effort_limit == 7.0
        assert np.allclose(*rows, atol=1e-6)
    # A weld has no coordinate.
    free = am.Simulator(am.make_scene({
        "amontons": 1, "simulation": {"step": 0.001, "duration": 1},
        "bodies": [{"name": "b", "mass": 1, "inertia": [1, 1, 1]}],
        "joints": [{"name": "w", "type": "fixed", "parent": "world", "child": "b",
                    "coordinates": "maximal"}]}))
    free.step()
    assert free.joints["w"].effort is None and free.joints["w"].effort_limit is None


if __name__ == "__main__":
    run_tests(globals())
