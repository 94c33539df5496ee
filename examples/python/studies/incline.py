#!/usr/bin/python3
"""Shows Coulomb's law to a class: blocks on an incline, from the angle at which they begin to slide.

    PYTHONPATH=build/python /usr/bin/python3 examples/python/studies/incline.py [FOLDER]

writes incline.svg and incline.png into FOLDER. Blocks of three materials slide at angles above
arctan(mu), with the acceleration g (sin - mu cos); below it they stay where they are.
"""
import argparse
import pathlib

import numpy as np
from matplotlib.figure import Figure

import amontons as am

MATERIALS = {"ice": 0.05, "wood": 0.3, "rubber": 0.8}
GRAVITY, SECONDS = 9.81, 0.5


def scene(angle):
    """Returns blocks that lie side by side on a plane; gravity leans by the angle [rad]."""
    return am.make_scene({
        "amontons": 1, "simulation": {"step": 0.005, "duration": SECONDS},
        "gravity": [float(GRAVITY * np.sin(angle)), 0, float(-GRAVITY * np.cos(angle))],
        "materials": [{"name": "plane"}, *({"name": name} for name in MATERIALS),
                      *({"pair": ["plane", name], "friction": mu}
                        for name, mu in MATERIALS.items())],
        "bodies": [{"name": "ground", "fixed": True,
                    "shapes": [{"half_space": {"normal": [0, 0, 1]}, "material": "plane"}]}]
        + [{"name": name, "mass": 1, "shapes": [{"box": [0.1, 0.1, 0.04], "material": name}],
            "pose": {"position": [0, 0.15 * k, 0.02]}} for k, name in enumerate(MATERIALS)]})


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=".", metavar="FOLDER")
    options = parser.parse_args()
    try:
        options.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        parser.error(f"FOLDER: {error}")
    return options


def main(folder):
    angles = np.radians(np.arange(0, 61, 3))
    accelerations = {name: [] for name in MATERIALS}
    for angle in angles:
        sim = am.Simulator(scene(angle))
        while not sim.finished:
            sim.step()
        for name in MATERIALS:
            accelerations[name].append(sim.bodies[name].twist[3] / SECONDS)
    am.picture(sim, path=folder / "incline.png", camera=am.Camera(azimuth=-60, elevation=25),
               size=(640, 400))

    figure = Figure(figsize=(6, 4), constrained_layout=True)
    axes = figure.subplots()
    for name, mu in MATERIALS.items():
        expected = np.maximum(0, GRAVITY * (np.sin(angles) - mu * np.cos(angles)))
        line, = axes.plot(np.degrees(angles), expected)
        axes.plot(np.degrees(angles), accelerations[name], "o", color=line.get_color(),
                  label=f"{name}, mu = {mu}")
        error = np.abs(accelerations[name] - expected).max()
        print(f"{name}: slides from {np.degrees(np.arctan(mu)):.1f} degrees; "
              f"acceleration within {error:.1e} m/s^2 of g (sin - mu cos)")
        assert error < 1e-6
    axes.set(xlabel="angle of the incline [degrees]", ylabel="acceleration [m/s^2]")
    axes.legend()
    figure.savefig(folder / "incline.svg")


if __name__ == "__main__":
    main(arguments().folder)
