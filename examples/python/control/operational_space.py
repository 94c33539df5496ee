#!/usr/bin/python3
"""Moves a Panda's hand along a circle by operational-space control of its torques [Khatib 1987].

    export PYTHONPATH=build/python
    /usr/bin/python3 examples/python/control/operational_space.py panda.urdf

The force in the space of the hand is Lambda (a - Jdot v) with the inertia Lambda = (J M^-1 J')^-1;
torques that move the hand by nothing keep the elbow near the start.
"""
import numpy as np

from panda import ARM, HOME, TOOL, circle, make_panda, rotation_error, urdf_of_arguments

STIFFNESS, DAMPING = 400.0, 40.0  # of the hand [1/s^2, 1/s]
POSTURE = (50.0, 14.0)            # of the joints [1/s^2, 1/s]


def control(sim, arm, center, orientation):
    """Returns a controller that moves the hand along the circle."""
    model = sim.model
    hand = model.bodies[TOOL]
    joints = np.array([sim.joints[name].q_index for name in ARM])

    def step(sim):
        q, v = sim.q, sim.v
        position, velocity, acceleration = circle(center, 0.1, 3.0, sim.time)
        J = model.jacobian(TOOL)[:, arm]
        drift = model.jacobian_rate(TOOL)[:, arm] @ v[arm]
        M = model.mass_matrix()[np.ix_(arm, arm)]
        twist = J @ v[arm]
        wanted = np.concatenate((
            STIFFNESS * rotation_error(orientation, hand.rotation) - DAMPING * twist[:3],
            acceleration + STIFFNESS * (position - hand.position)
            + DAMPING * (velocity - twist[3:])))
        inverse = np.linalg.inv(M)
        inertia = np.linalg.inv(J @ inverse @ J.T)
        torque = J.T @ inertia @ (wanted - drift)
        # What acts on the joints alone: (1 - J' Lambda J M^-1) of a spring to the start.
        posture = M @ (POSTURE[0] * (HOME - q[joints]) - POSTURE[1] * v[arm])
        torque += posture - J.T @ inertia @ (J @ inverse @ posture)
        efforts = sim.inverse_dynamics(q, v, np.zeros_like(v))  # gravity, Coriolis forces, damping
        efforts[arm] += torque
        sim.set_efforts(efforts)

    return step


def main(duration=6.0):
    sim, arm = make_panda(urdf_of_arguments(), duration=duration)
    hand = sim.bodies[TOOL]
    center, orientation = hand.position, hand.rotation
    sim.set_controller(control(sim, arm, center, orientation))
    worst = tilt = 0.0
    while not sim.finished:
        sim.step()
        worst = max(worst, np.linalg.norm(hand.position - circle(center, 0.1, 3.0, sim.time)[0]))
        tilt = max(tilt, np.linalg.norm(rotation_error(orientation, hand.rotation)))
    print(f"operational space: the hand is within {1e3 * worst:.3f} mm of the circle, "
          f"and turns by {tilt:.1e} rad")
    assert worst < 1e-3 and tilt < 1e-2


if __name__ == "__main__":
    main()
