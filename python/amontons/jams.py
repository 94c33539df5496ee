"""Jams of a simulator's contacts (docs/theory/grasps.md)."""
import dataclasses

import numpy as np

from ._core import _from_contact_frames
from .arguments import simulator as checked


@dataclasses.dataclass(frozen=True)
class Jam:
    """Holds forces of contacts that balance each other without a load."""

    bodies: list
    """Names (a, b) of the bodies of each contact [k]."""
    positions: np.ndarray
    """Points of the contacts [k, 3] [m], world axes."""
    forces: np.ndarray
    """Forces on the bodies b [k, 3] in world axes; their normal parts and `limits` sum to 1."""
    limits: list
    """Forces of the joint limits that are part of it, in the same unit."""


def find_jams(simulator, directions=8) -> list:
    """Returns a Jam for each island of the last step's contacts whose friction cone is not pointed.

        sim.step()
        for jam in am.find_jams(sim):
            print(jam.bodies, jam.forces)

    Such contacts can carry forces of any size without a load, so that bodies may jam, and forces
    are not unique. `amontons info SCENE --jams` finds the same at the start of a scene. The search
    starts with polygons of `directions` corners within the friction discs, and adds corners on the
    arcs between them where they matter. Raises ValueError before
    the first step.
    """
    checked(simulator, "find_jams: simulator")
    if simulator.report is None:
        raise ValueError("find_jams: step the simulator first: a step has the contacts")
    contacts, names = simulator.report.contacts, list(simulator.bodies)
    result = []
    for found in simulator.report.problem.jams(directions):
        table = contacts[found["contacts"]]
        forces = _from_contact_frames(table["normal"], found["reactions"])
        result.append(Jam([(names[a], names[b]) for a, b in zip(table["body_a"], table["body_b"])],
                          np.array(table["position"]), forces, list(found["limit_reactions"])))
    return result
