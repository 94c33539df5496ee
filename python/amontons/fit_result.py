"""What fit() returns: values, their uncertainty, and a report."""
import html
import io

import numpy as np

from .motion import simulate, t_quantile

ZERO = 1e-9  # a singular value below this share of the largest one counts as zero
MOST_NAMED = 9  # curves in a legend


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
    `converged` and `reason` say how the search ended, `simulations` how many it took, and
    `weaker_steps` how many steps of the best one had a weaker law than the one asked. `models` has
    the fits of all models, the best first, and `model` the name.
    """

    def __init__(self, **fields):
        self.models = []
        vars(self).update(fields)
        self.intervals = {name: (value - self.margins[name], value + self.margins[name])
                          for name, value in self.values.items()}
        self.motion_costs = np.array([0.5 * float(r @ r) for r in self.residuals])
        self.cost = float(np.sum(self.motion_costs))
        count = sum(r.size for r in self.residuals)
        self.rms = float(np.sqrt(2.0 * self.cost / count)) if count else np.nan

    def model_shares(self, resamples: int = 2000, seed: int = 0):
        """Returns, for each model, the share of resamples of the motions (bootstrap) in which it
        explains them best. The fitted values stay; one motion alone gives no spread."""
        fits = self.models or [self]
        costs = np.array([fit.motion_costs for fit in fits])
        random = np.random.default_rng(seed)
        drawn = random.integers(costs.shape[1], size=(resamples, costs.shape[1]))
        best = np.argmin(costs[:, drawn].sum(axis=2), axis=0)
        return {fit.model: float(np.mean(best == i)) for i, fit in enumerate(fits)}

    def simulate(self, motions):
        """Returns the motions that the fitted scene makes, at the times of measured ones."""
        return [simulate(self.scene, motion, self.overrides)[0] for motion in motions]

    def __repr__(self):
        lines = [f"Fit: rms residual {self.rms:.4g}, {len(self.residuals)} motions, "
                 f"{self.simulations} simulations, "
                 f"{'converged' if self.converged else 'not converged: ' + self.reason}"]
        for name, value in self.values.items():
            note = "  (at a bound)" if name in self.at_bounds else ""
            lines.append(f"  {name} = {value:.5g} +- {self.margins[name]:.2g} "
                         f"({100 * self.confidence:g} %){note}")
        for direction in self.undetermined:
            shares = ", ".join(f"{share:+.2f} {name}" for name, share in direction.items())
            lines.append(f"  not determined by the data: {shares}")
        if self.weaker_steps:
            lines.append(f"  {self.weaker_steps} steps had a weaker law than the one asked")
        if self.models:
            shares = self.model_shares()
            lines += [f"  {fit.model}: rms residual {fit.rms:.4g}, best in "
                      f"{100 * shares[fit.model]:.0f} % of resamples" for fit in self.models]
        return "\n".join(lines)

    def report(self, path):
        """Writes an HTML page with the values and plots of the residuals of at most 12 motions.

        It needs Matplotlib. Raises OSError where the file cannot be written.
        """
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure
        shown = list(zip(self.data, self.residuals))[:12]
        pictures = []
        for index, (motion, residual) in enumerate(shown):
            figure = Figure(figsize=(8, 2.2), constrained_layout=True)
            axes = figure.add_subplot()
            rows = motion.times.size
            # Parts of the default residual that have all their numbers are shown against time.
            if residual.size % rows == 0:
                width = 3 * (len(motion.positions) + len(motion.quaternions))
                blocks = residual[:rows * width].reshape(-1, rows, 3).transpose(0, 2, 1)
                curves = [*blocks.reshape(-1, rows), *residual[rows * width:].reshape(-1, rows)] \
                    if residual.size >= rows * width else residual.reshape(-1, rows)
                names = [f"{body} {axis}" for body in motion.positions for axis in "xyz"]
                names += [f"{body} about {axis}" for body in motion.quaternions for axis in "xyz"]
                names += list(motion.joints)
                for number, curve in enumerate(curves):
                    axes.plot(motion.times, curve, linewidth=0.9,
                              label=names[number] if len(names) == len(curves) else None)
                if len(names) == len(curves) <= MOST_NAMED:
                    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize="x-small")
                axes.set_xlabel("time [s]")
            else:
                axes.plot(residual, ".", markersize=3)
                axes.set_xlabel("number of the residual")
            axes.axhline(0.0, color="gray", linewidth=0.5)
            axes.set_ylabel("residual")
            axes.set_title(motion.name or f"motion {index}", fontsize="medium")
            text = io.StringIO()
            FigureCanvasSVG(figure).print_svg(text, metadata={"Date": None})
            pictures.append(text.getvalue()[text.getvalue().index("<svg"):])
        rows = "".join(
            f"<tr><td>{html.escape(name)}</td><td>{value:.6g}</td><td>{self.intervals[name][0]:.6g}"
            f" to {self.intervals[name][1]:.6g}</td><td>{self.bounds[name][0]:g} to "
            f"{self.bounds[name][1]:g}</td></tr>" for name, value in self.values.items())
        page = (f"<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><title>Fit</title>"
                f"<style>body{{font-family:sans-serif;max-width:60em;margin:2em auto}}"
                f"td,th{{padding:0.2em 1em;text-align:left}}</style></head><body><h1>Fit</h1>"
                f"<table><tr><th>parameter</th><th>value</th><th>{100 * self.confidence:g} % "
                f"interval</th><th>bounds</th></tr>{rows}</table>"
                f"<pre>{html.escape(repr(self))}</pre><h2>Residuals: simulated minus measured</h2>"
                f"<p>{len(shown)} of {len(self.data)} motions.</p>{''.join(pictures)}"
                "</body></html>")
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)
