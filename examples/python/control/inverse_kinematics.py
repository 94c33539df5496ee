#!/usr/bin/python3
"""Moves a Panda's hand along a circle by differential inverse kinematics and position servos.

    export PYTHONPATH=build/python
    /usr/bin/python3 examples/python/control/inverse_kinematics.py panda.urdf

The rates of the joints are J' (J J' + damping)^-1 of the wanted velocity of the hand; the servos
follow the positions that they add up to.
"""
import numpy as np

from panda import ARM, HOME, TOOL, circle, make_panda, rotation_error, urdf_of_arguments

GAIN = 20.0     # of the hand's error [1/s]
DAMPING = 1e-6  # of the pseudo-inverse [-]
SERVOS = [{"joint": name, "position": {"target": float(angle), "kp": 4000.0, "kd": 200.0}}
          for name, angle in zip(ARM, HOME)]


def rates(J, twist):
    """Returns the rates of the joints for a velocity (w, v) of the hand."""
    return J.T @ np.linalg.solve(J @ J.T + DAMPING * np.eye(6), twist)


def main(duration=6.0):
    sim, arm = make_panda(urdf_of_arguments(), SERVOS, duration=duration)
    model = sim.model
    hand = model.bodies[TOOL]
    joints = np.array([sim.joints[name].q_index for name in ARM])
    center, orientation = hand.position, hand.rotation
    target, step = sim.q.copy(), 1e-3

    def control(sim):
        # The reference moves by kinematics alone, and corrects its own error.
        position, velocity, _ = circle(center, 0.1, 3.0, sim.time + step)
        present, turned = model.forward_kinematics(target)[TOOL]
        J = model.jacobian(TOOL, q=target)[:, arm]
        twist = np.concatenate((GAIN * rotation_error(orientation, turned),
                                velocity + GAIN * (position - present)))
        rate = rates(J, twist)
        target[joints] += step * rate
        for name, angle, speed in zip(ARM, target[joints], rate):
            sim.set_servo_target(name, float(angle), float(speed))
        sim.set_efforts(sim.gravity_compensation(sim.q))

    sim.set_controller(control)
    worst = 0.0
    while not sim.finished:
        sim.step()
        worst = max(worst, np.linalg.norm(hand.position - circle(center, 0.1, 3.0, sim.time)[0]))
    print(f"inverse kinematics: the hand is within {1e3 * worst:.3f} mm of the circle")
    assert worst < 1e-3


if __name__ == "__main__":
    main()
