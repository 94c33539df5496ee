#!/usr/bin/python3
"""Finds the length and the release angle of a pendulum from noisy measurements of its angle.

usage: pendulum.py [--file FILE.csv] [--report FILE.html]

The measurements are those of the closed form of a pendulum without friction (Jacobi's elliptic
functions), with noise of 2.5 mrad. They go through a CSV file, which --file keeps.
"""
import argparse
import pathlib
import sys
import tempfile

import amontons as am
import numpy as np

try:
    from scipy import special
except ImportError:
    print("pendulum.py: SciPy is missing; install the package python3-scipy", file=sys.stderr)
    sys.exit(2)

GRAVITY, LENGTH, ANGLE, NOISE = 9.81, 0.8, 2.0, 2.5e-3  # [m/s^2, m, rad, rad]
BOUNDS = {"length": (0.3, 2.0), "angle": (0.5, 2.8)}


def scene(values):
    """Returns the overrides of a pendulum with the length [m] and the release angle [rad]."""
    return {"bodies.bob.center_of_mass": [0, 0, -values["length"]],
            "joints.pivot.position": values["angle"]}


SCENE = am.make_scene({
    "amontons": 1, "simulation": {"step": 0.02, "duration": 10, "method": "event-driven",
                                  "integrator": "dormand-prince"},
    "bodies": [{"name": "bob", "mass": 1, "inertia": [1e-9] * 3, "center_of_mass": [0, 0, -LENGTH]}],
    "joints": [{"name": "pivot", "type": "revolute", "parent": "world", "child": "bob",
                "axis": [0, -1, 0], "at": [0, 0, 0], "position": ANGLE}]})


def exact_angle(times):
    """Returns the angle [rad] of a pendulum that is released at rest, in closed form."""
    k = np.sin(0.5 * ANGLE)
    quarter = special.ellipk(k * k)
    sn = special.ellipj(quarter - np.sqrt(GRAVITY / LENGTH) * times, k * k)[0]
    return 2.0 * np.arcsin(k * sn)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--file", help="where to write the motion (CSV)")
    parser.add_argument("--report", help="HTML page with residuals")
    options = parser.parse_args()
    if options.report and not pathlib.Path(options.report).absolute().parent.is_dir():
        parser.error(f"--report: there is no folder for {options.report}")
    times = np.linspace(0.0, 4.0, 201)
    noise = np.random.default_rng(1).normal(0.0, NOISE, times.size)
    rows = "\n".join(f"{t!r},{a!r}" for t, a in zip(times.tolist(),
                                                  (exact_angle(times) + noise).tolist()))
    with tempfile.TemporaryDirectory() as folder:
        path = options.file or f"{folder}/pendulum.csv"
        try:
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"# angle of a pendulum\nt,pivot\n{rows}\n")
        except OSError as error:
            parser.error(f"--file: {error}")
        motion = am.Motion.from_csv(path)
    fit = am.fit(SCENE, motion, BOUNDS, overrides=scene)
    print(fit)
    if options.report:
        fit.report(options.report)
    assert fit.converged
    for name, true in (("length", LENGTH), ("angle", ANGLE)):
        assert abs(fit.values[name] - true) < 1.5 * fit.margins[name] < 0.01, (name, true)


if __name__ == "__main__":
    main()
