#!/usr/bin/python3
"""Checks solvers of the user, problems from arrays and certificates of impulses.
usage: solvers_test.py PROGRAM"""
import gc
import pathlib
import sys
import tempfile
import warnings

import h5py
import numpy as np

import amontons as am
from harness import FIRST, ROOT, raises, run_tests

CALLS = []


def gauss_seidel(problem, gap_speeds):
    """Projected Gauss-Seidel on Coulomb's law, contact by contact, as in the textbooks."""
    CALLS.append(problem.num_contacts)
    A, u = problem.A, problem.b.copy()
    p = np.zeros(u.size)
    for _ in range(2000):
        largest = 0.0
        for i in range(gap_speeds.size):
            rows = slice(3 * i, 3 * i + 3)
            block, old = A[rows, rows], p[rows].copy()
            scale = 1.0 / np.linalg.eigvalsh(block)[-1]
            most = problem.friction_offset[i]
            for _ in range(20):
                own = u[rows] + block @ (p[rows] - old) + [0, 0, gap_speeds[i]]
                new = p[rows] - scale * own
                new[2] = max(new[2], 0.0)
                bound = problem.friction[i] * new[2] + most
                slip = np.linalg.norm(new[:2])
                if slip > bound:
                    new[:2] *= bound / slip
                p[rows] = new
            change = p[rows] - old
            u += A[:, rows] @ change
            largest = max(largest, np.abs(change).max())
        if largest < 1e-13:
            break
    return p


def sliding_box(**simulation):
    return am.make_scene({
        "amontons": 1, "simulation": {"step": 0.005, "duration": 0.2, **simulation},
        "materials": [{"name": "default", "friction": 0.3, "restitution": 0.0}],
        "bodies": [{"name": "ground", "fixed": True, "shapes": [{"half_space": {"normal": [0, 0, 1]}}]},
                   {"name": "box", "mass": 2, "shapes": [{"box": [0.2, 0.3, 0.1]}],
                    "pose": {"position": [0, 0, 0.05]}, "velocity": {"linear": [1, 0.5, 0]}}]})


def test_a_solver_of_the_user_steps_a_scene():
    own, ours = am.Simulator(sliding_box()), am.Simulator(sliding_box())
    CALLS.clear()
    while not own.finished:
        report = own.step(solver=gauss_seidel)
        ours.step()
        assert report.certificate.holds and report.has_law_asked, report.certificate.residuals
        assert report.solution.law == "coulomb"
    assert CALLS and report.solution.attempts[0].solver == "gauss_seidel"
    assert np.allclose(own.q, ours.q, atol=1e-7) and np.allclose(own.v, ours.v, atol=1e-6)
    # Without it the scene's model is back.
    assert "gauss" not in str([a.solver for a in own.step().solution.attempts])


def test_one_that_misses_its_law_is_told_how_far():
    sim = am.Simulator(sliding_box())
    report = sim.step(solver=lambda problem, s: np.zeros(3 * s.size))
    assert not report.certificate.holds and not report.has_law_asked
    value, where = report.certificate.residuals["normal"]
    assert value > 1e-3 and where in range(4)
    assert report.solution.status == "IterationLimit" and "missed" in repr(report.certificate)
    # It fell, as without contact.
    assert np.isclose(sim.v[5], -9.81 * 0.005)


def test_errors_of_a_solver_reach_the_caller_and_leave_the_state():
    sim = am.Simulator(sliding_box())
    q = sim.q.copy()

    def fails(problem, s):
        raise RuntimeError("no idea")

    assert raises(RuntimeError, sim.step, fails) == "no idea"
    assert "24" not in raises(ValueError, sim.step, lambda p, s: np.zeros(5))
    assert "12 are needed" in raises(ValueError, sim.step, lambda p, s: np.zeros(5))
    assert "not finite" in raises(ValueError, sim.step, lambda p, s: np.full(12, np.nan))
    assert "array of impulses" in raises(TypeError, sim.step, lambda p, s: "none")
    assert "function of" in raises(TypeError, sim.step, 3)
    assert np.array_equal(sim.q, q) and sim.time == 0.0
    sim.step()


def test_restitution_and_joints_come_to_it_as_gap_speeds_and_contacts():
    scene = am.make_scene({
        "amontons": 1, "simulation": {"step": 0.005, "duration": 1.0},
        "materials": [{"name": "default", "friction": 0.3, "restitution": 0.5}],
        "bodies": [{"name": "ground", "fixed": True, "shapes": [{"half_space": {"normal": [0, 0, 1]}}]},
                   {"name": "ball", "mass": 2, "shapes": [{"sphere": 0.1}],
                    "pose": {"position": [0, 0, 0.3]}},
                   {"name": "arm", "mass": 1, "inertia": [0.1, 0.1, 0.1],
                    "pose": {"position": [2, 0, 1]}}],
        "joints": [{"name": "hinge", "type": "revolute", "parent": "world", "child": "arm",
                    "axis": [0, 1, 0], "at": [0.3, 0, 0], "limits": [-0.2, 0.3],
                    "coulomb_friction": 0.1}]})
    own, ours = am.Simulator(scene), am.Simulator(scene)
    highest = 0.0
    for _ in range(100):
        report = own.step(solver=gauss_seidel)
        ours.step()
        assert report.certificate.holds, report.certificate.residuals
        highest = max(highest, own.v[5])
    assert highest > 0.8 and np.allclose(own.q, ours.q, atol=1e-5)


def test_a_registered_model_has_a_name_in_scenes():
    am.register_model("my-sweeps", gauss_seidel)
    sim = am.Simulator(sliding_box(model="my-sweeps"), threads=2)
    while not sim.finished:
        assert sim.step().has_law_asked
    problem = sim.report.problem
    solution, certificate = problem.solve("my-sweeps")
    assert certificate.holds and solution.status == "Converged"
    assert "my-sweep" in raises(am.ParseError, sliding_box, model="my-sweep")
    assert "catalog" in raises(ValueError, am.register_model, "coulomb", gauss_seidel)
    assert "more than impulses" in raises(ValueError, am.register_model, "mine", gauss_seidel,
                                          "maximum-dissipation")
    am.register_model("my-sweeps", lambda p, s: np.zeros(3 * s.size))     # a new one of that name
    assert not problem.solve("my-sweeps")[1].holds
    gc.collect()


def test_certify_judges_impulses_of_any_origin():
    sim = am.Simulator(am.load_scene(FIRST))
    while len((report := sim.step()).contacts) < 6:
        pass
    problem, p = report.problem, report.solution.impulses
    assert am.certify(problem, p).holds and am.certify(problem, p, "coulomb").holds
    own = am.certify(problem, 1.001 * p)
    assert not own.holds and 1e-5 < own.residuals["normal"][0] < 1e-1
    relaxed, certificate = problem.solve("convex-relaxation")
    assert certificate.holds and am.certify(problem, relaxed.impulses, "convex-relaxation").holds
    assert "did you mean 'coulomb'" in raises(ValueError, am.certify, problem, p, "coulom")
    assert "entries" in raises(ValueError, am.certify, problem, p[:-1])


def test_certify_judges_a_model_at_the_contacts_that_it_takes():
    # The second sphere closes within the step, but touches nothing at its start.
    sim = am.Simulator(am.make_scene({
        "amontons": 1, "simulation": {"step": 0.01, "duration": 1, "model": "anitescu-potra"},
        "bodies": [{"name": "ground", "fixed": True, "shapes": [{"half_space": {"normal": [0, 0, 1]}}]},
                   {"name": "a", "mass": 1, "shapes": [{"sphere": 0.1}],
                    "pose": {"position": [0, 0, 0.1]}},
                   {"name": "b", "mass": 1, "shapes": [{"sphere": 0.1}],
                    "pose": {"position": [1, 0, 0.105]}, "velocity": {"linear": [0, 0, -1]}}]}))
    report = sim.step()
    assert report.certificate.holds and len(report.contacts) == 2
    assert am.certify(report.problem, report.solution.impulses, "anitescu-potra").holds
    assert not am.certify(report.problem, report.solution.impulses, "coulomb").holds


def test_problems_are_made_of_arrays_dense_and_sparse():
    sim = am.Simulator(am.load_scene(FIRST))
    while len((report := sim.step()).contacts) < 6:
        pass
    theirs = report.problem
    arguments = {"friction": theirs.friction, "free_velocity": theirs.free_velocity,
                 "velocity": theirs.velocity, "gap": theirs.gap_speeds * theirs.step,
                 "step": theirs.step}
    own = am.ContactProblem(theirs.M, theirs.J, **arguments)
    assert np.array_equal(own.M, theirs.M) and np.array_equal(own.J, theirs.J)
    assert np.allclose(own.gap_speeds, theirs.gap_speeds)
    solution, certificate = own.solve()
    assert certificate.holds
    assert np.allclose(own.J @ solution.velocity,
                       theirs.J @ theirs.solve()[0].velocity, atol=1e-6)
    try:
        from scipy import sparse
    except ImportError:
        print("SKIPPED: SciPy is not installed")
    else:
        for kind in (sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix):
            again = am.ContactProblem(kind(theirs.M), kind(theirs.J), **arguments)
            assert np.array_equal(again.A, own.A)
    # One unit mass on a plane, in closed form; and a joint that holds it.
    drop = am.ContactProblem(np.eye(3), np.eye(3), 0.5, [1.0, 0.0, -1.0])
    solution, certificate = drop.solve()
    assert certificate.holds and np.allclose(solution.impulses, [-0.5, 0, 1.0], atol=1e-9)
    held = am.ContactProblem(np.eye(3), np.eye(3), 0.5, [1.0, 0.0, -1.0],
                             joint_jacobian=[[1.0, 0, 0]], joint_target=[0.25])
    assert np.isclose(held.solve()[0].velocity[0], 0.25)
    assert "symmetric" in raises(ValueError, am.ContactProblem, [[1.0, 0.5], [0, 1]],
                                 np.zeros((3, 2)), 0.5, [0, 0])
    assert "friction" in raises(ValueError, am.ContactProblem, np.eye(3), np.eye(3), [0.5, 0.1],
                                [0, 0, 0])
    assert "matrix of numbers" in raises(TypeError, am.ContactProblem, "M", np.eye(3), 0.5, [0] * 3)
    for M in (-np.eye(3), np.diag([1.0, 0.0, 1.0])):
        assert "M: mass matrix is not positive definite" in raises(
            ValueError, am.ContactProblem, M, np.eye(3), 0.5, [0, 0, 0])
    assert "free_velocity is not finite" in raises(
        ValueError, am.ContactProblem, np.eye(3), np.eye(3), 0.5, [0, np.nan, 0])


def test_histories_of_residuals_end_where_the_law_holds():
    sim = am.Simulator(am.load_scene(FIRST))
    while len((report := sim.step()).contacts) < 6:
        pass
    history = report.problem.residual_history()
    assert history.ndim == 1 and history.size > 0 and history.min() < 1e-8
    # Of a program's own model the impulses that it returns are known, and what it asks this package.
    for share, holds in ((1.0, True), (0.5, False)):
        am.register_model("known", lambda p, s, share=share: share * p.solve()[0].impulses)
        own = report.problem.residual_history("known")
        assert own.size == history.size + 1 and (own[-1] < 1e-8) == holds


def test_load_problem_reads_what_solve_reads():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "lcp.h5")
        with h5py.File(path, "w") as file:
            file["lcp/M"] = np.array([[2.0, 1.0], [1.0, 2.0]])
            file["lcp/q"] = np.array([-5.0, -6.0])
        problem = am.load_problem(path)
        z, status, residual = problem.solve()
        assert status == "Converged" and np.allclose(z, [4 / 3, 7 / 3]) and residual < 1e-8
        path = pathlib.Path(folder, "qp.h5")
        with h5py.File(path, "w") as file:
            file["qp/H"], file["qp/g"] = np.eye(2), np.array([-3.0, 1.0])
            file["qp/lower"], file["qp/upper"] = np.zeros(2), np.array([2.0, 2.0])
        x, status, _ = am.load_problem(path).solve()
        assert status == "Converged" and np.allclose(x, [2.0, 0.0])
        raises(am.ParseError, am.load_problem, pathlib.Path(folder, "none.h5"))
    for path in sorted((ROOT.parent / "shared/data/contact-problems").rglob("*.hdf5")):
        with h5py.File(path, "r") as file:
            if "fclib_local" not in file or file["fclib_local/vectors/mu"].shape[0] > 60:
                continue
        problem = am.load_problem(path)
        solution, certificate = problem.solve()
        assert certificate.holds, path
        assert am.certify(problem, solution.impulses, solution.law).holds
        assert problem.W.shape == (problem.q.size, problem.q.size) and "LocalProblem" in repr(problem)
        print(f"{path.name}: {solution}")
        break
    else:
        print("SKIPPED: no FCLIB Local problems beside the repository")


def test_bodies_of_which_only_the_response_is_known_are_solved_by_test_impulses():
    # Two carts on one track that collide, and a ground below each: masses known to nobody but here.
    random = np.random.default_rng(5)
    J = random.standard_normal((9, 6))
    M = np.diag(random.uniform(0.5, 3.0, 6))
    free = random.standard_normal(6) - J[2::3].sum(axis=0)
    calls = []

    def response(impulses):
        calls.append(impulses)
        return J @ (free + np.linalg.solve(M, J.T @ impulses))

    friction = np.array([0.3, 0.5, 0.0])
    problem = am.LocalProblem.from_test_impulses(response, friction)
    assert len(calls) <= 11
    assert np.allclose(problem.W, J @ np.linalg.solve(M, J.T)) and np.allclose(problem.q, J @ free)
    solution, certificate = problem.solve()
    assert certificate.holds and np.allclose(response(solution.impulses), solution.velocity)
    known, _ = am.ContactProblem(M, J, friction, free).solve("coulomb")
    assert np.allclose(J.T @ solution.impulses, J.T @ known.impulses, atol=1e-6)
    same = am.LocalProblem(problem.W, problem.q, problem.friction)
    assert np.array_equal(same.W, problem.W) and same.num_contacts == 3
    raises(ValueError, am.LocalProblem, np.eye(6), np.zeros(9), friction)
    raises(ValueError, am.LocalProblem, np.eye(9), np.zeros(9), -friction)
    skew = problem.W.copy()
    skew[2, 7] += 1e-3 * abs(skew[2, 7])
    said = raises(ValueError, am.LocalProblem, skew, problem.q, friction)
    assert "LocalProblem: W is not symmetric: [2, 7] is " in said and "[7, 2] is " in said, said
    indefinite = problem.W - 0.1 * np.eye(9) * np.abs(problem.W).max()
    said = raises(ValueError, am.LocalProblem, indefinite, problem.q, friction)
    assert "LocalProblem: W is not positive semidefinite" in said, said
    said = raises(ValueError, am.LocalProblem, problem.W, 1e155 * problem.q, friction)
    assert "LocalProblem: q holds a number above 1e100" in said, said
    said = raises(ValueError, am.ContactProblem, M, J, friction, 1e155 * free)
    assert "velocity holds a number above 1e100" in said, said
    # The symmetric part is what is solved.
    nearly = problem.W.copy()
    nearly[0, 1] += 1e-7 * abs(nearly[0, 1])
    mean = am.LocalProblem(nearly, problem.q, friction)
    assert 0.0 < mean.asymmetry <= 1e-6
    assert np.array_equal(mean.W, (nearly + nearly.T) / 2)
    # Rounding of single precision is none, whatever the unit.
    for unit in (1e-12, 1.0, 1e12):
        single = (unit * problem.W).astype(np.float32).astype(float)
        single[2, 7] = np.nextafter(np.float32(single[2, 7]), np.float32(np.inf))
        am.LocalProblem(single, problem.q, friction)
        raises(ValueError, am.LocalProblem, unit * skew, problem.q, friction)
    raises(ValueError, am.LocalProblem.from_test_impulses, lambda p: p[:3], friction)


METHODS = ("gauss-seidel", "newton", "interior-point", "central-path")


def test_methods_have_names_and_solve_alone():
    sim = am.Simulator(sliding_box())
    problem = [sim.step() for _ in range(5)][-1].problem
    expected = problem.solve("coulomb", tolerance=1e-10)[0].velocity
    for name in METHODS:
        solution, certificate = problem.solve(name)
        assert certificate.claimed and solution.law == "coulomb"
        # The interior point loses digits where contacts are redundant.
        assert solution.status == "Converged" or name == "interior-point", (name, solution)
        assert {attempt.solver for attempt in solution.attempts} == {name}
        assert np.allclose(solution.velocity, expected, atol=1e-5)
        assert problem.residual_history(name).min() <= 1e-6
        own = am.Simulator(sliding_box(model=name))
        assert all(own.step().solution.law == "coulomb" for _ in range(20))
    assert not set(METHODS) & set(am.model_names())        # a scene chooses a law, not a method


def test_a_method_that_does_not_arrive_says_so():
    M, J = np.eye(6), np.random.default_rng(4).normal(size=(12, 6))
    problem = am.ContactProblem(M, J, friction=0.7, free_velocity=-J.T @ np.tile([0.3, 0.1, 1.0], 4))
    solution, certificate = problem.solve("gauss-seidel", tolerance=1e-13)
    assert certificate.holds == (solution.status == "Converged")
    assert solution.law == "coulomb"


def test_programs_are_solved_by_methods_of_a_name():
    # 0 <= z perp M z + q >= 0 with M = I: z = max(0, -q).
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "lcp.h5"
        q = np.array([-1.0, 2.0, -0.5])
        am.LinearComplementarityProblem(np.eye(3), q).save(path)
        problem = am.load_problem(path)
        assert am.lcp_method_names() == ["lemke", "lemke-plain", "ppm", "block-pivoting",
                                         "gradient-projection"]
        for method in am.lcp_method_names():
            z, status, residual = problem.solve(method=method)
            assert np.allclose(z, [1.0, 0.0, 0.5]) and status == "Converged" and residual < 1e-8
            history = problem.residual_history(method=method)
            assert history.size > 0 and history[-1] <= 1e-8
        said = raises(am.UnknownNameError, problem.solve, method="lemk")
        assert "did you mean 'lemke'" in said and "gradient-projection" in said
        box = am.BoxQuadraticProgram(np.eye(3), q, np.zeros(3), np.full(3, 0.8))
        for method in am.box_qp_method_names():
            x, status, residual = box.solve(method=method)
            assert np.allclose(x, [0.8, 0.0, 0.5]) and status == "Converged"
            assert box.residual_history(method=method)[-1] <= 1e-8
    raises(ValueError, am.LinearComplementarityProblem, np.eye(3), np.zeros(2))
    raises(ValueError, am.LinearComplementarityProblem, np.eye(1), [np.nan])
    raises(ValueError, am.BoxQuadraticProgram, -np.eye(1), [1.0], [0.0], [1.0])


def test_a_mixed_problem_has_variables_of_any_sign():
    mixed = am.MixedComplementarityProblem([[1.0, 0.5], [0.5, 1.0]], [3.0, -1.0], [True, False])
    z, status, residual = mixed.solve(method="ppm")
    # w_0 = z_0 + z_1 / 2 + 3 = 0 and w_1 = z_0 / 2 + z_1 - 1 = 0.
    assert status == "Converged" and np.allclose(z, [-14 / 3, 10 / 3]) and residual < 1e-12
    assert np.allclose(mixed.reduced.M, [[0.75]]) and mixed.free == [True, False]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "mlcp.h5"
        with h5py.File(path, "w") as file:
            file["lcp/M"], file["lcp/q"], file["lcp/free"] = mixed.M, mixed.q, [1, 0]
        assert np.allclose(am.load_problem(path).solve()[0], z)
    assert "singular" in raises(ValueError, am.MixedComplementarityProblem, np.ones((2, 2)),
                                np.ones(2), [True, True])


def test_pivots_lead_from_all_w_to_the_basis_of_the_solution():
    problem = am.LinearComplementarityProblem([[2.0, 1.0], [1.0, 2.0]], [-5.0, -6.0])
    for method in ("lemke", "lemke-plain", "ppm"):
        basis = {2, 3}                                         # w_0 and w_1
        for entering, leaving in problem.pivots(method=method):
            basis = basis - {leaving} | {entering}
        assert basis == {0, 1}, method                         # z = (4/3, 7/3)
    assert "no pivots" in raises(ValueError, problem.pivots, method="block-pivoting")


def test_the_complementarity_problem_of_a_step_has_its_impulses():
    sim = am.Simulator(sliding_box(model="anitescu-hart"))
    problem = [sim.step() for _ in range(5)][-1].problem
    lcp = problem.linear_complementarity("anitescu-hart")
    assert lcp.rows[:6] == ["contact 0: p_n", "contact 0: beta_0", "contact 0: beta_1",
                            "contact 0: beta_2", "contact 0: beta_3", "contact 0: lambda"]
    assert lcp.q.size == len(lcp.rows) == 6 * problem.num_contacts
    z, status, _ = lcp.solve()
    assert status == "Converged" and am.certify(problem, lcp.impulses @ z, "anitescu-hart").holds
    assert problem.linear_complementarity("frictionless").q.size == problem.num_contacts
    assert "no linear complementarity problem" in raises(
        ValueError, problem.linear_complementarity, "coulomb")
    with tempfile.TemporaryDirectory() as folder:
        lcp.save(pathlib.Path(folder) / "lcp.h5")
        again = am.load_problem(pathlib.Path(folder) / "lcp.h5")
        assert np.array_equal(again.M, lcp.M) and np.array_equal(again.q, lcp.q)


def test_every_method_has_a_name_and_a_history():
    sim = am.Simulator(sliding_box())
    problem = [sim.step() for _ in range(5)][-1].problem
    assert set(METHODS) < set(am.method_names()) and not set(am.method_names()) & set(am.model_names())
    for name in am.method_names():
        solution, certificate = problem.solve(name)
        assert solution.attempts[0].solver == name
        assert problem.residual_history(name).min() <= 1e-5, name
    assert problem.residual_history("stewart-trinkle").size > 0
    local = am.LocalProblem(problem.A, problem.b, problem.friction)
    assert local.residual_history("newton").min() <= 1e-6
    said = raises(am.UnknownNameError, problem.solve, "newtn")
    assert "did you mean 'newton'" in said and "central-path" in said and "lemke-plain" in said


def test_a_solver_is_not_called_where_nothing_touches():
    calls = []

    def solver(problem, gap_speeds):
        calls.append((problem.num_contacts, gap_speeds.size))
        return problem.solve()[0].impulses

    sim = am.Simulator(am.load_scene(FIRST))
    other = am.Simulator(am.load_scene(FIRST))
    for _ in range(150):
        if sim.step(solver=solver).problem.num_contacts == 0:
            assert not calls
        other.step()
    assert calls and all(min(call) > 0 for call in calls)
    assert np.allclose(sim.q, other.q, atol=1e-6)


def test_impulses_that_are_no_real_numbers_are_refused():
    sim = am.Simulator(am.load_scene(FIRST))
    while sim.step().problem.num_contacts < 4:
        pass
    q = sim.q.copy()
    for wrong in (lambda p, s: p.solve()[0].impulses * (1 + 5j), lambda p, s: [1j] * (3 * s.size),
                  lambda p, s: np.zeros(3 * s.size, "m8[s]"), lambda p, s: None):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            raises(TypeError, sim.step, solver=wrong)
        assert np.array_equal(sim.q, q)
    am.register_model("complex", lambda p, s: np.zeros(3 * s.size) + 1j)
    problem = sim.step().problem
    assert "real numbers, not of the type complex128" in raises(TypeError, problem.solve, "complex")
    assert "complex" in raises(TypeError, am.LocalProblem.from_test_impulses, lambda p: p + 1j, [0.5])
    assert "complex" in raises(TypeError, sim.set_efforts, [1j] * sim.v.size)


def test_a_registration_that_fails_leaves_the_former_model():
    def solver(problem, gap_speeds):
        return problem.solve()[0].impulses

    problem = am.ContactProblem(np.eye(3), np.eye(3), 0.5, [1.0, 0, -1.0])
    am.register_model("kept", solver)
    for name in ("kept", "never"):
        raises(ValueError, am.register_model, name, solver, law="maximum-dissipation")
    assert problem.solve("kept")[1].holds
    raises(am.UnknownNameError, problem.solve, "never")


def test_impulses_of_another_shape_are_refused_with_it():
    problem = am.ContactProblem(np.eye(3), np.eye(3), 0.5, [1.0, 0, -1.0])
    am.register_model("rows", lambda p, s: p.solve()[0].impulses.reshape(-1, 3))
    assert "not one of the shape (1, 3)" in raises(TypeError, problem.solve, "rows")


if __name__ == "__main__":
    run_tests(globals())
