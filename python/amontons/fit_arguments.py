"""Checks of the arguments of fit() and fit_models()."""
import numpy as np

from .arguments import (floats, function, mapping, names_of, number, one_of, positive, shown, text,
                        whole)
from .motion import Motion

SMALLEST_DIFFERENCE = 1e-5  # of the bounds' width: far above rounding


def motions_of(data, name="fit: data"):
    """Returns motions as a list; a single one may be given as it is. Raises ValueError for anything
    else."""
    motions = [data] if isinstance(data, Motion) else list(data) if np.iterable(data) else []
    if not motions or not all(isinstance(motion, Motion) for motion in motions):
        raise ValueError(f"{name} must be motions, such as [am.Motion(times, bodies=...)]")
    return motions


def bounds_of(parameters, name="fit: parameters"):
    """Returns {parameter: (low, high)}. Raises TypeError for anything but a dict of numbers, and
    ValueError for bounds that are not two ascending numbers."""
    found = {}
    for own, bounds in mapping(parameters, name, "{'materials.wood.friction': (0.05, 1)}").items():
        text(own, f"{name}: a path")
        pair = floats(bounds, f"fit: bounds of {own!r}")
        if pair.shape != (2,) or not np.isfinite(pair).all() or not pair[0] < pair[1]:
            raise ValueError(f"fit: bounds of {own!r} must be two ascending numbers, "
                             f"not {shown(bounds)}")
        found[own] = tuple(pair.tolist())
    return found


def _check_numbers(options):
    """Raises TypeError and ValueError for options that are no numbers, or out of bounds."""
    for name in ("starts", "samples", "generations", "max_iterations", "max_simulations"):
        whole(options[name], f"fit: {name}", 1)
    for name in ("threads", "seed"):
        whole(options[name], f"fit: {name}", 0)
    positive(options["length"], "fit: length")
    if not 0.0 < number(options["confidence"], "fit: confidence") < 1.0:
        raise ValueError("fit: confidence must be within (0, 1)")
    if not SMALLEST_DIFFERENCE <= number(options["difference"], "fit: difference") <= 0.5:
        raise ValueError(f"fit: difference must be within [{SMALLEST_DIFFERENCE:g}, 0.5]")
    if not 0.0 < number(options["inertia_width"], "fit: inertia_width") <= 3.0:
        raise ValueError("fit: inertia_width must be within (0, 3]; 1 allows masses of about a "
                         "seventh to seven times that of the scene")


def check_arguments(data, parameters, options, may_be_empty=False):
    """Raises TypeError and ValueError for arguments that make no sense."""
    inertias = options["inertias"]
    if (inertias is None or isinstance(inertias, str)
            or len(set(names_of(inertias, "fit: inertias"))) != len(inertias)):
        raise ValueError("fit: inertias must be a list of different bodies, such as ['link']")
    if not parameters and not inertias and not may_be_empty:
        raise ValueError("fit: parameters must have a path and its bounds, such as "
                         "{'materials.wood.friction': (0.05, 1)}")
    _check_numbers(options)
    one_of(options["search"], "fit: search", ("local", "global"))
    one_of(options["errors"], "fit: errors", ("independent", "motions"))
    for name in ("overrides", "residual"):
        function(options[name], f"fit: {name}")
    count = len(parameters) + 10 * len(inertias)
    if options["errors"] == "motions" and len(data) <= count:
        raise ValueError("fit: errors='motions' needs more motions than parameters")
