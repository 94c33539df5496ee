"""Measured motions, and their simulation by a scene with other numbers."""
import math
import os
from typing import Callable, Mapping, Optional

import numpy as np

from . import motion_files
from ._core import Scene, Simulator, _track
from .arguments import file_path, floats, function, mapping, whole
from .scene import Path, _override_scene, _path_part

MOST_STEPS = 10_000_000  # of one simulated motion
LARGEST = 1e100  # measured number: doubles hold the squares of all residuals


def _table(values, shape, what):
    array = floats(values, what)
    if array.shape != shape:
        raise ValueError(f"{what} must have the shape {shape}, one row per time, not {array.shape}")
    if (np.abs(array) > LARGEST).any():
        raise ValueError(f"{what} must be at most {LARGEST:g}, or NaN where they are missing")
    return array


class Motion:
    """Holds one measured motion, for fit().

        am.Motion(times, bodies={"cube": (positions, quaternions)},
                  overrides={"bodies.cube.velocity.linear": [1, 0, 0]})

    `times` [n] are ascending [s], and 0 is the initial state. `bodies` has positions [n, 3] of the
    origin in world axes [m], or these and quaternions [n, 4] in the order w, x, y, z. `joints` has
    positions [n] of joints of one coordinate [rad or m]. A measurement that is missing is NaN.
    The initial state is that of the scene; `start` replaces it by (q, v), or `overrides` change it
    in the form of load_scene. `controller(simulator)` acts before every step; it must not keep
    anything from one simulation to the next. Wrong sizes raise ValueError.
    """

    def __init__(self, times, bodies: Optional[Mapping] = None, joints: Optional[Mapping] = None,
                 start=None, overrides: Optional[Mapping[str, object]] = None,
                 controller: Optional[Callable] = None, name: str = ""):
        self.times = floats(times, "times")
        if (self.times.ndim != 1 or self.times.size == 0 or not np.all(np.isfinite(self.times))
                or self.times[0] < 0.0 or np.any(np.diff(self.times) <= 0.0)):
            raise ValueError("times of a motion must be a list of ascending times from 0 on [s]")
        rows = self.times.size
        self.positions, self.quaternions, self.joints = {}, {}, {}
        for body, measured in mapping(bodies, "bodies", "{\"cube\": positions}").items():
            position, quaternion = measured if isinstance(measured, tuple) else (measured, None)
            self.positions[body] = _table(position, (rows, 3), f"positions of body {body!r}")
            if quaternion is not None:
                what = f"quaternions of body {body!r}"
                quaternion = _table(quaternion, (rows, 4), what)
                norm = np.linalg.norm(quaternion, axis=1, keepdims=True)
                if np.any(norm == 0.0):
                    raise ValueError(f"{what} must not be zero; a missing one is NaN")
                self.quaternions[body] = quaternion / norm
        for joint, measured in mapping(joints, "joints", "{\"hinge\": positions}").items():
            self.joints[joint] = _table(measured, (rows,), f"positions of joint {joint!r}")
        if not self.positions and not self.joints:
            raise ValueError("a motion needs bodies or joints, such as bodies={'cube': positions}")
        self.start = start
        self.overrides = mapping(overrides, "overrides", "{\"simulation.step\": 0.01}")
        self.controller, self.name = function(controller, "controller"), name

    @classmethod
    def from_csv(cls, path: Path, body: Optional[str] = None, *, length_unit: float = 1.0,
                 time_unit: float = 1.0, **options) -> "Motion":
        """Reads a CSV file whose first line names its columns.

        `t` is the time; BODY.x, .y, .z are positions of a body and BODY.qw, .qx, .qy, .qz its
        orientation, without BODY. where `body` names it. Any other column is a joint of its name.
        BODY.vx .. .vz and BODY.wx .. .wz, in world axes, of the first row are the initial velocity,
        and the first pose the initial one; see also started(). Times count from the first row.
        Separators are commas, semicolons or tabs, and beside the latter two numbers may have decimal
        commas; an empty cell is a missing value, and # begins a comment. `length_unit` [m] and
        `time_unit` [s] are those of the file, such as 0.001 for millimetres; angles are in rad.
        `options` are those of Motion. Raises ParseError with file, line and remedy.
        """
        path = file_path(path, "path")
        times, bodies, joints, start = motion_files.read_csv(path, body, length_unit, time_unit)
        overrides = {**start, **(options.pop("overrides", None) or {})}
        options.setdefault("name", os.path.basename(path))
        return cls(times, bodies, joints, overrides=overrides, **options)

    @classmethod
    def from_tum(cls, path: Path, body: str, *, length_unit: float = 1.0, time_unit: float = 1.0,
                 **options) -> "Motion":
        """Reads a trajectory in the TUM format: lines `timestamp tx ty tz qx qy qz qw` [s, m].

        A first line may have these names. `body` names the body of the scene, whose axes are those
        of the trajectory. Times count from the first line; `options` and units are as in from_csv().
        The initial velocity is that of the scene, or of started(). Raises ParseError with file, line
        and remedy.
        """
        path = file_path(path, "path")
        times, positions, quaternions = motion_files.read_tum(path, body, length_unit, time_unit)
        options.setdefault("name", os.path.basename(path))
        return cls(times, {body: (positions, quaternions)}, **options)

    def started(self, rows: int = 6, gravity=(0.0, 0.0, -9.81)) -> "Motion":
        """Returns a copy that starts with the measured poses and velocities of all its bodies.

        They follow by least squares from the first `rows` measurements, as free flight: constant
        `gravity` [3] [m/s^2] and angular velocity. A body that rests or slides evenly needs
        `gravity=(0, 0, 0)`. The scene's pose and velocity of bodies at the start (`overrides`) are
        replaced. Raises ValueError where fewer than three of these rows have all numbers.
        """
        rows, gravity = whole(rows, "started: rows", 1), floats(gravity, "started: gravity")
        if gravity.shape != (3,) or not np.isfinite(gravity).all():
            raise ValueError("started: gravity must be three finite numbers")
        copy = Motion.__new__(Motion)
        vars(copy).update(vars(self))
        copy.overrides = dict(self.overrides)
        for name, position in self.positions.items():
            quaternion = self.quaternions.get(name)
            table = position if quaternion is None else np.hstack([position, quaternion])
            used = np.flatnonzero(~np.isnan(table[:rows]).any(axis=1))
            if used.size < 3:
                raise ValueError(f"started() needs three whole measurements of {name!r} in the "
                                 f"first {rows} rows, not {used.size}")
            t = self.times[used]
            basis = np.column_stack([np.ones(t.size), t])
            fall = 0.5 * np.outer(t**2, gravity)
            start, velocity = np.linalg.lstsq(basis, position[used] - fall, rcond=None)[0]
            pose, speeds = {"position": start}, {"linear": velocity}
            if quaternion is not None:
                first = np.repeat(quaternion[used[:1]], t.size, axis=0)
                # In world axes; small angles, so that the first orientation is their common origin.
                turned = world_rotation_vectors(first, quaternion[used])
                offset, speeds["angular"] = np.linalg.lstsq(basis, turned, rcond=None)[0]
                pose["quat_wxyz"] = rotated(first[0], offset)
            copy.overrides[f"bodies.{_path_part(name)}.pose"] = pose
            copy.overrides[f"bodies.{_path_part(name)}.velocity"] = speeds
        return copy

    def __repr__(self):
        names = ", ".join([*self.positions, *self.joints])
        return f"Motion({names}: {self.times.size} times to {self.times[-1]:g} s)"


def _at(wanted, times, rows):
    """Returns rows [n, m] at other times, linear between theirs [n]."""
    return np.column_stack([np.interp(wanted, times, column) for column in rows.T])


def _orientations_at(wanted, times, rows):
    """Returns quaternions at other times, linear between those of the times [n, 4]."""
    # Both signs are one orientation; neighbours in time get the same one.
    flips = np.sign(np.einsum("ij,ij->i", rows[1:], rows[:-1]))
    signs = np.cumprod(np.where(flips < 0.0, -1.0, 1.0))
    found = _at(wanted, times, np.vstack([rows[:1], rows[1:] * signs[:, None]]))
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def simulate(scene: Scene, motion: Motion, overrides: Mapping[str, object], meshes=None):
    """Returns (the simulated motion at the times of a measured one, steps without the law asked).

    Between steps positions are linear in time. `meshes`, a _Meshes of this scene, keeps its meshes
    from one simulation to the next. Raises what load_scene and Simulator raise,
    UnknownNameError for a name that the scene does not have, and ValueError for a joint without one
    coordinate.
    """
    simulator = Simulator(_override_scene(scene, {**overrides, **motion.overrides}, meshes),
                          threads=1)
    if motion.start is not None:
        simulator.set_state(*motion.start)
    if motion.controller is not None:
        simulator.set_controller(motion.controller)
    end = motion.times[-1]
    rows, weaker = _track(simulator, end, list(motion.positions), list(motion.joints), MOST_STEPS)
    times = rows[:, 0]
    if times[-1] < end:
        raise ValueError(f"{motion!r} takes more than {MOST_STEPS} steps; make the step larger, or "
                         "read the file in its unit of time, such as time_unit=1e-9")
    bodies = {}
    for i, name in enumerate(motion.positions):
        own = rows[:, 1 + 7 * i:8 + 7 * i]
        bodies[name] = _at(motion.times, times, own[:, :3])
        if name in motion.quaternions:
            bodies[name] = bodies[name], _orientations_at(motion.times, times, own[:, 3:])
    positions = rows[:, 1 + 7 * len(motion.positions):]
    joints = {name: np.interp(motion.times, times, positions[:, i])
              for i, name in enumerate(motion.joints)}
    return Motion(motion.times, bodies, joints, name=motion.name), weaker


def rotation_vectors(a, b):
    """Returns rotation vectors [n, 3] from orientations a to b (quaternions [n, 4]) [rad]."""
    w = np.einsum("ij,ij->i", a, b)
    axis = a[:, :1] * b[:, 1:] - b[:, :1] * a[:, 1:] - np.cross(a[:, 1:], b[:, 1:])
    axis *= np.where(w < 0.0, -1.0, 1.0)[:, None]
    sine = np.linalg.norm(axis, axis=1)
    angle = 2.0 * np.arctan2(sine, np.abs(w))
    factor = np.where(sine > 1e-12, angle / np.where(sine > 1e-12, sine, 1.0), 2.0)
    return axis * factor[:, None]


def world_rotation_vectors(a, b):
    """Returns rotation vectors [n, 3] in world axes from orientations a to b (quaternions [n, 4])."""
    vectors = rotation_vectors(a, b)  # in the axes of a
    w, axis = a[:, :1], a[:, 1:]
    return vectors + 2.0 * np.cross(axis, np.cross(axis, vectors) + w * vectors)


def rotated(quaternion, vector):
    """Returns an orientation (quaternion [4]) turned by a rotation vector [3] in world axes."""
    angle = np.linalg.norm(vector)
    c, s = np.cos(0.5 * angle), 0.5 * np.sinc(0.5 * angle / np.pi) * np.array(vector)
    w, axis = quaternion[0], quaternion[1:]
    return np.array([c * w - s @ axis, *(c * axis + w * s + np.cross(s, axis))])


def pose_residual(simulated: Motion, measured: Motion, length: float):
    """Returns simulated minus measured positions [m], rotations times a length [m], and positions
    of joints [rad or m], in the order of the motion's names."""
    parts = [simulated.positions[name] - position for name, position in measured.positions.items()]
    parts += [length * rotation_vectors(quaternion, simulated.quaternions[name])
              for name, quaternion in measured.quaternions.items()]
    parts += [simulated.joints[name] - position for name, position in measured.joints.items()]
    return np.concatenate([part.ravel() for part in parts])


def number_of_workers(threads: int, tasks: int) -> int:
    """Returns the number of threads to use, 0 being one per processor, at most one per task."""
    return max(1, min(threads or len(os.sched_getaffinity(0)), tasks, 64))


def t_quantile(confidence: float, freedom: int) -> float:
    """Returns the two-sided quantile of Student's distribution."""
    from scipy import stats
    return float(stats.t.ppf(0.5 + 0.5 * confidence, freedom)) if freedom > 0 else math.inf
