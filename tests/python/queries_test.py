#!/usr/bin/python3
"""Checks frames, Jacobian rates, wrenches, sensors, rays and distances against laws of mechanics."""
import pathlib
import tempfile

import numpy as np

import amontons as am
from harness import FIRST, raises, run_tests

GROUND = {"name": "ground", "fixed": True, "shapes": [{"half_space": {"normal": [0, 0, 1]}}]}
ROBOT = {
    "amontons": 1, "simulation": {"step": 0.0005, "duration": 1},
    "bodies": [
        {"name": "base", "mass": 2.0, "inertia": [0.02, 0.03, 0.01], "pose": {"position": [0, 0, 1]}},
        {"name": "arm", "mass": 1.0, "inertia": [0.01, 0.02, 0.03],
         "pose": {"position": [0.3, 0.1, 1], "rpy_deg": [10, 20, 30]}},
        {"name": "hand", "mass": 0.5, "inertia": [0.003, 0.002, 0.004],
         "pose": {"position": [0.5, 0.1, 1.1]}, "shapes": [{"sphere": 0.05}]},
    ],
    "joints": [
        {"name": "shoulder", "type": "revolute", "parent": "base", "child": "arm",
         "axis": [0, 1, 1], "at": [0.1, 0, 1]},
        {"name": "slide", "type": "prismatic", "parent": "arm", "child": "hand", "axis": [1, 1, 0]},
    ],
    "frames": [{"name": "tool", "body": "hand",
                "pose": {"position": [0.02, 0.01, 0.1], "rpy_deg": [90, 0, 30]}},
               {"name": "camera", "body": "base"}],
}


def moving_robot(**changes):
    sim = am.Simulator(am.make_scene({**ROBOT, **changes}))
    sim.set_state(sim.q.copy(), np.random.default_rng(3).normal(size=sim.v.size))
    return sim


def turned(q, v, h):
    """Returns q (+) h v, by a step of the kinematics alone: a free base, then joint coordinates."""
    q = q.copy()
    w, angle = v[:3], h * np.linalg.norm(v[:3])
    axis = w / np.linalg.norm(w)
    turn = np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * axis])
    a, b = turn, q[:4]
    q[:4] = np.concatenate([[a[0] * b[0] - a[1:] @ b[1:]],
                            a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])])
    q[4:] += h * v[3:]
    return q


def test_frames_are_where_their_body_carries_them():
    sim = moving_robot()
    assert list(sim.frames) == ["tool", "camera"] and "tool" in sim.frames and len(sim.frames) == 2
    for frame in (sim.frames["tool"], sim.frame("hand", [0.02, 0.01, 0.1]),
                  sim.frame("tool", name="own")):
        assert frame.body == "hand"
        assert np.allclose(frame.position, sim.bodies["hand"].point([0.02, 0.01, 0.1]), atol=1e-14)
    tool = sim.frames["tool"]
    assert np.allclose(tool.rotation @ tool.rotation.T, np.eye(3), atol=1e-14)
    assert np.allclose(tool.rotation[:, 1], sim.bodies["hand"].rotation[:, 2], atol=1e-14)
    J = sim.jacobian("tool")
    assert np.allclose(J @ sim.v, np.concatenate([tool.angular_velocity, tool.velocity]))
    assert np.array_equal(J, sim.model.jacobian(tool)) and np.array_equal(
        sim.jacobian(tool, [0.1, 0, 0]), sim.jacobian(sim.frame(tool, [0.1, 0, 0])))
    position, rotation = sim.forward_kinematics(sim.q, tool)
    assert np.allclose(position, tool.position) and np.allclose(rotation, tool.rotation)
    assert repr(tool).startswith("<Frame 'tool' at [") and "tool" in repr(sim.frames)
    assert "did you mean 'tool'" in raises(KeyError, lambda: sim.frames["tol"])
    assert "did you mean 'tool'" in raises(KeyError, lambda: sim.jacobian("tooll"))
    assert "another simulator" in raises(ValueError, lambda: moving_robot().imu(tool))
    assert "name of a body" in raises(TypeError, lambda: sim.jacobian(3))


def test_a_scene_refuses_frames_that_have_no_place():
    def fault(**frame):
        return raises(am.ParseError, am.make_scene, {**ROBOT, "frames": [frame]})
    assert "did you mean 'hand'" in fault(name="f", body="hnd")
    assert "already a body or frame" in fault(name="arm", body="hand")
    assert "no '/'" in fault(name="a/b", body="hand")
    assert "unknown key" in fault(name="f", body="hand", position=[0, 0, 0]).lower()


def test_the_rate_of_a_jacobian_is_its_derivative():
    sim = moving_robot()
    q, v, h = sim.q.copy(), sim.v.copy(), 1e-5
    for frame in ("tool", "base", "arm"):
        rate = sim.jacobian_rate(frame, [0.1, -0.2, 0.3])
        ahead = sim.jacobian(frame, [0.1, -0.2, 0.3], turned(q, v, h))
        behind = sim.jacobian(frame, [0.1, -0.2, 0.3], turned(q, v, -h))
        assert np.allclose(rate, (ahead - behind) / (2 * h), atol=1e-7), frame
        assert np.allclose(rate, sim.jacobian_rate(frame, [0.1, -0.2, 0.3], q, v), atol=1e-15)
    assert not sim.jacobian_rate("tool", v=np.zeros(v.size)).any()


def test_poses_of_all_bodies_are_arrays():
    sim = moving_robot()
    for i, name in enumerate(sim.bodies):
        body = sim.bodies[name]
        assert np.array_equal(sim.positions[i], body.position)
        assert np.array_equal(sim.orientations[i], body.quat_wxyz)
        assert np.array_equal(body.pose[1], body.quat_wxyz)
        assert np.allclose(body.twist, sim.jacobian(name) @ sim.v)


def test_an_imu_in_free_fall_reads_nothing_at_the_center_and_turning_elsewhere():
    scene = {**ROBOT, "joints": [], "frames": [
        {"name": "off", "body": "hand", "pose": {"position": [0.3, 0, 0], "rpy_deg": [0, 90, 0]}}]}
    scene["bodies"] = [{"name": "hand", "mass": 1.0, "inertia": [0.1, 0.1, 0.1],
                        "velocity": {"angular": [0, 0, 2.0]}}]
    sim = am.Simulator(am.make_scene(scene))
    for _ in range(10):
        sim.step()
    acceleration, rate = sim.imu("hand")
    assert np.allclose(acceleration, 0, atol=1e-9) and np.allclose(rate, [0, 0, 2])
    # Centripetal: w^2 r towards the axis, along -x of the body.
    acceleration, rate = sim.imu("off")
    R = sim.frames["off"].rotation.T @ sim.bodies["hand"].rotation
    assert np.allclose(acceleration, R @ [-4 * 0.3, 0, 0], atol=2e-3)
    assert np.allclose(rate, R @ [0, 0, 2])
    assert np.allclose(sim.bodies["hand"].acceleration, [0, 0, 0, 0, 0, -9.81], atol=1e-9)


def test_the_wrench_of_a_universal_joint_is_that_on_the_body_that_it_moves():
    sim = am.Simulator(am.make_scene({
        "amontons": 1, "simulation": {"step": 0.001, "duration": 1},
        "bodies": [{"name": "arm", "mass": 2, "inertia": [0.1, 0.1, 0.1],
                    "pose": {"position": [0, 0, -0.5]}}],
        "joints": [{"name": "cardan", "type": "universal", "parent": "world", "child": "arm",
                    "axis": [1, 0, 0], "axis2": [0, 1, 0], "at": [0, 0, 0]}]}))
    sim.step()
    assert np.allclose(sim.joints["cardan"].wrench[0], [0, 0, 2 * 9.81], atol=1e-6)


def test_sensors_tell_no_state_that_was_set():
    sim = am.Simulator(am.load_scene(FIRST))
    sim.step()
    saved = sim.save()
    body = next(body for body in sim.bodies.values() if not body.fixed)
    assert np.isfinite(body.acceleration).all() and sim.report is not None
    for change in (lambda: sim.set_state(sim.q, sim.v + 1), lambda: sim.restore(saved), sim.reset):
        change()
        assert sim.report is None
        raises(ValueError, lambda: body.acceleration)
        sim.step()


def test_the_wrench_of_a_joint_is_the_balance_of_what_hangs_on_it():
    # A beam clamped by a servo that stalls: weight and moment about the hinge.
    sim = am.Simulator(am.make_scene({
        "amontons": 1, "simulation": {"step": 0.001, "duration": 1},
        "bodies": [{"name": "beam", "mass": 3.0, "inertia": [0.1, 0.1, 0.1],
                    "pose": {"position": [0.5, 0, 0]}},
                   {"name": "tip", "mass": 1.0, "inertia": [0.1, 0.1, 0.1],
                    "pose": {"position": [1.0, 0, 0]}}],
        "joints": [{"name": "hinge", "type": "revolute", "parent": "world", "child": "beam",
                    "axis": [0, 1, 0], "at": [0, 0, 0]},
                   {"name": "wrist", "type": "revolute", "parent": "beam", "child": "tip",
                    "axis": [0, 0, 1], "at": [0.5, 0, 0]}],
        "frames": [{"name": "sensor", "body": "beam",
                    "pose": {"position": [-0.5, 0, 0], "rpy_deg": [0, 0, 90]}}]}))
    g = 9.81
    sim.set_wrench("tip", [0, 2.0, 0])
    for _ in range(3):
        sim.set_efforts(-sim.jacobian("tip").T @ [0, 0, 0, 0, 2.0, 0])
        sim.set_effort("hinge", sim.bias()[sim.joints["hinge"].index])
        sim.step()
    force, torque = sim.joints["hinge"].wrench
    assert np.allclose(force, [0, -2.0, 4 * g], atol=1e-6), force
    # Torques about the hinge: weights at their arms, and the side load at the tip.
    expected = -np.cross([0.5, 0, 0], [0, 0, -3 * g]) - np.cross([1.0, 0, 0], [0, 2.0, -g])
    assert np.allclose(torque, expected, atol=1e-6), (torque, expected)
    assert np.isclose(torque[1], sim.joints["hinge"].effort)
    # The same in a frame at the hinge whose x axis is the world's y.
    force, torque = sim.force_torque("sensor")
    assert np.allclose(force, [-2.0, 0, 4 * g], atol=1e-6)
    assert np.allclose(torque, [expected[1], -expected[0], expected[2]], atol=1e-6)
    sim = am.Simulator(am.make_scene({**ROBOT, "bodies": [*ROBOT["bodies"], GROUND]}))
    sim.step()
    assert "fixed" in raises(ValueError, lambda: sim.force_torque("ground"))


def test_a_force_torque_sensor_reads_joints_in_maximal_coordinates():
    # A pendulum of two links that swings: both coordinates agree to first order in the step.
    def reading(coordinates):
        sim = am.Simulator(am.make_scene({
            "amontons": 1,
            "simulation": {"step": 0.0005, "duration": 1},
            "bodies": [{"name": "upper", "mass": 3.0, "inertia": [0.1, 0.1, 0.1],
                        "pose": {"position": [0.5, 0, 0]}},
                       {"name": "lower", "mass": 1.0, "inertia": [0.1, 0.1, 0.1],
                        "pose": {"position": [1.0, 0, 0.3]}}],
            "joints": [{"name": "hip", "type": "revolute", "parent": "world", "child": "upper",
                        "axis": [0, 1, 0], "at": [0, 0, 0], "coordinates": coordinates},
                       {"name": "knee", "type": "revolute", "parent": "upper", "child": "lower",
                        "axis": [0, 0, 1], "at": [0.5, 0, 0], "coordinates": coordinates}],
            "frames": [{"name": "sensor", "body": "upper",
                        "pose": {"position": [-0.5, 0, 0], "rpy_deg": [0, 0, 90]}}]}))
        for _ in range(400):
            sim.step()
        return np.concatenate(sim.force_torque("sensor")), np.concatenate(sim.force_torque("lower"))

    for tree, rows in zip(reading("reduced"), reading("maximal")):
        assert np.linalg.norm(tree) > 5.0, tree
        assert np.allclose(tree, rows, rtol=5e-3, atol=1e-6), (tree, rows)


def four_bar(closing, actuators=()):
    """Returns a four-bar linkage whose joint `j4` closes the loop, as rows of J."""
    def hinge(name, parent, child, x, z):
        return {"name": name, "type": "revolute", "parent": parent, "child": child,
                "axis": [0, 1, 0], "at": [x, 0, z]}

    return am.Simulator(am.make_scene({
        "amontons": 1, "simulation": {"step": 0.0005, "duration": 1},
        "bodies": [{"name": name, "mass": 1.0, "inertia": [0.1, 0.1, 0.1],
                    "pose": {"position": [x, 0, z]}}
                   for name, x, z in (("a", 0, 0.5), ("b", 0.5, 1), ("c", 1, 0.5))],
        "joints": [hinge("j1", "world", "a", 0, 0), hinge("j2", "a", "b", 0, 1),
                   hinge("j3", "b", "c", 1, 1), {**hinge("j4", "world", "c", 1, 0), **closing}],
        "actuators": list(actuators)}))


def test_hinges_without_a_drive_pass_no_torque_whatever_drives_the_joint_that_closes_the_loop():
    drives = [({}, {"joint": "j4", "position": {"target": 0.4, "kp": 300, "kd": 20}}),
              ({"viscous_friction": 5.0}, {"joint": "j4", "effort": 7.0}),
              ({"stiffness": 50.0, "rest_position": 0.3}, None), ({"coulomb_friction": 3.0}, None),
              ({"limits": [-0.002, 0.002]}, {"joint": "j4", "effort": 7.0}),
              ({}, {"joint": "j4", "motion": {"sinusoid": {"amplitude": 0.1, "period": 1}}})]
    for closing, actuator in drives:
        sim = four_bar(closing, [actuator] if actuator else [])
        sim.set_effort("j2", 4.0)
        for _ in range(100):
            sim.step()
        torques = {name: sim.joints[name].wrench[1] for name in sim.joints
                   if not name.startswith("motion")}
        # Solved to the tolerance of 1e-8, of forces of some hundred newtons at arms of 1 m.
        assert np.allclose([torques["j1"][1], torques["j2"][1], torques["j3"][1]], [0, 4.0, 0],
                           atol=1e-5), (closing, actuator, torques)
        # All bars together: their change of momentum is what the two hinges on the ground give.
        # It is that of a symplectic step, so that it errs by the first order of the step.
        forces = sim.joints["j1"].wrench[0] + sim.joints["j4"].wrench[0]
        gained = sum(body.mass * (body.acceleration[3:] - sim.gravity)
                     for body in sim.bodies.values())
        assert np.allclose(forces, gained, atol=0.02 * np.linalg.norm(gained)), (forces, gained)


def test_a_weld_passes_the_weight_that_hangs_on_it_and_none_once_it_is_detached():
    sim = am.Simulator(am.make_scene({
        "amontons": 1, "simulation": {"step": 0.001, "duration": 1},
        "bodies": [{"name": "crane", "mass": 5.0, "inertia": [0.1, 0.1, 0.1], "fixed": False,
                    "pose": {"position": [0, 0, 1]}},
                   {"name": "load", "mass": 2.0, "inertia": [0.1, 0.1, 0.1],
                    "pose": {"position": [0.3, 0, 0.7]}}],
        "joints": [{"name": "lift", "type": "prismatic", "parent": "world", "child": "crane",
                    "axis": [0, 0, 1], "viscous_friction": 1e9},
                   {"name": "weld", "type": "fixed", "parent": "crane", "child": "load",
                    "coordinates": "maximal", "at": [0, 0, 0.9]}]}))
    for _ in range(20):
        sim.step()
    g = 9.81
    force, torque = sim.joints["weld"].wrench
    assert np.allclose(force, [0, 0, 2 * g], atol=1e-5), force
    # About the weld, which is 0.3 m beside the load.
    assert np.allclose(torque, -np.cross([0.3, 0, -0.2], [0, 0, -2 * g]), atol=1e-5), torque
    assert np.allclose(sim.joints["lift"].wrench[0], [0, 0, 7 * g], atol=1e-5)
    sim.detach("weld")
    sim.step()
    assert not np.any(sim.joints["weld"].wrench)
    assert np.allclose(sim.joints["lift"].wrench[0], [0, 0, 5 * g], atol=1e-4)


def test_a_free_body_hangs_on_no_joint_whatever_pushes_it():
    sim = am.Simulator(am.make_scene({
        "amontons": 1, "simulation": {"step": 0.001, "duration": 1},
        "bodies": [GROUND, {"name": "box", "mass": 2.0, "pose": {"position": [0, 0, 0.1]},
                            "shapes": [{"box": [0.4, 0.3, 0.2]}], "velocity": {"linear": [1, 0, 0]}}]}))
    sim.set_wrench("box", [1.0, 2.0, -3.0], [0.1, 0.2, 0.3], [0.1, 0, 0.1])
    for _ in range(20):
        sim.step()
    force, torque = sim.force_torque("box")
    # The balance is that of the start of the step: turning errs by the first order of the step.
    assert np.allclose(force, 0, atol=1e-9) and np.allclose(torque, 0, atol=1e-4)
    # Contacts carry the weight and the push, and oppose the slide.
    force, torque = sim.contact_wrench("box")
    assert np.isclose(force[2], 2 * 9.81 + 3.0)
    contacts = sim.contacts
    assert np.allclose(contacts["force"].sum(axis=0), force) and set(contacts["mode"]) <= {
        "slide", "open"} and "slide" in contacts["mode"]
    sliding = contacts[contacts["mode"] == "slide"]
    assert np.allclose(sliding["slip_margin"], 0, atol=1e-6)
    assert np.allclose(np.cross(sliding["force"][:, :2], sliding["velocity"][:, :2]), 0, atol=1e-6)
    inside = sim.contact_wrench("box", sim.frame("box", [0, 0, 0], [0.5, 0.5, 0.5, 0.5]))
    assert np.isclose(np.linalg.norm(inside[0]), np.linalg.norm(force))
    assert np.isclose(inside[0] @ inside[1], force @ torque, atol=1e-9)
    # The solver had the contacts on the corners at the start of the step, views have them now.
    h, arms = sim.report.h, contacts["position"][:, :2] - sim.bodies["box"].position[:2]
    assert np.allclose(np.abs(arms), [0.2, 0.15], atol=1e-3)
    way = contacts["position"][:, 0] - sim.report.contacts["position"][:, 0]
    assert np.allclose(way, h * sim.bodies["box"].velocity[0], atol=1e-4)
    assert am.Simulator(am.make_scene(ROBOT)).contacts.size == 0


def test_contacts_are_the_same_whether_a_program_asks_in_every_step_or_once():
    # Of a step that finds its contacts at its start, at its end, or between events.
    for settings in ({}, {"simulation.model": "stewart-trinkle"},
                     {"simulation.method": "event-driven"}):
        scene = am.load_scene(FIRST, settings)
        every, once = am.Simulator(scene), am.Simulator(scene)
        for _ in range(200):
            every.step()
            seen = every.contacts
            assert every.contacts.tobytes() == seen.tobytes()
            once.step()
        assert seen.size > 0 and seen.tobytes() == once.contacts.tobytes()


def test_contacts_are_those_of_the_bodies_after_each_of_two_steps_that_end_alike():
    # Two forces leave a box at rest, with other forces of contact.
    scene = am.make_scene({
        "amontons": 1, "simulation": {"step": 0.01, "duration": 1},
        "bodies": [GROUND, {"name": "box", "mass": 2.0, "pose": {"position": [0, 0, 0.1]},
                            "shapes": [{"box": [0.4, 0.3, 0.2]}]}]})
    sim = am.Simulator(scene)
    start = sim.save()
    for push in (-1.0, -3.0):
        sim.restore(start)
        sim.set_wrench("box", [0, 0, push])
        sim.step()
        assert np.isclose(sim.contacts["force"].sum(axis=0)[2], 2 * 9.81 - push)


def test_means_over_a_step_raise_one_error_where_there_is_none():
    sim = moving_robot()
    hand, shoulder = sim.bodies["hand"], sim.joints["shoulder"]
    means = [lambda: hand.acceleration, lambda: hand.contact_wrench, lambda: hand.imu,
             lambda: shoulder.effort, lambda: shoulder.wrench, lambda: sim.imu("tool"),
             lambda: sim.contact_wrench("hand"), lambda: sim.contact_wrench("hand", "camera"),
             lambda: sim.force_torque("tool")]
    words = {raises(ValueError, mean) for mean in means}
    assert len(words) == 1 and "there is no step to read" in words.copy().pop()
    # What a state has is read without a step.
    assert np.isfinite([*hand.position, *hand.velocity, shoulder.position]).all()
    assert sim.report is None and sim.contacts.size == 0
    sim.step()
    assert all(mean() is not None for mean in means)
    for leave in (sim.reset, lambda: sim.set_state(sim.q, sim.v), lambda: sim.restore(sim.save())):
        leave()
        assert {raises(ValueError, mean) for mean in means} == words
        sim.step()


def test_inverse_dynamics_with_contacts_stands_on_them():
    legs = [[x, y] for x in (-0.3, 0.3) for y in (-0.2, 0.2)]
    bodies = [GROUND, {"name": "trunk", "mass": 8.0, "inertia": [0.2, 0.3, 0.4],
                       "pose": {"position": [0, 0, 0.5]}}]
    joints = []
    for k, (x, y) in enumerate(legs):
        bodies.append({"name": f"leg{k}", "mass": 0.5, "inertia": [0.01, 0.01, 0.01],
                       "pose": {"position": [x, y, 0.25]},
                       "shapes": [{"sphere": 0.05, "pose": {"position": [0, 0, -0.2]}}]})
        joints.append({"name": f"hip{k}", "type": "revolute", "parent": "trunk", "child": f"leg{k}",
                       "axis": [0, 1, 0], "at": [0, 0, 0.2]})
    sim = am.Simulator(am.make_scene({"amontons": 1, "simulation": {"step": 0.001, "duration": 1},
                                      "bodies": bodies, "joints": joints}))
    q, still = sim.q.copy(), np.zeros(sim.v.size)
    found = sim.inverse_dynamics(q, still, still, contacts=True)
    assert found.forces.shape == (4, 3) and np.linalg.norm(found.missing) < 1e-6
    assert np.allclose(found.forces.sum(axis=0), [0, 0, 10 * 9.81], atol=1e-6)
    assert np.allclose(found.efforts[:6], 0)
    # The equation of motion, with the forces at their points.
    tau = sim.inverse_dynamics(q, still, still)
    names = list(sim.bodies)
    for i, force in enumerate(found.forces):
        body = sim.bodies[names[found.body_b[i]]]
        at = body.rotation.T @ (found.positions[i] - body.position)
        tau = tau - sim.jacobian(body.name, at).T @ np.concatenate([np.zeros(3), force])
    assert np.allclose(tau, found.efforts + found.missing, atol=1e-6)
    # Faster than friction allows: the rest is missing, and forces stay in their cones.
    vdot = still.copy()
    vdot[3] = 20.0
    found = sim.inverse_dynamics(q, still, vdot, contacts=True)
    assert np.linalg.norm(found.missing) > 10.0
    assert (np.linalg.norm(found.forces[:, :2], axis=1) <= 0.5 * found.forces[:, 2] + 1e-6).all()
    in_air = q.copy()
    in_air[6] += 1.0
    found = sim.inverse_dynamics(in_air, still, still, contacts=True)
    assert len(found.forces) == 0 and np.isclose(found.missing[5], 10 * 9.81)


def test_rays_and_distances_agree_on_spheres_and_planes():
    sim = am.Simulator(am.make_scene({
        "amontons": 1, "simulation": {"step": 0.001, "duration": 1},
        "bodies": [GROUND,
                   {"name": "a", "mass": 1, "shapes": [{"sphere": 0.3}, {"box": [0.1, 0.1, 1.4]}],
                    "pose": {"position": [0, 0, 2]}},
                   {"name": "b", "mass": 1, "shapes": [{"sphere": 0.2}],
                    "pose": {"position": [2, 0, 2]}},
                   {"name": "none", "mass": 1, "inertia": [1, 1, 1]}]}))
    d = sim.distance("a", "b")
    assert np.isclose(d.distance, 1.5) and np.allclose(d.normal, [1, 0, 0]) and np.isclose(float(d), 1.5)
    assert np.allclose(d.point_b, d.point_a + d.distance * d.normal)
    assert np.isclose(sim.distance("a", "ground").distance, 1.3)
    hit = sim.cast_ray([-5, 0, 2], [2, 0, 0])
    assert hit.body == "a" and np.isclose(hit.distance, 4.7) and np.allclose(hit.normal, [-1, 0, 0])
    assert np.allclose(hit.point, [-0.3, 0, 2])
    assert sim.cast_ray([-5, 0, 2], [1, 0, 0], exclude=["a"]).body == "b"
    assert sim.cast_ray([-5, 0, 2], [1, 0, 0], max_distance=4.0) is None
    assert sim.cast_ray([-5, 0, 2], [0, 0, 1]) is None
    assert sim.cast_ray([5, 3, 2], [0, 0, -1]).body == "ground"
    assert "no shape" in raises(ValueError, lambda: sim.distance("a", "none"))
    assert "direction" in raises(ValueError, lambda: sim.cast_ray([0, 0, 0], [0, 0, 0]))
    assert "<RayHit of 'a'" in repr(hit) and "<Distance 1.5 m" in repr(d)


def test_the_rows_of_a_terrains_table_follow_x_and_their_numbers_y():
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "hills.csv").write_text("0,1,2\n10,11,12\n")
        sim = am.Simulator(am.make_scene({
            "amontons": 1, "simulation": {"step": 0.001, "duration": 1},
            "bodies": [{"name": "terrain", "fixed": True, "shapes": [
                {"heightfield": {"size": [4, 2], "file": "hills.csv"}}]}]}, folder=folder))
    for x, y in ((-1.9, -0.9), (-1.9, 0.7), (0.3, 0.0), (1.8, -0.4)):
        # The table of docs/scene-format.md: 10 along the 4 m of x, 2 along the 2 m of y.
        height = sim.cast_ray([x, y, 50], [0, 0, -1]).point[2]
        assert abs(height - (2.5 * (x + 2) + (y + 1))) < 1e-9


def test_sensors_of_models_are_read_by_name():
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "m.xml").write_text("""<mujoco><worldbody>
          <geom type='plane' size='1 1 1'/><body name='box' pos='0 0 0.1'><freejoint/>
          <geom type='box' size='0.1 0.1 0.1' mass='2'/><site name='imu' euler='90 0 0'/>
          <site name='sole' type='box' size='0.2 0.2 0.05' pos='0 0 -0.1'/></body>
          <body name='arm' pos='5 0 2'><joint name='j' axis='0 1 0' range='0 0.001' limited='true'/>
          <geom type='box' size='0.1 0.1 0.1' mass='3' pos='0.5 0 0'/>
          <site name='wrist' euler='180 0 0' pos='0.25 0 0'/></body></worldbody>
          <sensor><accelerometer name='a' site='imu'/><touch name='sole' site='sole'/>
          <framepos name='p' objtype='site' objname='imu'/>
          <force name='f' site='wrist'/><torque name='t' site='wrist'/>
          <rangefinder name='down' site='wrist'/><rangefinder name='aside' site='imu'/>
          </sensor></mujoco>""")
        sim = am.Simulator(am.make_scene({
            "amontons": 1, "simulation": {"step": 0.001, "duration": 1},
            "models": [{"name": "m", "file": "m.xml"}]}, folder=folder))
    assert list(sim.sensors) == ["m/a", "m/sole", "m/p", "m/f", "m/t", "m/down", "m/aside"] and "m/imu" in sim.frames
    assert np.allclose(sim.sensors["m/p"], [0, 0, 0.1])
    assert "there is no step to read" in raises(ValueError, lambda: sim.sensors["m/a"])
    for _ in range(50):
        sim.step()
    assert np.allclose(sim.sensors["m/a"], [0, 9.81, 0], atol=1e-6)
    assert np.isclose(sim.sensors["m/sole"], 2 * 9.81, rtol=1e-6)
    assert np.allclose(sim.sensors["m/a"], sim.imu("m/imu")[0])
    # The arm rests on its limit: the force is its weight, with a lever of 0.25 m about the wrist.
    # The site looks down at the ground: its y and z axes are reversed.
    weight, wrist = 3 * 9.81, 2 - 0.25 * np.sin(sim.q[-1])
    assert np.allclose(sim.sensors["m/f"], [0, 0, -weight], atol=0.01 * weight)
    assert np.allclose(sim.sensors["m/t"], [0, 0.25 * weight, 0], atol=0.01 * weight)
    assert np.isclose(sim.sensors["m/down"], wrist, rtol=1e-5) and sim.sensors["m/aside"] == -1
    assert "did you mean 'm/sole'" in raises(KeyError, lambda: sim.sensors["m/sol"])


if __name__ == "__main__":
    run_tests(globals())
