#!/usr/bin/python3
"""Checks that mistakes in arguments are refused by one sentence that names what is wrong."""
import copy
import pickle
import tempfile

import numpy as np

import amontons as am
from harness import FIRST, raises, run_tests

FRICTION = {"materials.wood.friction": (0.1, 0.9)}
FINGERS = [[-0.03, 0, 0], [0.03, 0, 0]], [[1, 0, 0], [-1, 0, 0]]
NO_TEXT = np.zeros(3)  # an array where a text is needed


def measured():
    return am.Motion(np.linspace(0, 0.1, 11), {"crate": np.zeros((11, 3))})


def check(error, *cases):
    """Checks that calls raise an error whose text begins as each case says."""
    for begin, call in cases:
        said = raises(error, call)
        assert said.startswith(begin) and "\n" not in said, said


def test_what_fit_takes_is_checked_before_it_searches():
    scene, motion = am.load_scene(FIRST, {"simulation.duration": 0.1}), measured()

    def fit(data=motion, parameters=FRICTION, of=scene, **options):
        return lambda: am.fit(of, data, parameters,
                              **{"starts": 1, "samples": 1, "max_iterations": 1} | options)

    check(TypeError,
          ("fit: parameters must be a dict, such as ", fit(parameters=["materials.wood.friction"])),
          ("fit: parameters: a path must be a text, not ", fit(parameters={3: (0, 1)})),
          ("fit: bounds of 'a' must be real numbers, not ", fit(parameters={"a": ("0", "1")})),
          ("fit: scene must be a Scene, not ", fit(of=FIRST)),
          ("fit: scene must be a Scene, not NoneType", fit(of=None)),
          ("fit: overrides must be a function, not ", fit(overrides={})),
          ("fit: residual must be a function, not 'l2'", fit(residual="l2")),
          ("what residual returns must be real numbers, not 'x'", fit(residual=lambda a, b: "x")),
          ("what overrides returns must be a dict, such as ", fit(overrides=lambda values: None)),
          ("fit: threads must be a whole number, not '2'", fit(threads="2")),
          ("fit: samples must be a whole number, not 1.5", fit(samples=1.5)),
          ("fit: length must be a number, not '0.1'", fit(length="0.1")),
          ("fit: confidence must be a number, not None", fit(confidence=None)),
          ("fit: inertias must be a list of names, not ", fit(inertias=[["crate"]])),
          ("fit_models: model 'a' must be a dict, such as ",
           lambda: am.fit_models(scene, motion, FRICTION, {"a": 3})))
    check(ValueError,
          ("fit: inertias must be a list of different bodies, such as ", fit(inertias=None)),
          ("fit: difference must be within [1e-05, 0.5]", fit(difference=1e-320)),
          ("fit: length must be positive and finite, not ", fit(length=np.inf)),
          ("fit: seed must be a whole number of at least 0, not -1", fit(seed=-1)),
          ("fit: data must be motions, such as ", fit(data=3)),
          ("fit_models: held_out must be motions, such as ",
           lambda: am.fit_models(scene, motion, FRICTION, ["coulomb"], held_out=[])))
    # A single motion may be held out, as a single one may be fitted.
    found = am.fit_models(scene, motion, {}, ["coulomb"], held_out=motion)
    assert found.held_out and found.motions == [motion]


def test_numbers_of_ranges_grasps_boxes_and_motions_are_checked():
    motion, grasp = measured(), am.Grasp(*FINGERS, 0.5, 0.1)
    check(TypeError,
          ("Range: low must be a number, not '0'", lambda: am.Range("0", "1")),
          ("Range: low must be a number, not None", lambda: am.Range(None, 1)),
          ("Range.at: part must be a number, not None", lambda: am.Range(0, 1).at(None)),
          ("Grasp: length must be a number, not '1'", lambda: am.Grasp(*FINGERS, 0.5, length="1")),
          ("Grasp: length must be a number, not [1, 2]",
           lambda: am.Grasp(*FINGERS, 0.5, length=[1, 2])),
          ("Grasp: accuracy must be a number, not 'x'",
           lambda: am.Grasp(*FINGERS, 0.5, accuracy="x")),
          ("Box: low must be real numbers, not 'a'", lambda: am.Box("a", "b")),
          ("Box.seed: seed must be a whole number, not 'x'", lambda: am.Box([0], [1]).seed("x")),
          ("started: rows must be a whole number, not [1]", lambda: motion.started(rows=[1])),
          ("started: gravity must be real numbers, not 'x'", lambda: motion.started(gravity="x")))
    check(ValueError,
          ("Range.at: part must be from 0 to 1, not 2.0", lambda: am.Range(0, 1).at(2)),
          ("Range.at: part must be a number, not nan", lambda: am.Range(0, 1).at(np.nan)),
          ("friction must be one number or 2, one per contact, not an array of shape (3,)",
           lambda: am.Grasp(*FINGERS, [0.5, 0.6, 0.7])),
          ("force must be finite, and no number", lambda: grasp.hold([np.inf, 0, 0])),
          ("Box: low and high must have one shape, not (2,) and (3,)",
           lambda: am.Box([0, 0], [1, 1, 1])),
          ("Box: low must be at most high", lambda: am.Box([0.0], [np.nan])),
          ("started: gravity must be three finite numbers",
           lambda: motion.started(gravity=(0, 0))))
    assert "a" not in am.Box([0], [1]) and [0.5] in am.Box([0], [1])


def test_what_environments_rollouts_and_views_take_is_bounded():
    scene = am.load_scene(FIRST)
    path = "materials.wood.friction"
    check(TypeError,
          ("Env: scene must be a Scene, not str",
           lambda: am.Env(str(FIRST), [])),
          ("reset: seed must be a whole number, not 'x'",
           lambda: am.Env(scene, []).reset(seed="x")),
          ("view: speed must be a number, not 'x'",
           lambda: am.view(am.Simulator(scene), speed="x", open_browser=False)))
    check(ValueError,
          ("VectorEnv: num_envs must be a whole number of at most 100000, not 1000000000000",
           lambda: am.VectorEnv(scene, 10**12, joints=[])),
          (f"rollout: {path} needs a value for each motion, such as [0.1], not ",
           lambda: am.rollout(scene, steps=1, parameters={path: {"a": 1}})),
          *(("rollout: steps must be a whole number of at most 10000000, not ",
             lambda steps=steps: am.rollout(scene, steps=steps, parameters={path: [0.1]}))
            for steps in (2**31, 10**19)),
          ("rollout: steps must be a whole number of at most 10000000, not ",
           lambda: am.rollout(scene, [am.Simulator(scene).save()], steps=2**31)))
    with am.view(am.Simulator(scene), open_browser=False) as view:
        check(ValueError, ("View.wait: seconds must be a number, not nan", lambda: view.wait(np.nan)),
              ("View.wait: seconds must be at least 0, not -1", lambda: view.wait(-1)))
        assert view.wait(0) is False


def test_arrays_in_place_of_texts_are_refused():
    scene = am.load_scene(FIRST)
    sim = am.Simulator(scene)
    with tempfile.TemporaryDirectory() as folder:
        with am.record(sim, scene, f"{folder}/run.h5"):
            sim.step()
        with am.open_run(f"{folder}/run.h5") as run:
            check(TypeError,
                  ("the name of a body must be a text, not ", lambda: run.body(NO_TEXT)),
                  ("the name of a joint must be a text, not ", lambda: run.joint(NO_TEXT)),
                  ("radius must be a number, not 'x'",
                   lambda: am.plots.flow(run, [0, 0, 0], [0, 0, 1], radius="x")))
            said = raises(KeyError, run.body, "x" * 100000)
            assert len(said) < 1000 and "has no body 'xxx" in said, said
            assert len(raises(KeyError, run.__getitem__, "x" * 100000)) < 500
    check(ValueError,
          ("action must be 'effort' or 'target', not ", lambda: am.Env(scene, [], action=NO_TEXT)),
          ("render_mode must be \"rgb_array\" or None, not ",
           lambda: am.Env(scene, [], render_mode=NO_TEXT)),
          ("theme must be 'light' or 'dark', not ", lambda: am.Film(sim, theme=NO_TEXT)),
          ("keep must be one of none, failures, all, not ",
           lambda: am.campaign(scene, {}, keep=NO_TEXT)),
          ("sampler must be one of sobol, ", lambda: am.campaign(
              scene, {"a": am.Range(0, 1)}, samples=1, sampler=NO_TEXT)),
          ("needed_efforts: law must be 'coulomb' or 'no-slip', not ",
           lambda: am.needed_efforts(sim, sim.q, sim.v, sim.v, law=NO_TEXT)))


def test_a_property_that_is_set_to_another_type_says_its_name():
    scene = am.load_scene(FIRST)
    for wrong in ("1", None, [1.0]):
        said = raises(TypeError, setattr, scene, "duration", wrong)
        assert said == f"Scene.duration must be float, not {wrong!r}", said
    said = raises(TypeError, setattr, scene, "duration", 1j)
    assert said == "Scene.duration must be real numbers, not of the type complex", said
    scene.duration = 0.5
    assert scene.duration == 0.5


def test_an_assignment_to_what_is_read_only_says_what_to_call():
    scene = am.load_scene(FIRST)
    sim = am.Simulator(scene)
    while len(sim.step().contacts) < 4:
        pass
    crate, problem = sim.bodies["crate"], sim.report.problem
    for owner, name, advice in (
            (sim, "q", "sim.set_state(q, v)"), (sim, "gravity", "sim.set_gravity(gravity)"),
            (crate, "mass", "sim.set_mass(body, mass)"), (crate, "position", "sim.set_state(q, v)"),
            (scene, "gravity", "load_scene(file, {key: value})"),
            (problem, "M", "ContactProblem(...)"), (sim.report, "h", ""), (crate, "name", "")):
        before, what = str(getattr(owner, name)), f"{type(owner).__name__}.{name}"
        for change in (lambda: setattr(owner, name, 1.0), lambda: delattr(owner, name)):
            said = raises(AttributeError, change)
            assert said.startswith(f"{what} is read-only") and advice in said, said
        assert str(getattr(owner, name)) == before
    said = raises(AttributeError, setattr, sim, "gravty", [0, 0, 0])
    assert said == "Simulator has no attribute 'gravty'; did you mean 'gravity'?", said

    class Own(am.Simulator):
        pass

    own = Own(scene)
    own.note = "an attribute of a class of the program"
    assert own.note and "is read-only" in raises(AttributeError, setattr, own, "q", own.q)


def test_a_truth_value_is_no_number():
    sim = am.Simulator(am.load_scene(FIRST))
    mass = sim.mass("crate")
    for true in (True, np.True_):
        said = raises(TypeError, sim.set_mass, "crate", true)
        assert said == "Simulator.set_mass: mass must be real numbers, not of the type bool", said
        raises(TypeError, sim.set_material, "wood", friction=true)
        raises(TypeError, am.Grasp, [[-1, 0], [1, 0]], [[1, 0], [-1, 0]], 0.5, length=true)
    assert sim.mass("crate") == mass
    sim.set_collision("crate", "ground", False)


def test_what_cannot_be_copied_says_what_to_keep():
    scene = am.load_scene(FIRST)
    sim = am.Simulator(scene)
    report = sim.step()
    for made, name, hint in ((sim, "Simulator", "save() keeps"), (am.Env(scene, []), "Simulator", "save()"),
                             (report, "StepReport", "keep the numbers and arrays"),
                             (report.problem, "ContactProblem", "save() keeps"),
                             (sim.distance("crate", "ground"), "Distance", "keep the numbers"),
                             (sim.cast_ray([0, 0, 9], [0, 0, -1]), "RayHit", "keep the numbers")):
        for call in (copy.deepcopy, copy.copy, pickle.dumps):
            if call is copy.copy and isinstance(made, am.Env):
                continue
            said = raises(TypeError, call, made)
            assert said.startswith(f"{name}: it cannot be copied or pickled; {hint}"), said


def test_types_and_long_names_are_shown_in_short():
    sim = am.Simulator(am.load_scene(FIRST))
    for long in (10**400, [0.5] * 1000, np.ones((20, 20))):
        for call in (lambda: sim.jacobian(long), lambda: sim.frame(long),
                     lambda: am.picture(sim, size=long)):
            said = raises((TypeError, ValueError), call)
            assert len(said) < 150, said
    said = raises(TypeError, am.load_scene, am.Simulator)
    assert said == "load_scene: file must be a path, not the type Simulator", said
    said = raises(TypeError, am.plots.energy, am.Simulator)
    assert "pybind11" not in said, said
    for call in (lambda name: sim.bodies[name], lambda name: sim.jacobian(name),
                 lambda name: sim.set_mass(name, 1.0), am.ContactProblem(
                     np.eye(3), np.eye(3), 0.5, np.zeros(3)).solve):
        said = raises(am.UnknownNameError, call, "x" * 100000)
        assert len(said) < 500 and "xxx ... xxx" in said, said
    assert "did you mean 'crate'?" in raises(KeyError, sim.jacobian, "crat")


if __name__ == "__main__":
    run_tests(globals())
