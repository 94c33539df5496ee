#!/usr/bin/python3
"""Errors are exceptions with the words of the command line.  usage: errors_test.py PROGRAM"""
import os
import pathlib
import subprocess
import sys
import tempfile

import amontons as am
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
    """The test in an empty working folder, so that both name a file alike."""
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
    assert issubclass(am.OutputError, OSError) and issubclass(am.ParseError, ValueError)


def test_a_velocity_that_leaves_all_bounds_is_told_and_the_state_is_that_before():
    scene = am.make_scene({"amontons": 1, "simulation": {"step": 1.0, "duration": 9},
                           "gravity": [0, 0, -1e99],
                           "bodies": [{"name": "ball", "mass": 1, "shapes": [{"sphere": 0.1}]}]})
    sim = am.Simulator(scene)
    before = sim.q.tobytes()
    said = raises(am.DivergenceError, sim.step)
    assert said and sim.q.tobytes() == before and sim.time == 0.0


if __name__ == "__main__":
    run_tests(globals())
