"""Grasps: which loads the contacts of one body can hold (docs/theory/grasps.md)."""
import dataclasses
from functools import cached_property

import numpy as np

from . import grasp_wrenches as cones
from ._core import ContactProblem
from .arguments import corners, floats, number
from .arguments import simulator as checked


COARSE = 0.99  # accuracy of epsilon that decides force closure: the lower bound is positive
ROUND = 1e-6   # accuracy of the least sum of normal forces, relative to it
MOST_PASSES = 100
LARGEST = 1e100  # of a length, force or torque: doubles hold the products of two
MOST_RATIO = 1e9  # of friction, and of arms and torsion to the length: linear programs hold no more


@dataclasses.dataclass(frozen=True)
class Hold:
    """Holds forces of fingers that balance a load, with the least sum of normal forces."""

    forces: np.ndarray
    """Forces on the body [k, 3] [N]; [k, 2] in the plane."""
    torsions: np.ndarray
    """Torques of soft fingers about their normals [k] [N m]."""
    normal_forces: np.ndarray
    """Normal forces [k] [N]."""


class Grasp:
    """Holds the contacts of one body, and answers which loads they can hold.

        grasp = am.Grasp([[-0.03, 0, 0], [0.03, 0, 0]], [[1, 0, 0], [-1, 0, 0]], friction=0.5,
                         torsion=0.01)
        grasp.has_force_closure, grasp.epsilon, grasp.hold([0, 0, -9.81]).normal_forces

    `points` [k, 3] [m] and `normals` [k, 3] into the body are in one frame; [k, 2] makes a grasp in
    the plane. `friction` is mu. `torsion` [m] makes soft fingers: the largest torque about the
    normal is torsion times the normal force. Torques count about `center` [m], by default the mean
    of the points; quality divides them by `length` [m], by default the largest distance of a point
    from the center. Closure, epsilon and holds are those of round friction cones (of the ellipsoids
    of soft fingers); the bounds of epsilon differ by `accuracy`, relative to it, unless its search
    ends after some seconds (docs/theory/grasps.md). The volume is that of polygons of `directions`
    corners within the friction circles. Needs SciPy. Raises ValueError for sizes and numbers that
    do not fit: coordinates above 1e100, friction above 1e9.
    """

    def __init__(self, points, normals, friction, torsion=0.0, center=None, length=None,
                 directions=8, accuracy=1e-3):
        self.points, self.normals = (_rows(array, name) for array, name in
                                     ((points, "points"), (normals, "normals")))
        count, self.dimension = self.points.shape
        if self.normals.shape != self.points.shape:
            raise ValueError(f"normals must have the shape of points, {self.points.shape}, not "
                             f"{self.normals.shape}")
        size = np.abs(self.normals).max(axis=1, keepdims=True)
        if not (size > 0).all():
            raise ValueError("normals must not be zero")
        # Doubles hold the squares of numbers near 1.
        self.normals = np.ldexp(self.normals, -np.frexp(size)[1])
        self.normals /= np.linalg.norm(self.normals, axis=1, keepdims=True)
        _require_size(self.points, "points")
        self.friction = _column(friction, count, "friction")
        self.torsion = _column(torsion, count, "torsion")
        if self.dimension == 2 and self.torsion.any():
            raise ValueError("torsion acts about normals: a grasp in the plane has none")
        directions = corners(directions, "Grasp: directions")
        accuracy = number(accuracy, "Grasp: accuracy")
        if not 0 < accuracy < 1:
            raise ValueError(f"accuracy must be between 0 and 1, not {accuracy!r}")
        self.directions, self.accuracy = directions, accuracy
        self.center = self.points.mean(axis=0) if center is None else floats(center, "center")
        if self.center.shape != (self.dimension,):
            raise ValueError(f"center must have {self.dimension} numbers")
        _require_size(self.center, "center")
        distances = np.linalg.norm(self.points - self.center, axis=1)
        self.length = float(distances.max()) if length is None else number(length, "Grasp: length")
        if not 1 / LARGEST <= self.length <= LARGEST:
            raise ValueError(f"length must be positive, {1 / LARGEST:g} to {LARGEST:g} m; give it "
                             "where all points are the center")
        for value, unit, name in ((self.friction, 1.0, "friction"),
                                  (self.torsion, self.length, "torsion / length"),
                                  (distances, self.length, "distances from the center / length")):
            if value.max() > MOST_RATIO * unit:
                raise ValueError(f"{name} must be at most {MOST_RATIO:g}")

    def __repr__(self):
        return f"<Grasp of {len(self.points)} contacts, {'planar' if self._is_planar else 'spatial'}>"

    @classmethod
    def of(cls, simulator, body, touching=1e-4, torsion=0.0, **options):
        """Returns the grasp of a body by the contacts that touch it now, within a gap of `touching`
        [m], in world axes, about its center of mass. Raises ValueError where nothing touches it."""
        view = checked(simulator, "Grasp.of: simulator").bodies[body]
        if view.fixed:
            raise ValueError(f"{body} is fixed: nothing needs to hold it")
        found = simulator.inverse_dynamics(simulator.q, simulator.v, np.zeros(simulator.v.size),
                                           contacts=True, touching=touching)
        is_b = np.array(found.body_b, int) == view.index
        mine = is_b | (np.array(found.body_a, int) == view.index)
        if not mine.any():
            raise ValueError(f"nothing touches {body} within a gap of {touching:g} m")
        normals = np.where(is_b[:, None], found.normals, -found.normals)
        return cls(found.positions[mine], normals[mine], found.friction[mine], torsion,
                   view.point(view.center_of_mass), **options)

    @property
    def _is_planar(self):
        return self.dimension == 2

    def _generators(self, directions):
        """Returns (forces, torques about normals) of unit normal part [k, m, ...]."""
        if self._is_planar:
            forces = cones.planar_generators(self.normals, self.friction)
            return forces, np.zeros_like(forces)
        return cones.hard_and_soft(self.normals, self.friction, self.torsion, directions)

    def _wrenches(self, forces, torques):
        """Returns wrenches [n, 6] or [n, 3], torques divided by the length."""
        arm = np.broadcast_to((self.points - self.center)[:, None], forces.shape)
        if self._is_planar:
            turning = (arm[..., 0] * forces[..., 1] - arm[..., 1] * forces[..., 0])[..., None]
        else:
            turning = np.cross(arm, forces) + torques
        whole = np.concatenate([forces, turning / self.length], axis=-1)
        return whole.reshape(-1, whole.shape[-1])

    @cached_property
    def wrenches(self):
        """Wrenches (force, torque / length) of unit normal force at the corners of the cones [n, 6],
        [n, 3] in the plane."""
        return self._wrenches(*self._generators(self.directions))

    def _farthest(self, direction):
        """Returns the largest product of a direction with the wrenches of unit normal force, and the
        wrench with that product [d]."""
        if self._is_planar:
            best = np.argmax(self.wrenches @ direction)
            return float(self.wrenches[best] @ direction), self.wrenches[best]
        forces, torques = self._along(direction)
        wrenches = self._wrenches(forces[:, None], torques[:, None])
        best = np.argmax(wrenches @ direction)
        return float(wrenches[best] @ direction), wrenches[best]

    def _along(self, direction):
        """Returns forces and torques about normals [k, 3] of unit normal part in the round cones
        whose wrenches have the largest product with a direction."""
        turn = direction[3:] / self.length
        # direction . (f, arm x f / length) = f . along
        along = direction[:3] + np.cross(turn, self.points - self.center)
        slip = along - np.sum(along * self.normals, axis=1)[:, None] * self.normals
        twist = self.torsion * (self.normals @ turn)
        reach = np.hypot(self.friction * np.linalg.norm(slip, axis=1), twist)
        # A slip of rounding alone has no direction: it would leave the tangent plane.
        matters = reach > 1e-12 * np.linalg.norm(direction) * self.friction.max(initial=1.0)
        scale = np.divide(1.0, reach, out=np.zeros_like(reach), where=matters)[:, None]
        slip -= np.sum(slip * self.normals, axis=1)[:, None] * self.normals
        return (self.normals + scale * (self.friction**2)[:, None] * slip,
                scale * (self.torsion * twist)[:, None] * self.normals)

    def _search(self, accuracy):
        start = self._wrenches(*self._generators(4))
        return cones.largest_ball(start, self._farthest, accuracy)

    @cached_property
    def _ball(self):
        return self._search(self.accuracy)

    @cached_property
    def has_force_closure(self):
        """True if the contacts can balance every load, with large enough normal forces: zero is
        inside the wrenches of unit normal forces. It costs less than epsilon."""
        return self._search(COARSE)[0] > 0

    @property
    def epsilon(self):
        """Quality epsilon of Ferrari and Canny [-]: normal forces of sum 1 hold every load (force,
        torque / length) up to this size; 0 without force closure. It is the lower one of epsilon_bounds."""
        return self._ball[0]

    @property
    def epsilon_bounds(self):
        """(lower, upper) bounds of epsilon for round friction cones. Both are 0 without force
        closure; only where the lower one is 0 and the upper one is not did the search not decide."""
        return self._ball[:2]

    @property
    def weakest(self):
        """Unit load (force, torque / length) on the body that the grasp holds least. Without force
        closure one that it cannot hold at any normal forces, or only those of zero size."""
        return -self._ball[2]

    @cached_property
    def volume(self):
        """Volume of the wrenches that normal forces of sum at most 1 give, dimensionless; that of
        polygons of `directions` corners within the friction circles."""
        return cones.hull_volume(self.wrenches)

    def hold(self, force, torque=None):
        """Returns the Hold with the least sum of normal forces that balances a load: a force [N]
        and a torque about the center [N m] on the body. None if the contacts cannot, or only with
        normal forces of more than 10,000 times the load (force, torque / length)."""
        force = floats(force, "force")
        width = 1 if self._is_planar else 3
        torque = np.zeros(width) if torque is None else np.atleast_1d(floats(torque, "torque"))
        if force.shape != (self.dimension,) or torque.shape != (width,):
            raise ValueError(f"force must have {self.dimension} numbers, and torque {width}")
        _require_size(force, "force")
        _require_size(torque, "torque")
        load = np.append(force, torque / self.length)
        size = np.linalg.norm(load)
        forces, torques = self._generators(4)
        weights, missing = np.zeros(forces.shape[0] * forces.shape[1]), 0.0
        for _ in range(MOST_PASSES if size > 0 else 0):
            weights, prices, missing = cones.least_weights(self._wrenches(forces, torques), load / size)
            # Forces of the round cones that reduce the sum come to the corners of the polygons.
            if self._is_planar or self._farthest(prices)[0] <= 1 + ROUND:
                break
            more = self._along(prices)
            forces, torques = (np.concatenate([old, new[:, None]], axis=1)
                               for old, new in zip((forces, torques), more))
            weights = np.pad(weights.reshape(len(forces), -1), ((0, 0), (0, 1)))
        if missing > 1e-7:
            return None
        weights = size * weights.reshape(forces.shape[:2])
        total, turned = ((weights[..., None] * part).sum(axis=1) for part in (forces, torques))
        torsions = (np.zeros(len(self.points)) if self._is_planar
                    else np.sum(turned * self.normals, axis=1))
        return Hold(total, torsions, weights.sum(axis=1))

    def _problem(self):
        """Returns contact frames [k, 3, 3], rows (t1, t2, n), and the contact problem of a body of
        unit mass and inertia, the fingers at rest. A grasp in the plane is in the plane y, z of
        space, with t2 in it."""
        if self.torsion.any():
            raise ValueError("jams are those of hard fingers: torsion must be 0")
        arms, normals = (self.points - self.center) / self.length, self.normals
        if self._is_planar:
            arms, normals = (np.insert(rows, 0, 0.0, axis=1) for rows in (arms, normals))
        frames = np.stack([*cones.tangents(normals), normals], axis=1)
        rows = np.concatenate([np.cross(arms[:, None], frames), frames], axis=2).reshape(-1, 6)
        return frames, ContactProblem(np.eye(6), rows, friction=self.friction,
                                      free_velocity=np.zeros(6))

    def jam(self):
        """Returns forces [k, 3] ([k, 2] in the plane) on the body that balance each other without a
        load, with normal parts of sum 1, or None: then the friction cone is pointed, and
        opening_velocity() proves it. Contacts that can jam carry forces of any size without a load;
        every grasp with force closure does. Raises ValueError for soft fingers (torsion), whose
        jams are not sought."""
        frames, problem = self._problem()
        found = problem.jams(self._corners)
        if not found:
            return None
        forces = np.zeros((len(self.points), 3))
        for contact, reaction in zip(found[0]["contacts"], found[0]["reactions"]):
            forces[contact] = reaction @ frames[contact]
        return forces[:, 1:] if self._is_planar else forces

    def opening_velocity(self):
        """Returns a velocity of the body (velocity of its center [m/s], angular velocity times length
        [m/s]) [6] ([3] in the plane) on which every force of the contacts works, or None where they
        can jam: then there is none. Raises ValueError for soft fingers (torsion)."""
        found = self._problem()[1].opening_velocities(self._corners)
        if not found:
            return None
        angular, linear = found[0]["velocity"][:3], found[0]["velocity"][3:]
        if self._is_planar:
            return np.append(linear[1:], angular[0])
        return np.append(linear, angular)

    @property
    def _corners(self):
        # In the plane the corners of a square are its two directions.
        return 4 if self._is_planar else self.directions


def _rows(array, name):
    rows = floats(array, name)
    if rows.ndim != 2 or len(rows) == 0 or rows.shape[1] not in (2, 3) or not np.isfinite(rows).all():
        raise ValueError(f"{name} must be finite, [k, 3], or [k, 2] in the plane, not {rows.shape}")
    return rows


def _require_size(array, name):
    if not (np.abs(array) <= LARGEST).all():
        raise ValueError(f"{name} must be finite, and no number of it larger than {LARGEST:g}")


def _column(value, count, name):
    column = floats(value, name)
    if column.shape not in ((), (1,), (count,)):
        raise ValueError(f"{name} must be one number or {count}, one per contact, not an array of "
                         f"shape {column.shape}")
    column = np.broadcast_to(column, (count,)).copy()
    if not (np.isfinite(column).all() and (column >= 0).all()):
        raise ValueError(f"{name} must be finite and not negative")
    return column
