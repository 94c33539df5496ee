#!/usr/bin/python3
"""Closes a gripper on a box and shakes it: is the grip strong enough, and how close is it to slipping?

    PYTHONPATH=build/python /usr/bin/python3 examples/python/studies/grasp.py [FOLDER] [SECONDS]

writes grasp.h5, forces.svg, margin.svg and grasp.mp4 (pictures, without ffmpeg) into FOLDER.
"""
import argparse
import pathlib
import shutil

import numpy as np

import amontons as am
from amontons import plots

MU, MASS, SIDE, GRAVITY = 0.5, 1.0, 0.06, 9.81
SHAKE, PERIOD = 0.02, 0.5  # amplitude [m] and period [s]
PRESS = 30.0               # force of each finger [N]
CLOSED, LONGEST = 0.3, 60  # when the fingers have closed, and the longest run [s]


def shaken_hold():
    """Returns the least force of a finger that holds the box while it is shaken upwards [N]."""
    acceleration = GRAVITY + SHAKE * (2 * np.pi / PERIOD)**2
    grasp = am.Grasp([[0, SIDE / 2, 0], [0, -SIDE / 2, 0]], [[0, -1, 0], [0, 1, 0]], MU)
    return grasp.hold([0, 0, -MASS * acceleration]).normal_forces.max()


def scene():
    finger = {"mass": 0.1, "inertia": [1e-4] * 3, "shapes": [{"box": [0.02, 0.02, 0.02]}]}
    return am.make_scene({
        "amontons": 1, "simulation": {"step": 0.002, "duration": LONGEST},
        "materials": [{"name": "default", "friction": MU}],
        "bodies": [
            {"name": "ground", "fixed": True, "shapes": [{"half_space": {"normal": [0, 0, 1]}}]},
            {"name": "box", "mass": MASS, "shapes": [{"box": [SIDE] * 3}],
             "pose": {"position": [0, 0, SIDE / 2]}},
            {"name": "palm", "mass": 1.0, "shapes": [{"box": [0.04, 0.14, 0.02]}],
             "pose": {"position": [0, 0, 0.12]}},
            {"name": "left", **finger, "pose": {"position": [0, 0.05, SIDE / 2]}},
            {"name": "right", **finger, "pose": {"position": [0, -0.05, SIDE / 2]}}],
        "joints": [
            {"name": "lift", "type": "prismatic", "parent": "world", "child": "palm",
             "axis": [0, 0, 1]},
            {"name": "left-finger", "type": "prismatic", "parent": "palm", "child": "left",
             "axis": [0, -1, 0]},
            {"name": "right-finger", "type": "prismatic", "parent": "palm", "child": "right",
             "axis": [0, 1, 0]}],
        "actuators": [{"joint": "lift", "position": {"target": 0, "kp": 20000, "kd": 400}}]})


def height(time):
    """Returns where the palm is to be [m]: still while the fingers close, then up, then shaken."""
    rise = 0.1 * np.clip((time - CLOSED) / 0.5, 0, 1)
    return rise + (SHAKE * np.sin(2 * np.pi * (time - 1) / PERIOD) if time > 1 else 0.0)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=".", metavar="FOLDER")
    parser.add_argument("seconds", nargs="?", type=float, default=3.0, metavar="SECONDS")
    options = parser.parse_args()
    if not CLOSED < options.seconds <= LONGEST:
        parser.error(f"SECONDS must be more than {CLOSED}, when the fingers have closed, and at most "
                     f"{LONGEST}")
    try:
        options.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        parser.error(f"FOLDER: {error}")
    return options


def main(folder, seconds):
    the_scene = scene()
    sim = am.Simulator(the_scene)
    film_path = "grasp.mp4" if shutil.which("ffmpeg") else "frames/"
    camera = am.Camera(azimuth=35, elevation=15, target=[0, 0, 0.1], distance=0.7)
    with (am.record(sim, the_scene, str(folder / "grasp.h5")),
          am.Film(sim, str(folder / film_path), camera=camera, size=(480, 360), fps=25) as film):
        while sim.time < seconds:
            sim.set_servo_target("lift", height(sim.time))
            for finger in ("left-finger", "right-finger"):
                sim.set_effort(finger, PRESS)
            sim.step()
            if sim.time >= film.num_frames / film.fps:
                film.frame()
    with am.open_run(str(folder / "grasp.h5")) as run:
        plots.contact_force(run, "box").savefig(folder / "forces.svg")
        plots.slip_margin(run, body="box", each=True).savefig(folder / "margin.svg")
        box, palm = (run.body(name)[0][:, 2] for name in ("box", "palm"))
        slipped = np.ptp((palm - box)[run.time > CLOSED])
        print(f"law asked in {np.mean(run.has_law_asked):.1%} of the steps")
    needed = shaken_hold()
    print(f"a finger must press with {needed:.1f} N, presses with {PRESS:.0f} N; "
          f"the box slips by {1e3 * slipped:.3f} mm")
    assert needed < PRESS and slipped < 1e-4


if __name__ == "__main__":
    main(**vars(arguments()))
