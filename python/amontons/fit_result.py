"""What fit() returns: values and their uncertainty."""
import numpy as np

from . import fit_report
from .fit_noise import is_noticed
from .motion import simulate, t_quantile

ZERO = 1e-9  # a singular value below this share of the largest one counts as zero
SAME_MINIMUM = 1e-2  # relative difference of costs


def uncertainty(names, width, u, jacobian, residuals, confidence, errors):
    """Returns the fields of a Fit that follow from the Jacobian at parameters in [0, 1].

    For independent errors the covariance is s^2 (J^T J)^-1 with s^2 = r^T r / (m - n). For errors
    of motions it is the sandwich estimator, clustered by motion.
    A direction that the data do not determine within the bounds has an infinite variance.
    """
    residual = np.concatenate(residuals)
    rows, size = jacobian.shape
    freedom = (len(residuals) if errors == "motions" else rows) - size
    _, singular, V = np.linalg.svd(jacobian, full_matrices=False)
    V = V.T
    variance = float(residual @ residual) / (rows - size) if rows > size else np.inf
    largest = singular[0] if singular.size else 0.0
    open_ones = singular <= ZERO * largest if largest > 0.0 else np.ones(singular.size, bool)
    inverse = np.zeros((size, size))
    for s, v in zip(singular[~open_ones], V[:, ~open_ones].T):
        inverse += np.outer(v, v) / s**2
    if errors == "motions":
        ends = np.cumsum([0, *(r.size for r in residuals)])
        scores = np.array([jacobian[a:b].T @ r for a, b, r in zip(ends, ends[1:], residuals)])
        count = len(residuals)
        covariance = inverse @ (scores.T @ scores) @ inverse * count / max(count - size, 1)
    else:
        covariance = variance * inverse
    # A direction whose standard error exceeds the whole width between the bounds is not determined.
    spread = np.array([np.sqrt(max(v @ covariance @ v, 0.0)) for v in V.T])
    open_ones = open_ones | (spread > 1.0)
    undetermined = [dict(zip(names, v.tolist())) for v in V[:, open_ones].T]
    deviation = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    if np.any(open_ones):
        deviation = np.where(np.max(np.abs(V[:, open_ones]), axis=1) > 1e-3, np.inf, deviation)
    deviation = deviation * width
    t = t_quantile(confidence, freedom)
    return {"covariance": covariance * np.outer(width, width),
            "standard_errors": dict(zip(names, deviation.tolist())),
            "margins": dict(zip(names, (t * deviation).tolist())),
            "singular_values": singular, "undetermined": undetermined, "confidence": confidence,
            "at_bounds": [name for name, x in zip(names, u) if x < 1e-6 or x > 1.0 - 1e-6]}


class Fit:
    """Holds the result of fit().

    `values` maps parameters to their fitted values, `intervals` to (lower, upper) at `confidence`,
    and `standard_errors` to standard deviations; `covariance` [n, n] has the parameters' order.
    `singular_values` [n] are those of the Jacobian by parameters scaled to [0, 1]. `undetermined`
    lists directions, as shares of the parameters, that the data leave open within the bounds, and
    `at_bounds` the parameters at a bound. `residuals` has one array per motion of `data`, `cost` is
    half their sum of squares, and `rms` their root mean square. `overrides` are as in load_scene.
    `residual_correlation` is that of residuals with those of the next time: 0 for white noise, near
    1 where the model errs, so that intervals of errors="independent" are too narrow. `flat` lists
    parameters that have no effect at their value, but elsewhere within the bounds.
    `converged` and `reason` say how the search ended, `simulations` how many it took, and
    `weaker_steps` how many steps of the best one had a weaker law than the one asked. `descents` has
    values, cost and end of the descent from each start. `inertias` maps the bodies whose inertia was
    fitted to objects with `mass` [kg], `center_of_mass` [3] [m], `inertia` [3, 3] [kg m^2] about it,
    `first_moment` [3] [kg m], `inertia_about_origin` [3, 3] [kg m^2], and `standard_errors` of each
    by its name, infinite for what the data do not determine.
    """

    def __init__(self, **fields):
        vars(self).update(fields)
        self.intervals = {name: (value - self.margins[name], value + self.margins[name])
                          for name, value in self.values.items()}
        self.motion_costs = np.array([0.5 * float(r @ r) for r in self.residuals])
        self.cost = float(np.sum(self.motion_costs))
        count = sum(r.size for r in self.residuals)
        self.rms = float(np.sqrt(2.0 * self.cost / count)) if count else np.nan

    @property
    def correlations(self):
        """Correlations of the parameters [n, n], zero where one has no variance."""
        deviation = np.sqrt(np.maximum(np.diag(self.covariance), 0.0))
        scale = np.divide(1.0, deviation, out=np.zeros_like(deviation), where=deviation > 0.0)
        return self.covariance * np.outer(scale, scale)

    @property
    def has_correlated_residuals(self):
        """True where residuals depend on those before them, so that the intervals are too narrow."""
        return self.errors == "independent" and is_noticed(self.residual_correlation,
                                                           self.residual_pairs)

    def _noise(self):
        """Returns the sentence on residuals that depend on each other."""
        return (f"  residuals are correlated in time ({self.residual_correlation:.2f}): the intervals "
                "hold for white noise alone; errors=\"motions\" takes those of a motion as dependent, "
                "and needs more motions than parameters")

    def simulate(self, motions):
        """Returns the motions that the fitted scene makes, at the times of measured ones."""
        return [simulate(self.scene, motion, self.overrides)[0] for motion in motions]

    def __repr__(self):
        lines = [f"Fit: rms residual {self.rms:.4g}, {len(self.residuals)} "
                 f"motion{'s' * (len(self.residuals) != 1)}, "
                 f"{self.simulations} simulations, "
                 f"{'converged' if self.converged else 'not converged: ' + self.reason}"]
        own = [f"{body}." for body in self.inertias]
        for name, value in self.values.items():
            if name.startswith(tuple(own)) and name.rpartition(".")[0] in self.inertias:
                continue  # shown as mass, center and inertia
            note = "  (at a bound)" if name in self.at_bounds else ""
            lines.append(f"  {name} = {value:.5g} +- {self.margins[name]:.2g} "
                         f"({100 * self.confidence:g} %){note}")
        lines += [f"  {body}: {found!r}" for body, found in self.inertias.items()]
        for direction in self.undetermined:
            shares = ", ".join(f"{share:+.2f} {name}" for name, share in direction.items()
                               if abs(share) > 5e-3)
            lines.append(f"  not determined by the data: {shares}")
        lines += [f"  {name} has no effect about this value, but elsewhere within the bounds: narrow "
                  "them, let the scene start near, or use search=\"global\"" for name in self.flat]
        lines += [self._noise()] if self.has_correlated_residuals else []
        if len(self.descents) > 1:
            ended = sum(one["cost"] <= (1.0 + SAME_MINIMUM) * self.cost for one in self.descents)
            lines.append(f"  {ended} of {len(self.descents)} descents ended within "
                         f"{100 * SAME_MINIMUM:g} % of this sum of squares"
                         + ("; the search about the best one found a deeper minimum" * (not ended)))
        if self.weaker_steps:
            lines.append(f"  {self.weaker_steps} steps had a weaker law than the one asked")
        return "\n".join(lines)

    def report(self, path, force=False):
        """Writes an HTML page with the values, their correlations, and plots of the residuals of at
        most 12 motions.

        It needs Matplotlib. Raises OSError where the file cannot be written, and ParseError without
        `force` for a file that is no page of Amontons.
        """
        fit_report.write_page(path, "Fit", fit_report.fit_body(self), force)
