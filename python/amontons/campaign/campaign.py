"""Campaigns: a scene simulated for many parameters and seeds, with one table of metrics."""
import contextlib
import os
import pathlib
import sys
import time
from collections.abc import Mapping

from .._core import Scene
from ..arguments import shown
from ..outputs import refuse_foreign_page
from ..scene import _override_scene, load_scene
from . import dask_engine, local_engine, slurm_engine
from .plan import _is_whole, _Plan
from .table import OWN_COLUMNS, _columns, _Store

KEPT = ("none", "failures", "all")


def _metric_pairs(metrics):
    """Returns {name: (reduce or None, function)}."""
    if metrics is not None and not isinstance(metrics, Mapping):
        raise TypeError("metrics must be a dict of names and functions, such as "
                        f"{{\"x\": lambda sim: sim.q[0]}}, not {metrics!r}")
    pairs = {}
    for name, metric in (metrics or {}).items():
        if not isinstance(name, str) or not name.strip():
            raise ValueError(f"the name of a metric must be a text, and not empty, not {name!r}")
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


def _check_options(on, workers, timeout, keep, file, report):
    """Raises ValueError for options that are wrong or do not go together."""
    if not isinstance(on, str) or on not in ("local", "dask", "slurm") \
            and not on.startswith("dask://"):
        raise ValueError(f"on must be \"local\", \"dask\", \"dask://ADDRESS\" or \"slurm\", not "
                         f"{on!r}")
    if workers is not None and (not _is_whole(workers) or workers < 1):
        raise ValueError(f"workers must be a whole number of at least 1, not {workers!r}")
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not timeout > 0:
        raise ValueError(f"timeout must be a positive time [s], not {timeout!r}")
    if not isinstance(keep, str) or keep not in KEPT:
        raise ValueError(f"keep must be one of {', '.join(KEPT)}, not {shown(keep)}")
    if file is None and (keep != "none" or report is not None):
        raise ValueError("keep and report need a file: the logs of runs go to the folder FILE.runs")


def _check_functions(start, progress):
    """Raises TypeError for what no run could call."""
    for name, function in (("start", start), ("progress", progress)):
        if function is not None and not callable(function):
            raise TypeError(f"{name} must be a function, or None, not {function!r}")


def campaign(scene, parameters, metrics=None, seeds=1, on="local", *, file=None, workers=None,
             samples=None, sampler="sobol", sampler_seed=0, start=None, progress=None,
             keep="none", report=None, timeout=86400.0, slurm=None, force=False) -> dict:
    """Simulates a scene to its end for all parameters and seeds; returns a table, a dict of arrays.

        table = am.campaign("first.yaml", {"materials.wood.friction": am.Range(0.1, 0.9),
                                           "simulation.method": ["time-stepping", "impulse-based"]},
                            {"x": lambda sim: sim.bodies["crate"].position[0],
                             "fastest": (max, lambda sim: abs(sim.v).max())},
                            samples=64, seeds=4, file="friction.csv", report="friction.html")

    `parameters` are overrides of the scene (a Scene or a file): lists make a grid, and each of its
    points has all `samples` of the am.Range ones, by `sampler`: "sobol" and "latin-hypercube" (with
    SciPy), or "random". A metric is a function of the simulator at the end, or a pair (reduce,
    function) for its values after all steps. `seeds` is a number or a list;
    `start(random, simulator)` may return q and v, with a generator of the seed.

    A row per run has `run` (a digest), the parameters, `seed`, the metrics, `time` [s], `steps`,
    `steps_that_hold` their certificate, `law_asked`, `steps_with_law`, `iterations` of the solver,
    `effort` [equivalent factorizations], and `error`, where the run failed. The table has the same
    bits for any engine and number of `workers`. `on` names the engine:

    - "local": worker processes of this machine, by default one per processor.
    - "dask": worker processes of Dask on this machine; "dask://HOST:PORT": those of a scheduler.
    - "slurm": a job array whose tasks claim chunks of the runs until none is left, by default as
      many tasks at a time as Slurm has processors. `slurm` are options of sbatch, such as
      {"partition": "long", "time": "1:00:00"}. All nodes share the folder of `file`, or the current
      one.

    A warning reports workers that die. Others make their runs; one that kills its process is tried
    three times or so, and has an error then. Where no run ends in `timeout` [s] on Dask or Slurm,
    TimeoutError is raised.

    `file` (.csv, .h5 with h5py, or .parquet with pyarrow) receives the table. Runs that it or its
    journal has are not made again: a campaign that was killed, or has more samples, continues. The
    digest of a run covers scene, files, parameters, version, and the code of functions. It covers
    the numbers, texts, arrays and functions that these capture or have as defaults, also in lists,
    tuples, sets, dicts, functools.partial and attributes of objects, not global names. Of other
    objects it covers what pickle does, or else their attributes.
    `keep` says of which runs FILE.runs gets the log DIGEST.h5: "none", "failures" (an error, or
    steps without certificate or law) or "all". `report` receives a page with failures, curves and
    rows. `progress(done, total, failed, seconds_left)` is called as runs end; by default a terminal
    shows it. `force` replaces any file and page, else only those of such a campaign. Raises
    ValueError for arguments that are wrong, ParseError where the scene refuses the first point, or
    the page is a file of another origin, OutputError where a log cannot be written, and
    RuntimeError where an engine fails.
    """
    _check_options(on, workers, timeout, keep, file, report)
    _check_functions(start, progress)
    if slurm is not None and not isinstance(slurm, Mapping):
        raise TypeError("slurm must be a dict of options of sbatch, such as "
                        f"{{\"partition\": \"long\"}}, not {slurm!r}")
    if slurm and on != "slurm":
        raise ValueError(f"slurm is for on=\"slurm\", not for on={on!r}")
    if not isinstance(scene, Scene):
        scene = load_scene(scene)
    if progress is None and sys.stderr.isatty():
        progress = _show
    plan = _Plan(scene, parameters, _metric_pairs(metrics), seeds, start,
                 (samples, sampler, sampler_seed), keep=keep, logs=_logs_of(file, keep))
    return _run(plan, on, file, workers, progress, report, timeout, slurm or {}, force)


def _logs_of(file, keep):
    """Returns the folder of the logs of runs beside a table; None where none are kept."""
    if file is None or keep == "none":
        return None
    path = pathlib.Path(file).absolute()
    return path.with_name(path.name + ".runs")


def _run(plan, on, file, workers, progress, report, timeout, slurm, force=False):
    """Makes the runs of a plan; writes and returns its table."""
    header = ["run", *plan.parameters, "seed", *plan.metrics, *OWN_COLUMNS[1:]]
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise ValueError(f"two columns of the table would be named {twice[0]}: rename the metric")
    if report is not None:
        refuse_foreign_page(report, force)
    _override_scene(plan.scene, plan.points[0])  # a misspelt path is refused here, not in every row

    store = _Store(file and pathlib.Path(file), header, plan.keys, force)
    try:
        rows = _run_all(plan, store, progress, _engine(plan, store, on, workers, timeout, slurm))
        store.finish(rows)
    finally:
        store.close()
    if report is not None:
        from .report import write_report  # Matplotlib is needed for nothing else
        write_report(report, plan, header, rows, force)
    return _columns(header, rows)


def _engine(plan, store, on, workers, timeout, slurm):
    """Returns a function of the indices of runs that yields (index, row) as they end."""
    if on == "slurm":
        return lambda runs: slurm_engine._work(plan, runs, store.path, workers, slurm, timeout)
    workers = int(workers or len(os.sched_getaffinity(0)))
    if on == "local":
        return lambda runs: local_engine._work(plan, [runs], workers, store.close)
    address = on.removeprefix("dask://") if on != "dask" else None
    return lambda runs: dask_engine._work(plan, runs, address, workers, timeout)


def _run_all(plan, store, progress, engine):
    """Returns the rows of all runs, in order: those that the store has, and those made now."""
    done = dict(store.done)
    missing = [i for i, key in enumerate(plan.keys) if key not in done]
    failed = sum(row[-1] != "" for row in done.values())
    shown = _Progress(progress, len(done), len(plan.keys))
    # Ctrl-C ends the workers at once. Where no run is missing, a killed program's files may be.
    with contextlib.closing(engine(missing)) as ended:
        for _, row in ended:
            store.add(row)
            done[row[0]] = row
            failed += row[-1] != ""
            shown.add(len(done), failed)
    return [done[key] for key in plan.keys]
