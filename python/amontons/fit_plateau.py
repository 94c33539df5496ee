"""Parameters without effect where a search has ended: open, or on a plateau of the sum of squares."""
import numpy as np

# Values of a parameter within its bounds: evenly spread, and towards the lower one, where numbers such
# as friction have their effect in bounds that are too wide.
PROBES = np.concatenate([[1e-3, 4e-3, 16e-3], (np.arange(8) + 0.5) / 8])
ALONE = 0.99  # share of a direction that makes it one of a single parameter


def alone(directions, size):
    """Returns the numbers of parameters that directions, rows of shares, consist of alone."""
    rows = np.abs(np.asarray(directions, float).reshape(-1, size))
    return [int(np.argmax(row)) for row in rows if np.max(row) > ALONE]


def without_slope(jacobian):
    """Returns the numbers of parameters that move no residual."""
    moved = np.max(np.abs(jacobian), axis=0, initial=0.0)
    return np.flatnonzero(moved <= 1e-9 * np.max(moved, initial=0.0)).tolist()


def probes(u, k):
    """Returns points that differ from one by the value of a parameter, spread over its bounds."""
    points = np.tile(u, (PROBES.size, 1))
    points[:, k] = PROBES
    return points


def are_apart(problem, u, k, rise):
    """Returns true if the sum of squares tells other values of a parameter from its value: by more
    than `rise` of half of it, or because the motions diverge."""
    here = problem.cost_of(u, problem.at([u], bounded=False)[0])
    others = problem.at(probes(u, k), bounded=False)
    rounding = 1e-9 * here
    return any(residuals is None or abs(problem.cost_of(point, residuals) - here) > rise + rounding
               for point, residuals in zip(probes(u, k), others))
