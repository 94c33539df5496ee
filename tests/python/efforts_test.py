#!/usr/bin/python3
"""Checks the efforts that motions need on contacts against statics, and against round cones."""
import numpy as np

import amontons as am
from harness import raises, run_tests

G = 9.81


def chimney(mu, limit, mass=3.0, tilt=0.0):
    """Returns a free robot between two walls, which presses a foot against each by a sliding leg; or
    by three legs, turned about z where there is a tilt."""
    walls = [{"name": f"wall{k}", "fixed": True, "pose": {"position": [side, 0, 0]},
              "shapes": [{"half_space": {"normal": [-side, 0, 0]}}]} for k, side in ((0, -1), (1, 1))]
    bodies, joints = [{"name": "trunk", "mass": mass, "inertia": [0.1, 0.1, 0.1]}], []
    for k, side in ((0, -1), (1, 1)):
        bodies.append({"name": f"foot{k}", "mass": 0.5, "inertia": [0.01, 0.01, 0.01],
                       "shapes": [{"sphere": 0.1}], "pose": {"position": [0.9 * side, 0, 0]}})
        joints.append({"name": f"leg{k}", "type": "prismatic", "parent": "trunk",
                       "child": f"foot{k}", "axis": [side, np.tan(tilt), 0]})
    servos = [{"joint": f"leg{k}", "position": {"target": 0.0, "kp": 10.0, "kd": 1.0,
                                                "effort": limit}} for k in (0, 1)]
    return am.Simulator(am.make_scene({
        "amontons": 1, "simulation": {"step": 0.001, "duration": 1},
        "materials": [{"name": "default", "friction": mu}], "bodies": bodies + walls,
        "joints": joints, "actuators": servos if np.isfinite(limit) else []}))


def at_rest(sim, vdot=None):
    still = np.zeros(sim.v.size)
    return sim.q.copy(), still, still if vdot is None else vdot


def test_a_climber_between_walls_presses_as_hard_as_friction_asks():
    weight = 4.0 * G
    for mu in (0.2, 0.9):
        needed = weight / (2 * mu)
        for share in (0.5, 0.99, 1.01, 3.0):
            sim = chimney(mu, needed / share)
            assert np.allclose(sim.effort_limits[6:], needed / share)
            assert np.isinf(sim.effort_limits[:6]).all()
            found = am.needed_efforts(sim, *at_rest(sim))
            assert found.possible and found.suffices == (share <= 1), (mu, share, found)
            assert found.share_bound <= share * (1 + 1e-6) and share <= found.share * (1 + 1e-6)
            assert np.isclose(found.share, share, rtol=0.02) and found.strained in (6, 7)
            assert np.allclose(found.efforts[:6], 0)
            assert np.allclose(np.abs(found.efforts[6:]), needed, rtol=0.02)
            names = list(sim.bodies)
            sign = np.array([1 if names[b].startswith("foot") else -1 for b in found.body_b])
            assert np.allclose(sign @ found.forces, [0, 0, weight], atol=1e-5)


def test_an_answer_is_written_in_a_line_and_limits_are_one_for_each_velocity():
    sim = chimney(0.5, 1.01 * 4.0 * G)
    found = am.needed_efforts(sim, *at_rest(sim))
    text = f"share {found.share:.3g}, most strained entry {found.strained} of v>"
    assert repr(found) == f"<NeededEfforts on 2 contacts: the limits suffice, {text}"
    weak = am.needed_efforts(sim, *at_rest(sim), limits=np.full(8, 1.0))
    assert "the limits do not suffice" in repr(weak)
    assert "limits must be an array of 8 numbers, one for each entry of v, not 0.5" == raises(
        TypeError, am.needed_efforts, sim, *at_rest(sim), limits=0.5)
    assert "not of the shape (3,)" in raises(ValueError, am.needed_efforts, sim, *at_rest(sim),
                                             limits=[1, 2, 3])
    assert "not be negative" in raises(ValueError, am.needed_efforts, sim, *at_rest(sim),
                                       limits=np.full(8, -1.0))


def test_accelerating_up_takes_more_and_down_less():
    mu, limit = 0.5, 4.0 * G / (2 * 0.5)
    sim = chimney(mu, limit)
    for acceleration in (-0.5 * G, 0.0, 0.25 * G):
        q, v, vdot = at_rest(sim)
        vdot = vdot.copy()
        vdot[5] = acceleration
        found = am.needed_efforts(sim, q, v, vdot, directions=64)
        assert np.isclose(found.share, 1 + acceleration / G, rtol=2e-3)
    vdot[5], vdot[3] = 0.0, 200.0        # sideways: legs push on one wall alone
    found = am.needed_efforts(sim, q, v, vdot)
    assert found.possible and found.suffices is False


def test_what_no_contact_gives_is_impossible():
    sim = chimney(0.0, 100.0)            # ice
    found = am.needed_efforts(sim, *at_rest(sim))
    assert not found.possible and found.suffices is False and found.share == np.inf
    assert found.efforts is None and found.forces is None and found.strained is None
    sim = chimney(0.5, np.inf)           # without limits every possible motion suffices
    found = am.needed_efforts(sim, *at_rest(sim))
    assert found.suffices and found.share == 0.0 and found.strained is None
    q, v, vdot = at_rest(sim)
    q[4] += 0.5                          # off both walls
    found = am.needed_efforts(sim, q, v, vdot)
    assert not found.possible or len(found.forces) == 1
    falling = vdot.copy()
    falling[5] = -G                      # in the air free fall needs nothing
    q[4:7] = [0.0, 0.0, 0.0]
    q[7:9] = -0.3
    found = am.needed_efforts(sim, q, v, falling)
    assert found.possible and len(found.forces) == 0


def tripod_robot(mu, seed):
    """Returns a free trunk on three legs of two hinges each, on the ground, with random links."""
    random = np.random.default_rng(seed)
    bodies = [{"name": "trunk", "mass": 6.0, "inertia": [0.1, 0.1, 0.1],
               "pose": {"position": [0, 0, 0.5]}},
              {"name": "ground", "fixed": True, "shapes": [{"half_space": {"normal": [0, 0, 1]}}]}]
    joints = []
    for k in range(3):
        turn = 2 * np.pi * k / 3 + random.uniform(-0.3, 0.3)
        out, side = np.array([np.cos(turn), np.sin(turn)]), [-np.sin(turn), np.cos(turn), 0.0]
        hip, knee, foot = 0.15 * out, random.uniform(0.3, 0.4) * out, random.uniform(0.3, 0.5) * out
        bodies += [{"name": f"thigh{k}", "mass": 0.5, "inertia": [0.01] * 3,
                    "pose": {"position": [*knee, 0.4]}},
                   {"name": f"shin{k}", "mass": 0.3, "inertia": [0.01] * 3,
                    "pose": {"position": [*foot, 0.05]}, "shapes": [{"sphere": 0.05}]}]
        joints += [{"name": f"hip{k}", "type": "revolute", "parent": "trunk", "child": f"thigh{k}",
                    "axis": side, "at": [*hip, 0.5]},
                   {"name": f"knee{k}", "type": "revolute", "parent": f"thigh{k}",
                    "child": f"shin{k}", "axis": side, "at": [*knee, 0.4]}]
    return am.Simulator(am.make_scene({
        "amontons": 1, "simulation": {"step": 0.001, "duration": 1},
        "materials": [{"name": "default", "friction": mu}], "bodies": bodies, "joints": joints}))


def test_random_robots_need_what_an_independent_search_over_round_cones_finds():
    from scipy.optimize import minimize
    for seed in range(3):
        sim = tripod_robot(0.6, seed)
        q, v, vdot = at_rest(sim)
        limits = np.full(sim.v.size, np.inf)
        limits[6:] = np.random.default_rng(seed).uniform(5, 15, sim.v.size - 6)
        found = am.needed_efforts(sim, q, v, vdot, limits, directions=64)
        tau = sim.inverse_dynamics(q, v, vdot)
        rows, names = [], list(sim.bodies)
        for point, b in zip(found.positions, found.body_b):
            body = sim.bodies[names[b]]
            rows.append(sim.jacobian(body.name, body.rotation.T @ (point - body.position))[3:])
        J = np.array(rows)
        # The efforts are those of the forces, and the shares are theirs.
        left = tau - np.einsum("ckv,ck->v", J, found.forces)
        assert np.allclose(left, found.efforts, atol=1e-4)
        assert np.isclose(np.max(np.abs(found.efforts[6:]) / limits[6:]), found.share, rtol=1e-4)
        slip = np.linalg.norm(found.forces[:, :2], axis=1)
        assert (slip <= 0.6 * found.forces[:, 2] + 1e-6).all()
        # The same by sequential quadratic programs over round cones, from the forces found.
        nc = len(J)

        def base(x):
            return (tau - np.einsum("ckv,ck->v", J, x[:-1].reshape(nc, 3)))[:6] / 10

        def room(x):
            f = x[:-1].reshape(nc, 3)
            left = (tau - np.einsum("ckv,ck->v", J, f))[6:] / limits[6:]
            cone = 0.6 * f[:, 2] - np.sqrt(f[:, 0]**2 + f[:, 1]**2 + 1e-12)
            return np.concatenate([x[-1] - left, x[-1] + left, cone / 10])

        start = np.append(found.forces.ravel(), found.share)
        best = minimize(lambda x: x[-1], start, method="SLSQP", options={"maxiter": 500},
                        constraints=[{"type": "eq", "fun": base}, {"type": "ineq", "fun": room}])
        assert found.share_bound <= best.fun + 1e-5, (seed, found.share_bound, best.fun)
        assert best.fun <= found.share * (1 + 1e-4) and found.share <= best.fun * 1.01


def test_forces_of_least_norm_may_ask_for_more():
    sim = tripod_robot(0.6, 5)
    q, v, vdot = at_rest(sim)
    norm = sim.inverse_dynamics(q, v, vdot, contacts=True)
    limits = np.full(sim.v.size, np.inf)
    limits[6:] = 10.0
    found = am.needed_efforts(sim, q, v, vdot, limits, directions=64)
    assert np.linalg.norm(norm.missing) < 1e-4
    assert found.share < np.abs(norm.efforts[6:]).max() / 10.0
    assert norm.normals.shape == norm.forces.shape and np.allclose(norm.friction, 0.6)


def test_what_it_cannot_answer_is_refused():
    sim = chimney(0.5, 10.0)
    q, v, vdot = at_rest(sim)
    assert "limits must be an array" in raises(ValueError, am.needed_efforts, sim, q, v, vdot, [1.0])
    raises(ValueError, am.needed_efforts, sim, q[:-1], v, vdot)
    loop = am.Simulator(am.make_scene({
        "amontons": 1, "simulation": {"step": 0.001, "duration": 1},
        "bodies": [{"name": "bar", "mass": 1, "inertia": [1, 1, 1]}],
        "joints": [{"name": "hinge", "type": "revolute", "parent": "world", "child": "bar",
                    "axis": [0, 1, 0], "at": [0, 0, 0], "coordinates": "maximal"}]}))
    still = np.zeros(loop.v.size)
    assert "rows of J" in raises(ValueError, am.needed_efforts, loop, loop.q, still, still)


def test_without_slip_friction_is_what_the_motion_asks():
    for mu, push in ((0.2, 1.5), (0.2, 3.0), (0.0, 3.0)):
        sim = am.Simulator(am.make_scene({
            "amontons": 1, "simulation": {"step": 0.001, "duration": 1},
            "materials": [{"name": "default", "friction": mu}],
            "bodies": [{"name": "floor", "fixed": True,
                        "shapes": [{"half_space": {"normal": [0, 0, 1]}}]},
                       {"name": "box", "mass": 2, "shapes": [{"box": [0.2, 0.2, 0.1]}],
                        "pose": {"position": [0, 0, 0.05]}}]}))
        q, v, vdot = at_rest(sim)
        vdot = vdot.copy()
        vdot[3] = push
        found = am.needed_efforts(sim, q, v, vdot, law="no-slip")
        assert found.possible and found.suffices
        assert np.allclose(found.forces.sum(axis=0), [2 * push, 0, 2 * G], atol=1e-6)
        assert am.needed_efforts(sim, q, v, vdot).possible == (push <= mu * G)
    vdot[3:] = [0, 0, -1.01 * G]                 # contacts do not pull
    assert not am.needed_efforts(sim, q, v, vdot, law="no-slip").possible
    assert "'no-slip'" in raises(ValueError, am.needed_efforts, sim, q, v, vdot, law="viscous")


def test_a_planar_joint_has_actuators_and_a_planar_base_has_none():
    slider = {"name": "slider", "mass": 2.0, "inertia": [0.1, 0.2, 0.3],
              "pose": {"position": [0, 0, 1]}}
    joint = {"name": "stage", "type": "planar", "parent": "world", "child": "slider"}
    for bodies, joints, is_base in (([slider], [joint], False),
                                    ([slider | {"base": "planar"}], [], True)):
        sim = am.Simulator(am.make_scene({"amontons": 1, "simulation": {"step": 0.001, "duration": 1},
                                          "bodies": bodies, "joints": joints}))
        assert list(sim._base_coordinates) == [is_base] * 3
        still = np.zeros(3)
        tau = sim.inverse_dynamics(sim.q, still, still)
        assert np.isclose(np.linalg.norm(tau), 2 * 9.81)
        found = sim.inverse_dynamics(sim.q, still, still, contacts=True)
        assert np.allclose(found.efforts, 0 * tau if is_base else tau)
        assert np.allclose(found.missing, tau if is_base else 0 * tau)


def test_limits_of_any_size_and_free_fall_are_answered():
    sim = tripod_robot(0.6, 0)
    q, v, vdot = at_rest(sim)
    joints = np.arange(sim.v.size) >= 6

    def ask(limit, acceleration, height=0.0):
        place, wanted = q.copy(), vdot.copy()
        place[6], wanted[5] = q[6] + height, acceleration
        return am.needed_efforts(sim, place, v, wanted, np.where(joints, limit, np.inf))

    usual = ask(10.0, 0.0)
    for limit in (1e7, 2.0**63, 1e308):
        found = ask(limit, 0.0)
        assert found.possible and found.suffices and found.share < 1.01 * usual.share * 10 / limit
    # The contacts can give the motion, but joints without efforts cannot.
    for limit in (0.0, 5e-324):
        found = ask(limit, 0.0)
        assert found.possible and found.suffices is False and found.share == np.inf
        assert np.allclose(found.forces[:, 2].sum(), usual.forces[:, 2].sum(), rtol=1e-6)
    # In the air free fall needs nothing but rounding, and any other motion is impossible.
    for limit in (1e-3, 10.0, 1e308):
        found = ask(limit, -G, height=5.0)
        assert found.possible and found.suffices and np.abs(found.efforts).max() < 1e-9
        assert not ask(limit, -G + 1e-3, height=5.0).possible


def test_polygons_without_an_inside_are_refused():
    sim = tripod_robot(0.6, 0)
    q, v, vdot = at_rest(sim)
    for corners in (-1, 0, 1, 2, 1001, 10**9):
        said = raises(ValueError, am.needed_efforts, sim, q, v, vdot, directions=corners)
        assert said.startswith("needed_efforts: directions must be a whole number of at "), said
    for wrong in (None, "x", 3.5, np.nan, [8], True):
        said = raises(TypeError, am.needed_efforts, sim, q, v, vdot, directions=wrong)
        assert said.startswith("needed_efforts: directions must be a whole number, not "), said
    for corners in (3, 4, np.int64(5), 1000):  # each polygon has weight in its inside
        assert am.needed_efforts(sim, q, v, vdot, directions=corners).possible


if __name__ == "__main__":
    run_tests(globals())
