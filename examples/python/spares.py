#!/usr/bin/python3
"""Drops boxes from a store of spares onto a floor that turns to ice, and picks one up again.

    PYTHONPATH=build/python /usr/bin/python3 examples/python/spares.py

Everything here changes during the run: bodies appear, friction changes, a weld attaches.
"""
import pathlib
import tempfile

import numpy as np

import amontons as am

NUM = 4
SCENE = {
    "amontons": 1,
    "simulation": {"step": 0.005, "duration": 4.0},
    "materials": [{"name": "floor", "friction": 0.6}, {"name": "wood", "friction": 0.6}],
    "bodies": [
        {"name": "floor", "fixed": True,
         "shapes": [{"half_space": {"normal": [0.1, 0, 1]}, "material": "floor"}]},
        {"name": "gripper", "fixed": True, "pose": {"position": [0, 0, 2]}},
        *({"name": f"box {k}", "mass": 1.0, "shapes": [{"box": [0.2, 0.2, 0.2], "material": "wood"}],
           "pose": {"position": [0.5 * k, 3, 2]}} for k in range(NUM)),
    ],
    "joints": [{"name": "grip", "type": "fixed", "parent": "gripper", "child": "box 0",
                "attached": False}],
}


def main():
    scene = am.make_scene(SCENE)
    sim = am.Simulator(scene)
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder, "spares.h5")
        with am.record(sim, scene, log):
            for k in range(NUM):
                sim.park(f"box {k}")
            for k in range(NUM):
                sim.release(f"box {k}", position=[0.5 * k, 0, 0.15 - 0.05 * k])
                for _ in range(100):
                    sim.step()
            assert np.abs(sim.v).max() < 1e-3, "friction holds the boxes on the slope"
            sim.attach("grip")                      # box 0, where it is
            sim.set_material("floor", friction=0.0)
            while not sim.finished:
                sim.step()
        with am.open_run(log) as run:
            print(f"{len(run) - 1} steps recorded, with every change")
    speeds = [float(np.linalg.norm(sim.bodies[f"box {k}"].velocity)) for k in range(NUM)]
    print("speeds on ice [m/s]:", ", ".join(f"{speed:.2f}" for speed in speeds))
    assert speeds[0] < 1e-6 and min(speeds[1:]) > 1.0


if __name__ == "__main__":
    main()
