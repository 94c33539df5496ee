#!/usr/bin/python3
"""Checks that calls at the wrong moment, and numbers that are none, are refused in words."""
import pickle
import threading

import tempfile

import numpy as np

import amontons as am
from harness import FIRST, raises, run_tests

WRONG_MOMENT = "a step is being taken"


def four_contacts():
    """Returns a simulator whose next step has contacts."""
    sim = am.Simulator(am.load_scene(FIRST))
    while len(sim.step().contacts) < 4:
        pass
    return sim


def test_a_solver_that_calls_its_simulator_is_refused_and_nothing_moves():
    sim, other = four_contacts(), four_contacts()
    state = sim.save()
    calls = [sim.step, sim.reset, lambda: sim.step(solver=lambda p, s: np.zeros(3 * s.size)),
             lambda: sim.restore(state), lambda: sim.set_state(sim.q, sim.v),
             lambda: sim.set_material("wood", friction=0.9), lambda: sim.set_mass("crate", 3.0),
             lambda: sim.set_gravity([0, 0, -1]), lambda: sim.park("crate"),
             lambda: sim.set_wrench("crate", [1, 0, 0]), lambda: sim.set_controller(None),
             lambda: sim.report, lambda: sim.contacts]
    for call in calls:
        def solver(problem, gap_speeds):
            assert WRONG_MOMENT in raises(ValueError, call)
            return problem.solve()[0].impulses

        sim.step(solver=solver)
        other.step(solver=lambda problem, gap_speeds: problem.solve()[0].impulses)
        assert sim.q.tobytes() == other.q.tobytes()
        # An error that the solver lets through ends the step, and leaves the state.
        q = sim.q.copy()
        assert WRONG_MOMENT in raises(ValueError, sim.step, solver=lambda p, s: call())
        assert np.array_equal(sim.q, q)


def test_a_thread_that_steps_beside_another_is_told_so():
    # One thread is held within a step by its solver; the other one asks meanwhile.
    sim, inside, asked, said = four_contacts(), threading.Event(), threading.Event(), []

    def solver(problem, gap_speeds):
        inside.set()
        assert asked.wait(60)
        return problem.solve()[0].impulses

    steps = threading.Thread(target=lambda: sim.step(solver=solver))
    steps.start()
    assert inside.wait(60)
    for call in (sim.step, sim.reset, lambda: sim.report, lambda: sim.set_mass("crate", 2.0)):
        said.append(raises(ValueError, call))
    asked.set()
    steps.join()
    assert all(WRONG_MOMENT in one and "another thread" in one for one in said), said
    assert sim.step() is not None


def test_a_step_that_fails_leaves_no_report_of_two_steps():
    sim = four_contacts()
    raises(ZeroDivisionError, sim.step, solver=lambda problem, gap_speeds: 1 / 0)
    assert sim.report is None and sim.contacts.size == 0
    assert "a step that failed" in raises(ValueError, lambda: sim.bodies["crate"].contact_wrench)
    sim.step()
    assert sim.contacts.size > 0


def test_only_true_and_false_say_whether_bodies_collide():
    sim = four_contacts()
    for answer in (None, 0, "no", [True]):
        said = raises(TypeError, sim.set_collision, "crate", "ground", answer)
        assert "it takes (a: str, b: str, collide: bool)" in said, said
    sim.set_collision("crate", "ground", np.bool_(False))
    sim.step()
    assert sim.contacts.size == 0


def test_a_controller_may_take_another_ones_place():
    sim, calls = am.Simulator(am.load_scene(FIRST)), []

    def first(simulator):
        simulator.set_controller(lambda _: calls.append("second"))
        calls.append("first")

    sim.set_controller(first)
    del first
    sim.step()
    sim.step()
    assert calls == ["first", "second"]


def test_questions_to_the_model_refuse_numbers_and_orientations_that_are_none():
    sim = am.Simulator(am.load_scene(FIRST))
    bad, stretched = sim.q.copy(), sim.q.copy()
    bad[4] = np.nan
    stretched[:4] *= 1.01
    zeros = np.zeros(sim.v.size)
    for q, said in ((bad, "finite"), (stretched, "the quaternion q[0:4] has the length 1.01")):
        for call in (lambda: sim.jacobian("crate", q=q), lambda: sim.mass_matrix(q),
                     lambda: sim.bias(q), lambda: sim.forward_kinematics(q, "crate"),
                     lambda: sim.inverse_dynamics(q, zeros, zeros),
                     lambda: sim.gravity_compensation(q)):
            assert said in raises(ValueError, call)
    assert "finite" in raises(ValueError, sim.bias, sim.q, zeros * np.nan)
    assert "finite" in raises(ValueError, sim.inverse_dynamics, sim.q, zeros, zeros + np.inf)
    assert "finite" in raises(ValueError, sim.jacobian, "crate", [0, 0, np.nan])
    assert "not 3 and" in raises(ValueError, sim.mass_matrix, sim.q[:3])
    # Quaternions of single precision pass.
    assert np.allclose(sim.mass_matrix(np.float32(sim.q)), sim.mass_matrix())
    for most in (-1.0, np.nan):
        assert "at least 0" in raises(ValueError, sim.cast_ray, [0, 0, 9], [0, 0, -1], most)


def test_messages_name_what_was_given_and_what_is_needed():
    scene = am.load_scene(FIRST)
    sim = am.Simulator(scene)
    eye = np.eye(3)
    said = raises(ValueError, am.ContactProblem, eye, eye, -0.5, [0.0, 0, 0])
    assert said.endswith("contacts[0].friction is -0.5, must be finite and at least 0")
    assert "path, not NoneType" in raises(TypeError, am.load_scene, None)
    assert "did you mean 'crate'?" in raises(ValueError, sim.set_wrench, "crte", [1, 0, 0])
    assert "dict" in raises(TypeError, am.load_scene, FIRST, ["simulation.step=1"])
    assert "Camera" in raises(TypeError, am.picture, sim, camera="front")
    assert "whole numbers" in raises(ValueError, am.picture, sim, size=(64.0, 48.0))
    said = raises(ValueError, am.rollout, scene, steps=2,
                  parameters={"materials.wood.friction": 0.1})
    assert "materials.wood.friction needs a value for each motion, such as [0.1]" in said


def test_what_is_no_real_number_is_a_type_error_that_names_it():
    sim = am.Simulator(am.load_scene(FIRST))
    v = sim.v.copy()
    times = np.arange(v.size).astype("M8[s]")
    for bad in (v + 1j, times, v.astype(object), list(v + 1j), [np.datetime64("2020-01-01")] * v.size):
        for call, name in ((lambda: sim.set_efforts(bad), "Simulator.set_efforts: efforts"),
                           (lambda: sim.set_state(sim.q, v=bad), "Simulator.set_state: v"),
                           (lambda: sim.bias(sim.q, bad), "Simulator.bias: v")):
            said = raises(TypeError, call)
            assert said.startswith(f"{name} must be real numbers, not of the type "), said
    assert np.array_equal(sim.v, v)
    said = raises(TypeError, am.ContactProblem, np.eye(3) * 1j, np.eye(3), 0.5, np.zeros(3))
    assert said == "ContactProblem: M must be real numbers, not of the type complex128", said
    assert "real" in raises(TypeError, sim.set_wrench, "crate", np.array([1j, 0, 0]))
    assert "real" in raises(TypeError, am.Grasp, np.eye(3) + 0j, -np.eye(3), 0.5)
    # A list that contains itself, or without an end of its levels.
    endless, deep = [], [0.0]
    endless += [endless, endless]
    for _ in range(100000):
        deep = [deep]
    for bad in (endless, deep):
        for call in (lambda: sim.set_efforts(bad), lambda: am.Grasp(bad, bad, 0.5),
                     lambda: am.load_scene(FIRST, {"simulation.step": bad})):
            assert len(raises(TypeError, call)) < 200
    # Numbers of other kinds, and objects that are none, pass.
    sim.set_efforts(np.zeros(v.size, int))
    sim.set_efforts([False] * v.size)
    states = np.array([sim.save()] * 2, object)
    assert am.rollout(am.load_scene(FIRST), states, steps=1)["q"].shape[0] == 2


def test_wrong_shapes_are_value_errors_with_both_shapes():
    sim = am.Simulator(am.load_scene(FIRST))
    nv = sim.v.size
    for call, said in (
            (lambda: sim.set_efforts(np.zeros((1, nv))),
             f"Simulator.set_efforts: efforts must have the shape [n], not [1, {nv}]"),
            (lambda: sim.set_gravity([0, 0]),
             "Simulator.set_gravity: gravity must have the shape [3], not [2]"),
            (lambda: sim.set_state(sim.q, np.zeros((2, 2))),
             "Simulator.set_state: v must have the shape [n], not [2, 2]"),
            (lambda: sim.mass_matrix(q=np.zeros((2, 7))),
             "Simulator.mass_matrix: q must have the shape [n], not [2, 7]"),
            (lambda: sim.jacobian("crate", at=[0, 0]),
             "Simulator.jacobian: at must have the shape [3], not [2]"),
            (lambda: am.LocalProblem(np.eye(3), np.zeros((3, 2)), [0.5]),
             "LocalProblem: q must have the shape [n], not [3, 2]")):
        assert raises(ValueError, call) == said, raises(ValueError, call)


def test_messages_show_no_names_of_the_insides():
    scene = am.load_scene(FIRST)
    sim = am.Simulator(scene)
    for call in (lambda: am.load_scene("a\0b.yaml"), lambda: am.open_run("a\0b"),
                 lambda: am.record(sim, scene, "a\0b"), lambda: am.load_problem("a\0"),
                 lambda: am.picture("a\0b", 0.0)):
        said = raises(ValueError, call)
        assert "null character: " in said and "_" not in said.split(":")[0][:1], said
    said = raises(TypeError, am.load_scene, FIRST, {3: 1})
    assert said == "the keys of overrides are paths, such as \"simulation.step\", not 3"
    assert "packages has names" in raises(TypeError, am.load_scene, FIRST, None, {3: 1})
    for wrong in ((3, [0.5]), (np.negative, 0.5)):
        said = raises(TypeError, am.LocalProblem.from_test_impulses, *wrong)
        assert said.startswith("from_test_impulses: it takes (response: "), said


def test_wrong_types_are_refused_in_words_of_the_package():
    scene = am.load_scene(FIRST)
    sim = am.Simulator(scene)
    rows = np.zeros((2, 3))
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/run.h5"
        with am.record(sim, scene, path):
            sim.step()
        run = am.open_run(path)
        calls = {
            "find_jams: simulator": am.find_jams, "Grasp.of: simulator": lambda x: am.Grasp.of(x, "a"),
            "needed_efforts: simulator": lambda x: am.needed_efforts(x, [0], [0], [0]),
            "contacts: row": run.contacts, "points": lambda x: am.Grasp(x, rows, 0.5),
            "times": am.Motion, "bodies": lambda x: am.Motion([0, 1], x),
            "overlays": lambda x: am.picture(sim, size=(64, 48), overlays=x),
            "a run": lambda x: am.picture(x, 0.0), "path": lambda x: am.Film(sim, x),
            "time": lambda x: am.picture(path, x, size=(64, 48)),
            "joints": lambda x: am.Env(scene, x), "max_effort": lambda x: am.Env(scene, [], x),
            "rollout: sensors": lambda x: am.rollout(scene, steps=1, sensors=x),
            "rollout: parameters": lambda x: am.rollout(scene, steps=1, parameters=x),
            "axes": lambda x: am.plots.energy(run, axes=x),
            "names": lambda x: am.plots.joints(run, x),
            "the history of residual": lambda x: am.plots.residuals([x])}
        for name, call in calls.items():
            for wrong in (object(), scene, lambda: 0):
                said = raises(TypeError, call, wrong)
                assert said.startswith(f"{name} must be "), (name, said)
        run.close()
    for lost in ("\ud800", "\ud800/"):
        assert "no Unicode text" in raises(ValueError, am.picture, lost, 0.0)
        assert "no Unicode text" in raises(ValueError, sim.jacobian, lost)
    for numbers, said in (([[1, 2], [3]], "rows of one length"), ([10**400], "too large")):
        assert said in raises(ValueError, am.Motion, numbers)


def test_what_functions_take_is_said_without_types_of_the_insides():
    sim = am.Simulator(am.load_scene(FIRST))
    assert raises(TypeError, lambda: sim.bodies[1j]) == "Bodies.__getitem__: it takes (str), not (1j)"
    for call in (lambda: sim.jacobian(1j), lambda: sim.jacobian(3)):
        assert "a Frame, not " in raises(TypeError, call)
    assert "at must be real numbers" in raises(TypeError, sim.jacobian, "crate", 1j)
    said = raises(TypeError, sim.release, None)
    assert "position: list of 3 numbers or None = None" in said and "Optional" not in said, said
    for type_ in (am.Frame, am.State, am.Scene, am.StepReport, am.Recorder):
        said = raises(TypeError, type_)
        assert said == (f"{type_.__name__}: functions and attributes of amontons return it; a "
                        "program cannot make one"), said
    for wrong in (None, lambda p: None, lambda p: "x"):
        said = raises(TypeError, am.LocalProblem.from_test_impulses, wrong, [0.5])
        assert said.startswith("from_test_impulses: "), said


def test_states_too_large_to_evaluate_are_refused_where_they_are_asked():
    sim = am.Simulator(am.load_scene(FIRST))
    sim.set_state(sim.q, sim.v + 1e200)
    assert "too large to evaluate" in raises(ValueError, sim.bias)
    far = sim.q.copy()
    far[4] = 1e308
    for call in (lambda: sim.mass_matrix(q=np.where(far == 1e308, 1e200, far)),
                 lambda: sim.inverse_dynamics(sim.q, sim.v, sim.v)):
        try:
            assert np.isfinite(call()).all()
        except ValueError as error:
            assert "too large to evaluate" in str(error), error


def test_a_missed_certificate_says_what_it_misses():
    sim = am.Simulator(am.make_scene({
        "amontons": 1, "simulation": {"step": 0.001, "duration": 1},
        "bodies": [{"name": "arm", "mass": 2, "inertia": [0.1, 0.1, 0.1]},
                   {"name": "rod", "mass": 1, "inertia": [0.1, 0.1, 0.1],
                    "pose": {"position": [0.5, 0, 0]}}],
        "joints": [{"name": "hinge", "type": "revolute", "parent": "world", "child": "arm",
                    "axis": [0, 1, 0], "at": [-0.5, 0, 0]},
                   {"name": "ball", "type": "spherical", "parent": "arm", "child": "rod",
                    "at": [0.25, 0, 0]}]}))
    sim.set_gravity([0, 0, -1e10])
    held = repr(sim.step().certificate)
    missed = next(c for c in (sim.step().certificate for _ in range(50)) if not c.holds)
    assert held.startswith("<Certificate ") and "worst residual 0.0" not in repr(missed)
    assert repr(missed).startswith("<Certificate missed: "), repr(missed)
    if missed.energy_created > 0:
        assert "without a cause" in repr(missed)


def test_a_search_for_jams_bounds_its_corners():
    sim = four_contacts()
    problem = sim.report.problem
    for search in (problem.jams, problem.opening_velocities):
        assert "at most 1000, not 100000" in raises(ValueError, search, 100000)
        search(1000)


def test_cameras_are_written_as_they_are_made_and_can_be_sent():
    camera = am.Camera(follow="ball", distance=4.0, target=[0, 0, 1])
    assert repr(camera).startswith("Camera(target=array([0., 0., 1.]), distance=4.0, follow='ball'")
    copy = pickle.loads(pickle.dumps(camera))
    assert repr(copy) == repr(camera) and np.array_equal(copy.target, [0, 0, 1])
    assert repr(am.Camera()) == "Camera()"


def test_tolerances_and_limits_of_effort_are_checked_everywhere():
    problem = am.ContactProblem(np.eye(3), np.eye(3), 0.5, [1.0, 0, -1.0])
    local = am.LocalProblem(np.eye(3), np.array([1.0, 0, -1.0]), [0.5])
    p = problem.solve()[0].impulses
    for tolerance in (0.0, -1.0, np.nan, np.inf):
        for call in (problem.solve, problem.residual_history, local.solve,
                     lambda tolerance: am.certify(problem, p, tolerance=tolerance),
                     lambda tolerance: am.certify(local, p, tolerance=tolerance)):
            assert "tolerance must be positive" in raises(ValueError, call, tolerance=tolerance)
    for effort in (0.0, -1.0, np.nan):
        for call in (problem.solve, problem.residual_history, local.solve):
            assert "max_effort must be positive" in raises(ValueError, call, max_effort=effort)


def test_one_number_for_all_contacts_may_be_of_any_kind():
    for friction in (1, np.int64(1), np.float32(1), np.array(1.0), [1.0], np.ones(1, np.float32)):
        problem = am.ContactProblem(np.eye(3), np.eye(3), friction, np.zeros(3), gap=friction)
        assert np.array_equal(problem.friction, [1.0]) and np.array_equal(problem.gap, [1.0])
    for wrong in ("0.5", [None], object()):
        assert "friction must be a number" in raises(TypeError, am.ContactProblem, np.eye(3),
                                                     np.eye(3), wrong, np.zeros(3))
    assert "shape [nc], not (1, 1)" in raises(ValueError, am.ContactProblem, np.eye(3), np.eye(3),
                                              0.5, np.zeros(3), gap=[[0.1]])


def test_a_body_has_no_distance_from_itself():
    sim = am.Simulator(am.load_scene(FIRST))
    assert "twice" in raises(ValueError, sim.distance, "crate", "crate")


if __name__ == "__main__":
    run_tests(globals())
