#!/usr/bin/python3
"""Checks the contact problem of a step as arrays, solved by any model."""
import pathlib
import tempfile

import numpy as np

import amontons as am
from harness import FIRST, raises, run_tests


def problem_with_contacts():
    sim = am.Simulator(am.load_scene(FIRST))
    while True:
        report = sim.step()
        if len(report.contacts) >= 4:
            return report


def test_the_arrays_obey_the_equations_of_the_step():
    report = problem_with_contacts()
    problem, solution = report.problem, report.solver
    p = solution.impulses
    residual = problem.M @ (solution.velocity - problem.free_velocity) - problem.J.T @ p
    assert np.abs(residual).max() < 1e-10
    assert np.allclose(problem.A, problem.J @ np.linalg.solve(problem.M, problem.J.T), atol=1e-12)
    u = problem.contact_velocities(solution.velocity)
    assert np.allclose(problem.A @ p + problem.b, u, atol=1e-10)
    assert np.allclose(np.linalg.norm(problem.normal, axis=1), 1.0)
    # Signorini and the cone, from the arrays alone.
    p3, u3 = p.reshape(-1, 3), u.reshape(-1, 3)
    assert (p3[:, 2] >= 0).all()
    slack = problem.friction * p3[:, 2] - np.hypot(p3[:, 0], p3[:, 1])
    assert slack.min() > -1e-9
    gaps = np.where(problem.gap > 0, problem.gap, problem.gamma * problem.gap) / problem.step
    assert np.abs(np.minimum(p3[:, 2], u3[:, 2] + gaps)).max() < 1e-8


def test_every_model_answers_and_meets_the_certificate_of_its_own_law():
    problem = problem_with_contacts().problem
    for model in am.model_names():
        solution, certificate = problem.solve(model)
        assert certificate.holds, (model, solution.status)
    assert "coulomb" in raises(ValueError, problem.solve, "colomb")


def test_one_kappa_bounds_each_island_or_the_system():
    # Two rods far apart, of which friction loads one and unloads the other.
    rod = {"mass": 1, "center_of_mass": [0, 0, 0], "inertia": [0.1, 0.1, 0.1],
           "shapes": [{"sphere": 0.01, "pose": {"position": [0.35, 0, -0.34]}}]}
    scene = {"amontons": 1, "gravity": [0, 0, 0],
             "simulation": {"step": 0.01, "duration": 0.01, "model": "maximum-dissipation"},
             "materials": [{"name": "default", "friction": 0.4}],
             "bodies": [{"name": "ground", "fixed": True,
                         "shapes": [{"half_space": {"normal": [0, 0, 1]}}]},
                        {"name": "dragged", **rod, "pose": {"position": [0, 0, 0.35]},
                         "velocity": {"linear": [1, 0, -0.1]}},
                        {"name": "pushed", **rod, "pose": {"position": [0, 10, 0.35]},
                         "velocity": {"linear": [-1, 0, -0.1]}}]}
    reports = {}
    for cap in ("island", "system"):
        scene["simulation"]["impulse_cap"] = cap
        reports[cap] = am.Simulator(am.make_scene(scene)).step()
    own, one = (reports[cap].solver.impulses for cap in ("island", "system"))
    assert np.hypot(*own[:2]) < 1e-10 < 1e-3 < np.hypot(*one[:2])
    assert np.isclose(own[2::3].sum(), one[2::3].sum(), rtol=1e-8)
    # The problem alone gives both, too.
    problem = reports["island"].problem
    for cap, impulses in (("island", own), ("system", one)):
        solution, certificate = problem.solve("maximum-dissipation", impulse_cap=cap)
        assert certificate.holds and np.allclose(solution.impulses, impulses, rtol=1e-6, atol=1e-12)
    assert "island or system" in raises(ValueError, problem.solve, impulse_cap="global")


def test_a_pointed_cone_has_a_velocity_that_opens_every_contact():
    problem = problem_with_contacts().problem
    openings = problem.opening_velocities()
    assert len(openings) >= 1 and problem.jams() == []
    for opening in openings:
        u = problem.J @ opening["velocity"]
        for contact in opening["contacts"]:
            t, n = u[3 * contact:3 * contact + 2], u[3 * contact + 2]
            for angle in np.arange(8) * np.pi / 4:
                along = np.array([np.cos(angle), np.sin(angle)])
                assert n + problem.friction[contact] * (along @ t) > 0


def test_a_saved_problem_is_the_same_problem():
    problem = problem_with_contacts().problem
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "problem.h5"
        problem.save(path)
        again = am.load_problem(path)
        assert "other.h5" in raises(am.ParseError, am.load_problem, path.with_name("other.h5"))
    assert again.M.tobytes() == problem.M.tobytes() and again.J.tobytes() == problem.J.tobytes()
    assert (again.solve()[0].impulses == problem.solve()[0].impulses).all()


if __name__ == "__main__":
    run_tests(globals())
