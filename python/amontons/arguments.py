"""Arrays of numbers that users give."""
import numpy as np


def floats(value, name):
    """Returns a new array of floats. Raises TypeError for complex numbers, times and Python objects
    of NumPy, which a conversion would accept."""
    dtype = getattr(value, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind in "cmMOV":
        raise TypeError(f"{name} must be real numbers, not of the type {dtype}")
    return np.array(value, float)
