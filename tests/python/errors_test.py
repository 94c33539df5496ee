#!/usr/bin/python3
"""Checks that errors are exceptions with the words of the command line.  usage: errors_test.py PROGRAM"""
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np

import amontons as am
from amontons.outputs import replacement
from harness import FIRST, raises, run_tests

PROGRAM = pathlib.Path(sys.argv[1]).resolve()

HEAD = "amontons: 1\nsimulation: {step: 0.01, duration: 1}\n"
FAULTS = {
    "unknown key": HEAD + "gravitation: [0, 0, -1]\n",
    "unknown model": HEAD.replace("step:", "model: colomb, step:"),
    "negative mass": HEAD + "bodies: [{name: a, mass: -1, shapes: [{sphere: 0.1}]}]\n",
    "missing mesh": HEAD + "bodies: [{name: a, mass: 1, shapes: [{mesh: none.stl}]}]\n",
    "no such body": HEAD + "joints: [{name: j, type: fixed, parent: world, child: nobody}]\n",
    "broken yaml": HEAD + "bodies: [{name: a\n",
    "word for a number": HEAD.replace("0.01", "soon"),
}


def complaint_of_program(*arguments):
    result = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)
    assert result.returncode == 2, result
    return result.stderr.strip()


def in_a_folder(test):
    """Runs a test in an empty working folder, so that both name a file alike."""
    def wrapped():
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                test()
            finally:
                os.chdir(before)
    wrapped.__name__ = test.__name__
    return wrapped


@in_a_folder
def test_a_scene_is_refused_in_the_words_of_the_command_line():
    for title, text in FAULTS.items():
        pathlib.Path("scene.yaml").write_text(text)
        said = raises(am.ParseError, lambda: am.Simulator(am.load_scene("scene.yaml")))
        assert said == complaint_of_program("run", "scene.yaml", "--no-log", "--quiet"), title
        assert said.startswith("scene.yaml"), said


@in_a_folder
def test_so_are_an_override_a_missing_file_and_what_is_no_problem():
    pathlib.Path("first.yaml").write_text(FIRST.read_text())
    assert (raises(am.ParseError, am.load_scene, "first.yaml", {"simulation.stp": "0.01"})
            == complaint_of_program("run", "first.yaml", "--set", "simulation.stp=0.01"))
    assert (raises(am.ParseError, am.load_scene, "none.yaml")
            == complaint_of_program("run", "none.yaml"))
    assert (raises(am.ParseError, am.load_scene, "none.urdf")
            == complaint_of_program("lint", "none.urdf"))
    assert (raises(am.ParseError, am.load_problem, "first.yaml")
            == complaint_of_program("solve", "first.yaml"))


@in_a_folder
def test_so_is_what_is_no_run():
    pathlib.Path("text.h5").write_text("no run")
    pathlib.Path("empty.h5").touch()
    os.mkdir("folder")
    for name in ("none.h5", "text.h5", "empty.h5", "folder"):
        assert raises(am.ParseError, am.open_run, name) == complaint_of_program("verify", name)


@in_a_folder
def test_an_output_that_is_an_input_is_refused():
    pathlib.Path("first.yaml").write_text(FIRST.read_text())
    scene = am.load_scene("first.yaml")
    sim = am.Simulator(scene)
    assert "an input cannot be the output" in raises(am.ParseError, am.record, sim, scene,
                                                     "first.yaml")
    assert pathlib.Path("first.yaml").read_text() == FIRST.read_text()
    other = am.make_scene({"amontons": 1, "simulation": {"step": 0.1, "duration": 1}})
    assert "not that of the simulator" in raises(ValueError, am.record, sim, other, "other.h5")
    assert not pathlib.Path("other.h5").exists()


@in_a_folder
def test_files_of_another_origin_are_replaced_only_by_force():
    scene = am.load_scene(FIRST)
    sim = am.Simulator(scene)
    problem = sim.step().problem

    def record(force):
        with am.record(sim, scene, "a.h5", force=force):
            sim.step()

    writers = [("p.h5", "contact problem", lambda force: problem.save("p.h5", force=force)),
               ("a.h5", "run", record), ("a.checkpoint", "checkpoint", record),
               ("a.failure-3.h5", "contact problem", record)]
    for name, kind, write in writers:
        path = pathlib.Path(name)
        path.write_text("my thesis\n")
        said = raises(am.ParseError, write, False)
        assert said.removeprefix("./") == (f"{name}: a file of this name is no {kind} of this program; name another "
                                           "one, or replace it with force=True"), said
        assert path.read_text() == "my thesis\n"
        write(True)
        path.unlink()
        write(False)
        write(False)  # its own file


@in_a_folder
def test_links_and_pipes_keep_their_place_even_by_force():
    scene = am.load_scene(FIRST)
    sim = am.Simulator(scene)
    problem = sim.step().problem
    pathlib.Path("thesis").write_text("my thesis\n")
    for name in ("p.h5", "a.h5", "a.checkpoint", "still.png", "film.mp4"):
        path = pathlib.Path(name)
        write = {"p.h5": lambda: problem.save("p.h5", force=True),
                 "still.png": lambda: am.picture(sim, path="still.png", size=(64, 64), force=True),
                 "film.mp4": lambda: am.Film(sim, "film.mp4", size=(64, 64), force=True)}.get(
                     name, lambda: am.record(sim, scene, "a.h5", force=True))
        if name == "film.mp4" and not shutil.which("ffmpeg"):
            continue
        path.symlink_to("thesis")
        assert "symbolic link" in raises(am.ParseError, write)
        assert path.is_symlink() and pathlib.Path("thesis").read_text() == "my thesis\n"
        path.unlink()
        os.mkfifo(path)
        assert "it is a device or pipe" in raises(am.OutputError, write)
        assert path.is_fifo()
        path.unlink()


@in_a_folder
def test_a_run_that_this_program_writes_is_said_to_be_its_own():
    scene = am.load_scene(FIRST)
    first, second = am.Simulator(scene), am.Simulator(scene)
    with am.record(first, scene, "run.h5"):
        assert (raises(am.OutputError, am.record, second, scene, "run.h5")
                == "run.h5: this program is writing this run")


@in_a_folder
def test_what_the_repr_of_an_argument_raises_is_the_error_of_the_call():
    class Interrupting:
        def __repr__(self):
            raise KeyboardInterrupt

    class Failing:
        def __repr__(self):
            raise ZeroDivisionError

    sim = am.Simulator(am.load_scene(FIRST))
    raises(KeyboardInterrupt, sim.set_gravity, Interrupting())
    assert "Failing" in raises(TypeError, sim.set_gravity, Failing())


@in_a_folder
def test_names_with_control_characters_are_refused_and_shown_as_escapes():
    for name in ("a\x1b[31m", "a\nb", "a\x7f", "a\x9b31m"):
        said = raises(am.ParseError, am.make_scene, {
            "amontons": 1, "simulation": {"step": 0.1, "duration": 1},
            "bodies": [{"name": name, "mass": 1, "shapes": [{"sphere": 0.1}]}]})
        assert said.endswith("name must not have control characters"), said
        assert said.isprintable() and said.startswith("./scene:9:"), said
    said = raises(am.ParseError, am.load_scene, "no\x1bne.yaml")
    assert said.startswith("no\\x1bne.yaml: "), said
    pathlib.Path("a.urdf").write_text("<robot name='a'>\n<link name='b&#27;[31m'/></robot>")
    assert (raises(am.ParseError, am.load_scene, "a.urdf")
            == "a.urdf:2: name of <link> must not have control characters")


@in_a_folder
def test_so_is_a_model_that_is_not_there():
    sim = am.Simulator(am.load_scene(FIRST))
    while len((report := sim.step()).contacts) == 0:
        pass
    report.problem.save("problem.h5")
    said = raises(ValueError, report.problem.solve, "colomb")
    assert complaint_of_program("solve", "problem.h5", "--model", "colomb").endswith(said), said
    assert "did you mean 'coulomb'" in said


@in_a_folder
def test_what_cannot_be_written_is_an_os_error_that_names_the_file():
    sim = am.Simulator(am.load_scene(FIRST))
    problem = sim.step().problem
    said = raises(am.OutputError, problem.save, "none/problem.h5")
    assert said.startswith("none/problem.h5: cannot"), said
    said = raises(am.OutputError, replacement("none/page.html").__enter__)
    assert said == "none/page.html: cannot create: No such file or directory", said
    assert issubclass(am.OutputError, OSError) and issubclass(am.ParseError, ValueError)


def test_a_velocity_that_leaves_all_bounds_is_an_error_and_the_state_is_that_before():
    scene = am.make_scene({"amontons": 1, "simulation": {"step": 1.0, "duration": 9},
                           "gravity": [0, 0, -1e99],
                           "bodies": [{"name": "ball", "mass": 1, "shapes": [{"sphere": 0.1}]}]})
    sim = am.Simulator(scene)
    before = sim.q.tobytes()
    said = raises(am.DivergenceError, sim.step)
    assert said and sim.q.tobytes() == before and sim.time == 0.0


def test_a_controller_that_fails_ends_the_step_before_it_began():
    sim = am.Simulator(am.load_scene(FIRST))
    sim.step()
    before = sim.q.tobytes(), sim.v.tobytes(), sim.time

    def fail(_):
        raise RuntimeError("my own fault")

    for controller, error, said in (
            (fail, RuntimeError, "my own fault"),
            (lambda s: s.set_effort("elbow", 1.0), ValueError, "there is no joint 'elbow'"),
            (lambda s: s.set_efforts(np.full(s.v.size, np.nan)), ValueError, "must be finite")):
        sim.set_controller(controller)
        assert said in raises(error, sim.step)
        assert before == (sim.q.tobytes(), sim.v.tobytes(), sim.time)
    raises(TypeError, sim.set_controller, 3)
    sim.set_controller(None)
    assert sim.step().certificate.holds


def test_arrays_that_do_not_fit_are_refused_with_the_sizes():
    scene = am.load_scene(FIRST)
    sim = am.Simulator(scene)
    while len((report := sim.step()).contacts) == 0:
        pass
    nq, nv, problem = sim.q.size, sim.v.size, report.problem
    states = [sim.save()] * 2
    nan, efforts = np.full(nv, np.nan), np.zeros((2, 3, nv))
    for said, function, *arguments in (
            (f"not 3 and {nv}", sim.set_state, np.zeros(3), sim.v),
            ("must be finite", sim.set_state, sim.q, nan),
            ("the quaternion q[0:4] has the length 0", sim.set_state, np.zeros(nq), sim.v),
            (f"2 entries, but {nv} are needed", sim.set_efforts, np.zeros(2)),
            (f"must have {nv} entries, not 2", problem.contact_velocities, np.zeros(2)),
            ("warm_start must have", problem.solve, "coulomb", 1e-8, None, np.zeros(1)),
            ("tolerance must be positive", problem.solve, "coulomb", math.nan),
            ("[starts, steps, nv], not 2 dimensions", am.rollout, scene, states, efforts[0]),
            ("2 starts, but 1 tables", am.rollout, scene, states, efforts[:1]),
            ("start 0: set_efforts: ", am.rollout, scene, states, efforts[:, :, 1:]),
            ("start 0: a command must be finite", am.rollout, scene, states, efforts + math.nan),
            ("for 3 steps, not 4", am.rollout, scene, states, efforts, 4),
            ("must not be negative", am.rollout, scene, states, None, 2, -1),
            ("must not be negative", am.Simulator, scene, -1),
            ("positive and finite, not nan", setattr, scene, "duration", math.nan)):
        assert said in raises(ValueError, function, *arguments), said
    assert am.rollout(scene, states, efforts[:, :0])["q"].shape == (2, 1, nq)
    assert scene.duration == am.load_scene(FIRST).duration


def test_a_state_of_parts_that_do_not_belong_together_is_none():
    state = am.Simulator(am.load_scene(FIRST)).save()
    parts = state.__reduce_ex__(2)[2]
    for wrong in (parts[:5], ("a",) * 8, (*parts[:4], np.zeros((2, 3), int), *parts[5:])):
        assert "no state" in raises(ValueError, am.State.__new__(am.State).__setstate__, wrong)


def test_wrong_arguments_are_refused_in_plain_words():
    scene = am.load_scene(FIRST)
    sim = am.Simulator(scene)
    said = raises(TypeError, sim.set_mass, "ball", "heavy")
    assert said == "Simulator.set_mass: it takes (body: str, mass: float), not ('ball', 'heavy')"
    said = raises(TypeError, lambda: sim.set_wrench("ball", forse=[0, 0, 1]))
    assert "there is no argument 'forse'; did you mean 'force'?" in said
    assert "forse=[0, 0, 1]" in said
    said = raises(TypeError, am.Simulator, "first.yaml")
    assert said.startswith("Simulator: it takes (scene: Scene, threads: int = 0), not ('first.yaml'")
    said = raises(TypeError, sim.set_state, 1, 2, 3, 4)
    assert "array" in said and "numpy.ndarray" not in said and "_core" not in said
    long = raises(TypeError, sim.set_effort, list(range(1000)), 0.0)
    assert len(long) < 200 and "..." in long
    said = raises(TypeError, am.rollout, 3)
    assert said == "rollout: scene must be a Scene, or a list of them, not int"
    # What a function itself refuses keeps its words, and so does an error of the caller's function.
    assert "function of the simulator" in raises(TypeError, sim.set_controller, 3)

    def fails(_):
        raise TypeError("of mine")

    sim.set_controller(fails)
    assert raises(TypeError, sim.step) == "of mine"


def test_a_controller_that_steps_is_told_so():
    sim = am.Simulator(am.load_scene(FIRST))
    sim.set_controller(lambda sim: sim.step())
    assert "a controller must not step" in raises(ValueError, sim.step)
    assert sim.time == 0.0
    sim.set_controller(None)
    sim.step()
    assert sim.time > 0.0


def test_errors_name_the_package():
    assert {error.__module__ for error in (am.ParseError, am.OutputError, am.DivergenceError,
                                           am.Simulator)} == {"amontons"}


if __name__ == "__main__":
    run_tests(globals())
