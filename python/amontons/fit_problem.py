"""Residuals of measured motions as a function of numbers of a scene."""
import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ._core import DivergenceError, _Meshes
from .arguments import floats, mapping, shown
from .interrupts import map_on
from .motion import number_of_workers, pose_residual, simulate


class Spent(Exception):
    """Says that the limit of simulations is reached."""


class Refused(Exception):
    """Carries a TypeError or ValueError through SciPy, which replaces it by an error of its own."""


def residual_of(residual, simulated, measured):
    """Returns what a residual of two motions gives, as a row. Raises TypeError for what is no array
    of numbers, ValueError for a single number."""
    found = residual(simulated, measured)
    if found is None:
        raise TypeError("what residual returns must be an array of numbers, not None; does the "
                        "function end with return?")
    found = floats(found, "what residual returns")
    if found.ndim == 0:
        raise ValueError("what residual returns must be an array of numbers, such as simulated minus "
                         f"measured positions, not the single number {shown(float(found))}: their "
                         "squares are summed here")
    return found.ravel()


class Problem:
    """Evaluates residuals at parameters scaled to [0, 1] between their bounds.

    `fixed` are overrides of every simulation. `anchored` [n] is true for parameters that a weak
    pull of `pull` [residual] holds at the middle of their bounds where the data leave them open.
    """

    def __init__(self, scene, data, parameters, fixed, options):
        self.scene, self.data, self.fixed = scene, data, dict(fixed)
        self.meshes = _Meshes()  # read once, not for each simulation
        self.names = list(parameters)
        self.low = np.array([bounds[0] for bounds in parameters.values()], float)
        self.width = np.array([bounds[1] for bounds in parameters.values()], float) - self.low
        self.overrides = options["overrides"]
        self.residual = options["residual"] or (
            lambda simulated, measured: pose_residual(simulated, measured, options["length"]))
        self.limit, self.threads = options["max_simulations"], options["threads"]
        self.anchored, self.pull = np.zeros(len(self.names), bool), 0.0
        self.simulations, self.best, self.weaker, self.rows = 0, (math.inf, None), 0, None
        self.tried = []  # (cost, point) of all that were evaluated
        self.is_rugged = False  # true where the sum of squares is no parabola about the best point

    def values(self, u):
        return dict(zip(self.names, (self.low + u * self.width).tolist()))

    def overrides_at(self, u):
        values = self.values(u)
        changed = values if self.overrides is None else mapping(
            self.overrides(values), "what overrides returns", "{\"simulation.step\": 0.01}", False)
        return {**changed, **self.fixed}

    def _one(self, task):
        """Returns (residuals of one motion at one point, its steps without the law asked), with
        None for the residuals of a motion that diverges."""
        u, motion = task
        try:
            simulated, weaker = simulate(self.scene, motion, self.overrides_at(u), self.meshes)
        except DivergenceError:
            return None, 0
        residual = residual_of(self.residual, simulated, motion)
        # NaN is a missing measurement; infinity would be an error of the residual.
        return residual[~np.isnan(residual)], weaker

    def at(self, points, bounded=True):
        """Returns, for each point, the residuals of each motion, or None where one diverges.

        Raises Spent at the limit. All motions of all points are shared out to the threads.
        """
        tasks = [(u, motion) for u in points for motion in self.data]
        if bounded and self.simulations + len(tasks) > self.limit:
            raise Spent
        self.simulations += len(tasks)
        workers = number_of_workers(self.threads, len(tasks))
        if workers == 1:
            results = [self._one(task) for task in tasks]
        else:
            with ThreadPoolExecutor(workers) as pool:
                results = map_on(pool, self._one, tasks)
        found = []
        for i, u in enumerate(points):
            own = results[i * len(self.data):(i + 1) * len(self.data)]
            residuals = [residual for residual, _ in own]
            if any(residual is None for residual in residuals):
                found.append(None)
                continue
            self._note(u, residuals, sum(weaker for _, weaker in own))
            found.append(residuals)
        return found

    def _note(self, u, residuals, weaker):
        """Keeps the best point, and the number of rows, which must not change."""
        rows = sum(residual.size for residual in residuals)
        if rows == 0:
            raise ValueError("fit: the data have no number that could be compared: all are NaN")
        if self.rows is None:
            self.rows = rows
        elif rows != self.rows:
            raise ValueError(f"fit: the residual has {rows} numbers at {self.values(u)} and had "
                             f"{self.rows}; its NaN must not depend on the parameters")
        cost = self.cost_of(u, residuals)
        self.tried.append((cost, np.array(u)))
        if cost < self.best[0]:
            self.best, self.weaker = (cost, np.array(u)), weaker

    def set_pull(self, pull):
        self.pull = pull
        pulls = self._pulls(self.best[1])
        self.best = (self.best[0] + 0.5 * float(pulls @ pulls), self.best[1])
        self.tried = []  # their costs are without the pull

    def reach(self, rise):
        """Returns how far each parameter is from the best point [n] among those that were evaluated
        and cost at most `rise` more."""
        best, u = self.best
        near = [point for cost, point in self.tried if cost <= best + rise]
        return np.max(np.abs(np.array(near) - u), axis=0) if near else np.zeros(u.size)

    def _pulls(self, u):
        return self.pull * (u[self.anchored] - 0.5)

    def cost_of(self, u, residuals):
        """Returns half the sum of squares."""
        pulls = self._pulls(u)
        return 0.5 * (sum(float(r @ r) for r in residuals) + float(pulls @ pulls))

    def vector(self, u):
        """Returns all residuals, and the pulls; infinite ones where a motion diverges."""
        residuals = self.at([u])[0]
        if residuals is None:
            if self.rows is None:
                raise DivergenceError("fit: the first simulation diverges")
            return np.full(self.rows + int(self.anchored.sum()), np.inf)
        return np.concatenate([*residuals, self._pulls(u)])

    def costs(self, points):
        """Returns half the sum of squares at each point, infinite where a motion diverges.

        Raises Spent at the limit, after the points that it allows.
        """
        points = list(points)
        allowed = max(0, self.limit - self.simulations) // len(self.data)
        try:
            found = self.at(points[:allowed])
        except (TypeError, ValueError) as error:
            raise Refused from error
        if allowed < len(points):
            raise Spent
        return np.array([math.inf if residuals is None else self.cost_of(u, residuals)
                         for u, residuals in zip(points, found)])

    def jacobian(self, u, differences, bounded=True, pulled=True):
        """Returns central differences, one-sided at bounds and where one end diverges.

        Raises DivergenceError where both ends of a difference diverge.
        """
        points = [np.array(u)]
        for k in range(u.size):
            for sign in (-1.0, 1.0):
                end = np.array(u)
                end[k] = min(1.0, max(0.0, u[k] + sign * differences[k]))
                points.append(end)
        found = self.at(points, bounded)
        columns = []
        for k in range(u.size):
            ends = [(i, found[i]) for i in (1 + 2 * k, 2 + 2 * k, 0) if found[i] is not None][:2]
            if len(ends) < 2:
                raise DivergenceError(f"fit: the motions diverge on both sides of "
                                      f"{self.names[k]} = {self.values(u)[self.names[k]]:.6g}")
            (i, one), (j, other) = ends
            rise = np.concatenate(other) - np.concatenate(one)
            columns.append(rise / (points[j][k] - points[i][k]))
        table = np.column_stack(columns)
        if pulled and self.anchored.any():
            table = np.vstack([table, self.pull * np.eye(u.size)[self.anchored]])
        return table
