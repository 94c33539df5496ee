#!/usr/bin/python3
"""Drops a quadruped many times onto ground of unknown friction: how far does it come to rest from where
it began, and how often does it fall over?

    PYTHONPATH=build/python /usr/bin/python3 examples/python/studies/quadruped.py [FOLDER] [RUNS] [SECONDS]

writes quadruped.svg into FOLDER. 1000 runs of 3 s take less than a minute on two cores.
"""
import argparse
import pathlib
import time

import numpy as np
from matplotlib.figure import Figure

import amontons as am

ROBOT = pathlib.Path(__file__).resolve().parents[2] / "quadruped/quadruped.urdf"
SECONDS, STEP = 3.0, 0.005
FEWEST, TELLING = 20, 150  # runs; so many tell low from high friction


def scene(seconds):
    legs = [f"{end}_{side}" for end in ("front", "rear") for side in ("left", "right")]
    bend = {"front": (-0.45, 0.90), "rear": (0.45, -0.90)}
    positions = {f"{leg}_{joint}": angle for leg in legs
                 for joint, angle in zip(("pitch", "knee"), bend[leg.split("_")[0]])}
    return am.make_scene({
        "amontons": 1, "simulation": {"step": STEP, "duration": seconds},
        "materials": [{"name": "default", "friction": 0.6}],
        "bodies": [{"name": "ground", "fixed": True,
                    "shapes": [{"half_space": {"normal": [0, 0, 1]}}]}],
        "models": [{"name": "robot", "file": str(ROBOT), "base": "free",
                    "pose": {"position": [0, 0, 0.26]}, "joint_positions": positions}],
        "actuators": [{"joint": f"robot/{name}", "position": {"target": angle, "kp": 25, "kd": 0.5}}
                      for name, angle in positions.items()]})


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=".", metavar="FOLDER")
    parser.add_argument("runs", nargs="?", type=int, default=1000, metavar="RUNS")
    parser.add_argument("seconds", nargs="?", type=float, default=SECONDS, metavar="SECONDS")
    options = parser.parse_args()
    if not FEWEST <= options.runs <= 100_000:
        parser.error(f"RUNS must be {FEWEST} to 100000")
    if not 0.5 <= options.seconds <= 60:
        parser.error("SECONDS must be 0.5 to 60")
    try:
        options.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        parser.error(f"FOLDER: {error}")
    return options


def main(folder, runs, seconds):
    the_scene, random = scene(seconds), np.random.default_rng(1)
    # Every motion has another friction, and is thrown in another direction.
    friction = random.uniform(0.1, 1.0, runs)
    sim = am.Simulator(the_scene)
    body = next(name for name in sim.body_names if name.startswith("robot/"))
    starts = []
    for _ in range(runs):
        v = np.zeros(sim.v.size)
        v[:6] = np.append(random.normal(0, 0.5, 3), random.normal(0, 0.8, 3))
        sim.set_state(sim.q, v)
        starts.append(sim.save())
    began = time.perf_counter()
    motions = am.rollout(the_scene, starts, steps=round(seconds / STEP), sensors=[f"pose:{body}"],
                         parameters={"materials.default.friction": friction})
    took = time.perf_counter() - began
    pose = motions[f"pose:{body}"]
    distance = np.linalg.norm(pose[:, -1, :2] - pose[:, 0, :2], axis=1)
    w, x, y, z = pose[:, -1, 3:].T
    fallen = 1 - 2 * (x**2 + y**2) < 0.5  # the body's axis z leans by more than 60 degrees

    figure = Figure(figsize=(9, 4), constrained_layout=True)
    histogram, scatter = figure.subplots(1, 2)
    histogram.hist(distance, 30)
    histogram.set(xlabel="distance to where it comes to rest [m]", ylabel="runs")
    scatter.scatter(friction, distance, s=8, c=np.where(fallen, "tab:red", "tab:blue"))
    scatter.set(xlabel="friction", ylabel="distance [m]", title="red: fallen over")
    figure.savefig(folder / "quadruped.svg")
    print(f"{runs} runs of {seconds:g} s in {took:.1f} s; law asked in every step of "
          f"{np.mean(motions['holds'].all(axis=1)):.1%}; distance {distance.mean():.3f} m in the "
          f"mean, {fallen.mean():.1%} fallen over")
    low, high = (np.median(distance[select]) for select in (friction < 0.4, friction > 0.7))
    print(f"median distance {low:.3f} m where friction is low, {high:.3f} m where it is high")
    assert low > high or runs < TELLING, "it slides farther where friction is low"


if __name__ == "__main__":
    main(**vars(arguments()))
