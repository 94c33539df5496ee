#!/usr/bin/python3
"""Controls a block by sampling: tries many random pushes at once, under the exact friction law, and
picks the one that brings the block nearest to its goal.

    PYTHONPATH=build/python /usr/bin/python3 examples/python/shoot.py
"""
import numpy as np

import amontons as am

BLOCK = {
    "amontons": 1,
    "simulation": {"step": 0.01, "duration": 1.0},
    "bodies": [
        {"name": "floor", "fixed": True, "shapes": [{"half_space": {"normal": [0, 0, 1]}}]},
        {"name": "block", "mass": 1.0, "base": "planar", "shapes": [{"box": [0.2, 0.2, 0.1]}],
         "pose": {"position": [0, 0, 0.05]}},
    ],
}
GOAL, PUSHES, STEPS = 0.3, 64, 100  # [m]


def main():
    scene = am.make_scene(BLOCK)
    start = am.Simulator(scene).save()
    random = np.random.default_rng(1)
    force = random.uniform(0.0, 15.0, PUSHES)  # [N] along x, for the first half second
    controls = np.zeros((PUSHES, STEPS, start.v.size))
    controls[:, :STEPS // 2, 0] = force[:, None]
    motions = am.rollout(scene, [start] * PUSHES, controls)
    assert motions["holds"].all()
    reached = motions["q"][:, -1, 0]
    best = int(np.argmin(np.abs(reached - GOAL)))
    print(f"{force[best]:.2f} N brings the block to {reached[best]:.3f} m")
    # A push below the friction bound does not move the block at all.
    assert np.abs(reached[force < 0.5 * 9.81]).max() < 1e-12


if __name__ == "__main__":
    main()
