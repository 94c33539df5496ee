#!/usr/bin/python3
"""Moves the woodpecker toy by its own equations, apart from this project's engine.

usage: reference.py [--linear]

Three coordinates: height of the sleeve y [m], angles of the sleeve a and of the bird s [rad]. Steps of
Moreau's scheme with the midpoint rule; impulses by projection. --linear takes angles as small, as the
tutorial of Siconos does. Prints each time at which s passes the start's angle, y and the rates.
"""
import sys

import numpy as np

SLEEVE_MASS, SLEEVE_INERTIA, BIRD_MASS, BIRD_INERTIA = 3e-4, 5e-9, 4.5e-3, 7e-7  # [kg, kg m^2]
SPRING, GRAVITY, FRICTION = 0.0056, 9.81, 0.3
POLE, SLEEVE, HEIGHT, NECK, BIRD, BEAK, REACH = 0.0025, 0.0031, 0.0058, 0.010, 0.015, 0.020, 0.0201  # [m]
RESTITUTION = np.array([0.5, 0.0, 0.0])  # of the beak, the lower and the upper corner of the sleeve
START, RATES = np.array([0.0, -0.1009, -0.2788]), np.array([-0.3411, 0.0, -7.4583])
STEP, DURATION = 5e-5, 0.6


def geometry(q, linear):
    """Returns gaps [3], their rows and those of the slip [3 x 3], and the row of the bird's center [2 x 3]."""
    a, s = (0.0, 0.0) if linear else q[1:]
    ca, sa, cs, ss = np.cos(a), np.sin(a), np.cos(s), np.sin(s)
    center = np.array([[0, -NECK * sa, -BIRD * ss], [1, NECK * ca, BIRD * cs]])
    normal = np.array([center[0] + [0, 0, REACH * ss - BEAK * cs],
                       [0, HEIGHT * ca - SLEEVE * sa, 0], [0, -HEIGHT * ca - SLEEVE * sa, 0]])
    slip = np.array([center[1] + [0, 0, -REACH * cs - BEAK * ss],
                     [1, SLEEVE * ca + HEIGHT * sa, 0], [1, SLEEVE * ca - HEIGHT * sa, 0]])
    gap = np.array([NECK * ca + BIRD * cs - REACH * cs - BEAK * ss,
                    SLEEVE * ca + HEIGHT * sa, SLEEVE * ca - HEIGHT * sa]) - POLE
    return (gap + normal @ q if linear else gap), normal, slip, center


def impulses(n, delassus, free, before, restitution):
    """Returns the impulses of n contacts, normal ones first, by projection [2 n]."""
    p, size = np.zeros(2 * n), 0.3 / np.diag(delassus)
    for _ in range(300):
        velocity = free + delassus @ p
        load = np.maximum(0, p[:n] - size[:n] * (velocity[:n] + restitution * before))
        next_p = np.concatenate([load, np.clip(p[n:] - size[n:] * velocity[n:], -FRICTION * load,
                                               FRICTION * load)])
        if np.max(abs(next_p - p)) < 1e-14:
            break
        p = next_p
    return p


def step(q, u, linear):
    """Returns the state after a step."""
    middle = q + 0.5 * STEP * u
    gap, normal, slip, center = geometry(middle, linear)
    mass = np.diag([SLEEVE_MASS, SLEEVE_INERTIA, BIRD_INERTIA]) + BIRD_MASS * center.T @ center
    # The row of the bird's center turns, by a difference along the motion.
    turning = (geometry(middle + 1e-6 * u, linear)[3] - geometry(middle - 1e-6 * u, linear)[3]) / 2e-6
    twist = SPRING * (middle[2] - middle[1])
    force = (np.array([-SLEEVE_MASS * GRAVITY, twist, -twist]) +
             center.T @ (np.array([0, -BIRD_MASS * GRAVITY]) - BIRD_MASS * turning @ u))
    after = u + STEP * np.linalg.solve(mass, force)
    touching = [i for i in range(3) if gap[i] <= 0]
    if touching:
        rows = np.vstack([normal[touching], slip[touching]])
        change = np.linalg.solve(mass, rows.T)
        after = after + change @ impulses(len(touching), rows @ change, rows @ after,
                                          normal[touching] @ u, RESTITUTION[touching])
    return middle + 0.5 * STEP * after, after


def main():
    linear = "--linear" in sys.argv[1:]
    q, u, time = START.copy(), RATES.copy(), 0.0
    while time < DURATION:
        last, (q, u) = q, step(q, u, linear)
        time += STEP
        if last[2] > START[2] >= q[2]:
            print(f"{time:.5f} s  y {1e3 * q[0]:.3f} mm  rates {u[0]:.4f} m/s, {u[2]:.3f} rad/s")


if __name__ == "__main__":
    main()
