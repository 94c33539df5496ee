#!/usr/bin/python3
"""Fits the friction between a pusher and a box to a measured planar push, and shows the error.

usage: pushing.py FILE.h5 [--size X Y Z] [--mass M] [--report FILE.html]

FILE.h5 is a push of the MIT push data set (Yu, Bauza, Fazeli and Rodriguez, 2016) or of Omnipush
(Bauza and others, 2019): datasets `object_pose` and `tip_pose` [n, 4] with columns time [s], x, y [m]
and angle [rad]. The pusher, a rod of radius 4.75 mm, follows its measured path; `ft_wrench` is not
read. --size [m] and --mass [kg] are those of the box, by default of a square plate of steel.
The box stands on three feet, at the distance from its center at which their friction brakes a turn as
much as that of an even pressure. Four corners would leave open which of them carry it.
"""
import argparse
import pathlib
import sys
import tempfile

import amontons as am
import numpy as np

RADIUS = 0.00475  # of the rod [m]
SIZE, MASS = (0.09, 0.09, 0.013), 0.83  # of the box [m, kg]
FOOT = 0.002  # radius of a foot [m]
STEP = 0.004  # [s]
PAIR = 4  # index of the materials that have the pair of tip and box


class PushError(Exception):
    """Says what is wrong with a file."""


def read_push(path):
    """Returns (object [n, 4], tip [m, 4]) of a push: times from 0 on [s], x, y [m], angle [rad]."""
    try:
        import h5py
    except ImportError as error:
        raise PushError("h5py is missing; install the package python3-h5py") from error
    tables = []
    try:
        with h5py.File(path) as file:
            for name in ("object_pose", "tip_pose"):
                if name not in file:
                    raise PushError(f"{path} has no dataset {name}; it is no push")
                tables.append(np.array(file[name], float))
    except (OSError, ValueError, TypeError) as error:
        raise PushError(f"{path} cannot be read: {error}") from error
    for name, table in zip(("object_pose", "tip_pose"), tables):
        if table.ndim != 2 or table.shape[1] != 4 or len(table) < 3:
            raise PushError(f"{path}: {name} has the shape {table.shape}, not (n, 4)")
        if not np.all(np.isfinite(table)):
            raise PushError(f"{path}: {name} has numbers that are not finite")
    start = tables[0][:, 0].min()
    found = []
    for table in tables:
        table = table[np.argsort(table[:, 0], kind="stable")]
        table[:, 0] -= start
        # A frame that was stored twice counts once.
        table = table[np.concatenate([[True], np.diff(table[:, 0]) > 0.0])]
        table[:, 3] = np.unwrap(table[:, 3])
        found.append(table)
    return found[0], found[1]


def mean_distance(x, y):
    """Returns the mean distance of the points of a rectangle from its center [m]."""
    n = 200
    u = (np.arange(n) + 0.5) / n - 0.5
    return float(np.hypot(x * u[:, None], y * u[None, :]).mean())


def box_shapes(size):
    """Returns the shapes of the box: three feet on the table, and the box, which does not touch it."""
    away, bottom = mean_distance(*size[:2]), -0.5 * size[2] + FOOT
    feet = [{"sphere": FOOT, "material": "foot",
             "pose": {"position": [away * np.cos(angle), away * np.sin(angle), bottom]}}
            for angle in 2.0 * np.pi * np.arange(3) / 3.0]
    return feet + [{"box": [size[0], size[1], size[2] - FOOT], "material": "box",
                    "pose": {"position": [0, 0, 0.5 * FOOT]}}]


def inertia_of(size, mass):
    """Returns the moments of inertia of a box [kg m^2]."""
    squares = np.square(size)
    return (mass / 12.0 * (squares.sum() - squares)).tolist()


def scene_of(tip, size, mass, folder):
    """Returns a box on a table, and a rod that follows the path of the tip."""
    times = np.arange(0.0, max(tip[-1, 0], STEP) + STEP, STEP)
    path = np.column_stack([times, *(np.interp(times, tip[:, 0], tip[:, k]) for k in (1, 2))])
    np.savetxt(pathlib.Path(folder) / "tip.csv", path, fmt="%.9g", delimiter=",",
               header="time,tip_x,tip_y", comments="")

    def rail(name, parent, child, axis):
        return {"name": name, "type": "prismatic", "parent": parent, "child": child, "axis": axis}

    return am.make_scene({
        "amontons": 1, "simulation": {"step": STEP, "duration": float(times[-1])},
        "materials": [{"name": "box"}, {"name": "foot", "friction": 0.25},
                      {"name": "table", "friction": 0.25}, {"name": "tip"},
                      {"pair": ["tip", "box"], "friction": 0.3}],
        "bodies": [{"name": "box", "mass": mass, "center_of_mass": [0, 0, 0],
                    "inertia": inertia_of(size, mass), "shapes": box_shapes(size)},
                   {"name": "carriage", "mass": 1, "inertia": [0.01, 0.01, 0.01],
                    "pose": {"position": [0, 0, 1]}},
                   {"name": "tip", "mass": 1, "inertia": [0.01, 0.01, 0.01],
                    "pose": {"position": [0, 0, 0.5 * size[2]]},
                    "shapes": [{"sphere": RADIUS, "material": "tip"}]},
                   {"name": "table", "fixed": True, "shapes": [
                       {"half_space": {"normal": [0, 0, 1]}, "material": "table"}]}],
        "joints": [rail("tip_x", "world", "carriage", [1, 0, 0]),
                   rail("tip_y", "carriage", "tip", [0, 1, 0])],
        "actuators": [{"joint": name, "motion": {"trajectory": "tip.csv", "interpolation": "linear"}}
                      for name in ("tip_x", "tip_y")]}, folder=folder)


def motion_of(pose, height, name):
    """Returns the measured motion of the box, which rests in its first five frames."""
    half = 0.5 * pose[:, 3]
    positions = np.column_stack([pose[:, 1:3], np.full(len(pose), 0.5 * height)])
    quaternions = np.column_stack([np.cos(half), 0.0 * half, 0.0 * half, np.sin(half)])
    return am.Motion(pose[:, 0], {"box": (positions, quaternions)}, name=name, overrides={
        "bodies.box.pose": {"position": positions[:5].mean(axis=0),
                            "quat_wxyz": quaternions[:5].mean(axis=0)}})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--size", type=float, nargs=3, default=SIZE, metavar=("X", "Y", "Z"))
    parser.add_argument("--mass", type=float, default=MASS)
    parser.add_argument("--report")
    options = parser.parse_args()
    if not min(*options.size, options.mass) > 0.0:
        parser.error("--size and --mass must be positive")
    if options.report and not pathlib.Path(options.report).absolute().parent.is_dir():
        parser.error(f"--report: there is no folder for {options.report}")
    try:
        pose, tip = read_push(options.file)
    except PushError as error:
        print(f"pushing.py: {error}", file=sys.stderr)
        sys.exit(2)
    with tempfile.TemporaryDirectory() as folder:
        scene = scene_of(tip, options.size, options.mass, folder)
        motion = motion_of(pose, options.size[2], pathlib.Path(options.file).stem)
        fit = am.fit(scene, motion, {"friction": (0.0, 1.0)}, samples=8, starts=1,
                     length=0.5 * options.size[0],
                     overrides=lambda values: {f"materials.{PAIR}.friction": values["friction"]})
        end = fit.simulate([motion])[0].positions["box"][-1] - motion.positions["box"][-1]
    print(fit)
    print(f"the box ends {1000 * np.linalg.norm(end):.2f} mm from where it was measured")
    if options.report:
        fit.report(options.report)


if __name__ == "__main__":
    main()
