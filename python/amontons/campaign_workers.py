"""Worker processes of a campaign: they take runs one by one, and one that dies is replaced."""
import collections
import ctypes
import multiprocessing
import os
import signal
import time
from multiprocessing.connection import wait

import numpy as np

from ._core import Simulator
from .scene import _override_scene

PR_SET_PDEATHSIG = 1  # of Linux's prctl
ATTEMPTS = 3  # how often a run is begun whose worker dies
QUICK = 0.1  # [s] runs below it are given out two at a time


def _measure(plan, simulator):
    """Simulates to the scene's end; returns (metrics, time, steps, steps that hold, law asked,
    steps with that law, iterations)."""
    reduced, steps, holding, with_law, iterations, law = {}, 0, 0, 0, 0, ""
    each_step = [(name, reduce, function) for name, (reduce, function) in plan.metrics.items()
                 if reduce is not None]
    # Bound: the steps of the scene's duration.
    while not simulator.finished:
        report = simulator.step()
        steps += 1
        holding += report.certificate.holds
        with_law += report.has_law_asked
        iterations += report.solver.iterations
        law = report.law_asked
        for name, reduce, function in each_step:
            value = function(simulator)
            reduced[name] = reduce(reduced[name], value) if name in reduced else value
    values = [reduced[name] if reduce is not None else function(simulator)
              for name, (reduce, function) in plan.metrics.items()]
    for name, value in zip(plan.metrics, values):
        if not isinstance(value, (bool, int, float, str, np.generic)):
            raise TypeError(f"metric {name} must be a number or a text, not "
                            f"{type(value).__name__}")
    return values, [simulator.time, steps, holding, law, with_law, iterations]


class _Runner:
    """Makes the runs of a plan, and keeps the scene of the last point."""

    def __init__(self, plan):
        self._plan, self._point, self._scene = plan, None, None

    def row(self, index):
        """Returns (metrics, own columns, error) of a run; an error leaves the others empty."""
        k, seed = self._plan.runs[index]
        empty = [None] * len(self._plan.metrics), [None] * 6
        try:
            if k != self._point:
                self._point, self._scene = None, _override_scene(self._plan.scene,
                                                                 self._plan.points[k])
                self._point = k
            # A new simulator: what an earlier run left in it must not change this one.
            simulator = Simulator(self._scene, threads=1)
            if self._plan.start is not None:
                begun = self._plan.start(np.random.default_rng(seed), simulator)
                if begun is not None:
                    simulator.set_state(*begun)
            return *_measure(self._plan, simulator), None
        except Exception as error:  # the table says it, and other runs need not end
            return *empty, f"{type(error).__name__}: {error}"


def _serve(plan, connection, main_process, release):
    """Runs in a worker: answers indices with rows until the connection or the main process ends."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != main_process:
        os._exit(0)  # it ended before the line above
    release()
    runner = _Runner(plan)
    # Bound: the runs of the plan.
    for _ in range(ATTEMPTS * len(plan.runs) + 1):
        try:
            index = connection.recv()
            connection.send((index, runner.row(index)))
        except (EOFError, OSError):
            break
    # Nothing of the main process, which forked, is to be flushed or closed here.
    os._exit(0)


class _Worker:
    """Is a process with its connection and the runs that it was given, of which it makes the first.

    `is_quick` is True if its last run was short: it may then have a second one, to begin at once.
    """

    def __init__(self, plan, release):
        context = multiprocessing.get_context("fork")  # functions need not be importable
        self.connection, its_end = context.Pipe()
        self.process = context.Process(
            target=_serve, args=(plan, its_end, os.getpid(), release), daemon=True)
        self.process.start()
        its_end.close()
        self.given, self.is_quick = collections.deque(), False
        self._since = time.monotonic()

    def fill(self, waiting):
        """Gives runs from the end of `waiting`."""
        while waiting and len(self.given) < (2 if self.is_quick else 1):
            self.given.append(waiting.pop())
            try:
                self.connection.send(self.given[-1])
            except OSError:
                break  # it died: its connection says so, too

    def answer(self):
        """Returns the row of its first run, or None where the process died."""
        now = time.monotonic()
        self.is_quick, self._since = now - self._since < QUICK, now
        try:
            return self.connection.recv()[1]
        except (EOFError, OSError):
            return None

    def end(self):
        self.process.kill()
        self.process.join()
        self.connection.close()


def _row_of_death(plan, exit_code):
    return ([None] * len(plan.metrics), [None] * 6,
            f"its process died {ATTEMPTS} times, the last time with exit code {exit_code}")


def _work(plan, indices, num_workers, release):
    """Yields (index, row) of all runs `indices`, as they end, from worker processes.

    Each worker first calls `release`, which closes what only the main process may hold.
    """
    waiting, attempts, workers = list(reversed(indices)), collections.Counter(), []
    try:
        # Bound: every pass ends a run, or an attempt of one.
        while workers or waiting:
            # Workers that died or were never there are made.
            while len(workers) < num_workers and waiting:
                workers.append(_Worker(plan, release))
                workers[-1].fill(waiting)
            ready = wait([worker.connection for worker in workers])
            for worker in [w for w in workers if w.connection in ready]:
                row, index = worker.answer(), worker.given.popleft()
                if row is not None:
                    worker.fill(waiting)
                    yield index, row
                else:
                    # The run is begun again, and those behind it wait for another worker.
                    worker.end()
                    attempts[index] += 1
                    waiting += reversed(worker.given)
                    worker.given.clear()
                    if attempts[index] < ATTEMPTS:
                        waiting.append(index)
                    else:
                        yield index, _row_of_death(plan, worker.process.exitcode)
                if not worker.given:
                    workers.remove(worker)
                    worker.end()
    finally:
        for worker in workers:
            worker.end()
