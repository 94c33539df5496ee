#!/usr/bin/python3
"""Checks the Python module: load, step, inspect. Run it with PYTHONPATH at the built module."""
import pathlib
import tempfile
import warnings

import numpy as np

import amontons as am
from harness import FIRST, raises, run_tests


def test_a_box_comes_to_rest_and_every_step_is_certified():
    sim = am.Simulator(am.load_scene(FIRST))
    q, v = sim.q, sim.v
    start = q.copy()
    while not sim.finished:
        report = sim.step()
        assert report.certificate.holds, sim.time
    assert not np.array_equal(sim.q, start)
    assert np.all(np.isfinite(sim.q)) and np.all(np.isfinite(sim.v))
    assert q.base is not None and np.array_equal(q, sim.q), "q is a view of the running state"
    contacts = report.contacts
    assert contacts.dtype.names[0] == "body_a" and len(contacts) > 0
    # At rest the ground carries the weight: the normal impulses are compressive.
    assert np.all(contacts["impulse"][:, 2] >= 0.0)
    assert v.shape == sim.v.shape


def test_the_same_scene_twice_gives_the_same_bits():
    runs = []
    for _ in range(2):
        sim = am.Simulator(am.load_scene(FIRST, {"simulation.duration": "0.2"}))
        while not sim.finished:
            sim.step()
        runs.append((sim.q.tobytes(), sim.v.tobytes()))
    assert runs[0] == runs[1]


def test_views_cannot_be_written():
    sim = am.Simulator(am.load_scene(FIRST))
    raises(ValueError, sim.q.__setitem__, 0, 1.0)


SLIDE = """amontons: 1
gravity: [0, 0, -9.81]
simulation: {step: 0.01, duration: 1}
bodies: [{name: mass, mass: 2, inertia: [1, 1, 1]}]
joints: [{name: slide, type: prismatic, parent: world, child: mass, axis: [0, 0, 1]}]
"""


def test_gravity_compensation_holds_and_reset_goes_back():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "slide.yaml"
        path.write_text(SLIDE)
        sim = am.Simulator(am.load_scene(path))
    assert abs(sim.gravity_compensation(sim.q)[0] - 2 * 9.81) < 1e-12
    assert abs(sim.inverse_dynamics(sim.q, sim.v, [1.0])[0] - 2 * 10.81) < 1e-12
    sim.set_effort("slide", 2 * 9.81)
    while not sim.finished:
        sim.step()
    assert abs(sim.q[0]) < 1e-12
    sim.reset()
    assert sim.time == 0.0
    sim.step()
    assert sim.v[0] < -0.09


def test_the_former_name_of_holds_works_and_warns():
    sim = am.Simulator(am.load_scene(FIRST))
    certificate = sim.step().certificate
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert certificate.claimed == certificate.holds
    assert [w.category for w in caught] == [DeprecationWarning]


def test_errors_name_file_and_line():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "broken.yaml"
        path.write_text("amontons: 1\nsimulation: {step: 0.01, duration: 1, steep: 3}\n")
        complaint = raises(am.ParseError, am.load_scene, path)
    assert "broken.yaml:2" in complaint and "steep" in complaint, complaint


if __name__ == "__main__":
    run_tests(globals())
