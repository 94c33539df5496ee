"""One run of a campaign: the simulation, its metrics, its row of the table, and its log."""
import os
import warnings

import numpy as np

from .._core import OutputError, Simulator, _RunTally, record
from ..env import start_pair
from ..scene import _override_scene

ATTEMPTS = 3  # how often a run is begun whose process dies
DIED = "its process died at each attempt"


def _warn(text):
    """Warns of a worker that died, as the campaign continues."""
    warnings.warn(text, RuntimeWarning, stacklevel=3)


def _measure(plan, simulator):
    """Simulates to the scene's end; returns (metrics, time, steps, steps that hold, law asked,
    steps with that law, iterations, effort)."""
    each_step = [(name, reduce, function) for name, (reduce, function) in plan.metrics.items()
                 if reduce is not None]
    tally, values = _RunTally(simulator), {name: [] for name, _, _ in each_step}
    if not each_step:
        tally.step_to_end()
    # Bound: the steps of the scene's duration.
    while tally.step():
        for name, reduce, function in each_step:
            own = values[name]
            own.append(function(simulator))
            # The reductions of Python need no list of all steps.
            if reduce in (max, min, sum) and len(own) > 1:
                own[:] = [reduce(own)]
    steps, holding, with_law, iterations, effort = tally.counts
    law = simulator.report.law_asked if steps else ""
    reduced = {name: reduce(values[name]) for name, reduce, _ in each_step if values[name]}
    return _finals(plan, simulator, reduced), [simulator.time, steps, holding, law, with_law,
                                               iterations, effort]


def _finals(plan, simulator, reduced):
    """Returns the values of all metrics at the end."""
    values = [reduced[name] if reduce is not None else function(simulator)
              for name, (reduce, function) in plan.metrics.items()]
    for name, value in zip(plan.metrics, values):
        is_number = isinstance(value, np.generic) and value.dtype.kind in "biufU"
        if not isinstance(value, (bool, int, float, str)) and not is_number:
            raise TypeError(f"metric {name} must be a number or a text, not "
                            f"{type(value).__name__}")
    return values


class _Runner:
    """Makes the runs of a plan, and keeps the scene of the last point."""

    def __init__(self, plan):
        self._plan, self._point, self._scene = plan, None, None

    def row(self, index, attempt=0):
        """Returns the row of a run, texts. An error of the run leaves its other cells empty.

        Its log is kept as the plan says. Where a former attempt has killed its process, it is
        recorded from the start. Raises OutputError where the log cannot be written.
        """
        keep, kept = self._plan.keep, self._plan.log_of(index)
        is_recorded = keep == "all" or (keep == "failures" and attempt > 0)
        row, has_failed = self._made(index, kept if is_recorded else None)
        if keep == "failures" and has_failed and not is_recorded:
            self._made(index, kept)  # the same bits, so that the log shows the same failure
        elif keep == "failures" and is_recorded and not has_failed:
            for file in kept.parent.glob(f"{kept.stem}*"):  # and contact problems beside it
                file.unlink(missing_ok=True)
        return row

    def _made(self, index, log):
        """Returns (row, True if the run failed or missed its certificate or law)."""
        try:
            metrics, own = self._simulated(index, log)
        except OutputError:
            raise  # no fault of the run, and the same for all that follow
        except Exception as error:  # the table says it, and other runs need not end
            return self._plan.row_of_failure(index, f"{type(error).__name__}: {error}"), True
        _, steps, holding, _, with_law, _, _ = own
        return self._plan.row(index, metrics, own, None), holding < steps or with_law < steps

    def _simulated(self, index, log):
        k, seed = self._plan.runs[index]
        if k != self._point:
            self._point, self._scene = None, _override_scene(self._plan.scene,
                                                             self._plan.points[k])
            self._point = k
        # A new simulator: what an earlier run left in it must not change this one.
        simulator = Simulator(self._scene, threads=1)
        if self._plan.start is not None:
            begun = self._plan.start(np.random.default_rng(seed), simulator)
            if begun is not None:
                simulator.set_state(*start_pair(begun))
        if log is None:
            return _measure(self._plan, simulator)
        os.makedirs(log.parent, exist_ok=True)
        try:
            # The name is a digest: only a run has it, or what is left of one.
            with record(simulator, self._scene, log, force=True):
                return _measure(self._plan, simulator)
        finally:
            log.with_suffix(".checkpoint").unlink(missing_ok=True)  # nothing is left to resume

