"""Correlation of residuals in time: noise of sensors has none, errors of a model have much."""
import numpy as np

from .motion import pose_residual

NOTICED = 0.2  # correlation from which intervals of white noise are too narrow by a fifth
LIMIT = 4.0  # standard deviations of the correlation of white noise


def _blocks(motion, residual, is_default):
    """Returns tables of the residuals of one motion, one row per time, as far as they have rows.

    Missing measurements of the default residual are NaN. A residual of the user's own may have its
    times in rows or in columns: both are returned.
    """
    rows = motion.times.size
    if is_default:
        whole = pose_residual(motion, motion, 1.0)  # zeros, and NaN where something is missing
        whole[~np.isnan(whole)] = residual
        width = 3 * (len(motion.positions) + len(motion.quaternions))
        poses, joints = whole[:rows * width], whole[rows * width:]
        return [[*poses.reshape(-1, rows, 3), *joints.reshape(-1, rows, 1)]]
    if residual.size == 0 or residual.size % rows:
        return []
    return [[residual.reshape(rows, -1)], [residual.reshape(-1, rows).T]]


def lag_correlation(data, residuals, is_default):
    """Returns (correlation of residuals with those of the next time, its number of pairs).

    It is pooled over all motions and components: 0 for white noise, whose correlations have a
    standard deviation of 1 / sqrt(pairs), and near 1 for errors that last. A mean other than zero
    counts as such an error. It is NaN where fewer than two residuals follow each other.
    """
    found = []
    for motion, residual in zip(data, residuals):
        for form, tables in enumerate(_blocks(motion, residual, is_default)):
            if form == len(found):
                found.append(np.zeros(4))
            for table in tables:
                a, b = table[:-1].ravel(), table[1:].ravel()
                both = ~np.isnan(a + b)
                a, b = a[both], b[both]
                found[form] += a @ b, a @ a, b @ b, a.size
    values = [(product / np.sqrt(one * other), int(pairs))
              for product, one, other, pairs in found if one > 0.0 and other > 0.0 and pairs > 1]
    return max(values, default=(np.nan, 0))


def is_noticed(correlation, pairs):
    """Returns true for a correlation that white noise does not have."""
    return pairs > 0 and correlation > max(NOTICED, LIMIT / np.sqrt(pairs))
