"""Readers of measured motions: CSV, TUM trajectories, planar pushes in HDF5."""
import csv
import math
import os
import re

import numpy as np

from ._core import ParseError

LARGEST_FILE = 2**30  # [bytes]
LARGEST_ROWS = 10_000_000
POSITION, QUATERNION = ("x", "y", "z"), ("qw", "qx", "qy", "qz")
LINEAR, ANGULAR = ("vx", "vy", "vz"), ("wx", "wy", "wz")
POSE_NAMES = {*POSITION, *QUATERNION, *LINEAR, *ANGULAR}
TIMES = ("t", "time", "timestamp")


def _lines(path):
    """Returns the lines of a text file. Raises ParseError where it cannot be read."""
    try:
        if not os.path.isfile(path):
            raise ParseError(f"{path}: " + ("is not a file" if os.path.exists(path) else
                                            "the file does not exist; check its path"))
        if os.path.getsize(path) > LARGEST_FILE:
            raise ParseError(f"{path}: has more than 1 GiB; split it into motions")
        with open(path, encoding="utf-8-sig", newline=None) as file:
            return file.read().splitlines()
    except OSError as error:
        raise ParseError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError:
        raise ParseError(f"{path}: is not text; give a file of numbers in UTF-8") from None


def _number(path, line, name, text):
    """Returns a number, NaN where it is missing."""
    text = text.strip()
    if text == "" or text.lower() == "nan":
        return math.nan
    try:
        value = float(text)
    except ValueError:
        raise ParseError(f"{path}:{line}: {name} is {text[:40]!r}, not a number") from None
    if math.isinf(value):
        raise ParseError(f"{path}:{line}: {name} is infinite; leave a missing value empty")
    return value


def _checked_times(path, lines, times, unit):
    """Returns times from 0 on [s]. Raises ParseError where they do not ascend."""
    for i, (line, time) in enumerate(zip(lines, times)):
        if math.isnan(time):
            raise ParseError(f"{path}:{line}: has no time; give each row its time")
        if i and time <= times[i - 1]:
            raise ParseError(f"{path}:{line}: the time {time:.17g} does not follow the time "
                             f"{times[i - 1]:.17g}; sort the rows and remove repeated ones")
    # The difference comes first: times since 1970 in nanoseconds have no digits to spare.
    times = (np.array(times) - times[0]) * unit
    if np.any(np.diff(times) <= 0.0):
        raise ParseError(f"{path}: times are closer than a double tells apart; check time_unit")
    return times


def _checked_quaternions(path, lines, quaternions, what):
    norm = np.linalg.norm(quaternions, axis=1)
    for line, size in zip(lines, norm):
        if size < 1e-3 or size > 1e3:
            raise ParseError(f"{path}:{line}: the quaternion {what} has the norm {size:.3g}; "
                             "a missing one is left empty")
    return quaternions


def _check_units(length_unit, time_unit):
    for name, unit in (("length_unit", length_unit), ("time_unit", time_unit)):
        if not (isinstance(unit, (int, float)) and math.isfinite(unit) and unit > 0.0):
            raise ValueError(f"{name} must be positive, such as 0.001 for milli, not {unit!r}")


def _rows(path, lines):
    """Returns (names, line numbers, rows of numbers) of a CSV file with a header."""
    numbered = [(i, line) for i, line in enumerate(lines, 1)
                if line.strip() and not line.lstrip().startswith("#")]
    if len(numbered) < 2:
        raise ParseError(f"{path}: has no rows; it needs a line of names, such as t,x,y,z, and rows")
    if len(numbered) > LARGEST_ROWS:
        raise ParseError(f"{path}: has more than {LARGEST_ROWS} rows; split it into motions")
    head_line, head = numbered[0]
    delimiter = max(",;\t", key=head.count)
    names = [name.strip() for name in next(csv.reader([head], delimiter=delimiter))]
    if all(re.fullmatch(r"[-+.\deE]*", name) for name in names):
        raise ParseError(f"{path}:{head_line}: the first line holds numbers; begin the file with "
                         "the names of the columns, such as t,x,y,z,qw,qx,qy,qz")
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ParseError(f"{path}:{head_line}: column {repeated[0]!r} occurs twice; rename one")
    values = []
    for line, text in numbered[1:]:
        cells = next(csv.reader([text], delimiter=delimiter))
        if len(cells) != len(names):
            raise ParseError(f"{path}:{line}: has {len(cells)} values for {len(names)} columns")
        values.append([_number(path, line, name, cell) for name, cell in zip(names, cells)])
    return head_line, names, [line for line, _ in numbered[1:]], values


def _grouped(path, head_line, names, body):
    """Returns ({body: {part: column}}, {joint: column}, column of the time)."""
    bodies, joints, time = {}, {}, None
    for column, name in enumerate(names):
        owner, _, part = name.rpartition(".")
        if part in POSE_NAMES and (owner or body is not None):
            bodies.setdefault(owner or body, {})[part] = column
        elif part in POSE_NAMES:
            raise ParseError(f"{path}:{head_line}: column {name!r} does not name its body; write "
                             f"BODY.{part}, or give body=")
        elif name.lower() in TIMES:
            if time is not None:
                raise ParseError(f"{path}:{head_line}: there are two columns of times")
            time = column
        else:
            joints[name] = column
    if time is None:
        raise ParseError(f"{path}:{head_line}: there is no column t; it holds the time of each row")
    for owner, parts in bodies.items():
        for group, needed in ((POSITION, True), (QUATERNION, False), (LINEAR, False),
                              (ANGULAR, False)):
            missing = [part for part in group if part not in parts]
            if missing and (needed or len(missing) < len(group)):
                raise ParseError(f"{path}:{head_line}: body {owner!r} has no column "
                                 f"{missing[0]!r}; it needs all of {', '.join(group)}")
        if ANGULAR[0] in parts and QUATERNION[0] not in parts:
            raise ParseError(f"{path}:{head_line}: body {owner!r} has angular velocities and no "
                             "quaternions; give both")
    return bodies, joints, time


def read_csv(path, body, length_unit, time_unit):
    """Returns (times, bodies, joints, overrides of the start) of a CSV file of poses."""
    _check_units(length_unit, time_unit)
    head_line, names, lines, values = _rows(path, _lines(path))
    columns, joint_columns, time_column = _grouped(path, head_line, names, body)
    table = np.array(values)
    times = _checked_times(path, lines, [row[time_column] for row in values], time_unit)
    bodies, start = {}, {}
    for name, parts in columns.items():
        position = table[:, [parts[part] for part in POSITION]] * length_unit
        quaternion = None
        if QUATERNION[0] in parts:
            quaternion = _checked_quaternions(
                path, lines, table[:, [parts[part] for part in QUATERNION]], f"of {name!r}")
        bodies[name] = position if quaternion is None else (position, quaternion)
        if LINEAR[0] in parts:
            velocity = {"linear": table[0, [parts[part] for part in LINEAR]] *
                        (length_unit / time_unit)}
            if ANGULAR[0] in parts:
                velocity["angular"] = table[0, [parts[part] for part in ANGULAR]] / time_unit
            first = np.concatenate([position[0], *velocity.values(),
                                    [] if quaternion is None else quaternion[0]])
            if np.any(np.isnan(first)):
                raise ParseError(f"{path}:{lines[0]}: the first pose or velocity of {name!r} is "
                                 "missing; the motion starts with it")
            pose = {"position": position[0]}
            if quaternion is not None:
                pose["quat_wxyz"] = quaternion[0]
            start[f"bodies.{name}.pose"], start[f"bodies.{name}.velocity"] = pose, velocity
    joints = {name: table[:, column] for name, column in joint_columns.items()}
    if not bodies and not joints:
        raise ParseError(f"{path}:{head_line}: there is a time and nothing else; add columns such "
                         "as cube.x or the name of a joint")
    return times, bodies, joints, start


def read_tum(path, body, length_unit, time_unit):
    """Returns (times, positions, quaternions) of a trajectory in TUM's format."""
    _check_units(length_unit, time_unit)
    names = ("the time", "tx", "ty", "tz", "qx", "qy", "qz", "qw")
    lines, values = [], []
    for line, text in enumerate(_lines(path), 1):
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        cells = text.replace(",", " ").split()
        if len(cells) != 8:
            raise ParseError(f"{path}:{line}: has {len(cells)} values; a line has 8: "
                             "timestamp tx ty tz qx qy qz qw")
        lines.append(line)
        values.append([_number(path, line, name, cell) for name, cell in zip(names, cells)])
    if not values:
        raise ParseError(f"{path}: has no lines: timestamp tx ty tz qx qy qz qw")
    table = np.array(values)
    times = _checked_times(path, lines, [row[0] for row in values], time_unit)
    quaternions = _checked_quaternions(path, lines, table[:, [7, 4, 5, 6]], f"of {body!r}")
    return times, table[:, 1:4] * length_unit, quaternions
