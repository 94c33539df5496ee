"""Campaigns: a scene simulated for many parameters and seeds, with one table of metrics."""
import contextlib
import os
import pathlib
import sys
import time

from ._core import Scene
from .campaign_plan import _is_whole, _Plan
from .campaign_table import OWN_COLUMNS, _cell, _columns, _Store
from .campaign_workers import _work
from .scene import _override_scene, load_scene


def _metric_pairs(metrics):
    """Returns {name: (reduce or None, function)}."""
    pairs = {}
    for name, metric in dict(metrics or {}).items():
        reduce, function = metric if isinstance(metric, tuple) and len(metric) == 2 else (None,
                                                                                          metric)
        if not callable(function) or not (reduce is None or callable(reduce)):
            raise ValueError(f"metric {name} must be a function of the simulator, or a pair "
                             f"(reduce, function) such as (max, f), not {metric!r}")
        pairs[name] = (reduce, function)
    return pairs


def _show(done, total, failed, seconds_left):
    left = "" if seconds_left is None else f", {seconds_left:.0f} s left"
    print(f"\r{done} of {total} runs, {failed} failed{left}   ", end="" if done < total else "\n",
          file=sys.stderr, flush=True)


class _Progress:
    """Calls a function at most every half second, and at the end."""

    def __init__(self, call, known, total):
        self._call, self._known, self._total = call, known, total
        self._begin = self._last = time.monotonic()

    def add(self, done, failed):
        now = time.monotonic()
        if self._call is None or (now - self._last < 0.5 and done < self._total):
            return
        self._last = now
        here = done - self._known
        self._call(done, self._total, failed,
                   (now - self._begin) / here * (self._total - done) if here else None)


def campaign(scene, parameters, metrics=None, seeds=1, on="local", *, file=None, workers=None,
             samples=None, sampler="sobol", sampler_seed=0, start=None, progress=None) -> dict:
    """Simulates a scene to its end for all parameters and seeds; returns a table, a dict of arrays.

        table = am.campaign("first.yaml", {"materials.wood.friction": am.Range(0.1, 0.9),
                                           "simulation.method": ["time-stepping", "impulse-based"]},
                            {"x": lambda sim: sim.bodies["crate"].position[0],
                             "fastest": (max, lambda sim: abs(sim.v).max())},
                            samples=64, seeds=4, file="friction.csv")

    `parameters` are overrides of the scene (a Scene or a file): lists make a grid, and each of its
    points has all `samples` of the am.Range ones, by `sampler`: "sobol" and "latin-hypercube" (with
    SciPy), or "random". A metric is a function of the simulator at the end, or a pair (reduce,
    function) for its values after all steps. `seeds` is a number or a list;
    `start(random, simulator)` may return q and v, with a generator of the seed.

    A row per run has `run` (a digest), the parameters, `seed`, the metrics, `time` [s], `steps`,
    `steps_that_hold` their certificate, `law_asked`, `steps_with_law`, `iterations` of the solver,
    and `error`, where the run failed. `workers` are processes of this machine (`on` is "local"), by
    default one per processor. The table is the same to the bit for any number of them.

    `file` (.csv, or .h5 with h5py) receives the table. Runs that it or its journal has are not made
    again: a campaign that was killed, or has more samples, continues. The digest of a run covers
    scene, files, parameters, version, and the code of functions. It covers the numbers and texts
    that these capture, not other functions that they call. A run whose process dies is made again,
    at most three times in all. `progress(done, total, failed, seconds_left)` is called as runs end;
    by default a terminal shows it. Raises ValueError for arguments that are wrong, and ParseError
    where the scene refuses the first point.
    """
    if on != "local":
        raise ValueError(f"on must be \"local\", worker processes of this machine, not {on!r}")
    if workers is None:
        workers = len(os.sched_getaffinity(0))
    if not _is_whole(workers) or workers < 1:
        raise ValueError(f"workers must be a whole number of at least 1, not {workers!r}")
    if not isinstance(scene, Scene):
        scene = load_scene(scene)
    if progress is None and sys.stderr.isatty():
        progress = _show
    plan = _Plan(scene, parameters, _metric_pairs(metrics), seeds, start,
                 (samples, sampler, sampler_seed))
    header = ["run", *plan.parameters, "seed", *plan.metrics, *OWN_COLUMNS[1:]]
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise ValueError(f"two columns of the table would be named {twice[0]}: rename the metric")
    _override_scene(scene, plan.points[0])  # a misspelt path is refused here, not in every row

    store = _Store(file and pathlib.Path(file), header, plan.keys)
    try:
        rows = _run_all(plan, store, int(workers), progress)
        store.finish(rows)
    finally:
        store.close()
    return _columns(header, rows)


def _run_all(plan, store, workers, progress):
    """Returns the rows of all runs, in order: those that the store has, and those made now."""
    done = dict(store.done)
    missing = [i for i, key in enumerate(plan.keys) if key not in done]
    failed = sum(row[-1] != "" for row in done.values())
    shown = _Progress(progress, len(done), len(plan.keys))
    # Ctrl-C ends the workers at once.
    with contextlib.closing(_work(plan, missing, workers, store.close)) as ended:
        for index, (metrics, own, error) in ended:
            k, seed = plan.runs[index]
            cells = [*plan.points[k].values(), seed, *metrics, *own, error]
            row = [plan.keys[index], *(_cell(value) for value in cells)]
            store.add(row)
            done[row[0]] = row
            failed += error is not None
            shown.add(len(done), failed)
    return [done[key] for key in plan.keys]
