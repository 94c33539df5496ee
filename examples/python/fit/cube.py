#!/usr/bin/python3
"""Fits the friction of a real cube to half of its measured tosses, and tests it on the other half.

usage: cube.py FOLDER [--laws LAW ...] [--every N] [--fit-every N] [--threads N] [--report FILE.html]
               [--plot FILE.svg]
       cube.py FOLDER --resample STEP [--laws LAW ...] [--every N] [--threads N]
       cube.py FOLDER --write N DIR

FOLDER has the public tosses of ContactNets (Pfrommer, Halm and Posa, 2020): *.pt, or tosses.h5 with
the same in SI units (contactnets.py describes both).
--laws names friction laws, `all` for every one; each has its friction fitted by itself.
--every N takes one toss of N, to save time; --fit-every N fits one of N of the first half, and all of
the other half test it.
--resample STEP fits all tosses, tries frictions STEP apart, and resamples the tosses (bootstrap).
--write N DIR writes toss N as DIR/toss-N.csv, with its start, and the scene as DIR/cube.yaml:
amontons contest cube.yaml --measured toss-N.csv
"""
import argparse
import csv
import json
import pathlib
import sys

import amontons as am

import contactnets
from origin import origin
from resampling import LOW, HIGH, least_sum

WIDTH, MASS, INERTIA = contactnets.WIDTH, 0.37, 0.00081  # [m, kg, kg m^2], as published
STEP = 0.5 / contactnets.FRAMES  # [s]
FRICTION, VISCOUS = "materials.acrylic.friction", "materials.acrylic.viscous_friction"
BOUNDS = {FRICTION: (0.05, 0.6)}

CONTENTS = {
    "amontons": 1, "simulation": {"step": STEP, "duration": 10},
    "materials": [{"name": "acrylic", "friction": 0.2, "restitution": 0.125}],
    "bodies": [{"name": "cube", "mass": MASS, "inertia": [INERTIA] * 3,
                "shapes": [{"box": [WIDTH] * 3, "material": "acrylic"}]},
               {"name": "table", "fixed": True,
                "shapes": [{"half_space": {"normal": [0, 0, 1]}, "material": "acrylic"}]}]}
SCENE = am.make_scene(CONTENTS)


def law(model, directions=None):
    """Returns the overrides of a law; without directions its friction cone is that of the model."""
    chosen = {"simulation.model": model}
    return {**chosen, "simulation.friction_directions": directions} if directions else chosen


LAWS = {
    "coulomb": law("coulomb"), "convex-relaxation": law("convex-relaxation"),
    "convex-relaxation, 4 directions": law("convex-relaxation", 4),
    "stewart-trinkle, 16 directions": law("stewart-trinkle", 16),
    "stewart-trinkle, 4 directions": law("stewart-trinkle", 4),
    "anitescu-potra, 4 directions": law("anitescu-potra", 4),
    "anitescu-hart, 4 directions": law("anitescu-hart", 4),
    "maximum-dissipation": law("maximum-dissipation"),
    "viscous": (law("viscous"), {VISCOUS: (0.0, 20.0)}),
    "no-slip": (law("no-slip"), {}), "frictionless": (law("frictionless"), {})}


def write_toss(motions, number, folder):
    """Writes a toss as CSV with its velocities at the start, and the scene that lasts as long.

    Returns both paths. Raises TossError for a number that no toss has, and OSError.
    """
    names = {motion.name.split()[-1]: motion for motion in motions}
    wanted = [name for name in names if name == number or name.lstrip("0") == number.lstrip("0")]
    if not wanted:
        raise contactnets.TossError(f"there is no toss {number!r}; there are {', '.join(names)}")
    motion = names[wanted[0]]
    velocity = motion.overrides["bodies.cube.velocity"]
    start = [*velocity["linear"], *velocity["angular"]]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    table, scene = folder / f"toss-{wanted[0]}.csv", folder / "cube.yaml"
    with open(table, "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["t", *(f"cube.{part}" for part in ("x", "y", "z", "qw", "qx", "qy", "qz", "vx",
                                                          "vy", "vz", "wx", "wy", "wz"))])
        for i, (time, p, q) in enumerate(zip(motion.times, *(
                poses["cube"] for poses in (motion.positions, motion.quaternions)))):
            numbers = map(float, [time, *p, *q, *(start if i == 0 else [])])
            rows.writerow([*map(repr, numbers), *([] if i == 0 else [""] * len(start))])
    duration = STEP * (int(motion.times[-1] / STEP) + 1)
    scene.write_text(json.dumps({**CONTENTS, "simulation": {"step": STEP, "duration": duration}},
                                indent=1) + "\n", encoding="utf-8")
    return table, scene


def resample(motions, laws, step, threads):
    """Prints the friction that explains all tosses best, for each law, with its interval."""
    print(origin())
    print(f"Friction of the least sum of squares over {len(motions)} tosses, of values {step:g} apart, "
          "and 95 % of those over resamples of the tosses.")
    for name in laws:
        value, low, high = least_sum(SCENE, motions, FRICTION, LAWS[name], step, 0.5 * WIDTH, threads)
        print(f"{name}: friction {value:.4f} (95 %: {low:.4f} to {high:.4f})", flush=True)


def arguments():
    """Returns (options, names of laws) of the command line; ends the program for wrong ones."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--laws", nargs="+", default=["coulomb"], metavar="LAW")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--fit-every", type=int, default=1)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--report", help="HTML page with residuals")
    parser.add_argument("--plot", help="picture of the errors (SVG)")
    parser.add_argument("--resample", type=float, metavar="STEP",
                        help="friction of all tosses with an interval by resampling")
    parser.add_argument("--write", nargs=2, metavar=("N", "DIR"),
                        help="write toss N and the scene, and fit nothing")
    options = parser.parse_args()
    laws = list(LAWS) if options.laws == ["all"] else options.laws
    for name in laws:
        if name not in LAWS:
            parser.error(f"there is no law {name!r}; laws: {'; '.join(LAWS)}")
    if min(options.every, options.fit_every) < 1 or options.threads < 0:
        parser.error("--every and --fit-every must be at least 1, and --threads not negative")
    if options.resample is not None:
        bare = [name for name in laws if isinstance(LAWS[name], tuple)]
        if bare:
            parser.error(f"--resample: {bare[0]} has no coefficient of dry friction")
        if not 0.0001 <= options.resample <= HIGH - LOW:
            parser.error(f"--resample must be from 0.0001 to {HIGH - LOW:g}")
    for path in filter(None, (options.report, options.plot)):
        if not pathlib.Path(path).absolute().parent.is_dir():
            parser.error(f"--report, --plot: there is no folder for {path}")
    return options, laws


def main():
    options, laws = arguments()
    try:
        motions = contactnets.read_tosses(options.folder)[::options.every]
        if options.write:
            table, scene = write_toss(motions, *options.write)
            print(f"amontons contest {scene} --measured {table}")
            return
    except (contactnets.TossError, ImportError, OSError) as error:
        print(f"cube.py: {error}", file=sys.stderr)
        sys.exit(2)
    if options.resample is not None:
        if len(motions) < 2:
            print(f"cube.py: {len(motions)} toss is too few to resample", file=sys.stderr)
            sys.exit(2)
        resample(motions, laws, options.resample, options.threads)
        return
    training, others = motions[::2 * options.fit_every], motions[1::2]
    if min(len(training), len(others)) < 2:
        print(f"cube.py: {len(training)} of {len(motions)} tosses to fit, and {len(others)} others, "
              "are too few; two of each are needed", file=sys.stderr)
        sys.exit(2)
    # A rotation counts as the way of a face's center. Errors within a toss depend on each other.
    # Tumbling makes the sum of squares rugged, so that several descents are needed.
    found = am.fit_models(SCENE, training, BOUNDS, {name: LAWS[name] for name in laws},
                          held_out=others, length=0.5 * WIDTH, errors="motions", starts=3,
                          samples=16, threads=options.threads)
    print(origin())
    print(f"Friction of {len(training)} tosses with 95 % intervals; errors of {len(others)} others.")
    print(found.table(width=WIDTH))
    for name, fit in found.fits.items():
        if FRICTION in fit.values:
            low, high = fit.intervals[FRICTION]
            print(f"{name}: friction {fit.values[FRICTION]:.4f} (95 %: {low:.4f} to {high:.4f})")
    first = next(iter(found.fits))
    for name in list(found.fits)[1:]:
        mean, low, high = found.difference(name, first)
        print(f"{name} minus {first}: {100 * mean / WIDTH:.1f} ({100 * low / WIDTH:.1f} to "
              f"{100 * high / WIDTH:.1f}) % of the width")
    if options.report:
        found.report(options.report, width=WIDTH)
    if options.plot:
        with open(options.plot, "w", encoding="utf-8") as file:
            file.write('<?xml version="1.0" encoding="utf-8"?>\n' + found.plot(width=WIDTH))


if __name__ == "__main__":
    main()
