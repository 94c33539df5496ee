#!/usr/bin/python3
"""Checks the fit of inertial parameters: always possible bodies, and what a motion determines."""
import os
import pathlib
import tempfile

import amontons as am
import numpy as np
from amontons._core import _Meshes
from amontons.inertia import NAMES, InertialParameters, body_of, log_cholesky, pseudo_inertia
from amontons.motion import simulate
from amontons.scene import _override_scene
from fit_test import DRY, LINK, SIGMA, measured, push, shape_of
from harness import raises, run_tests

LONG = os.environ.get("AMONTONS_TEST_SIZE") == "long"
CASES = 100 if LONG else 2
TIMES = np.linspace(0.0, 1.0, 101)
FOLDER = tempfile.TemporaryDirectory()
(pathlib.Path(FOLDER.name) / "arm.urdf").write_text("""<robot name="arm"><link name="base"/>
<link name="link"><inertial><origin xyz="0.25 0 0"/><mass value="1.5"/>
<inertia ixx="0.01" iyy="0.03" izz="0.03" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="elbow" type="continuous"><parent link="base"/><child link="link"/><axis xyz="0 1 0"/>
<dynamics friction="0.3" damping="0.05"/></joint></robot>""")


def random_body(random):
    """Returns (mass, center, inertia) of a cloud of points: possible by construction."""
    points, masses = random.normal(size=(12, 3)) * random.uniform(0.01, 1, 3), random.uniform(0, 1, 12)
    mass = masses.sum()
    center = masses @ points / mass
    apart = points - center
    return mass, center, sum(m * (d @ d * np.eye(3) - np.outer(d, d)) for m, d in zip(masses, apart))


def test_every_ten_numbers_are_a_possible_body_and_every_body_has_ten_numbers():
    random = np.random.default_rng(1)
    for _ in range(200):
        U = log_cholesky(random.uniform(-2, 2, 10))
        mass, center, inertia = body_of(U @ U.T)
        moments = np.linalg.eigvalsh(inertia)
        # Possible: positive mass, and no principal moment above the sum of the other two.
        assert mass > 0 and moments[0] > 0 and moments[2] <= (moments[0] + moments[1]) * (1 + 1e-9)
        mass, center, inertia = random_body(random)
        again = body_of(pseudo_inertia(mass, center, inertia))
        assert abs(again[0] - mass) < 1e-12 and np.allclose(again[1], center, atol=1e-12)
        assert np.allclose(again[2], inertia, atol=1e-12)
        # Upper triangular factors with a positive diagonal are unique: ten numbers for each body.
        U = np.linalg.cholesky(pseudo_inertia(mass, center, inertia)[::-1, ::-1])[::-1, ::-1]
        assert np.allclose(U @ U.T, pseudo_inertia(mass, center, inertia), atol=1e-12)


def test_the_numbers_of_a_robots_link_are_fitted_as_those_of_a_body_of_the_scene():
    # The same link on the same joint, once of the scene and once of a file.
    robot = am.make_scene({
        "amontons": 1, "simulation": {"step": 0.002, "duration": 1},
        "models": [{"name": "arm", "file": "arm.urdf", "pose": {"position": [0, 0, 1]}}]},
        folder=FOLDER.name)
    truth = {"bodies.link.mass": 2.0, DRY: 0.4}
    motion = measured(LINK, shape_of(TIMES, joint="elbow", controller=push), truth, 1)

    def push_robot(simulator):
        simulator.set_effort("arm/elbow", 2.0 * np.sin(5.0 * simulator.time))

    own = am.Motion(motion.times, joints={"arm/elbow": motion.joints["elbow"]},
                    controller=push_robot)
    options = {"starts": 1, "samples": 4}
    here = am.fit(LINK, motion, {"bodies.link.mass": (0.5, 4), DRY: (0, 2)}, **options)
    there = am.fit(robot, own, {"models.arm.links.link.mass": (0.5, 4),
                                "models.arm.joints.elbow.coulomb_friction": (0, 2)}, **options)
    for one, other in ((here.values, there.values), (here.margins, there.margins)):
        assert np.allclose(list(one.values()), list(other.values()), rtol=1e-3), (here, there)
    for value, true in zip(there.values.values(), (2.0, 0.4)):
        assert abs(value - true) < 0.1, there
    here = am.fit(LINK, motion, {}, inertias=["link"], **options).inertias["link"]
    there = am.fit(robot, own, {}, inertias=["arm/link"], **options).inertias["arm/link"]
    assert np.allclose(here.first_moment, there.first_moment, rtol=1e-3), (here, there)
    assert np.allclose(here.inertia_about_origin[1, 1], there.inertia_about_origin[1, 1], rtol=1e-3)


def test_copies_of_a_scene_share_its_meshes_also_among_threads():
    (pathlib.Path(FOLDER.name) / "wedge.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    scene = am.make_scene({
        "amontons": 1, "simulation": {"step": 0.01, "duration": 1},
        "bodies": [{"name": "wedge", "mass": 1, "velocity": {"angular": [3, 2, 1]},
                    "shapes": [{"mesh": {"file": "wedge.obj"}}]}]}, folder=FOLDER.name)
    shape = shape_of(TIMES[:50], body="wedge")
    alone, _ = simulate(scene, shape, {"bodies.wedge.mass": 2})
    meshes = _Meshes()
    for mass in (1, 2):  # the second copy has the meshes of the first
        shared, _ = simulate(scene, shape, {"bodies.wedge.mass": mass}, meshes)
    assert np.array_equal(alone.positions["wedge"], shared.positions["wedge"])
    motion = measured(scene, shape, {"bodies.wedge.velocity.angular": [2, 2, 1]}, 1)
    one, two = (am.fit(scene, motion, {"bodies.wedge.velocity.angular.0": (0, 5)}, samples=8,
                       starts=1, threads=threads) for threads in (1, 2))
    assert one.values == two.values and abs(list(one.values.values())[0] - 2) < 0.1, one


def test_zero_is_the_body_of_the_scene_whatever_gave_its_mass():
    scene = am.make_scene({
        "amontons": 1, "simulation": {"step": 0.01, "duration": 1},
        "bodies": [{"name": "a", "density": 500, "shapes": [
                       {"box": [0.1, 0.2, 0.3], "pose": {"position": [0.5, 0, 0]}}]},
                   {"name": "b", "mass": 3, "center_of_mass": [0, 0.1, 0], "inertia":
                       [0.2, 0.3, 0.4, 0.01, -0.02, 0.03], "shapes": [{"sphere": 0.1}]},
                   {"name": "ground", "fixed": True,
                    "shapes": [{"half_space": {"normal": [0, 0, 1]}}]}]})
    mass = 500 * 0.1 * 0.2 * 0.3
    known = {"a": (mass, [0.5, 0, 0], mass / 12 * np.diag([0.13, 0.1, 0.05])),
             "b": (3, [0, 0.1, 0], [[0.2, 0.01, -0.02], [0.01, 0.3, 0.03], [-0.02, 0.03, 0.4]])}
    sim = am.Simulator(scene)
    for name, expected in known.items():
        body = sim.bodies[name]
        for value, own in zip(expected, (body.mass, body.center_of_mass, body.inertia)):
            assert np.allclose(value, own, rtol=1e-12, atol=1e-12), name
        numbers = InertialParameters(scene, name, 1.0)
        found = numbers.at({f"{name}.{part}": 0.0 for part in NAMES})
        for value, own in zip(expected, found):
            assert np.allclose(value, own, rtol=1e-12, atol=1e-12), name
    assert sim.bodies["ground"].mass is None and sim.bodies["ground"].inertia is None


def test_of_bodies_fixed_together_each_has_its_own_numbers():
    (pathlib.Path(FOLDER.name) / "hand.urdf").write_text("""<robot name="arm"><link name="base"/>
<link name="arm"><inertial><origin xyz="0.2 0 0"/><mass value="2"/>
<inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="tool"/>
<link name="hand"><inertial><mass value="3"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
<joint name="f" type="fixed"><parent link="arm"/><child link="hand"/><origin xyz="0.5 0 0"/></joint>
<joint name="g" type="fixed"><parent link="arm"/><child link="tool"/></joint></robot>""")
    scene = am.make_scene({
        "amontons": 1, "simulation": {"step": 0.01, "duration": 1},
        "bodies": [{"name": "a", "mass": 1, "inertia": [1, 1, 1]},
                   {"name": "b", "mass": 2, "inertia": [1, 1, 1], "pose": {"position": [3, 0, 0]}},
                   {"name": "c", "density": 250, "shapes": [{"sphere": 0.1}],
                    "pose": {"position": [0, 4, 0]}}],
        "models": [{"name": "r", "file": "hand.urdf"}],
        "joints": [{"name": "weld", "type": "fixed", "parent": "a", "child": "b"},
                   {"name": "weld2", "type": "fixed", "parent": "a", "child": "c"}]},
        folder=FOLDER.name)
    ball = 250 * 4 / 3 * np.pi * 1e-3
    bodies = am.Simulator(scene).bodies
    assert np.isclose(bodies["a"].mass, 3 + ball) and bodies["r/arm"].mass == 5
    moment = 0.4 * ball * 0.1**2
    known = {"a": (1, [0, 0, 0], [1, 1, 1]), "b": (2, [0, 0, 0], [1, 1, 1]),
             "c": (ball, [0, 0, 0], [moment] * 3), "r/hand": (3, [0, 0, 0], [0.1] * 3),
             "r/arm": (2, [0.2, 0, 0], [0.02, 0.03, 0.04])}
    for name, (mass, center, moments) in known.items():
        numbers = InertialParameters(scene, name, 1.0)
        zeros = {f"{name}.{part}": 0.0 for part in NAMES}
        # The rounding is that of the inertia of all, with moments of up to some tens of kg m^2.
        for own, value in zip((mass, center, np.diag(moments)), numbers.at(zeros)):
            assert np.allclose(own, value, rtol=1e-9, atol=1e-9), name
        # Half of its mass is half of its own: the others keep theirs.
        half = am.Simulator(_override_scene(scene, numbers.overrides(
            {**zeros, f"{name}.alpha": -0.5 * np.log(2)}))).bodies[name].mass
        assert np.isclose(half, bodies[name].mass - 0.5 * mass, rtol=1e-12), name
    assert "no mass of its own" in raises(ValueError, InertialParameters, scene, "r/tool", 1.0)


def test_a_driven_link_on_a_hinge_determines_its_first_moment_and_the_inertia_about_the_axis():
    truth = {"bodies.link.mass": 2.0, "bodies.link.center_of_mass": [0.3, 0.0, 0.05],
             "bodies.link.inertia": [0.02, 0.05, 0.04, 0.0, 0.002, 0.0]}
    moment, about = np.array([0.6, 0.0, 0.1]), 0.05 + 2.0 * (0.3**2 + 0.05**2)
    shape = shape_of(TIMES, joint="elbow", controller=push)
    misses = np.zeros(3, int)
    for seed in range(CASES):
        fit = am.fit(LINK, measured(LINK, shape, truth, seed), {DRY: (0, 2)}, starts=1, samples=2,
                     inertias=["link"])
        found = fit.inertias["link"]
        errors = found.standard_errors
        assert 0.7 * SIGMA < fit.rms < 1.3 * SIGMA and np.all(np.linalg.eigvalsh(found.inertia) > 0)
        # A hinge about y through the origin: mass and inertia about other axes have no effect.
        assert np.isinf([errors["mass"], errors["inertia_about_origin"][0, 0],
                         errors["inertia_about_origin"][2, 2], errors["first_moment"][1]]).all(), fit
        assert len(fit.undetermined) >= 5 and "(open)" in repr(fit)
        for i, (value, error, true) in enumerate((
                (found.first_moment[0], errors["first_moment"][0], moment[0]),
                (found.first_moment[2], errors["first_moment"][2], moment[2]),
                (found.inertia_about_origin[1, 1], errors["inertia_about_origin"][1, 1], about))):
            # The noise of a motion changes the error by a half of it.
            assert error < 0.2 * (abs(true) + 0.1), (i, error)
            misses[i] += abs(value - true) > 1.99 * error
    print(f"misses of {CASES}: {misses}")
    assert np.all(misses <= (10 if LONG else 1)), misses


def test_a_thrown_body_shows_the_ratios_of_its_moments_and_its_center():
    scene = am.make_scene({
        "amontons": 1, "simulation": {"step": 0.002, "duration": 1},
        "bodies": [{"name": "brick", "mass": 1, "inertia": [0.01, 0.015, 0.02],
                    "velocity": {"linear": [0, 0, 4], "angular": [6, 8, 2]}}]})
    truth = {"bodies.brick.inertia": [0.01, 0.02, 0.018], "bodies.brick.center_of_mass": [0.02, 0, 0]}
    times = np.linspace(0, 0.8, 81)
    motion = measured(scene, shape_of(times, body="brick"), truth, 1, sigma=2e-4)
    fit = am.fit(scene, motion, {}, starts=1, samples=1, inertias=["brick"], inertia_width=0.8)
    found = fit.inertias["brick"]
    # Without contact the mass has no effect, and with it the size of the inertia.
    assert np.isinf(found.standard_errors["mass"]) and abs(found.mass - 1.0) < 0.05
    assert np.allclose(found.center_of_mass, [0.02, 0, 0], atol=1e-3), fit
    moments = np.diag(found.inertia)
    assert np.allclose(moments / moments[0], [1, 2, 1.8], rtol=0.03), moments
    assert np.isfinite(found.standard_errors["center_of_mass"]).all()


def test_wrong_arguments_have_one_clear_error():
    motion = am.Motion([0, 1], joints={"elbow": np.zeros(2)})
    assert "did you mean 'link'" in raises(KeyError, am.fit, LINK, motion, {}, inertias=["lnk"])
    assert "list of different bodies" in raises(ValueError, am.fit, LINK, motion, {}, inertias="link")
    assert "inertia_width" in raises(ValueError, am.fit, LINK, motion, {}, inertias=["link"],
                                     inertia_width=0)
    balls = am.make_scene({
        "amontons": 1, "simulation": {"step": 0.01, "duration": 1},
        "bodies": [{"name": "ball", "mass": 1, "shapes": [{"sphere": 0.1}]}],
        "repeat": [{"body": "ball", "grid": [2, 1, 1], "spacing": [1, 1, 1]}]})
    still = am.Motion([0, 0.01], {"ball/1": np.zeros((2, 3))})
    assert "neither an item of the scene's `bodies` nor" in raises(ValueError, am.fit, balls, still, {},
                                                                   inertias=["ball/1"])
    flat = am.make_scene({"amontons": 1, "simulation": {"step": 0.01, "duration": 1}, "bodies": [
        {"name": "disc", "mass": 1, "inertia": [1, 1, 2]}]})
    motion = am.Motion([0, 1], {"disc": np.zeros((2, 3))})
    assert "flat or thin" in raises(ValueError, am.fit, flat, motion, {}, inertias=["disc"])


if __name__ == "__main__":
    run_tests(globals())
