#!/usr/bin/python3
"""Runs as arrays, and the plots made of them.  usage: run_test.py PROGRAM"""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import amontons as am
from amontons import plots
from harness import FIRST, raises, run_tests

PROGRAM = sys.argv[1]


def first_run(folder):
    path = pathlib.Path(folder) / "first.h5"
    subprocess.run([PROGRAM, "run", FIRST, "-o", path, "--quiet"], check=True,
                   stdout=subprocess.DEVNULL)
    return path


def test_a_run_is_what_the_simulator_did():
    with tempfile.TemporaryDirectory() as folder:
        with am.open_run(first_run(folder)) as run:
            sim = am.Simulator(am.load_scene(FIRST))
            for row in range(1, len(run)):
                sim.step()
                report = sim.step()  # the log keeps every second step
                assert run.q[row].tobytes() == sim.q.tobytes()
                assert run.contacts(row)["impulse"].tobytes() == report.contacts["impulse"].tobytes()
            assert sim.finished and run.num_contacts[-1] == len(report.contacts)
            position, quat_wxyz = run.body("ball")
            assert np.array_equal(position[-1], sim.body_poses()["ball"][0])
            assert quat_wxyz.shape == (len(run), 4)
            assert "no body bal;" in raises(KeyError, run.body, "bal")
            assert run.scene_text == FIRST.read_text()


def test_what_is_no_run_is_refused():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "other.h5"
        import h5py
        h5py.File(path, "w").close()
        assert "not a run" in raises(ValueError, am.open_run, path)
        raises(OSError, am.open_run, path.with_name("absent.h5"))


def test_the_five_plots_show_the_numbers_of_the_run():
    import matplotlib
    matplotlib.use("Agg")
    with tempfile.TemporaryDirectory() as folder:
        with am.open_run(first_run(folder)) as run:
            figure = plots.energy(run)
            total = figure.axes[0].lines[2].get_ydata()
            assert np.array_equal(total, run["energy/kinetic"] + run["energy/potential"])
            force = plots.contact_force(run, "crate").axes[0].lines[0].get_ydata()
            assert abs(force[-1] - 2.0 * 9.81) < 1e-6  # the crate's weight, at rest
            ways = plots.path(run).axes[0].lines
            assert {line.get_label() for line in ways} == {"crate", "ball"}
            for plot in (plots.certificate, plots.joints):
                plot(run).savefig(pathlib.Path(folder) / "figure.svg")


if __name__ == "__main__":
    run_tests(globals())
