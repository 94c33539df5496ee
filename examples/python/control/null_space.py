#!/usr/bin/python3
"""Keeps a Panda's hand in place while its elbow swings, by motion in the null space of J.

    export PYTHONPATH=build/python
    /usr/bin/python3 examples/python/control/null_space.py panda.urdf
"""
import numpy as np

from inverse_kinematics import GAIN, SERVOS, rates
from panda import ARM, HOME, TOOL, make_panda, rotation_error, urdf_of_arguments


def main(duration=6.0):
    sim, arm = make_panda(urdf_of_arguments(), SERVOS, duration=duration)
    model = sim.model
    hand, elbow = model.bodies[TOOL], model.bodies["panda/panda_link4"]
    joints = np.array([sim.joints[name].q_index for name in ARM])
    center, orientation = hand.position, hand.rotation
    target, step = sim.q.copy(), 1e-3

    def control(sim):
        present, turned = model.forward_kinematics(target)[TOOL]
        J = model.jacobian(TOOL, q=target)[:, arm]
        back = np.concatenate((GAIN * rotation_error(orientation, turned),
                               GAIN * (center - present)))
        # The first joint swings; (1 - J+ J) leaves of its rate what moves the hand by nothing.
        wanted = HOME - target[joints]
        wanted[0] += 2.5 * np.sin(1.5 * sim.time)
        rate = rates(J, back) + wanted - rates(J, J @ wanted)
        target[joints] += step * rate
        for name, angle, speed in zip(ARM, target[joints], rate):
            sim.set_servo_target(name, float(angle), float(speed))
        sim.set_efforts(sim.gravity_compensation(sim.q))

    sim.set_controller(control)
    worst = swing = 0.0
    start = elbow.position
    while not sim.finished:
        sim.step()
        worst = max(worst, np.linalg.norm(hand.position - center))
        swing = max(swing, np.linalg.norm(elbow.position - start))
    print(f"null space: the hand stays within {1e3 * worst:.3f} mm, the elbow swings by "
          f"{1e3 * swing:.0f} mm")
    assert worst < 1e-3 and swing > 0.05


if __name__ == "__main__":
    main()
