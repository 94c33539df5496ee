#!/usr/bin/python3
"""Checks grasps against closed forms, and random ones against the support function of their cones."""
import os

import numpy as np

import amontons as am
from harness import raises, run_tests

LONG = os.environ.get("AMONTONS_TEST_SIZE") == "long"
CASES = 20 if LONG else 4
RANDOM = np.random.default_rng(7)


def jaws(mu, width=1.0, **options):
    return am.Grasp([[-width, 0], [width, 0]], [[1, 0], [-1, 0]], mu, **options)


def fingers(mu, radius=0.05, torsion=0.0, **options):
    return am.Grasp([[-radius, 0, 0], [radius, 0, 0]], [[1, 0, 0], [-1, 0, 0]], mu, torsion, **options)


def on_sphere(rays, mu, radius=1.0, **options):
    rays = np.array(rays, float)
    rays /= np.linalg.norm(rays, axis=1)[:, None]
    return am.Grasp(radius * rays, -rays, mu, center=[0, 0, 0], **options)


def tripod(angle=0.0):
    turns = 2 * np.pi * np.arange(3) / 3
    return np.column_stack([np.cos(turns), np.sin(turns), np.full(3, angle)])


TETRAHEDRON = [[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]


def support(grasp, directions):
    """Returns the largest w . d over unit normal forces in the round cones (ellipsoids of soft
    fingers), for directions d [n, 6]: a formula without polygons and hulls."""
    best = np.full(len(directions), -np.inf)
    arms = grasp.points - grasp.center
    for arm, normal, mu, gamma in zip(arms, grasp.normals, grasp.friction, grasp.torsion):
        turn = directions[:, 3:] / grasp.length
        along = directions[:, :3] + np.cross(turn, arm)     # d . (f, arm x f / length) = f . along
        normal_part = along @ normal
        slip = np.linalg.norm(along - normal_part[:, None] * normal, axis=1)
        best = np.maximum(best, normal_part + np.hypot(mu * slip, gamma * (turn @ normal)))
    return best


def least_support(grasp, tries=3):
    """Returns the least support over the unit sphere, by many descents (SciPy)."""
    from scipy.optimize import minimize
    starts = RANDOM.normal(size=(20000, 6))
    starts /= np.linalg.norm(starts, axis=1)[:, None]
    values = support(grasp, starts)
    least = values.min()
    for start in starts[np.argsort(values)[:tries]]:
        found = minimize(lambda d: support(grasp, (d / np.linalg.norm(d))[None])[0], start,
                         method="Nelder-Mead", options={"maxiter": 1200, "xatol": 1e-9,
                                                        "fatol": 1e-12, "adaptive": True})
        least = min(least, found.fun)
    return least


def test_a_parallel_jaw_in_the_plane_has_the_quality_of_its_tetrahedron():
    for mu in (0.1, 0.5, 1.3):
        for width in (1.0, 1e-3, 70.0):      # torques count in units of the width
            grasp = jaws(mu, width)
            # Its four wrenches are (+-1, +-mu, +-mu): a regular tetrahedron, scaled along two axes.
            assert grasp.wrenches.shape == (4, 3) and grasp.has_force_closure
            assert np.isclose(grasp.epsilon, mu / np.hypot(mu, np.sqrt(2)), rtol=1e-12)
            assert np.isclose(grasp.volume, 8 * mu**2 / 3, rtol=1e-12)
            assert grasp.epsilon_bounds == (grasp.epsilon, grasp.epsilon)
            assert np.isclose(np.abs(grasp.weakest[0]), mu / np.hypot(mu, np.sqrt(2)))
            assert grasp.hold(0.999 * grasp.epsilon * grasp.weakest[:2],
                              0.999 * grasp.epsilon * width * grasp.weakest[2]).normal_forces.sum() < 1
    assert not jaws(0.0).has_force_closure and jaws(0.0).epsilon == 0.0 == jaws(0.0).volume


def test_two_fingers_close_only_with_torsion():
    for radius in (0.01, 20.0):
        hard = fingers(0.5, radius)
        assert not hard.has_force_closure and hard.epsilon == 0.0
        assert np.allclose(np.abs(hard.weakest), [0, 0, 0, 1, 0, 0])   # nothing turns about the line
        soft = fingers(0.5, radius, torsion=0.2 * radius, accuracy=0.02)
        assert soft.has_force_closure and soft.volume > 0
        # The torque about the line is held by the torsion alone.
        assert soft.epsilon <= 0.2 <= soft.epsilon_bounds[1] <= 0.2041
        assert hard.hold([0, 0, -1], [0.1 * radius, 0, 0]) is None
        held = soft.hold([0, 0, -1], [0.1 * radius, 0, 0])
        assert np.isclose(held.torsions @ [1, -1], -0.1 * radius)
    assert not fingers(0.0, torsion=0.1).has_force_closure
    # Fingers that are not opposite within their cones do not close.
    askew = [[-1, 0], [1, 0]], [[1, 0.8], [-1, 0.8]]
    assert not am.Grasp(*askew, friction=0.5).has_force_closure
    assert am.Grasp(*askew, friction=0.9).has_force_closure


def test_fingers_that_turn_a_body_one_way_alone_do_not_close():
    # The first two touch a line, and forces of the others turn the body about it one way.
    points = [[-1, 0, 0], [1, 0, 0], [0, 1, 0], [0, -1, 0]]
    normals = [[1, 0.1, 0], [-1, 0.1, 0.2], [0, -0.4, 1], [0, 0.4, -1]]
    for turn in (np.eye(3), np.linalg.qr(RANDOM.normal(size=(3, 3)))[0]):
        grasp = am.Grasp(points @ turn, normals @ turn, [0.8, 0.8, 0.3, 0.3])
        assert not grasp.has_force_closure and grasp.epsilon_bounds == (0.0, 0.0)
        assert support(grasp, -grasp.weakest[None])[0] < 1e-9
        torque = grasp.weakest[3:] @ (np.array([1, 0, 0]) @ turn)
        assert np.isclose(abs(torque), 1, atol=1e-6)


def test_three_fingers_around_a_sphere_close_with_any_friction():
    for radius in (1e-4, 1e3):
        for mu in (0.02, 1.0):
            grasp = on_sphere(tripod(), mu, radius, accuracy=0.02)
            assert grasp.has_force_closure and grasp.epsilon > 0
            assert np.isclose(grasp.epsilon, on_sphere(tripod(), mu, accuracy=0.02).epsilon, rtol=0.02)
        assert not on_sphere(tripod(), 0.0, radius).has_force_closure
    # Above the equator the cones must reach below it: mu at least the slope.
    for slope in (0.6,):
        assert not on_sphere(tripod(slope), 0.98 * slope).has_force_closure
        assert on_sphere(tripod(slope), 1.02 * slope).has_force_closure


def test_a_symmetric_grasp_takes_few_facets():
    import scipy.spatial
    facets = []

    class Counted(scipy.spatial.ConvexHull):
        def add_points(self, points, restart=False):
            super().add_points(points, restart)
            facets.append(len(self.equations))

    whole, scipy.spatial.ConvexHull = scipy.spatial.ConvexHull, Counted
    try:
        grasp = on_sphere(tripod(), 0.7)
        lower, upper = grasp.epsilon_bounds
    finally:
        scipy.spatial.ConvexHull = whole
    exact = least_support(grasp)
    assert lower - 1e-9 <= exact <= 1.002 * upper and upper - lower <= 1e-3 * upper
    assert facets[-1] < 80_000 and len(facets) < 30, (facets[-1], len(facets))


def test_four_fingers_on_a_sphere_without_friction_hold_no_torque():
    # Normals through one point leave torques: rank 3. Friction alone closes.
    assert not on_sphere(TETRAHEDRON, 0.0).has_force_closure
    grasp = on_sphere(TETRAHEDRON, 0.5)
    lower, upper = grasp.epsilon_bounds
    exact = least_support(grasp)
    # The search over the sphere ends a little above the least.
    assert lower - 1e-9 <= exact <= 1.002 * upper and upper - lower < 2e-3 * exact, (lower, exact, upper)


def test_a_cube_without_friction_needs_seven_contacts():
    # Fingers at the edges' thirds of the faces: two a face, turning one way or the other.
    points, normals = [], []
    for axis in range(3):
        for side in (-1.0, 1.0):
            for place in (-0.5, 0.5):
                point, normal = np.zeros(3), np.zeros(3)
                point[axis], normal[axis] = side, -side
                point[(axis + 1) % 3] = place
                points.append(point)
                normals.append(normal)
    grasp = am.Grasp(points, normals, 0.0)
    assert grasp.has_force_closure and grasp.wrenches.shape == (12, 6)
    # Wrenches are (+-e_i, +-b e_j), b = 0.5 / length, in three orthogonal planes. The support at
    # (d, t) is the largest of |d_i| + b |t_j|: least for d = 0 and equal |t_j|.
    assert np.isclose(grasp.epsilon, 0.5 / grasp.length / np.sqrt(3), rtol=1e-3)
    for count in range(1, 7):
        few = am.Grasp(points[:count], normals[:count], 0.0, length=1.0)
        assert not few.has_force_closure and (few.wrenches @ -few.weakest <= 1e-9).all()
    # Three points on one line, which never closes.
    line = am.Grasp([[0, 0], [1, 0], [2, 0]], [[0, 1]] * 3, 0.0)
    assert not line.has_force_closure and line.volume == 0.0


def random_grasp(count, soft, **options):
    rays = np.array((tripod() if count == 3 else TETRAHEDRON + RANDOM.normal(size=(8, 3)).tolist())[:count])
    rays = rays @ np.linalg.qr(RANDOM.normal(size=(3, 3)))[0] + 0.3 * RANDOM.normal(size=(count, 3))
    points = rays / np.linalg.norm(rays, axis=1)[:, None] * RANDOM.uniform(0.5, 1, (count, 1))
    normals = -points + 0.3 * RANDOM.normal(size=(count, 3))
    scale = 10.0 ** RANDOM.uniform(-3, 2)
    return am.Grasp(scale * points, normals, RANDOM.uniform(0.2, 1.0, count),
                    scale * RANDOM.uniform(0.05, 0.3, count) if soft else 0.0, **options)


def test_random_grasps_have_the_quality_of_their_support_function():
    closed = 0
    for case in range(CASES):
        grasp = random_grasp(3 + case % 3, soft=case % 2 == 1, accuracy=0.01)
        lower, upper = grasp.epsilon_bounds
        exact = least_support(grasp)
        assert lower <= max(exact, 0.0) + 1e-9, (case, lower, exact)
        # No direction has less support than the bound; descents find nearly that.
        assert upper <= max(exact, 0.0) * 1.01 + 1e-6 and upper - lower <= 0.01 * upper, (case, exact, upper)
        assert np.isclose(max(support(grasp, -grasp.weakest[None])[0], 0), upper, atol=1e-12)
        closed += grasp.has_force_closure
        assert grasp.has_force_closure == (lower > 0)
    assert CASES // 3 <= closed


def test_the_bounds_of_epsilon_agree_within_the_accuracy_asked():
    coarse, fine = (on_sphere(TETRAHEDRON, 0.5, accuracy=accuracy) for accuracy in (0.2, 5e-4))
    for grasp in (coarse, fine):
        lower, upper = grasp.epsilon_bounds
        assert 0 < lower <= upper and upper - lower <= grasp.accuracy * upper
    assert coarse.epsilon <= fine.epsilon_bounds[1] and fine.epsilon <= coarse.epsilon_bounds[1]


def test_hundreds_of_contacts_have_the_quality_of_their_support_function():
    points = RANDOM.normal(size=(300, 3)) * [1.0, 2.0, 3.0]
    grasp = am.Grasp(points, -points, RANDOM.uniform(0.2, 1.0, 300), accuracy=0.01)
    lower, upper = grasp.epsilon_bounds
    assert grasp.has_force_closure and upper - lower <= 0.01 * upper
    assert 0 < lower <= least_support(grasp) + 1e-9
    assert np.isclose(support(grasp, -grasp.weakest[None])[0], upper)
    points[:, 2] = -np.abs(points[:, 2])
    half = am.Grasp(points, -points, 0.0)  # nothing presses down
    assert not half.has_force_closure and half.epsilon_bounds == (0.0, 0.0)


def test_the_least_hold_balances_its_load_within_the_cones():
    for case in range(CASES):
        grasp = random_grasp(4 + case % 2, soft=case % 2 == 1)
        force, torque = RANDOM.normal(size=3), grasp.length * RANDOM.normal(size=3)
        held = grasp.hold(force, torque)
        if held is None:
            assert not grasp.has_force_closure
            continue
        assert np.allclose(held.forces.sum(axis=0), -force, atol=1e-6)
        turned = np.cross(grasp.points - grasp.center, held.forces) + (
            held.torsions[:, None] * grasp.normals)
        assert np.allclose(turned.sum(axis=0), -torque, atol=1e-6 * grasp.length)
        normal = np.sum(held.forces * grasp.normals, axis=1)
        assert np.allclose(normal, held.normal_forces, atol=1e-9)
        slip = np.linalg.norm(held.forces - normal[:, None] * grasp.normals, axis=1)
        used = np.hypot(slip / grasp.friction, np.divide(
            held.torsions, grasp.torsion, where=grasp.torsion > 0, out=np.zeros(len(normal))))
        assert (used <= normal + 1e-9).all()
        # No load within epsilon of the sum of normal forces needs more.
        if grasp.has_force_closure:
            load = np.linalg.norm(np.append(force, torque / grasp.length))
            assert normal.sum() <= load / grasp.epsilon + 1e-6
    for turn in (0.0, 0.3, 1.1):        # across the line every direction is the same
        load = 10.0 * np.array([0, np.cos(turn), np.sin(turn)])
        two = fingers(0.4).hold(load)
        assert np.allclose(two.normal_forces, 10 / (2 * 0.4), rtol=1e-5)
        assert np.allclose(two.forces[:, 1:], -load[1:] / 2, atol=1e-4)
    flat = jaws(0.4).hold([0, -10.0])
    assert np.allclose(flat.normal_forces, 12.5) and flat.forces.shape == (2, 2)
    assert np.allclose(fingers(0.4).hold([0, 0, 0]).forces, 0)


def test_contacts_jam_where_their_cone_is_not_pointed():
    # A wedge in the plane between two walls jams from the friction angle on.
    for angle in (0.1, 0.4, 0.9):
        walls = ([[-1, 0], [1, 0]], [[np.cos(angle), np.sin(angle)], [-np.cos(angle), np.sin(angle)]])
        for share, jams in ((0.98, False), (1.02, True)):
            wedge = am.Grasp(*walls, friction=share * np.tan(angle))
            forces, opening = wedge.jam(), wedge.opening_velocity()
            assert (forces is not None) == jams == (opening is None), (angle, share)
            if jams:
                assert np.allclose(forces.sum(axis=0), 0, atol=1e-9)
                normal = np.sum(forces * wedge.normals, axis=1)
                assert np.isclose(normal.sum(), 1) and (normal > 0).all()
            else:      # every force of the cones works on the velocity
                assert (wedge.wrenches @ opening > 0).all() and opening[1] > 0
    for mu in (0.01, 0.5):
        assert fingers(mu).jam() is not None and on_sphere(tripod(), mu).jam() is not None
    table = am.Grasp([[-1, -1, 0], [1, -1, 0], [0, 1, 0]], [[0, 0, 1]] * 3, 2.0)
    assert table.jam() is None
    assert (table.wrenches @ table.opening_velocity() > 0).all()
    # Force closure is a jam, by definition; the converse fails.
    for case in range(CASES):
        grasp = random_grasp(4, soft=False, directions=8)
        forces, opening = grasp.jam(), grasp.opening_velocity()
        assert (forces is None) == (opening is not None)
        if grasp.has_force_closure:
            assert forces is not None
        if forces is not None:
            assert np.allclose(forces.sum(axis=0), 0, atol=1e-8)
            turned = np.cross(grasp.points - grasp.center, forces).sum(axis=0)
            assert np.allclose(turned, 0, atol=1e-8 * grasp.length)
        else:
            assert (grasp.wrenches @ opening > 0).all()
    assert "torsion must be 0" in raises(ValueError, fingers(0.5, torsion=0.1).jam)


SQUEEZE = {"amontons": 1, "simulation": {"step": 0.005, "duration": 1},
           "materials": [{"name": "default", "friction": 0.5}],
           "bodies": [{"name": "box", "mass": 1.0, "shapes": [{"box": [0.06, 0.06, 0.06]}]},
                      {"name": "left", "mass": 0.1, "shapes": [{"box": [0.02, 0.02, 0.02]}],
                       "pose": {"position": [0, 0.04, 0]}},
                      {"name": "right", "mass": 0.1, "shapes": [{"box": [0.02, 0.02, 0.02]}],
                       "pose": {"position": [0, -0.04, 0]}}],
           "joints": [{"name": "left-finger", "type": "prismatic", "parent": "world",
                       "child": "left", "axis": [0, -1, 0]},
                      {"name": "right-finger", "type": "prismatic", "parent": "world",
                       "child": "right", "axis": [0, 1, 0]}],
           "actuators": [{"joint": "left-finger", "effort": 12},
                         {"joint": "right-finger", "effort": 12}]}


def test_the_grasp_of_a_body_has_the_contacts_of_the_scene():
    sim = am.Simulator(am.make_scene(SQUEEZE))
    grasp = am.Grasp.of(sim, "box")
    assert len(grasp.points) == 8 and (grasp.friction == 0.5).all() and grasp.dimension == 3
    assert np.allclose(np.sum((grasp.points - grasp.center) * grasp.normals, axis=1), -0.03)
    # The faces of the fingers hold torques about their line as well.
    assert grasp.has_force_closure and grasp.jam() is not None
    held = grasp.hold([0, 0, -9.81])
    assert np.isclose(held.normal_forces.sum(), 9.81 / 0.5, rtol=1e-6)
    sim.step()
    assert am.find_jams(sim) == []      # fingers on rails give way
    walls = [{**body, "fixed": True} for body in SQUEEZE["bodies"][1:]]
    sim = am.Simulator(am.make_scene({**SQUEEZE, "joints": [], "actuators": [],
                                      "bodies": SQUEEZE["bodies"][:1] + walls}))
    sim.step()
    jam, = am.find_jams(sim)
    assert {name for pair in jam.bodies for name in pair} == {"box", "left", "right"}
    toward = np.array([1 if pair[1] == "box" else -1 for pair in jam.bodies])
    assert np.allclose((toward[:, None] * jam.forces).sum(axis=0), 0, atol=1e-8)
    assert "step the simulator" in raises(ValueError, am.find_jams, am.Simulator(am.make_scene(SQUEEZE)))
    assert "did you mean" in raises(KeyError, am.Grasp.of, sim, "bx")
    floor = {"name": "floor", "fixed": True, "shapes": [{"half_space": {"normal": [0, 0, 1]}}]}
    apart = am.Simulator(am.make_scene({**SQUEEZE, "bodies": SQUEEZE["bodies"] + [
        {**floor, "pose": {"position": [0, 0, -1]}}]}))
    assert "fixed" in raises(ValueError, am.Grasp.of, apart, "floor")
    lone = am.Simulator(am.make_scene({**SQUEEZE, "joints": [], "actuators": [], "bodies": [
        {"name": "box", "mass": 1.0, "shapes": [{"box": [0.06, 0.06, 0.06]}]}]}))
    assert "nothing touches" in raises(ValueError, am.Grasp.of, lone, "box")


def test_what_is_no_grasp_is_refused():
    assert "[k, 3]" in raises(ValueError, am.Grasp, [0, 0, 0], [0, 0, 1], 0.5)
    assert "shape of points" in raises(ValueError, am.Grasp, [[0, 0, 1]], [[0, 1]], 0.5)
    assert "must not be zero" in raises(ValueError, am.Grasp, [[0, 0, 1]], [[0, 0, 0]], 0.5)
    assert "not negative" in raises(ValueError, jaws, -0.5)
    assert "in the plane has none" in raises(ValueError, jaws, 0.5, torsion=0.1)
    assert "at least 3" in raises(ValueError, fingers, 0.5, directions=2)
    assert "between 0 and 1" in raises(ValueError, jaws, 0.5, accuracy=0.0)
    assert "length must be positive" in raises(ValueError, am.Grasp, [[0, 0, 1]], [[0, 0, 1]], 0.5)
    assert "3 numbers" in raises(ValueError, fingers(0.5).hold, [0, 1])
    assert "<Grasp of 2 contacts, planar>" == repr(jaws(0.5))


if __name__ == "__main__":
    run_tests(globals())
