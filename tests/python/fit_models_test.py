#!/usr/bin/python3
"""Checks fit_models(): the law that made the motions is found, by motions that no fit has seen."""
import pathlib
import tempfile

import amontons as am
import numpy as np
from amontons.fit_models import pose_errors
from fit_test import CRATE, FRICTION, TIMES, measured, shape_of
from harness import raises, run_tests

BOUNDS = {FRICTION: (0.05, 1)}
PYRAMID = {"simulation.model": "stewart-trinkle", "simulation.friction_directions": 4}


def slides(truth, seeds):
    """Returns slides in all directions with the law and friction of `truth`."""
    found = []
    for seed in seeds:
        angle = 0.3 + 0.7 * seed
        shape = shape_of(TIMES, body="crate")
        shape.overrides = {"bodies.crate.velocity.linear": [np.cos(angle), np.sin(angle), 0]}
        motion = measured(CRATE, shape, truth, seed)
        found.append(motion)
    return found


def test_the_law_that_made_the_motions_explains_others_best():
    laws = {"round": {"simulation.model": "coulomb"}, "pyramid": PYRAMID,
            "none": ({"simulation.model": "frictionless"}, {})}
    for made_by in ("round", "pyramid"):
        truth = {FRICTION: 0.3, **laws[made_by]}
        found = am.fit_models(CRATE, slides(truth, range(4)), BOUNDS, laws, starts=1, samples=4,
                              held_out=slides(truth, range(4, 8)))
        order = list(found.fits)
        assert order[0] == made_by and order[2] == "none" and found.held_out, found
        assert found.shares()[made_by] > 0.95 and found.fits["none"].values == {}
        low, high = found.fits[made_by].intervals[FRICTION]
        assert low - 0.002 < 0.3 < high + 0.002, found
        # The difference between the laws exceeds its spread over the motions.
        mean, low, high = found.difference(order[1], made_by)
        assert 0.0 < low < mean < high, (mean, low, high)
        mean, low, high = found.difference(made_by, order[1], "rotation_errors")
        assert low <= mean <= high


def test_errors_are_distances_and_angles_averaged_over_what_is_measured():
    times = np.array([0.0, 1.0, 2.0])
    half = np.sqrt(0.5)
    a = am.Motion(times, {"b": (np.zeros((3, 3)), [[1, 0, 0, 0]] * 3)}, {"j": [0, 1, 2]})
    b = am.Motion(times, {"b": ([[3, 4, 0], [0, 0, 1], [np.nan] * 3],
                                [[half, 0, half, 0], [-1, 0, 0, 0], [1, 0, 0, 0]])},
                  {"j": [0, -1, np.nan]})
    position, rotation, joint = pose_errors(a, b)
    assert abs(position - 3.0) < 1e-12 and abs(rotation - np.pi / 6) < 1e-12 and joint == 1.0
    only = am.Motion(times, {"b": np.ones((3, 3))})
    assert np.isnan(pose_errors(a, only)[1:]).all()


def test_the_interval_of_a_mean_is_that_of_its_normal_approximation():
    found = am.fit_models(CRATE, slides({FRICTION: 0.3}, range(2)), BOUNDS, ["coulomb"], samples=2,
                          starts=1)
    values = np.random.default_rng(0).normal(5.0, 2.0, 400)
    mean, low, high = found.interval(values)
    # The bootstrap of 400 values has the normal interval, to its own spread of some per cent.
    expected = 1.96 * values.std() / 20.0
    assert mean == values.mean()
    assert abs(high - mean - expected) < 0.1 * expected > abs(mean - low - expected)


def test_the_table_and_the_report_show_every_model():
    motions = slides({FRICTION: 0.3}, range(3))
    motions[0].name = "<first>"
    found = am.fit_models(CRATE, motions, BOUNDS, ["coulomb", "frictionless"], samples=2, starts=1)
    assert not found.held_out and "fitted" in repr(found)
    table = found.table(width=0.2)
    assert len(table.splitlines()) == 4 and "% of width" in table and "[mm]" in found.table()
    millimetres = float(found.rows()[1][0][2].split()[0])
    assert abs(millimetres / 2.0 - float(found.rows(width=0.2)[1][0][2].split()[0])) < 0.01
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "models.html"
        found.report(page, width=0.2)
        text = page.read_text()
    # A plot of the errors, and a histogram and three motions of each model.
    assert text.count("<svg") == 1 + 2 * 4 and "<first>" not in text and "frictionless" in text


def test_a_single_motion_has_no_interval_over_motions_and_says_so():
    found = am.fit_models(CRATE, slides({FRICTION: 0.3}, [1]), BOUNDS, ["coulomb", "frictionless"],
                          samples=2, starts=1)
    assert all(np.isnan(share) for share in found.shares().values())
    mean, low, high = found.difference("frictionless", "coulomb")
    assert mean > 0.0 and np.isnan(low) and np.isnan(high)
    head, rows = found.rows()
    assert all("(-)" in row[2] and row[head.index("best in resamples [%]")] == "-" for row in rows)
    assert "more motions are needed" in found.table() and "1 motion, fitted" in repr(found)
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "models.html"
        found.report(page)
        assert "more motions are needed" in page.read_text()


def test_wrong_arguments_have_one_clear_error():
    motions = slides({FRICTION: 0.3}, range(2))
    found = am.fit_models(CRATE, motions, BOUNDS, ["coulomb"], samples=2, starts=1)
    for show in (found.table, found.rows, found.plot):
        assert "width must be positive" in raises(ValueError, show, width=0)
        assert "width must be a number" in raises(TypeError, show, width="a")
    assert "a model must be 'coulomb'" in raises(ValueError, found.difference, "x", "coulomb")
    assert "kind must be 'position_errors'" in raises(ValueError, found.difference, "coulomb",
                                                      "coulomb", "fits")
    for models in ("coulomb", [], {}):
        assert "models must be" in raises(ValueError, am.fit_models, CRATE, motions, BOUNDS, models)
    assert "twice" in raises(ValueError, am.fit_models, CRATE, motions, BOUNDS, ["coulomb"] * 2)
    assert "no option 'sample'" in raises(ValueError, am.fit_models, CRATE, motions, BOUNDS,
                                          ["coulomb"], sample=3)
    assert "held_out must be motions" in raises(ValueError, am.fit_models, CRATE, motions, BOUNDS,
                                            ["coulomb"], held_out=[])
    assert "coulom" in raises(am.ParseError, am.fit_models, CRATE, motions, BOUNDS, ["coulom"],
                              samples=2)


if __name__ == "__main__":
    run_tests(globals())
