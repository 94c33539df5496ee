"""Contact models compared by how well they explain measured motions."""
import html
from concurrent.futures import ThreadPoolExecutor
from typing import Mapping, Optional, Sequence, Union

import numpy as np

from . import fit_report
from ._core import DivergenceError, Scene
from .arguments import mapping, names_of, one_of, positive
from .arguments import scene as checked_scene
from .fit import fit_defaults, fit_one
from .fit_arguments import bounds_of, check_arguments, motions_of
from .fit_problem import residual_of
from .interrupts import map_on
from .motion import Motion, number_of_workers, pose_residual, rotation_vectors, simulate

RESAMPLES = 5000
ONE_MOTION = "A single motion gives no intervals and no shares; more motions are needed."
KINDS = ("position_errors", "rotation_errors", "joint_errors", "costs")  # of motions


def pose_errors(simulated: Motion, measured: Motion):
    """Returns (position [m], rotation [rad], joints [rad or m]): mean errors over what is measured.

    An error is the distance, the angle between the orientations, or the difference. It is NaN
    where nothing of its kind is measured.
    """
    distance = [np.linalg.norm(simulated.positions[name] - position, axis=1)
                for name, position in measured.positions.items()]
    angle = [np.linalg.norm(rotation_vectors(quaternion, simulated.quaternions[name]), axis=1)
             for name, quaternion in measured.quaternions.items()]
    joint = [np.abs(simulated.joints[name] - position)
             for name, position in measured.joints.items()]

    def mean(parts):
        values = np.concatenate(parts) if parts else np.zeros(0)
        values = values[~np.isnan(values)]
        return float(values.mean()) if values.size else np.nan

    return mean(distance), mean(angle), mean(joint)


def _entries(models, parameters):
    """Returns {label: (overrides, parameters)} of all models."""
    if isinstance(models, str) or not models:
        raise ValueError("fit_models: models must be names or a dict of overrides, such as "
                         "['coulomb', 'convex-relaxation']")
    if not isinstance(models, Mapping):
        models = names_of(models, "fit_models: models")
        if len(set(models)) != len(models):
            raise ValueError("fit_models: a model is named twice")
        models = {name: {"simulation.model": name} for name in models}
    found = {}
    for label, entry in models.items():
        fixed, own = entry if isinstance(entry, tuple) and len(entry) == 2 else (entry, parameters)
        found[label] = (mapping(fixed, f"fit_models: model {label!r}", "{\"simulation.step\": 0.01}"),
                        bounds_of(own, "fit_models: parameters"))
    return found


def _judged(scene, fit, motions, residual, threads):
    """Returns {kind: errors of all motions} of a fitted model, and its weaker steps."""
    def one(motion):
        try:
            simulated, weaker = simulate(scene, motion, fit.overrides)
        except DivergenceError:
            return (np.inf, np.inf, np.inf, np.inf, 0)
        values = residual_of(residual, simulated, motion)
        cost = 0.5 * float(np.sum(values[~np.isnan(values)]**2))
        return (*pose_errors(simulated, motion), cost, weaker)

    workers = number_of_workers(threads, len(motions))
    with ThreadPoolExecutor(workers) as pool:
        found = np.array(map_on(pool, one, motions))
    return (*found[:, :4].T, int(found[:, 4].sum()))


def _unit_of_positions(width):
    """Returns (unit, its number per metre). Raises TypeError and ValueError for a width that is no
    positive number."""
    if width is None:
        return "mm", 1000.0
    return "% of width", 100.0 / positive(width, "width")


class ModelComparison:
    """Holds the result of fit_models().

    `fits` maps models to their Fit, the best first. Of the motions that judge them, `motions`, and
    for each model, `position_errors` [n] [m], `rotation_errors` [n] [rad] and `joint_errors` [n]
    [rad or m] have the mean error of each motion over its measurements, NaN where nothing of the
    kind is measured; `costs` [n] has half the sum of squares of the residuals. A motion that
    diverges has infinite ones. `weaker_steps` counts steps with a weaker law than the one asked.
    `held_out` is true where the motions were not fitted.
    """

    def __init__(self, **fields):
        vars(self).update(fields)

    def _resampled(self, values, resamples, seed):
        """Returns means over resamples of the motions (bootstrap), the same for each model."""
        random = np.random.default_rng(seed)
        return values[random.integers(values.size, size=(resamples, values.size))].mean(axis=1)

    def interval(self, values, confidence: float = 0.95, seed: int = 0):
        """Returns (mean, lower, upper) of errors of motions, by bootstrap over the motions.

        The fitted values stay. One motion alone has no spread: its bounds are NaN.
        """
        values = np.asarray(values, float)
        if values.size < 2:
            return float(values.mean()), np.nan, np.nan
        means = self._resampled(values, RESAMPLES, seed)
        low, high = np.percentile(means, [50.0 - 50.0 * confidence, 50.0 + 50.0 * confidence])
        return float(values.mean()), float(low), float(high)

    def difference(self, model: str, other: str, kind: str = "position_errors",
                   confidence: float = 0.95):
        """Returns (mean, lower, upper) of the error of one model minus that of another, by
        bootstrap over the motions. An interval without zero tells the models apart; one motion
        alone gives none (NaN).

        `kind` is "position_errors", "rotation_errors", "joint_errors" or "costs". Raises ValueError
        for another one, or a model that was not compared."""
        errors = getattr(self, one_of(kind, "difference: kind", KINDS))
        for name in (model, other):
            one_of(name, "difference: a model", tuple(errors))
        return self.interval(errors[model] - errors[other], confidence)

    def shares(self, seed: int = 0):
        """Returns, for each model, the share of resamples of the motions (bootstrap) in which its
        residuals have the least sum of squares; NaN for a single motion, which has one resample."""
        if len(self.motions) < 2:
            return dict.fromkeys(self.costs, np.nan)
        sums = np.array([self._resampled(cost, RESAMPLES, seed) for cost in self.costs.values()])
        best = np.argmin(sums, axis=0)
        return {model: float(np.mean(best == i)) for i, model in enumerate(self.costs)}

    def rows(self, width: Optional[float] = None):
        """Returns (head, rows) of a table of texts: fitted values, errors, shares.

        Errors of positions are in mm, or in per cent of `width` [m], which is positive.
        """
        unit, scale = _unit_of_positions(width)
        kinds = [(f"position error [{unit}]", self.position_errors, scale),
                 ("rotation error [degrees]", self.rotation_errors, 180.0 / np.pi),
                 ("joint error", self.joint_errors, 1.0)]
        kinds = [kind for kind in kinds if not all(np.isnan(v).all() for v in kind[1].values())]
        head = ["model", "fitted", *(name for name, _, _ in kinds), "best in resamples [%]",
                "weaker steps"]
        shares, rows = self.shares(), []
        for model, fit in self.fits.items():
            fitted = ", ".join(f"{name.rpartition('.')[2]} {value:.4g} +- {fit.margins[name]:.2g}"
                               for name, value in fit.values.items()) or "-"
            cells = []
            for _, errors, factor in kinds:
                mean, low, high = self.interval(factor * errors[model])
                spread = "-" if np.isnan(low) else f"{low:.3g} to {high:.3g}"
                cells.append(f"{mean:.3g} ({spread})")
            share = "-" if np.isnan(shares[model]) else f"{100 * shares[model]:.0f}"
            rows.append([model, fitted, *cells, share, str(self.weaker_steps[model])])
        return head, rows

    def _hint(self):
        """Returns what to do where a single motion gives no intervals; else nothing."""
        return ONE_MOTION if len(self.motions) < 2 else ""

    def table(self, width: Optional[float] = None) -> str:
        """Returns the table as Markdown, with a hint where a single motion gives no intervals; see
        rows()."""
        head, rows = self.rows(width)
        lines = ["| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows]]
        return "\n".join(lines + (["", self._hint()] if self._hint() else []))

    def __repr__(self):
        kind = "held out" if self.held_out else "fitted"
        count = len(self.motions)
        return (f"{count} motion{'s' * (count != 1)}, {kind}; mean errors with 95 % intervals over "
                f"them\n{self.table()}")

    def report(self, path, width: Optional[float] = None, force=False):
        """Writes an HTML page with the table, a plot of the errors, and the fit of each model.

        It needs Matplotlib. Raises OSError where the file cannot be written, and ParseError without
        `force` for a file that is no page of Amontons.
        """
        head, rows = self.rows(width)
        what = "not used to fit" if self.held_out else "that were fitted, too"
        body = (f"<p>Errors of {len(self.motions)} motions {what}, with 95 % intervals by "
                f"bootstrap over the motions. {self._hint()}</p>"
                f"{fit_report.table(head, rows)}{self.plot(width)}")
        for model, fit in self.fits.items():
            body += f"<h2>{html.escape(model)}</h2>{fit_report.fit_body(fit)}"
        fit_report.write_page(path, "Comparison of contact models", body, force)

    def plot(self, width: Optional[float] = None) -> str:
        """Returns a plot of the mean errors with their 95 % intervals, as SVG; see rows()."""
        from matplotlib.figure import Figure
        unit, scale = _unit_of_positions(width)
        kinds = [("position error", unit, self.position_errors, scale),
                 ("rotation error", "degrees", self.rotation_errors, 180.0 / np.pi),
                 ("joint error", "rad or m", self.joint_errors, 1.0)]
        kinds = [kind for kind in kinds if not all(np.isnan(v).all() for v in kind[2].values())]
        models = list(self.fits)[::-1]
        figure = Figure(figsize=(9, 0.8 + 0.32 * len(models)), constrained_layout=True)
        for axes, (name, unit, errors, factor) in zip(
                np.atleast_1d(figure.subplots(1, len(kinds), sharey=True)), kinds):
            for row, model in enumerate(models):
                mean, low, high = self.interval(factor * errors[model])
                if np.isfinite(mean):
                    bars = None if np.isnan(low) else [[mean - low], [high - mean]]
                    axes.errorbar(mean, row, xerr=bars, fmt="o", capsize=3, color="C0",
                                  markersize=4)
            axes.set_yticks(range(len(models)), models)
            axes.set_ylim(-0.6, len(models) - 0.4)
            axes.set_xlabel(f"{name} [{unit}]")
            axes.set_xlim(left=0.0)
            axes.grid(axis="x", linewidth=0.3)
        return fit_report.svg(figure)


def fit_models(scene: Scene, data: Sequence[Motion], parameters: Mapping[str, tuple],
               models: Union[Sequence[str], Mapping[str, object]], *,
               held_out: Optional[Sequence[Motion]] = None, **options) -> ModelComparison:
    """Fits the same motions with several contact models, and compares how well each explains them.

        found = am.fit_models(scene, tosses[::2], {"materials.wood.friction": (0.05, 1)},
                              ["coulomb", "convex-relaxation"], held_out=tosses[1::2])
        print(found.table())

    `models` has names of contact models, or maps labels to overrides of the scene, such as
    `{"pyramid": {"simulation.model": "stewart-trinkle", "simulation.friction_directions": 4}}`, or
    to (overrides, parameters) where a model has parameters of its own; `{}` fits none. Each model
    is fitted to `data` by itself, as fit() does with `options`, and compared on `held_out`: motions
    that no fit has seen, without which a model with more parameters has an advantage. By default it
    is `data`. Raises what fit() raises, and ValueError for an option that it does not have.
    """
    unknown = sorted(set(options) - set(fit_defaults()))
    if unknown:
        raise ValueError(f"fit_models: there is no option {unknown[0]!r}; options are those of "
                         f"fit(): {', '.join(fit_defaults())}")
    options = {**fit_defaults(), **options}
    checked_scene(scene, "fit_models: scene")
    data = motions_of(data, "fit_models: data")
    motions = data if held_out is None else motions_of(held_out, "fit_models: held_out")
    entries = _entries(models, parameters)
    for _, own in entries.values():
        check_arguments(data, own, options, may_be_empty=True)
    check_arguments(motions, {}, {**options, "errors": "independent"}, may_be_empty=True)
    residual = options["residual"] or (
        lambda simulated, measured: pose_residual(simulated, measured, options["length"]))
    fits, judged = {}, {}
    for label, (fixed, own) in entries.items():
        fits[label] = fit_one(scene, data, own, fixed, options)
        judged[label] = _judged(scene, fits[label], motions, residual, options["threads"])
    order = sorted(fits, key=lambda label: float(judged[label][3].sum()))
    kinds = ("position_errors", "rotation_errors", "joint_errors", "costs", "weaker_steps")
    return ModelComparison(fits={label: fits[label] for label in order}, motions=motions,
                           held_out=held_out is not None,
                           **{kind: {label: judged[label][i] for label in order}
                              for i, kind in enumerate(kinds)})
