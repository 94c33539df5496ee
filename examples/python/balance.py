#!/usr/bin/python3
"""Keeps a pole on a cart upright by a controller that reads the state before every step.

    PYTHONPATH=build/python /usr/bin/python3 examples/python/balance.py
"""
import numpy as np

import amontons as am

CART_POLE = {
    "amontons": 1,
    "simulation": {"step": 0.005, "duration": 4.0},
    "bodies": [
        {"name": "cart", "mass": 1.0, "inertia": [1, 1, 1]},
        {"name": "pole", "mass": 0.1, "inertia": [0.01, 0.01, 0.01],
         "pose": {"position": [0, 0, 0.5]}},
    ],
    "joints": [
        {"name": "rail", "type": "prismatic", "parent": "world", "child": "cart",
         "axis": [1, 0, 0]},
        {"name": "hinge", "type": "revolute", "parent": "cart", "child": "pole",
         "axis": [0, 1, 0], "at": [0, 0, 0]},
    ],
}
GAINS = np.array([2.0, 40.0, 4.0, 10.0])  # for position, angle, and their rates


def main():
    sim = am.Simulator(am.make_scene(CART_POLE))
    sim.set_state([0.0, 0.2], [0.0, 0.0])  # leaning by 0.2 rad

    def balance(sim):
        sim.set_effort("rail", float(GAINS @ np.concatenate((sim.q, sim.v))))

    sim.set_controller(balance)
    while not sim.finished:
        sim.step()
    print(f"after {sim.time:.0f} s the pole leans by {sim.q[1]:.1e} rad, "
          f"the cart is at {sim.q[0]:.3f} m")
    assert abs(sim.q[1]) < 0.01


if __name__ == "__main__":
    main()
