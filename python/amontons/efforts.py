"""Efforts that a motion needs on contacts, and whether limits suffice (docs/theory/grasps.md)."""
import dataclasses
from typing import Optional

import numpy as np

from . import grasp_wrenches as cones
from .arguments import corners, floats, one_of
from .arguments import simulator as checked
from .child import in_child

MOST_DIRECTIONS = 128  # of the polygons, in doubling
# Rows times nonzeros of a linear program that this process solves: HiGHS hears no Ctrl-C, and takes
# 5 ns for each, so 0.05 s. A process of its own, which hears it, takes 0.3 s to begin.
MOST_WORK = 10_000_000
LARGE = 1e6  # limit, in units of the largest generalized force
INFEASIBLE = 2  # status of linprog


@dataclasses.dataclass(frozen=True, repr=False)
class NeededEfforts:
    """Holds the efforts and contact forces of a motion that strain the joints least."""

    possible: bool
    """True if contacts within their friction cones can give the motion, whatever the efforts."""
    suffices: Optional[bool]
    """True if the effort limits suffice, False if none of the contacts' forces lets them; None
    where the polygons of the friction circles do not decide."""
    share: float
    """Largest effort as a share of its limit: the least that contact forces leave, from polygons
    within the friction circles; infinity where the motion is not possible, or needs efforts of
    coordinates whose limit is 0, or less than 1e-9 of the largest generalized force."""
    share_bound: float
    """Lower bound of that share, from polygons around the circles."""
    efforts: Optional[np.ndarray]
    """Efforts along all velocities [nv] [N m or N]; zero along free bases. None if not possible."""
    forces: Optional[np.ndarray]
    """Forces on the second body of each contact [nc, 3] [N], in world axes; None likewise."""
    positions: np.ndarray
    """Points of the contacts [nc, 3] [m]."""
    body_a: list
    """Indices of the first bodies [nc]."""
    body_b: list
    """Indices of the second bodies [nc]."""
    strained: Optional[int]
    """Index in v of the effort nearest to its limit, None without limits."""

    def __repr__(self):
        words = {True: "the limits suffice", False: "the limits do not suffice",
                 None: "the polygons do not decide if the limits suffice"}
        answer = words[self.suffices] if self.possible else "the contacts cannot give the motion"
        strained = "" if self.strained is None else f", most strained entry {self.strained} of v"
        return (f"<NeededEfforts on {len(self.positions)} contacts: {answer}, "
                f"share {self.share:.3g}{strained}>")


def needed_efforts(simulator, q, v, vdot, limits=None, touching=1e-4, directions=16,
                   law="coulomb") -> NeededEfforts:
    """Returns the efforts that give the acceleration vdot [nv] at q, v, and says if limits suffice.

        needed = am.needed_efforts(sim, sim.q, sim.v, 0 * sim.v)
        needed.suffices, needed.share, needed.efforts

    Contacts whose gap is at most `touching` [m] carry forces within their friction cones; free and
    planar bases have no actuator. Of all such forces those are taken that keep the largest share
    of effort in `limits` [nv] (simulator.effort_limits by default, infinity: none) least, and then
    those of the least sum of normal forces. Polygons within and around the friction circles bound
    the share from both sides, with `directions` corners, doubled up to 128 until they decide.
    simulator.inverse_dynamics() has the forces of least norm, which may need more. Needs SciPy,
    which solves large programs in a process of their own.
    law="no-slip": contacts press with any friction, as under that model; no polygon is needed then.
    Raises ValueError for sizes that do not fit, for scenes with joints that are rows of J, and for
    `directions` that are not within 3 and 1000; ChildProcessError where that process is killed, and
    ArithmeticError where SciPy finds no answer.
    """
    checked(simulator, "needed_efforts: simulator")
    directions = corners(directions, "needed_efforts: directions")
    law = one_of(law, "needed_efforts: law", ("coulomb", "no-slip"))
    if any(simulator.joints[name].index is None for name in simulator.joints):
        raise ValueError("needed_efforts: the scene has joints that are rows of J, whose forces are "
                         "not among those of the contacts")
    limits = floats(simulator.effort_limits if limits is None else limits, "limits")
    wanted = f"limits must be an array of {simulator.v.size} numbers, one for each entry of v"
    if limits.ndim == 0:
        raise TypeError(f"{wanted}, not {limits}")
    if limits.shape != simulator.v.shape:
        raise ValueError(f"{wanted}, not of the shape {limits.shape}")
    if not (limits >= 0).all():
        raise ValueError("limits must not be negative or nan; infinity is none")
    found = simulator.inverse_dynamics(q, v, vdot, contacts=True, touching=touching)
    tau = np.asarray(simulator.inverse_dynamics(q, v, vdot))
    # Forces that cancel, as in free fall, leave rounding, which the program is not to balance.
    least_unit = 1e-7 * np.abs(simulator.bias(q, v)).max(initial=0.0)
    program = _Program(tau, _contact_rows(simulator, floats(q, "q"), found),
                       np.array(simulator._base_coordinates, bool), limits, found,
                       law == "no-slip", least_unit)
    inner, share, bound = _decide(program, directions)
    suffices = True if share <= 1 else False if bound > 1 else None
    efforts = None if inner is None else program.efforts(inner[1])
    strained = None
    if efforts is not None and program.is_limited.any():
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            shares = np.where(program.is_limited & (efforts != 0), np.abs(efforts) / limits, -1.0)
        strained = int(np.argmax(shares))
    return NeededEfforts(inner is not None, suffices, share, min(bound, share), efforts,
                         None if inner is None else inner[1], found.positions, found.body_a,
                         found.body_b, strained)


def _contact_rows(simulator, q, found):
    """Returns the Jacobian of the velocity of body B against A at each contact [nc, 3, nv]."""
    names = list(simulator.bodies)
    rows = np.zeros((len(found.positions), 3, simulator.v.size))
    for own, point, pair in zip(rows, found.positions, zip(found.body_a, found.body_b)):
        for body, sign in zip(pair, (-1.0, 1.0)):
            position, rotation = simulator.forward_kinematics(q, names[body])
            own += sign * simulator.jacobian(names[body], rotation.T @ (point - position), q=q)[3:]
    return rows


class _Program:
    """Holds tau = efforts + J'f with f in friction cones, and minimizes the largest share."""

    def __init__(self, tau, rows, is_base, limits, found, sticks, least_unit):
        self.tau, self.rows, self.is_base, self.limits = tau, rows, is_base, limits
        self.normals, self.friction, self.sticks = found.normals, found.friction, sticks
        self.is_limited = np.isfinite(limits) & ~is_base
        # Forces count in units of the largest generalized force: linear programs have absolute
        # tolerances.
        self.unit = max(np.abs(tau).max(initial=0.0), least_unit, 1e-300)

    def efforts(self, forces):
        """Returns the efforts beside contact forces [nc, 3], zero along bases."""
        left = self.tau - np.einsum("ckv,ck->v", self.rows, forces)
        return np.where(self.is_base, 0.0, left)

    def generators(self, directions, widened):
        """Returns forces [nc, k, 3] whose sums with weights of at least zero are those allowed."""
        normals, friction = self.normals, self.friction
        if len(self.rows) == 0:
            return np.zeros((0, 1, 3))
        if self.sticks:  # the normal, and both ways along two tangents
            t1, t2 = cones.tangents(normals)
            return np.stack([normals, t1, t2, -t1, -t2], axis=1)
        wider = 1 / np.cos(np.pi / directions) if widened else 1.0
        return cones.cone_generators(normals, wider * friction, directions)

    def matrix(self, generators):
        """Returns the generalized forces of all generators as a sparse matrix [nv, nc k]."""
        from scipy.sparse import csc_matrix
        contacts, coordinates = np.nonzero((self.rows != 0).any(axis=1))
        rows, pushes = self.rows[contacts, :, coordinates], generators[contacts]
        values = sum(rows[:, axis, None] * pushes[:, :, axis] for axis in range(3))
        count = generators.shape[1]
        places = np.broadcast_to(coordinates[:, None], values.shape)
        columns = contacts[:, None] * count + np.arange(count)
        found = csc_matrix((values.ravel(), (places.ravel(), columns.ravel())),
                           (len(self.tau), len(self.rows) * count))
        found.eliminate_zeros()
        return found

    def work(self, directions):
        """Returns an upper bound of the rows times nonzeros of the linear program."""
        touched = (self.rows != 0).any(axis=1).sum(axis=0)  # contacts of each coordinate
        times = self.is_base + 2 * self.is_limited          # rows of each coordinate
        count = 5 if self.sticks else directions
        return int(times.sum()) * count * int(touched @ times)

    def solve(self, directions, widened=False):
        """Returns (share, forces [nc, 3]), or None where no forces give the motion."""
        from scipy import sparse
        from scipy.optimize import linprog
        generators = self.generators(directions, widened)
        forces = self.matrix(generators).tocsr()
        tau, count = self.tau / self.unit, forces.shape[1]
        # |tau - G w| <= share * limit along limited coordinates, tau = G w along bases. The program
        # takes no coefficient as large as 1e15: rows with large limits are divided by these.
        with np.errstate(over="ignore"):
            scale = self.limits[self.is_limited] / self.unit
        is_large = scale > LARGE
        row_scale = np.where(is_large, scale, 1.0)
        t = tau[self.is_limited] / row_scale
        G = forces[self.is_limited].multiply(1 / row_scale[:, None])
        share = -np.where(is_large, 1.0, scale)[:, None]
        bounds = sparse.bmat([[G, share], [-G, share]]) if len(t) > 0 else None
        equal = sparse.hstack([forces[self.is_base], sparse.csr_matrix((self.is_base.sum(), 1))])
        common = {"A_ub": bounds, "b_ub": None if bounds is None else np.concatenate([t, -t]),
                  "A_eq": equal, "b_eq": tau[self.is_base], "method": "highs"}
        found = linprog(np.append(np.zeros(count), 1.0), bounds=(0, None), **common)
        share = float(found.x[-1]) if found.status == 0 else np.inf
        if found.status == INFEASIBLE and bounds is not None:
            # Contacts may give the motion where efforts cannot, whose limits are zero.
            common["A_ub"] = common["b_ub"] = None
            found = linprog(np.append(np.zeros(count), 1.0), bounds=(0, None), **common)
        if found.status == INFEASIBLE:
            return None
        if found.status != 0:
            raise ArithmeticError("needed_efforts: the linear program ended without an answer: "
                                  f"{found.message}")
        # Of the forces with that share those of the least sum of normal forces.
        prices = np.ones(generators.shape[:2])
        if self.sticks:
            prices[:, 1:] = 0.0  # friction alone presses nothing
        least = linprog(np.append(prices.ravel(), 0.0), **common,
                        bounds=[(0, None)] * count + [(0, share * (1 + 1e-7) + 1e-12)])
        weights = (least if least.status == 0 else found).x[:-1].reshape(generators.shape[:2])
        return share, self.unit * np.einsum("cm,cmk->ck", weights, generators)


def _decide(program, directions, is_child=False):
    """Returns ((share, forces) or None, share, lower bound of the share) of polygons of `directions`
    corners, doubled until they decide."""
    while True:  # bound: directions double up to MOST_DIRECTIONS
        if not is_child and program.work(directions) > MOST_WORK:
            return in_child("needed_efforts", _decide, program, directions, True)
        inner, outer = program.solve(directions), program.solve(directions, widened=True)
        share = np.inf if inner is None else inner[0]
        bound = np.inf if outer is None else outer[0]
        if share <= 1 or bound > 1 or 2 * directions > MOST_DIRECTIONS:
            return inner, share, bound
        directions *= 2
