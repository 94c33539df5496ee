#!/usr/bin/python3
"""Checks runs as arrays.  usage: run_test.py PROGRAM"""
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


def test_a_fixed_body_that_moves_has_the_velocity_of_its_motion():
    amplitude, period, tilt = 0.02, 0.5, np.radians(30)
    rate = 2 * np.pi / period
    scene = am.make_scene({
        "amontons": 1, "simulation": {"step": 1e-3, "duration": 0.05},
        "bodies": [{"name": "table", "fixed": True, "shapes": [{"box": [1, 1, 0.1]}],
                    "pose": {"rpy_deg": [30, 0, 0]}}],
        "frames": [{"name": "corner", "body": "table", "pose": {"position": [0.1, 0, 0]}}],
        "actuators": [{"body": "table", "motion": {
            "sinusoid": {"axis": [0, 0, 1], "amplitude": amplitude, "period": period}}}]})
    sim = am.Simulator(scene)
    table, corner = sim.bodies["table"], sim.frames["corner"]
    up = np.array([0.0, 0.0, 1.0])
    twists = [table.twist]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "table.h5"
        with am.record(sim, scene, path):
            while not sim.finished:
                before = table.velocity
                sim.step()
                velocity = amplitude * rate * np.cos(rate * sim.time) * up
                assert np.allclose(table.velocity, velocity, rtol=0, atol=1e-14)
                assert np.array_equal(table.velocity, corner.velocity)
                assert np.array_equal(table.twist, np.r_[0, 0, 0, table.velocity])
                # Sensors have means over the step; the second derivative is near them.
                acceleration = (table.velocity - before) / 1e-3
                middle = -amplitude * rate**2 * np.sin(rate * (sim.time - 5e-4)) * up
                assert np.allclose(acceleration, middle, rtol=0, atol=1e-4)
                assert np.allclose(table.acceleration, np.r_[0, 0, 0, acceleration])
                felt = [0, *(np.array([np.sin(tilt), np.cos(tilt)]) * (acceleration[2] + 9.81))]
                assert np.allclose(table.imu[0], felt) and np.allclose(sim.imu("corner")[0], felt)
                twists.append(table.twist)
        assert np.array_equal(am.open_run(path).twist("table"), twists)


def test_a_closed_run_says_so_and_plots_take_a_path():
    with tempfile.TemporaryDirectory() as folder:
        path = first_run(folder)
        with am.open_run(path) as run:
            curve = plots.energy(run).axes[0].lines[0].get_ydata()
        for ask in (lambda: run.q, lambda: run["q"], lambda: run.contacts(0), run.keys):
            assert "the run is closed" in raises(ValueError, ask)
        assert repr(run).endswith(": closed>")
        run.close()
        assert np.array_equal(plots.energy(path).axes[0].lines[0].get_ydata(), curve)
        sim = am.Simulator(am.load_scene(FIRST))
        assert "energy: a Run or its path is needed, not Simulator" == raises(
            TypeError, plots.energy, sim)


SERVO = {"amontons": 1, "gravity": [0, 0, 0], "simulation": {"step": 0.01, "duration": 0.5},
         "output": {"every": 0.03},
         "bodies": [{"name": "mass", "mass": 2, "inertia": [1, 1, 1]}],
         "joints": [{"name": "slide", "type": "prismatic", "parent": "world", "child": "mass",
                     "axis": [0, 0, 1]}]}


def test_a_controlled_run_is_recorded_verified_and_opened():
    with tempfile.TemporaryDirectory() as folder:
        path, scene = pathlib.Path(folder) / "run.h5", am.make_scene(SERVO)
        sim = am.Simulator(scene)
        sim.set_controller(lambda s: s.set_effort("slide", 4.0 - 20.0 * s.q[0] - 9.0 * s.v[0]))
        with am.record(sim, scene, path) as recorder:
            while not sim.finished:
                sim.step()
        end = sim.q.tobytes()
        sim.reset()
        sim.step()  # does not change the run, which is closed
        assert recorder.path == str(path) and recorder.failures == []
        verified = subprocess.run([PROGRAM, "verify", path], check=True, text=True,
                                  stdout=subprocess.PIPE).stdout
        assert "commanded by a program" in verified
        with am.open_run(path) as run:
            assert run.q[-1].tobytes() == end and len(run) == 18  # 0, 0.03, ..., 0.48 and 0.50
        said = raises(am.OutputError, am.record, sim, scene, f"{folder}/none/run.h5")
        assert said.startswith(f"{folder}/none/run.h5: ")


def test_a_run_keeps_the_overrides_of_its_scene():
    changed = {"materials.wood.friction": 0.05, "simulation.step": 0.004}
    with tempfile.TemporaryDirectory() as folder:
        path, scene = pathlib.Path(folder) / "run.h5", am.load_scene(FIRST, changed)
        scene.duration = 0.3
        sim = am.Simulator(scene)
        with am.record(sim, scene, path):
            while not sim.finished:
                sim.step()
        subprocess.run([PROGRAM, "verify", path], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([PROGRAM, "resume", path, "--quiet"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([PROGRAM, "verify", path], check=True, stdout=subprocess.DEVNULL)
        with am.open_run(path) as run:
            kept = dict(text.decode().split("=") for text in run["overrides"])
            assert kept == {"materials.wood.friction": "0.05", "simulation.step": "0.004",
                            "simulation.duration": "0.3"}
            assert abs(run.time[-1] - 0.3) < 1e-9
            # Text and overrides give the scene that was simulated, to the bit.
            assert run.overrides == kept and list(run.overrides)[-1] == "simulation.duration"
            again = am.Simulator(am.parse_scene(run.scene_text, FIRST.parent, overrides=run.overrides))
            while not again.finished:
                again.step()
            assert again.q.tobytes() == run.q[-1].tobytes()
            again = am.Simulator(am.parse_scene(run.scene_text, FIRST.parent))
            assert again.step().step != 0.004
    assert "overrides must be a dict" in raises(TypeError, am.parse_scene, "amontons: 1", overrides=[1])
    assert "parse_scene: text" in raises(TypeError, am.parse_scene, 3)


def test_a_run_records_no_other_scene_than_the_simulators():
    with tempfile.TemporaryDirectory() as folder:
        sim = am.Simulator(am.load_scene(FIRST, {"materials.wood.friction": 0.05}))
        for other in (am.load_scene(FIRST), am.load_scene(FIRST, {"materials.wood.friction": 0.3})):
            said = raises(ValueError, am.record, sim, other, f"{folder}/run.h5")
            assert "not that of the simulator" in said
        again = am.load_scene(FIRST, {"materials.wood.friction": 0.05})
        am.record(sim, again, f"{folder}/run.h5").close()


def test_what_is_no_run_is_refused():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "other.h5"
        import h5py
        h5py.File(path, "w").close()
        assert "not a run" in raises(ValueError, am.open_run, path)
        raises(am.ParseError, am.open_run, path.with_name("absent.h5"))


def test_what_is_not_in_a_run_is_refused_with_what_is():
    with tempfile.TemporaryDirectory() as folder:
        with am.open_run(first_run(folder)) as run:
            assert "it has ground, " in raises(KeyError, plots.contact_force, run, "crat")
            assert "it has none" in raises(KeyError, run.joint, "elbow")
            assert "did you mean 'energy/kinetic'?" in raises(KeyError, lambda: run["enrgy/kinetic"])
            assert "docs/run-format.md" in raises(KeyError, lambda: run["nothing near it"])
            assert "no dataset qq" in raises(KeyError, lambda: run["qq"])
            assert "no dataset energy" in raises(KeyError, lambda: run["energy"])
            assert "two of x, y and z" in raises(ValueError, plots.path, run, None, "xq")
            last = len(run) - 1
            assert np.array_equal(run.contacts(-1), run.contacts(last))
            assert f"rows 0 to {last}, not {last + 1}" in raises(IndexError, run.contacts, last + 1)


def test_a_run_lists_its_datasets():
    with tempfile.TemporaryDirectory() as folder:
        with am.open_run(first_run(folder)) as run:
            assert "q" in run and "certificate/normal" in run and "/q" in run
            assert "qq" not in run and "energy" not in run and 0 not in run
            names = list(run)
            assert names == run.keys() and len(set(names)) == len(names)
            assert {"time", "bodies/name", "contacts/impulse"} <= set(names)
            assert "energy" not in names and not any(name.startswith("/") for name in names)
            assert all(name in run for name in names)


def test_a_table_of_contacts_is_whole_and_its_offsets_say_where_rows_begin():
    with tempfile.TemporaryDirectory() as folder:
        with am.open_run(first_run(folder)) as run:
            impulse, offset = run["contacts/impulse"], run["contacts/offset"]
            assert len(offset) == len(run) + 1 and offset[-1] == len(impulse) > len(run)
            for row in (0, len(run) // 2, len(run) - 1):
                part = impulse[offset[row]:offset[row + 1]]
                assert np.array_equal(part, run.contacts(row)["impulse"])
            assert len(run["bodies/name"]) == len(run.body_names)


if __name__ == "__main__":
    run_tests(globals())
