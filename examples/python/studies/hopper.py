#!/usr/bin/python3
"""Empties a hopper of balls through a slot: how much flows, and does its width decide as Beverloo says?

    PYTHONPATH=build/python /usr/bin/python3 examples/python/studies/hopper.py [FOLDER] [BALLS]

writes flow.svg, chains.svg and the run of each hopper into FOLDER.
"""
import argparse
import pathlib

import numpy as np
from matplotlib.figure import Figure

import amontons as am
from amontons import plots

RADIUS, SLOPE, DEPTH = 0.02, np.radians(50), 0.09  # of the balls, the walls, and along the slot
FEWEST, MOST = 60, 560  # balls


def scene(width, balls, seconds):
    """Returns a hopper with a slot of a width [m], filled with balls on a lattice with some noise."""
    random = np.random.default_rng(2)
    length, thick = 1.0, 0.02
    walls = []
    for side in (-1, 1):
        # A wall rises outwards from the edge of the slot.
        upwards = np.array([side * np.cos(SLOPE), 0, np.sin(SLOPE)])
        outwards = np.array([side * np.sin(SLOPE), 0, -np.cos(SLOPE)])
        center = [side * width / 2, 0, 0] + length / 2 * upwards + thick / 2 * outwards
        walls.append({"box": [length, DEPTH, thick], "pose": {
            "position": center.tolist(), "rpy_deg": [0, float(-side * np.degrees(SLOPE)), 0]}})
        walls.append({"half_space": {"normal": [0, -side, 0]},
                      "pose": {"position": [0, side * DEPTH / 2, 0]}})
    bodies, k = [{"name": "hopper", "fixed": True, "shapes": walls}], 0
    height = 0.12
    while k < balls:  # rows as wide as the hopper is at their height
        half = width / 2 + height / np.tan(SLOPE) - 2.5 * RADIUS
        for x in np.arange(-half, half, 2.2 * RADIUS):
            for y in (-0.5, 0.5):
                bodies.append({"name": f"ball{k}", "density": 2500, "shapes": [{"sphere": RADIUS}],
                               "pose": {"position": [float(x + random.uniform(-1, 1) * 1e-3),
                                                     float(y * DEPTH / 2), float(height)]}})
                k += 1
        height += 2.2 * RADIUS
    return am.make_scene({
        "amontons": 1, "simulation": {"step": 0.002, "duration": seconds, "tolerance": 1e-4},
        "output": {"contacts": "all"},
        "materials": [{"name": "default", "friction": 0.4, "restitution": 0.2}], "bodies": bodies})


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=".", metavar="FOLDER")
    parser.add_argument("balls", nargs="?", type=int, default=240, metavar="BALLS")
    options = parser.parse_args()
    if not FEWEST <= options.balls <= MOST:
        parser.error(f"BALLS must be {FEWEST} to {MOST}: fewer make no flow, more do not fit")
    try:
        options.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        parser.error(f"FOLDER: {error}")
    return options


def main(folder, balls):
    widths, rates = np.array([5.0, 7.0, 9.0]) * 2 * RADIUS, []
    figure = Figure(figsize=(9, 4), constrained_layout=True)
    passed, law = figure.subplots(1, 2)
    for width in widths:
        the_scene = scene(width, balls, seconds=1.2)
        path = str(folder / f"hopper-{1e3 * width:.0f}mm.h5")
        sim = am.Simulator(the_scene)
        with am.record(sim, the_scene, path):
            while not sim.finished:
                sim.step()
        with am.open_run(path) as run:
            plots.flow(run, [0, 0, 0], [0, 0, -1], mass=True, axes=passed)
            passed.lines[-1].set_label(f"{1e3 * width:.0f} mm")
            below = np.array([run.body(name)[0][:, 2] < 0 for name in run.body_names
                              if name.startswith("ball")])
            mass = below.sum(axis=0) * run.masses[run.body_index("ball0")]
            # The rate while the middle half of what passes does so.
            first, last = (np.argmax(mass >= share * mass[-1]) for share in (0.25, 0.75))
            rates.append((mass[last] - mass[first]) / (run.time[last] - run.time[first]))
            print(f"slot of {1e3 * width:.0f} mm: {rates[-1]:.2f} kg/s; law asked in "
                  f"{np.mean(run.has_law_asked):.1%} of the steps")
            if width == widths[0]:
                plots.force_chains(run, time=0.2).savefig(folder / "chains.svg")
    passed.legend()
    # Beverloo's law for a slot: the rate grows as the 3/2 power of the width less 1.4 diameters.
    def beverloo(width):
        return np.maximum(width - 1.4 * 2 * RADIUS, 0)**1.5

    power = beverloo(widths)
    factor = power @ rates / (power @ power)
    law.plot(1e3 * widths, rates, "o", label="simulated")
    between = np.linspace(0, 1.1 * widths[-1])
    law.plot(1e3 * between, factor * beverloo(between), label="Beverloo's law, fitted")
    law.legend()
    print(f"Beverloo's law within {np.abs(rates / (factor * power) - 1).max():.0%}")
    law.set(xlabel="width of the slot [mm]", ylabel="rate [kg/s]", ylim=(0, None))
    figure.savefig(folder / "flow.svg")
    assert rates == sorted(rates), "more flows through a wider slot"


if __name__ == "__main__":
    main(**vars(arguments()))
