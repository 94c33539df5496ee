"""System identification: numbers of a scene from measured motions."""
import inspect
import math
from typing import Callable, Mapping, Optional, Sequence

import numpy as np

from . import fit_plateau
from ._core import DivergenceError, Scene, _number_of_scene
from .arguments import scene as checked_scene
from .fit_arguments import SMALLEST_DIFFERENCE, bounds_of, check_arguments, motions_of
from .fit_noise import lag_correlation
from .fit_problem import Problem, Refused, Spent
from .fit_result import Fit, uncertainty
from .inertia import BodyInertia, InertialParameters
from .interrupts import sobol_module
from .motion import Motion, t_quantile

PULL = 1e-2  # of the residual where the search starts: no determined number notices it
# Points around a minimum, in which its neighbors show: those that tell whether it has any, those of
# each round, their spread in standard errors, those from which a descent starts, and how far these
# are from each other in residuals, relative to noise.
FIRST, NEIGHBORS, SPREAD, DESCENTS, APART = 16, 128, 4.0, 6, 8.0
ITERATIONS, ROUNDS = 8, 4  # of such a descent, and at most in a search
# Points of a generation of differential evolution: for each parameter, and at least in all. Eight
# points of a single parameter gather in one of its minima before they have met the others.
POPULATION, LEAST_POPULATION = 8, 32
RUGGED = 0.5  # relative error of the parabola at a neighbor beyond which there may be other minima
BETTER = 1e-3  # share of the cost by which a round must gain


def _optimize():
    """Returns scipy.optimize and scipy.stats.qmc."""
    try:
        from scipy import optimize
        qmc = sobol_module()
    except ImportError as missing:
        raise ImportError("fit() needs SciPy: install the package python3-scipy") from missing
    return optimize, qmc


def _descend(problem, start, differences, options):
    """Minimizes the sum of squares from a point on; returns (converged, reason, point, cost)."""
    optimize, _ = _optimize()
    found = optimize.least_squares(
        problem.vector, start, lambda u: problem.jacobian(u, differences), bounds=(0.0, 1.0),
        max_nfev=options["max_iterations"], xtol=1e-8, ftol=1e-10)
    return found.status > 0, found.message, found.x, float(found.cost)


def _wide_jacobian(problem, options, bounded=True):
    """Returns the Jacobian at the best point by the differences asked."""
    u = problem.best[1]
    return problem.jacobian(u, np.full(u.size, options["difference"]), bounded, pulled=False)


def _differences(problem, options, bounded=True, jacobian=None):
    """Returns steps of two standard errors of the best point, at most the difference asked.
    `jacobian` is the wide one there, where it is known."""
    u = problem.best[1]
    residuals = problem.at([u], bounded)[0]
    jacobian = _wide_jacobian(problem, options, bounded) if jacobian is None else jacobian
    found = uncertainty(problem.names, np.ones(u.size), u, jacobian, residuals,
                        options["confidence"], options["errors"])
    deviations = np.array(list(found["standard_errors"].values()))
    return np.clip(2.0 * deviations, SMALLEST_DIFFERENCE, options["difference"])


def _global_start(problem, options):
    """Returns the best point of differential evolution, whose generations run in parallel."""
    optimize, _ = _optimize()
    size = len(problem.names)
    found = optimize.differential_evolution(
        lambda points: problem.costs(points.T), [(0.0, 1.0)] * size,
        maxiter=options["generations"], polish=False, seed=options["seed"],
        popsize=max(POPULATION, math.ceil(LEAST_POPULATION / size)), init="sobol", tol=1e-3,
        updating="deferred", vectorized=True)
    return [found.x]


def _local_starts(problem, options):
    """Returns the best of Sobol's points; inertial parameters start with those of the scene."""
    _, qmc = _optimize()
    samples = 2 ** math.ceil(math.log2(options["samples"]))
    points = qmc.Sobol(len(problem.names), seed=options["seed"]).random(samples)
    points[:, problem.anchored] = 0.5
    points = np.unique(points, axis=0) if problem.anchored.all() else points
    costs = problem.costs(points)
    return points[np.argsort(costs, kind="stable")[:options["starts"]]]


def _present(problem, options):
    """Returns the scene's own values as a point [n], with the middle of the bounds for numbers that
    its text does not give or that lie outside; None where it gives none."""
    if options["overrides"] is not None:
        return None  # the names are the user's own
    found = [_number_of_scene(problem.scene, name) for name in problem.names]
    u = np.array([math.nan if value is None else value for value in found], float)
    u = (u - problem.low) / problem.width
    is_inside = (u > 0.0) & (u < 1.0)
    return np.where(is_inside, u, 0.5) if is_inside.any() else None


def _starts(problem, options):
    """Returns the points from which descents start: those of the search, and the scene's values."""
    find = _global_start if options["search"] == "global" else _local_starts
    starts = [*find(problem, options)]
    own = _present(problem, options)
    return starts if own is None else [*starts, own]


def _look_past_plateaus(problem, options):
    """Tries other values of parameters without effect at the best point: a descent does not leave a
    plateau. Returns the wide Jacobian at the best point."""
    jacobian = _wide_jacobian(problem, options)
    flat = [k for k in fit_plateau.without_slope(jacobian) if not problem.anchored[k]]
    for k in flat:
        problem.costs(fit_plateau.probes(problem.best[1], k))
    return _wide_jacobian(problem, options) if flat else jacobian


def _search(problem, options):
    """Minimizes the sum of squares; returns (converged, reason, descents)."""
    descents = []
    try:
        starts = _starts(problem, options)
        if problem.best[1] is None:
            raise DivergenceError("fit: every simulation within the bounds diverges")
        problem.set_pull(PULL * math.sqrt(2.0 * problem.best[0] / max(problem.rows, 1)))
        for start in starts:
            if not np.isfinite(problem.costs([start])[0]):
                continue
            converged, reason, u, cost = _descend(
                problem, start, np.full(len(problem.names), options["difference"]), options)
            descents.append({"values": problem.values(u), "cost": cost, "converged": converged,
                             "reason": reason})
        jacobian = _look_past_plateaus(problem, options)
        # The secants of the last descent are as wide as the estimate is uncertain: wider ones
        # err by curvature, and narrower ones see the jumps of impacts between two steps.
        converged, reason, _, _ = _descend(problem, problem.best[1],
                                           _differences(problem, options, jacobian=jacobian),
                                           options)
        if converged and problem.rows > len(problem.names):
            _search_around(problem, options)
        return converged, reason, descents
    except Refused as refused:
        raise refused.__cause__ from None
    except Spent:
        if problem.best[1] is None:
            raise ValueError(f"fit: max_simulations={problem.limit} allows no point of "
                             f"{len(problem.data)} motions; make it larger") from None
        return False, f"The limit of {problem.limit} simulations is reached.", descents


def _neighbors(problem, options, random, count):
    """Returns points about the best one, their smooth changes of the residuals, relative to noise,
    and the size of the noise.

    Their spread is that of the estimate by wide secants: those within one of several minima may see
    a narrower one. Directions that the data leave open are not followed.
    """
    u = problem.best[1]
    residual = np.concatenate(problem.at([u])[0])
    jacobian = _wide_jacobian(problem, options)
    _, singular, V = np.linalg.svd(jacobian, full_matrices=False)
    error = math.sqrt(float(residual @ residual) / max(residual.size - u.size, 1))
    with np.errstate(divide="ignore"):
        spread = SPREAD * error / singular
    spread[~(spread < 1.0)] = 0.0
    points = np.clip(u + (random.standard_normal((count, spread.size)) * spread) @ V, 0.0, 1.0)
    return points, (points - u) @ jacobian.T / error, error


def _chosen(costs, changes):
    """Returns the points of least cost that are apart from each other."""
    chosen = []
    for k in np.argsort(costs, kind="stable"):
        apart = all(np.linalg.norm(changes[k] - changes[j]) >= APART for j in chosen)
        if np.isfinite(costs[k]) and apart:
            chosen.append(k)
        if len(chosen) == DESCENTS:
            break
    return chosen


def _search_around(problem, options):
    """Looks for a deeper minimum beside the one that was found.

    Where bodies stick and slip, or strike, the sum of squares has kinks, and minima between them that
    are nearer to each other than the estimate is certain.
    """
    if problem.best[0] == 0.0:
        return
    random = np.random.default_rng(options["seed"])
    few = {**options, "max_iterations": min(ITERATIONS, options["max_iterations"])}
    try:
        before = problem.best[0]
        points, changes, error = _neighbors(problem, options, random, FIRST)
        rise = 0.5 * np.sum(changes**2, axis=1) * error**2
        noise = points.shape[1] * error**2
        if np.all(np.abs(problem.costs(points) - before - rise) <= RUGGED * (rise + noise)):
            return
        problem.is_rugged = True
        for turn in range(ROUNDS):
            before = problem.best[0]
            points, changes, _ = _neighbors(problem, options, random, NEIGHBORS)
            chosen = _chosen(problem.costs(points), changes)
            differences = _differences(problem, options)
            for k in chosen:
                _descend(problem, points[k], differences, few)
            # One round may miss what the next one finds.
            if turn > 0 and problem.best[0] >= (1.0 - BETTER) * before:
                return
    except (Spent, DivergenceError):
        pass  # the minimum that was found stays


def _widen(found, problem, residuals, options):
    """Widens the margins to all points evaluated that fit as well within the confidence, and where the
    sum of squares is rugged to those by wide secants.

    A parabola about one of several minima knows nothing of the others: the likelihood does.
    """
    confidence = options["confidence"]
    if problem.is_rugged:
        u = problem.best[1]
        jacobian = _wide_jacobian(problem, options, bounded=False)
        wide = uncertainty(problem.names, problem.width, u, jacobian, residuals, confidence,
                           options["errors"])
        for name, margin in wide["margins"].items():
            found["margins"][name] = max(found["margins"][name], margin)
    freedom = problem.rows - len(problem.names)
    quantile = t_quantile(confidence, freedom)
    reach = problem.reach(quantile**2 * problem.best[0] / freedom) * problem.width
    for name, distance in zip(problem.names, reach.tolist()):
        found["margins"][name] = max(found["margins"][name], distance)


def _part_plateaus(found, problem):
    """Returns the parameters without effect at the best point and with effect elsewhere, and takes
    their directions out of those that the data leave open."""
    u, freedom = problem.best[1], problem.rows - len(problem.names)
    if not found["undetermined"] or freedom <= 0:
        return []
    rise = t_quantile(found["confidence"], freedom)**2 * problem.best[0] / freedom
    shares = [[direction[name] for name in problem.names] for direction in found["undetermined"]]
    flat = [k for k in fit_plateau.alone(shares, u.size)
            if not problem.anchored[k] and fit_plateau.are_apart(problem, u, k, rise)]
    found["undetermined"] = [
        direction for direction, row in zip(found["undetermined"], shares)
        if not (np.max(np.abs(row)) > fit_plateau.ALONE and np.argmax(np.abs(row)) in flat)]
    return [problem.names[k] for k in flat]


def _with_inertias(inertias, overrides):
    """Returns the function of named values that gives all overrides of the scene."""
    if not inertias:
        return overrides

    def combined(values):
        own = {name: value for name, value in values.items()
               if not any(name in one.parameters for one in inertias)}
        changed = dict(overrides(own)) if overrides else own
        for one in inertias:
            changed.update(one.overrides(values))
        return changed

    return combined


def fit_one(scene, data, parameters, fixed, options):
    """Fits one model; `fixed` are overrides of every simulation. Arguments are those of fit()."""
    inertias = [InertialParameters(scene, body, options["inertia_width"])
                for body in options["inertias"]]
    parameters = {**parameters, **{name: bounds for one in inertias
                                   for name, bounds in one.parameters.items()}}
    problem = Problem(scene, data, parameters, fixed,
                      {**options, "overrides": _with_inertias(inertias, options["overrides"])})
    problem.anchored = np.array([any(name in one.parameters for one in inertias)
                                 for name in parameters], dtype=bool)
    if parameters:
        converged, reason, descents = _search(problem, options)
        u = problem.best[1]
        # The last evaluations count beyond the limit: a result has its uncertainty in every case.
        differences = _differences(problem, options, bounded=False)
        residuals = problem.at([u], bounded=False)[0]
        jacobian = problem.jacobian(u, differences, bounded=False, pulled=False)
    else:
        converged, reason, descents, u = True, "There is nothing to fit.", [], np.zeros(0)
        residuals = problem.at([u])[0]
        if residuals is None:
            raise DivergenceError("fit: the motions diverge")
        jacobian = np.zeros((problem.rows, 0))
    found = uncertainty(problem.names, problem.width, u, jacobian, residuals,
                        options["confidence"], options["errors"])
    if parameters and options["errors"] == "independent" and problem.rows > len(problem.names):
        _widen(found, problem, residuals, options)
    flat = _part_plateaus(found, problem) if parameters else []
    if flat and converged:
        converged, reason = False, (f"The sum of squares does not change about {flat[0]}: the search "
                                    "ended on a plateau.")
    correlation, pairs = lag_correlation(data, residuals, options["residual"] is None)
    directions = np.array([[direction[name] for name in problem.names]
                           for direction in found["undetermined"]]).T
    scaled = found["covariance"] / np.outer(problem.width, problem.width)
    values = problem.values(u)
    bodies = {one.body: BodyInertia(one, values, problem.names, scaled, directions, problem.width)
              for one in inertias}
    return Fit(scene=scene, overrides=problem.overrides_at(u), values=values, bounds=parameters,
               data=data, residuals=residuals, converged=converged, reason=reason,
               descents=descents, simulations=problem.simulations, weaker_steps=problem.weaker,
               inertias=bodies, flat=flat, residual_correlation=correlation, residual_pairs=pairs,
               errors=options["errors"], **found)


def fit_defaults():
    """Returns the options of fit() with their defaults."""
    return {name: parameter.default for name, parameter in inspect.signature(fit).parameters.items()
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY}


def fit(scene: Scene, data: Sequence[Motion], parameters: Mapping[str, tuple], *,
        overrides: Optional[Callable] = None, residual: Optional[Callable] = None,
        length: float = 0.1, inertias: Sequence[str] = (), inertia_width: float = 1.0,
        search: str = "local", starts: int = 3, samples: int = 16, generations: int = 30,
        difference: float = 0.01, confidence: float = 0.95, errors: str = "independent",
        max_iterations: int = 50, max_simulations: int = 100000, threads: int = 0,
        seed: int = 0) -> Fit:
    """Fits numbers of a scene to measured motions by least squares, with SciPy.

        fit = am.fit(scene, [motion], {"materials.wood.friction": (0.05, 1)})
        print(fit.values, fit.intervals)

    `parameters` maps paths, as overrides of load_scene, to bounds. Those of a robot's file are such
    as `models.arm.joints.elbow.coulomb_friction` and `models.arm.links.elbow.mass`. With
    `overrides(values)`, which returns the overrides, the names are your own. The default residual is
    positions [m], rotation vectors times `length` [m/rad], and positions of joints;
    `residual(simulated, measured)` of two Motions replaces it. Its NaN are left out, and must not
    depend on the parameters.

    `inertias` names bodies of the scene, or links of its robots (`arm/elbow`), whose mass, center of
    mass and inertia are fitted, too: as ten numbers BODY.alpha, .d1 .. .t3 (log-Cholesky form of the
    pseudo-inertia [Rucker and Wensing 2022]), all of which are physically possible. Zero is the
    scene's body, and `inertia_width` bounds them. What the data leave open stays that of the scene. `fit.inertias`
    has the physical values.

    `search="local"` tries `samples` Sobol points (rounded up to a power of two), and descends from
    the best `starts`, and from the values in the text of the scene (Levenberg-Marquardt within
    bounds). "global" descends from the best point of differential evolution [Storn and Price 1997]
    (SciPy's), at most `generations` of 8 points for each parameter, 32 at least: for sums of
    squares with many minima, such as those of frequencies and impacts, of which it finds the
    deepest more often, and never certainly. Derivatives are central differences over `difference`
    of the bounds' width, in the last descent over two standard errors where that is less. Where
    points about the minimum show that the sum of squares is no parabola, as with dry friction and
    impacts, deeper minima beside it are sought. `fit.intervals` also hold all points tried that fit
    as well within the confidence.

    `errors="independent"` is white noise of one size; "motions" takes the errors within a motion as
    dependent, as errors of a model are. At most about `max_simulations` are made, in `threads`
    threads (0: one per processor). The result is the same for any number of threads.

    Raises TypeError and ValueError for wrong arguments, ParseError for a path or value that the
    scene refuses, DivergenceError where all motions diverge or all around the best ones, and
    ImportError without SciPy.
    """
    options = {"overrides": overrides, "residual": residual, "length": length,
               "inertias": inertias, "inertia_width": inertia_width, "search": search,
               "starts": starts, "samples": samples, "generations": generations,
               "difference": difference, "confidence": confidence, "errors": errors,
               "max_iterations": max_iterations, "max_simulations": max_simulations,
               "threads": threads, "seed": seed}
    data, parameters = motions_of(data), bounds_of(parameters)
    checked_scene(scene, "fit: scene")
    check_arguments(data, parameters, options)
    _optimize()
    return fit_one(scene, data, parameters, {}, options)
