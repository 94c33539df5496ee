"""Checks of what users give to functions: each error names the argument and what it must be."""
import json
import os
import reprlib
from collections.abc import Mapping
from numbers import Integral

import numpy as np

from ._core import Scene, Simulator, _require_real

MOST_CORNERS = 1000  # of a friction polygon: more take minutes


def floats(value, name):
    """Returns a new array of floats. Raises TypeError for what holds no real numbers, such as texts,
    complex numbers and times, and ValueError for rows of several lengths and integers too large."""
    _require_real(value, name)
    dtype = getattr(value, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind not in "fiub":
        raise TypeError(f"{name} must be real numbers, not of the type {dtype}")
    try:
        array = np.array(value)
        if array.dtype.kind in "fiub" or array.dtype.kind == "O":
            return np.array(value, float)
    except OverflowError:
        raise ValueError(f"{name} has a number that is too large for a float") from None
    except ValueError:
        raise ValueError(f"{name} must be an array, its rows of one length, not "
                         f"{shown(value)}") from None
    except TypeError:
        pass
    raise TypeError(f"{name} must be real numbers, not {shown(value)}")


def file_path(value, name):
    """Returns a path as a text. Raises TypeError for other types, ValueError for one that no file
    can have."""
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{name} must be a path, not {shown(value)}")
    path = os.fspath(value)
    if isinstance(path, bytes):
        raise TypeError(f"{name} must be a path of text, not of bytes: {shown(path)}")
    if "\0" in path:
        raise ValueError(f"{name} holds a null character: {path!r}")
    try:
        path.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{name} is no Unicode text: {path!r}") from None
    return path


def names_of(value, name, usual=()):
    """Returns names as a list, `usual` for None. Raises ValueError for a single text, TypeError for
    what is no list of texts."""
    if value is None:
        return list(usual)
    if isinstance(value, str):
        raise ValueError(f"{name} must be a list of names, such as [{value!r}]")
    try:
        found = list(value)
    except TypeError:
        found = [None]
    if not all(isinstance(one, str) for one in found):
        raise TypeError(f"{name} must be a list of names, not {shown(value)}")
    return found


def mapping(value, name, example, is_optional=True):
    """Returns a dict, an empty one for None where that stands for it. Raises TypeError for anything
    but a mapping."""
    if value is None and is_optional:
        return {}
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} must be a dict, such as {example}, not {shown(value)}")
    return dict(value)


def number(value, name):
    """Returns a float. Raises TypeError for what is no real number, ValueError for NaN."""
    try:
        no_number = value is None or isinstance(value, (list, tuple, bool, np.bool_))
        found = None if no_number else floats(value, name)
    except TypeError:
        found = None
    if found is None or found.ndim > 0:
        raise TypeError(f"{name} must be a number, not {shown(value)}")
    if np.isnan(found):
        raise ValueError(f"{name} must be a number, not nan")
    return float(found)


def positive(value, name):
    """Returns a float. Raises TypeError for what is no real number, ValueError for one that is not
    positive and finite."""
    found = number(value, name)
    if not 0 < found < np.inf:
        raise ValueError(f"{name} must be positive and finite, not {shown(value)}")
    return found


def whole(value, name, least=None, most=None):
    """Returns an int. Raises TypeError for what is no whole number, ValueError for one that is less
    than `least` or more than `most`."""
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise TypeError(f"{name} must be a whole number, not {shown(value)}")
    if least is not None and value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, not {shown(value)}")
    if most is not None and value > most:
        raise ValueError(f"{name} must be a whole number of at most {most}, not {shown(value)}")
    return int(value)


def corners(value, name):
    """Returns the number of corners of a friction polygon. Raises TypeError for what is no whole
    number, ValueError for one that is not within 3 and MOST_CORNERS."""
    return whole(value, name, 3, MOST_CORNERS)


def text(value, name):
    """Returns a text. Raises TypeError for anything else."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a text, not {shown(value)}")
    return value


def one_of(value, name, choices):
    """Returns a text. Raises ValueError for what is none of the choices."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be {' or '.join(map(repr, choices))}, not {shown(value)}")
    return value


def function(value, name):
    """Returns a function or None. Raises TypeError for anything else."""
    if value is not None and not callable(value):
        raise TypeError(f"{name} must be a function, not {shown(value)}")
    return value


def simulator(value, name):
    """Returns a Simulator. Raises TypeError for anything else."""
    if not isinstance(value, Simulator):
        raise TypeError(f"{name} must be a Simulator, not {shown(value)}")
    return value


def scene(value, name):
    """Returns a Scene. Raises TypeError for anything else."""
    if not isinstance(value, Scene):
        raise TypeError(f"{name} must be a Scene, not {kind(value)}")
    return value


def json_text(value, name, default, indent=None):
    """Returns a value as JSON. `default` makes what JSON lacks plain. Raises TypeError for lists and
    dicts that contain themselves or have hundreds of levels."""
    try:
        return json.dumps(value, indent=indent, default=default)
    except (ValueError, RecursionError):
        raise TypeError(f"{name} must not contain itself, nor have hundreds of levels") from None


def kind(value):
    """Returns the name of a value's type for an error; of a type its own."""
    return f"the type {value.__name__}" if isinstance(value, type) else type(value).__name__


def shown(value):
    """Returns what a value looks like in an error: its beginning where it is long."""
    text = reprlib.repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
