#!/usr/bin/python3
"""Fits the friction of a real cube to half of its measured tosses, and tests it on the other half.

usage: cube.py FOLDER [--laws LAW ...] [--every N] [--fit-every N] [--threads N] [--report FILE.html]
               [--plot FILE.svg]

FOLDER has the public tosses of ContactNets (Pfrommer, Halm and Posa, 2020): *.pt, or tosses.h5 with
the same in SI units (contactnets.py describes both).
--laws names friction laws, `all` for every one; each has its friction fitted by itself.
--every N takes one toss of N, to save time; --fit-every N fits one of N of the first half, and all of
the other half test it.
"""
import argparse
import pathlib
import sys

import amontons as am

import contactnets

WIDTH, MASS, INERTIA = contactnets.WIDTH, 0.37, 0.00081  # [m, kg, kg m^2], as published
STEP = 0.5 / contactnets.FRAMES  # [s]
FRICTION, VISCOUS = "materials.acrylic.friction", "materials.acrylic.viscous_friction"
BOUNDS = {FRICTION: (0.05, 0.6)}

SCENE = am.make_scene({
    "amontons": 1, "simulation": {"step": STEP, "duration": 10},
    "materials": [{"name": "acrylic", "friction": 0.2, "restitution": 0.125}],
    "bodies": [{"name": "cube", "mass": MASS, "inertia": [INERTIA] * 3,
                "shapes": [{"box": [WIDTH] * 3, "material": "acrylic"}]},
               {"name": "table", "fixed": True,
                "shapes": [{"half_space": {"normal": [0, 0, 1]}, "material": "acrylic"}]}]})


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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--laws", nargs="+", default=["coulomb"], metavar="LAW")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--fit-every", type=int, default=1)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--report", help="HTML page with residuals")
    parser.add_argument("--plot", help="picture of the errors (SVG)")
    options = parser.parse_args()
    laws = list(LAWS) if options.laws == ["all"] else options.laws
    for name in laws:
        if name not in LAWS:
            parser.error(f"there is no law {name!r}; laws: {'; '.join(LAWS)}")
    if min(options.every, options.fit_every) < 1 or options.threads < 0:
        parser.error("--every and --fit-every must be at least 1, and --threads not negative")
    for path in filter(None, (options.report, options.plot)):
        if not pathlib.Path(path).absolute().parent.is_dir():
            parser.error(f"--report, --plot: there is no folder for {path}")
    try:
        motions = contactnets.read_tosses(options.folder)[::options.every]
    except (contactnets.TossError, ImportError) as error:
        print(f"cube.py: {error}", file=sys.stderr)
        sys.exit(2)
    training, others = motions[::2 * options.fit_every], motions[1::2]
    if len(training) < 2 or not others:
        print(f"cube.py: {len(training)} of {len(motions)} tosses to fit, and {len(others)} others, "
              "are too few; two and one are needed", file=sys.stderr)
        sys.exit(2)
    # A rotation counts as the way of a face's center. Errors within a toss depend on each other.
    # Tumbling makes the sum of squares rugged, so that several descents are needed.
    found = am.fit_models(SCENE, training, BOUNDS, {name: LAWS[name] for name in laws},
                          held_out=others, length=0.5 * WIDTH, errors="motions", starts=3,
                          samples=16, threads=options.threads)
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
