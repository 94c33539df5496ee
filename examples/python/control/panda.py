"""Makes the scene of the examples of control: a Panda arm that is fixed to the world."""
import argparse
import pathlib

import numpy as np

import amontons as am

ARM = [f"panda/panda_joint{k}" for k in range(1, 8)]
TOOL = "panda/panda_hand_tcp"
HOME = np.array([0.0, -0.3, 0.0, -2.2, 0.0, 2.0, 0.785])


def make_panda(urdf, actuators=(), step=1e-3, duration=6.0):
    """Returns a simulator of a panda.urdf at its home position, and its arm's indices in v."""
    urdf = pathlib.Path(urdf).resolve()
    scene = am.make_scene(
        {
            "amontons": 1,
            "simulation": {"step": step, "duration": duration},
            "models": [{"name": "panda", "file": str(urdf), "base": "fixed", "collide": "none",
                        "joint_positions": {name.split("/")[1]: angle
                                            for name, angle in zip(ARM, HOME.tolist())}}],
            "actuators": list(actuators),
        },
        packages={"example-robot-data": urdf.parents[3]})
    sim = am.Simulator(scene)
    return sim, np.array([sim.joints[name].index for name in ARM])


def urdf_of_arguments():
    """Returns the file that the command line names."""
    parser = argparse.ArgumentParser()
    parser.add_argument("urdf", help=".../panda_description/urdf/panda.urdf of example-robot-data")
    urdf = parser.parse_args().urdf
    if not urdf.endswith("panda_description/urdf/panda.urdf") or not pathlib.Path(urdf).is_file():
        parser.error(f"{urdf} is no file panda_description/urdf/panda.urdf of example-robot-data")
    return urdf


def circle(center, radius, period, time):
    """Returns position, velocity and acceleration on a circle in the y-z plane, begun at rest."""
    # The angle grows smoothly during the first period.
    rate = 2 * np.pi / period
    ramp = min(time / period, 1.0)
    angle = rate * (period * (ramp**3 - 0.5 * ramp**4) + max(time - period, 0.0))
    speed = rate * (3 * ramp**2 - 2 * ramp**3)
    growth = rate * (6 * ramp - 6 * ramp**2) / period
    axis, across = np.array([0, 0, 1.0]), np.array([0, 1.0, 0])
    out = np.cos(angle) * axis + np.sin(angle) * across
    along = -np.sin(angle) * axis + np.cos(angle) * across
    return (center + radius * (out - axis), radius * speed * along,
            radius * (growth * along - speed**2 * out))


def rotation_error(wanted, present):
    """Returns the rotation vector from the present to the wanted orientation, in world axes."""
    R = wanted @ present.T
    vector = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    sine, cosine = np.linalg.norm(vector), 0.5 * (np.trace(R) - 1.0)
    return vector * (np.arctan2(sine, cosine) / sine if sine > 1e-9 else 1.0)
