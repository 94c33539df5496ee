"""System identification: numbers of a scene from measured motions."""
import math
from concurrent.futures import ThreadPoolExecutor
from typing import Callable, Mapping, Optional, Sequence

import numpy as np

from ._core import DivergenceError, Scene
from .fit_result import Fit, uncertainty
from .motion import Motion, number_of_workers, pose_residual, simulate

SMALLEST_DIFFERENCE = 1e-5  # of the bounds' width: far above rounding



def _optimize():
    """Returns scipy.optimize and scipy.stats.qmc."""
    try:
        from scipy import optimize
        from scipy.stats import qmc
    except ImportError as missing:
        raise ImportError("fit() needs SciPy: install the package python3-scipy") from missing
    return optimize, qmc


class _Spent(Exception):
    """Says that the limit of simulations is reached."""


class _Refused(Exception):
    """Carries a ValueError through SciPy, which replaces it by an error of its own."""


class _Problem:
    """Evaluates residuals at parameters scaled to [0, 1] between their bounds."""

    def __init__(self, scene, data, parameters, options):
        self.scene, self.data = scene, data
        self.names = list(parameters)
        self.low = np.array([bounds[0] for bounds in parameters.values()], float)
        self.width = np.array([bounds[1] for bounds in parameters.values()], float) - self.low
        self.overrides = options["overrides"]
        self.model = None
        self.residual = options["residual"] or (
            lambda simulated, measured: pose_residual(simulated, measured, options["length"]))
        self.limit, self.threads = options["max_simulations"], options["threads"]
        self.simulations, self.best, self.weaker = 0, (math.inf, None), 0

    def values(self, u):
        return dict(zip(self.names, (self.low + u * self.width).tolist()))

    def overrides_at(self, u):
        values = self.values(u)
        changed = dict(self.overrides(values)) if self.overrides else values
        if self.model is not None:
            changed["simulation.model"] = self.model
        return changed

    def _one(self, task):
        """Returns residuals of one motion at one point, and its steps without the law asked."""
        u, motion = task
        simulated, weaker = simulate(self.scene, motion, self.overrides_at(u))
        residual = np.asarray(self.residual(simulated, motion), float).ravel()
        # NaN is a missing measurement; infinity would be an error of the residual.
        return residual[~np.isnan(residual)], weaker

    def at(self, points, bounded=True):
        """Returns, for each point, the residuals of each motion. Raises _Spent at the limit."""
        tasks = [(u, motion) for u in points for motion in self.data]
        if bounded and self.simulations + len(tasks) > self.limit:
            raise _Spent
        self.simulations += len(tasks)
        workers = number_of_workers(self.threads, len(tasks))
        if workers == 1:
            results = [self._one(task) for task in tasks]
        else:
            pool = ThreadPoolExecutor(workers)
            try:
                results = list(pool.map(self._one, tasks))
            finally:
                # After Ctrl-C only the simulations that already run come to their end.
                pool.shutdown(cancel_futures=True)
        found = []
        for i, u in enumerate(points):
            own = results[i * len(self.data):(i + 1) * len(self.data)]
            residuals = [residual for residual, _ in own]
            cost = 0.5 * sum(float(r @ r) for r in residuals)
            if cost < self.best[0]:
                self.best = (cost, np.array(u))
                self.weaker = sum(weaker for _, weaker in own)
            found.append(residuals)
        return found

    def vector(self, u):
        return np.concatenate(self.at([u])[0])

    def cost(self, u):
        """Returns half the sum of squares; infinity where the simulation diverges."""
        try:
            return 0.5 * float(np.sum(np.square(self.vector(np.asarray(u)))))
        except DivergenceError:
            return math.inf
        except ValueError as error:
            raise _Refused from error

    def jacobian(self, u, differences, bounded=True):
        """Returns central differences, one-sided at bounds, over all points at once."""
        ends = []
        for k in range(u.size):
            for sign in (-1.0, 1.0):
                end = np.array(u)
                end[k] = min(1.0, max(0.0, u[k] + sign * differences[k]))
                ends.append(end)
        found = [np.concatenate(residuals) for residuals in self.at(ends, bounded)]
        return np.column_stack([(found[2 * k + 1] - found[2 * k]) /
                                (ends[2 * k + 1][k] - ends[2 * k][k]) for k in range(u.size)])


def _descend(problem, start, differences, options):
    """Minimizes the sum of squares from a point on; returns (converged, reason)."""
    optimize, _ = _optimize()
    found = optimize.least_squares(
        problem.vector, start, lambda u: problem.jacobian(u, differences), bounds=(0.0, 1.0),
        max_nfev=options["max_iterations"], xtol=1e-8, ftol=1e-10)
    return found.status > 0, found.message


def _differences(problem, options, bounded=True):
    """Returns steps of two standard errors of the best point, at most the difference asked."""
    u = problem.best[1]
    residuals = problem.at([u], bounded)[0]
    jacobian = problem.jacobian(u, np.full(u.size, options["difference"]), bounded)
    found = uncertainty(problem.names, np.ones(u.size), u, jacobian, residuals,
                        options["confidence"], options["errors"])
    deviations = np.array(list(found["standard_errors"].values()))
    return np.clip(2.0 * deviations, SMALLEST_DIFFERENCE, options["difference"])


def _search(problem, options):
    """Minimizes the sum of squares; returns (converged, reason)."""
    optimize, qmc = _optimize()
    size = len(problem.names)
    try:
        if options["search"] == "global":
            found = optimize.differential_evolution(
                problem.cost, [(0.0, 1.0)] * size, maxiter=options["generations"], polish=False,
                seed=options["seed"], popsize=8, init="sobol", tol=1e-3)
            starts = [found.x]
        else:
            samples = 2 ** math.ceil(math.log2(options["samples"]))
            points = qmc.Sobol(size, seed=options["seed"]).random(samples)
            costs = np.array([problem.cost(u) for u in points])
            if not np.any(np.isfinite(costs)):
                raise DivergenceError("fit: every simulation within the bounds diverges")
            starts = points[np.argsort(costs, kind="stable")[:options["starts"]]]
        for start in starts:
            _descend(problem, start, np.full(size, options["difference"]), options)
        # The secants of the last descent are as wide as the estimate is uncertain: wider ones
        # err by curvature, and narrower ones see the jumps of impacts between two steps.
        return _descend(problem, problem.best[1], _differences(problem, options), options)
    except _Refused as refused:
        raise refused.__cause__ from None
    except _Spent:
        if problem.best[1] is None:
            raise ValueError(f"fit: max_simulations={problem.limit} allows no point of "
                             f"{len(problem.data)} motions; make it larger") from None
        return False, f"The limit of {problem.limit} simulations is reached."


def _fit_one(scene, data, parameters, model, options):
    problem = _Problem(scene, data, parameters, options)
    problem.model = model
    converged, reason = _search(problem, options)
    u = problem.best[1]
    # The last evaluations count beyond the limit: a result has its uncertainty in every case.
    differences = _differences(problem, options, bounded=False)
    residuals = problem.at([u], bounded=False)[0]
    jacobian = problem.jacobian(u, differences, bounded=False)
    return Fit(scene=scene, overrides=problem.overrides_at(u), values=problem.values(u),
               bounds=dict(parameters), model=model, data=data, residuals=residuals,
               converged=converged, reason=reason, simulations=problem.simulations,
               weaker_steps=problem.weaker,
               **uncertainty(problem.names, problem.width, u, jacobian, residuals,
                             options["confidence"], options["errors"]))


def _check(data, parameters, options):
    """Raises ValueError for options that make no sense."""
    if not data or not all(isinstance(motion, Motion) for motion in data):
        raise ValueError("fit: data must be motions, such as [am.Motion(times, bodies=...)]")
    if not parameters:
        raise ValueError("fit: parameters must have a path and its bounds, such as "
                         "{'materials.wood.friction': (0.05, 1)}")
    for name, bounds in parameters.items():
        if (np.shape(bounds) != (2,) or not np.all(np.isfinite(bounds))
                or not bounds[0] < bounds[1]):
            raise ValueError(f"fit: bounds of {name!r} must be two ascending numbers, "
                             f"not {bounds!r}")
    for name in ("starts", "samples", "generations", "max_iterations", "max_simulations"):
        if not isinstance(options[name], int) or options[name] < 1:
            raise ValueError(f"fit: {name} must be a whole number of at least 1")
    if options["search"] not in ("local", "global"):
        raise ValueError(f"fit: search must be 'local' or 'global', not {options['search']!r}")
    if options["errors"] not in ("independent", "motions"):
        raise ValueError("fit: errors must be 'independent' or 'motions', "
                         f"not {options['errors']!r}")
    if options["errors"] == "motions" and len(data) <= len(parameters):
        raise ValueError("fit: errors='motions' needs more motions than parameters")
    if not 0.0 < options["confidence"] < 1.0 or not 0.0 < options["difference"] <= 0.5:
        raise ValueError("fit: confidence must be within (0, 1), and difference within (0, 0.5]")
    if not (math.isfinite(options["length"]) and options["length"] > 0.0):
        raise ValueError("fit: length must be positive [m]")


def fit(scene: Scene, data: Sequence[Motion], parameters: Mapping[str, tuple], *,
        overrides: Optional[Callable] = None, residual: Optional[Callable] = None,
        length: float = 0.1, models: Optional[Sequence[str]] = None, search: str = "local",
        starts: int = 3, samples: int = 16, generations: int = 30, difference: float = 0.01,
        confidence: float = 0.95, errors: str = "independent", max_iterations: int = 50,
        max_simulations: int = 100000, threads: int = 0, seed: int = 0) -> Fit:
    """Fits numbers of a scene to measured motions by least squares, with SciPy.

        fit = am.fit(scene, [motion], {"materials.wood.friction": (0.05, 1)})
        print(fit.values, fit.intervals)

    `parameters` maps paths, as overrides of load_scene, to bounds. With `overrides(values)`, which
    returns the overrides, the names are your own. The default residual is positions [m], rotation
    vectors times `length` [m/rad], and positions of joints; `residual(simulated, measured)` of two
    Motions replaces it. Its NaN are left out, and must not depend on the parameters.

    `search="local"` tries `samples` Sobol points (rounded up to a power of two), and descends from
    the best `starts`. "global" begins with differential evolution of at most `generations`.
    Derivatives are central differences over `difference` of the bounds' width, in the last descent
    over two standard errors where that is less.

    `errors="independent"` is white noise of one size; "motions" takes the errors within a motion as
    dependent, as errors of a model are. `models` are contact models, each fitted by itself; the
    result is the best one, and has all of them in `models`. At most about `max_simulations` are
    made for each model, in `threads` threads (0: one per processor). The result is the same for any
    number of threads.

    Raises ValueError for wrong arguments, ParseError for a path or value that the scene refuses,
    DivergenceError where a descent meets motions that diverge, and ImportError without SciPy.
    """
    options = {"overrides": overrides, "residual": residual, "length": length, "search": search,
               "starts": starts, "samples": samples, "generations": generations,
               "difference": difference, "confidence": confidence, "errors": errors,
               "max_iterations": max_iterations, "max_simulations": max_simulations,
               "threads": threads, "seed": seed}
    data = [data] if isinstance(data, Motion) else list(data)
    _check(data, parameters, options)
    if isinstance(models, str):
        raise ValueError(f"fit: models must be a list of names, such as [{models!r}]")
    _optimize()
    if not models:
        return _fit_one(scene, data, parameters, None, options)
    fits = [_fit_one(scene, data, parameters, model, options) for model in models]
    fits.sort(key=lambda one: one.cost)
    fits[0].models = fits
    return fits[0]
