"""Worker processes of this machine: they take runs one by one, and one that dies is replaced."""
import collections
import ctypes
import multiprocessing
import os
import signal
import time
from multiprocessing.connection import wait

from .._core import OutputError
from .runner import ATTEMPTS, DIED, _Runner, _warn

PR_SET_PDEATHSIG = 1  # of Linux's prctl
QUICK = 0.1  # [s] runs below it are given out two at a time


def _die_with(main_process):
    """Lets this process end with the one that made it."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != main_process:
        os._exit(0)  # it ended before the line above


def _serve(plan, connection, main_process, release):
    """Runs in a worker: answers pairs (index, attempt) with rows, or an OutputError, until the
    connection or the main process ends."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _die_with(main_process)
    release()
    runner = _Runner(plan)
    # Bound: the runs of the plan.
    for _ in range(ATTEMPTS * len(plan.runs) + 1):
        try:
            index, attempt = connection.recv()
            try:
                answer = runner.row(index, attempt)
            except OutputError as error:
                answer = error
            connection.send(answer)
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

    def fill(self, waiting, attempts):
        """Gives runs from the end of `waiting`."""
        while waiting and len(self.given) < (2 if self.is_quick else 1):
            self.given.append(waiting.pop())
            try:
                self.connection.send((self.given[-1], attempts[self.given[-1]]))
            except OSError:
                break  # it died: its connection says so, too

    def answer(self):
        """Returns the row of its first run, or None where the process died."""
        now = time.monotonic()
        self.is_quick, self._since = now - self._since < QUICK, now
        try:
            answer = self.connection.recv()
        except (EOFError, OSError):
            return None
        if isinstance(answer, OutputError):
            raise answer
        return answer

    def end(self):
        self.process.kill()
        self.process.join()
        self.connection.close()


def _say_death(plan, index, process, attempts):
    remedy = "is made again" if attempts < ATTEMPTS else f"has failed {ATTEMPTS} times and is left"
    _warn(f"worker process {process.pid} died (exit code {process.exitcode}); its run "
          f"{plan.keys[index]} {remedy}")


def _work(plan, indices, num_workers, release):
    """Yields (index, row) of all runs `indices`, as they end, from worker processes.

    Each worker first calls `release`, which closes what only the main process may hold. A warning
    reports each worker that died.
    """
    waiting, attempts, workers = list(reversed(indices)), collections.Counter(), []
    try:
        # Bound: every pass ends a run, or an attempt of one.
        while workers or waiting:
            # Workers that died or were never there are made.
            while len(workers) < num_workers and waiting:
                workers.append(_Worker(plan, release))
                workers[-1].fill(waiting, attempts)
            ready = wait([worker.connection for worker in workers])
            for worker in [w for w in workers if w.connection in ready]:
                row, index = worker.answer(), worker.given.popleft()
                if row is not None:
                    worker.fill(waiting, attempts)
                    yield index, row
                else:
                    # The run is begun again, and those behind it wait for another worker.
                    worker.end()
                    attempts[index] += 1
                    waiting += reversed(worker.given)
                    worker.given.clear()
                    _say_death(plan, index, worker.process, attempts[index])
                    if attempts[index] < ATTEMPTS:
                        waiting.append(index)
                    else:
                        yield index, plan.row_of_failure(index, DIED)
                if not worker.given:
                    workers.remove(worker)
                    worker.end()
    finally:
        for worker in workers:
            worker.end()
