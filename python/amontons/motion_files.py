"""Readers of measured motions: CSV and TUM trajectories."""
import math
import os

from ._core import ParseError, _parse_motion
from .scene import _path_part

LARGEST_FILE = 2**30  # [bytes]


def _text(path):
    """Returns a text file. Raises ParseError where it cannot be read."""
    try:
        if not os.path.isfile(path):
            raise ParseError(f"{path}: " + ("is not a file" if os.path.exists(path) else
                                            "the file does not exist; check its path"))
        if os.path.getsize(path) > LARGEST_FILE:
            raise ParseError(f"{path}: has more than 1 GiB; split it into motions")
        with open(path, encoding="utf-8-sig", newline="") as file:
            return file.read()
    except OSError as error:
        raise ParseError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError:
        raise ParseError(f"{path}: is not text; give a file of numbers in UTF-8") from None


def _parsed(path, body, length_unit, time_unit, is_tum):
    for name, unit in (("length_unit", length_unit), ("time_unit", time_unit)):
        if not (isinstance(unit, (int, float)) and math.isfinite(unit) and unit > 0.0):
            raise ValueError(f"{name} must be positive, such as 0.001 for milli, not {unit!r}")
    return _parse_motion(_text(path), os.fspath(path), body, length_unit, time_unit, is_tum)


def read_csv(path, body, length_unit, time_unit):
    """Returns (times, bodies, joints, overrides of the start) of a CSV file of poses."""
    times, measured, joints = _parsed(path, body or "", length_unit, time_unit, False)
    bodies, start = {}, {}
    for name, (positions, quaternions, linear, angular) in measured.items():
        bodies[name] = positions if quaternions is None else (positions, quaternions)
        if linear is None:
            continue
        path = f"bodies.{_path_part(name)}"
        start[f"{path}.pose"] = pose = {"position": positions[0]}
        start[f"{path}.velocity"] = velocity = {"linear": linear}
        if quaternions is not None:
            pose["quat_wxyz"] = quaternions[0]
        if angular is not None:
            velocity["angular"] = angular
    return times, bodies, joints, start


def read_tum(path, body, length_unit, time_unit):
    """Returns (times, positions, quaternions) of a trajectory in TUM's format."""
    times, measured, _ = _parsed(path, body, length_unit, time_unit, True)
    positions, quaternions, _, _ = measured[body]
    return times, positions, quaternions
