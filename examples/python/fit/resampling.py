"""Friction of all tosses, with an interval by resampling the tosses."""
import amontons as am
import numpy as np

LOW, HIGH = 0.12, 0.3  # frictions that are tried
RESAMPLES = 5000


def least_sum(scene, motions, name, fixed, step, length, threads=0):
    """Returns (value, lower, upper) of a number of the scene: the value of the least sum of squares
    over all motions, and 95 % of those over resamples of the motions (bootstrap).

    Values are `step` apart. The sum of squares is rugged where bodies tumble, and few motions decide
    which of its minima is the deepest: resamples know of all minima, a parabola about one does not.
    """
    values = np.arange(LOW, HIGH + 0.5 * step, step)
    # Each value is a model without parameters.
    tried = am.fit_models(scene, motions, {},
                          {str(i): ({**fixed, name: float(x)}, {}) for i, x in enumerate(values)},
                          length=length, threads=threads)
    costs = np.array([tried.costs[str(i)] for i in range(values.size)])
    count = len(motions)
    drawn = np.random.default_rng(0).multinomial(count, np.full(count, 1.0 / count), RESAMPLES)
    found = values[np.argmin(costs @ drawn.T, axis=0)]
    low, high = np.percentile(found, [2.5, 97.5])
    return float(values[np.argmin(costs.sum(axis=1))]), float(low), float(high)
