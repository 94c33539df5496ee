#!/usr/bin/python3
"""Checks fit(): numbers of scenes recovered from simulated motions with noise."""
import os
import pathlib
import signal
import sys
import tempfile
import threading
import time

import amontons as am
import numpy as np
from amontons.interrupts import plain_interrupts
from amontons.motion import rotation_vectors
from harness import ROOT, raises, run_tests

sys.path.insert(0, str(ROOT / "examples/python/fit"))
from recover import (CRATE, DRY, FRICTION, KINDS, LINK, MASS, SIGMA, TIMES, Hits,  # noqa: E402
                     measured, push, shape_of)

LONG = os.environ.get("AMONTONS_TEST_SIZE") == "long"
CASES = 300 if LONG else 6  # seeds of each kind


def check_recovery(name):
    """A 95 % interval misses in 1 of 20 cases. More than 2 of 6 have a chance of 0.2 %, more than 23
    of 300 one of 1 %."""
    kind = KINDS[name]
    hits = Hits(kind.truth)
    for seed in range(CASES):
        fit = kind.fitted(seed)
        assert fit.converged and 0.7 * SIGMA < fit.rms < 1.3 * SIGMA, fit
        assert not fit.undetermined and not fit.at_bounds and fit.weaker_steps == 0, fit
        hits.add(fit)
        for parameter, (low, high) in fit.intervals.items():
            # The interval is narrow, too: a wide one would always hold.
            assert high - low < 0.1 * (kind.bounds[parameter][1] - kind.bounds[parameter][0]), fit
    print(hits)
    assert hits.are_enough(), hits


def test_friction_of_a_sliding_and_spinning_crate_lies_in_its_interval():
    check_recovery("friction")


def test_restitution_of_a_bouncing_ball_lies_in_its_interval():
    check_recovery("restitution")


def test_mass_of_a_driven_link_lies_in_its_interval():
    check_recovery("mass")


def test_both_frictions_of_a_driven_joint_lie_in_their_intervals():
    check_recovery("joint-friction")


def test_the_global_search_and_any_number_of_threads_find_the_same():
    motion = measured(CRATE, shape_of(TIMES, body="crate"), {FRICTION: 0.3}, 1)
    one, two = (am.fit(CRATE, motion, {FRICTION: (0.05, 1)}, threads=threads) for threads in (1, 2))
    assert one.values == two.values and one.intervals == two.intervals
    wide, again = (am.fit(CRATE, motion, {FRICTION: (0.05, 1)}, search="global", generations=4,
                          threads=threads) for threads in (1, 2))
    assert wide.values == again.values
    assert abs(wide.values[FRICTION] - one.values[FRICTION]) < 0.1 * one.margins[FRICTION]


def test_the_global_search_finds_a_frequency_where_the_local_one_ends_in_another_minimum():
    # The sum of squares of an oscillation has a minimum for each number of periods: about 25 over 8 s
    # with up to 20 rad/s. What oscillates fast is small, and looks like no motion at all.
    scene = am.make_scene({
        "amontons": 1, "gravity": [0, 0, 0], "simulation": {"step": 0.01, "duration": 8},
        "bodies": [{"name": "mass", "mass": 1, "inertia": [1, 1, 1]}],
        "joints": [{"name": "rail", "type": "prismatic", "parent": "world", "child": "mass",
                    "axis": [1, 0, 0], "rate": 1}]})
    stiffness = "joints.rail.stiffness"
    motion = measured(scene, shape_of(np.linspace(0, 8, 161), joint="rail"), {stiffness: 30.0}, 1)
    local, wide = (am.fit(scene, motion, {stiffness: (1, 400)}, search=search, starts=1, samples=8)
                   for search in ("local", "global"))
    assert local.rms > 20 * SIGMA and abs(local.values[stiffness] - 30) > 10, local
    assert wide.rms < 1.2 * SIGMA and abs(wide.values[stiffness] - 30) < 1, wide


def test_what_the_data_leave_open_is_named():
    # On level ground with one coefficient the mass of a sliding crate does not matter.
    motion = measured(CRATE, shape_of(TIMES, body="crate"), {FRICTION: 0.3}, 2)
    fit = am.fit(CRATE, motion, {FRICTION: (0.05, 1), "bodies.crate.mass": (0.5, 2)}, samples=8,
                 starts=1)
    assert len(fit.undetermined) == 1 and abs(fit.undetermined[0]["bodies.crate.mass"]) > 0.99, fit
    assert np.isinf(fit.margins["bodies.crate.mass"]) and fit.margins[FRICTION] < 0.01
    assert "not determined by the data" in repr(fit)
    assert fit.correlations.shape == (2, 2) and abs(fit.correlations[0, 0] - 1.0) < 1e-9


def test_wide_bounds_do_not_hide_the_minimum_near_the_value_of_the_scene():
    # Beyond about one the crate stops at once, whatever the friction is: the Sobol points lie there.
    motion = measured(CRATE, shape_of(TIMES, body="crate"), {FRICTION: 0.3}, 11)
    fit = am.fit(CRATE, motion, {FRICTION: (0, 5000)}, samples=4, starts=1)
    assert abs(fit.values[FRICTION] - 0.3) < 0.01 and fit.converged and not fit.flat, fit
    assert len(fit.descents) == 2
    # An override of the scene counts as its value.
    scene = am.parse_scene(CRATE.text, overrides={FRICTION: 0.4})
    fit = am.fit(scene, motion, {FRICTION: (0, 5000)}, samples=4, starts=1)
    assert abs(fit.values[FRICTION] - 0.3) < 0.01, fit


def test_a_search_that_ends_on_a_plateau_says_so_and_does_not_call_the_number_undetermined():
    def stopped(values):
        # It changes nothing from one on, where the crate has the friction of the data.
        return {FRICTION: min(0.1 + 0.2 * values["number"], 0.3)}

    motion = measured(CRATE, shape_of(TIMES, body="crate"), {FRICTION: 0.3}, 12)
    fit = am.fit(CRATE, motion, {"number": (0, 20)}, overrides=stopped, samples=4, starts=1)
    assert fit.flat == ["number"] and not fit.undetermined and not fit.converged, fit
    assert "plateau" in fit.reason and "no effect about this value" in repr(fit)
    assert "not determined" not in repr(fit) and np.isinf(fit.margins["number"])

    # A search that meets a plateau first tries values beside it, and leaves it.
    def narrow(values):
        return {FRICTION: 0.3 if 6.0 < values["number"] < 7.5 else 0.9}

    fit = am.fit(CRATE, motion, {"number": (0, 20)}, overrides=narrow, samples=1, starts=1)
    assert 6.0 < fit.values["number"] < 7.5 and fit.rms < 1.3 * SIGMA, fit


def test_residuals_that_last_are_told_from_white_noise():
    exact = measured(CRATE, shape_of(TIMES, body="crate"), {FRICTION: 0.3}, 13)
    random = np.random.default_rng(13)
    fit = am.fit(CRATE, exact, {FRICTION: (0.05, 1)}, samples=4, starts=1)
    assert abs(fit.residual_correlation) < 4.0 / np.sqrt(306) and "correlated" not in repr(fit), fit
    # The correlation of a filtered noise is its coefficient.
    share, table = 0.8, exact.positions["crate"]
    table[10] = np.nan
    error = random.normal(0, 0.02, table.shape)
    for i in range(1, len(error)):
        error[i] += share * error[i - 1]
    table += error
    fit = am.fit(CRATE, exact, {FRICTION: (0.05, 1)}, samples=4, starts=1)
    assert abs(fit.residual_correlation - share) < 0.15, fit.residual_correlation
    assert "residuals are correlated in time (0." in repr(fit) and 'errors="motions"' in repr(fit)

    # A residual of one's own may have its times in rows or in columns.
    for order in ("C", "F"):
        own = am.fit(CRATE, exact, {FRICTION: (0.05, 1)}, samples=4, starts=1,
                     residual=lambda a, b: np.nan_to_num(
                         a.positions["crate"] - b.positions["crate"]).ravel(order))
        assert own.residual_correlation > 0.6, own.residual_correlation


def test_motions_that_diverge_are_left_by_the_search():
    motion = measured(CRATE, shape_of(TIMES, body="crate"), {FRICTION: 0.3}, 10)
    calls = []

    def overrides(values):
        calls.append(values["friction"])
        bad = {"bodies.crate.velocity.linear": [1e20, 0, 0]} if values["friction"] > 0.5 else {}
        return {FRICTION: values["friction"], **bad}

    for search in ("local", "global"):
        fit = am.fit(CRATE, motion, {"friction": (0.05, 1)}, overrides=overrides, search=search,
                     generations=4)
        assert abs(fit.values["friction"] - 0.3) < 0.01 and max(calls) > 0.5, fit
    raises(am.DivergenceError, am.fit, CRATE, motion, {"friction": (0.6, 1)}, overrides=overrides)


def test_one_number_of_a_list_at_its_default_is_fitted():
    scene = am.make_scene({"amontons": 1, "simulation": {"step": 0.002, "duration": 1},
                           "bodies": [{"name": "ball", "mass": 1, "inertia": [1, 1, 1]}]})
    motion = measured(scene, shape_of(TIMES, body="ball"), {"gravity.2": -8.0}, 1)
    fit = am.fit(scene, motion, {"gravity.2": (-12, -5)}, samples=2, starts=1)
    assert abs(fit.values["gravity.2"] + 8) < 2 * fit.margins["gravity.2"] < 0.01, fit


def test_names_of_ones_own_tie_values_together():
    motion = measured(LINK, shape_of(TIMES, joint="elbow", controller=push),
                      {MASS: 2.0, "bodies.link.inertia": [0.04, 0.04, 0.04]}, 3)
    fit = am.fit(LINK, motion, {"inertia": (0.005, 0.1)}, samples=4, starts=1,
                 overrides=lambda values: {MASS: 2.0,
                                           "bodies.link.inertia": [values["inertia"]] * 3})
    assert abs(fit.values["inertia"] - 0.04) < 2 * fit.margins["inertia"] < 0.01, fit


def test_missing_measurements_are_left_out():
    motion = measured(CRATE, shape_of(TIMES, body="crate"), {FRICTION: 0.3}, 4)
    motion.positions["crate"][10:20] = np.nan
    fit = am.fit(CRATE, motion, {FRICTION: (0.05, 1)}, samples=4, starts=1)
    assert fit.residuals[0].size == 51 * 6 - 30 and abs(fit.values[FRICTION] - 0.3) < 0.01


def test_the_report_shows_values_and_residuals():
    motion = measured(CRATE, shape_of(TIMES, body="crate"), {FRICTION: 0.3}, 5)
    motion.name = "<slide>"
    fit = am.fit(CRATE, motion, {FRICTION: (0.05, 1)}, samples=4, starts=1)
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "fit.html"
        fit.report(page)
        text = page.read_text()
    assert FRICTION in text and text.count("<svg") == 2 and "<slide>" not in text
    # Descents show the cost that the fit has.
    assert "half the sum of squares" in text
    assert min(one["cost"] for one in fit.descents) >= fit.cost * (1 - 1e-9)
    assert f"{fit.values[FRICTION]:.6g}" in text


def test_effort_is_bounded_and_the_result_says_so():
    motion = measured(CRATE, shape_of(TIMES, body="crate"), {FRICTION: 0.3}, 6)
    fit = am.fit(CRATE, motion, {FRICTION: (0.05, 1)}, max_simulations=10)
    assert not fit.converged and "limit of 10 simulations" in repr(fit) and fit.simulations <= 20
    fit = am.fit(CRATE, motion, {FRICTION: (0.5, 1)}, samples=4, starts=1)
    assert fit.at_bounds == [FRICTION] and "at a bound" in repr(fit)


def test_the_rotation_between_orientations_is_its_vector():
    random = np.random.default_rng(7)
    turns = random.normal(size=(50, 3))
    angle = np.linalg.norm(turns, axis=1, keepdims=True)  # below pi
    turns *= np.minimum(1.0, 3.0 / angle)
    angle = np.linalg.norm(turns, axis=1, keepdims=True)
    b = np.hstack([np.cos(angle / 2), np.sin(angle / 2) * turns / angle])
    b *= random.choice([-1.0, 1.0], size=(50, 1))  # both signs are one orientation
    unit = np.tile([1.0, 0, 0, 0], (50, 1))
    assert np.allclose(rotation_vectors(unit, b), turns, atol=1e-12)
    assert np.allclose(rotation_vectors(b, unit), -turns, atol=1e-12)


def test_wrong_input_has_one_clear_error():
    motion = measured(CRATE, shape_of(TIMES, body="crate"), {FRICTION: 0.3}, 8)
    good = {FRICTION: (0.05, 1)}
    assert "ascending times" in raises(ValueError, am.Motion, [0, 0], joints={"a": [0, 0]})
    assert "shape (2, 3)" in raises(ValueError, am.Motion, [0, 1], bodies={"a": np.zeros((3, 2))})
    assert "needs bodies or joints" in raises(ValueError, am.Motion, [0, 1])
    assert "no item 'steel'" in raises(am.ParseError, am.fit, CRATE, motion,
                                       {"materials.steel.friction": (0, 1)})
    assert "must not be negative" in raises(am.ParseError, am.fit, CRATE, motion,
                                            {FRICTION: (-1, 1)}, threads=2)
    assert "no item 'steel'" in raises(am.ParseError, am.fit, CRATE, motion,
                                       {"materials.steel.friction": (0, 1)}, search="global")
    assert "ascending numbers" in raises(ValueError, am.fit, CRATE, motion, {FRICTION: (1, 0.1)})
    assert "data must be motions" in raises(ValueError, am.fit, CRATE, [], good)
    assert "'local' or 'global'" in raises(ValueError, am.fit, CRATE, motion, good, search="x")
    assert "more motions" in raises(ValueError, am.fit, CRATE, motion, good, errors="motions")
    wrong = am.Motion([0, 1], bodies={"crat": np.zeros((2, 3))})
    assert "crate" in raises(KeyError, am.fit, CRATE, wrong, good)
    nothing = am.Motion(TIMES, bodies={"crate": np.full((len(TIMES), 3), np.nan)})
    assert "all are NaN" in raises(ValueError, am.fit, CRATE, nothing, good)
    wrong = am.Motion([0, 1], joints={"hip": np.zeros(2)})
    raises(KeyError, am.fit, CRATE, wrong, good)
    for search in ("local", "global"):
        assert "not None" in raises(TypeError, am.fit, CRATE, motion, good, search=search,
                                    residual=lambda a, b: None)
        assert "single number 1.5" in raises(ValueError, am.fit, CRATE, motion, good, search=search,
                                             residual=lambda a, b: 1.5)


def test_ctrl_c_ends_a_fit():
    motion = measured(CRATE, shape_of(TIMES, body="crate"), {FRICTION: 0.3}, 9)
    for threads in (1, 2):
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        raises(KeyboardInterrupt, am.fit, CRATE, [motion] * 40, {FRICTION: (0.05, 1)}, samples=512,
               threads=threads)
        assert time.monotonic() - start < 5.0


def test_an_interrupt_while_a_lock_is_taken_is_an_interrupt():
    def take_lock(error):
        with plain_interrupts():
            try:
                raise error
            finally:
                raise RuntimeError("release unlocked lock")

    raises(KeyboardInterrupt, take_lock, KeyboardInterrupt())
    raises(RuntimeError, take_lock, ValueError())


if __name__ == "__main__":
    run_tests(globals())
