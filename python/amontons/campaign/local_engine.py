"""Worker processes of this machine: they take runs one by one, and one that dies is replaced."""
import collections
import contextlib
import ctypes
import multiprocessing
import os
import signal
import time
from multiprocessing.connection import wait

from .._core import OutputError
from .runner import ATTEMPTS, DIED, _Runner, _warn

PR_SET_PDEATHSIG = 1  # of Linux's prctl
QUICK = 0.1  # [s] runs below it are given out two at a time or more
BATCH = 0.02, 8  # [s] of runs that a worker has in advance, and most of them
PAUSE = 0.004  # [s] in which rows of such runs gather


def _die_with(main_process):
    """Lets this process end with the one that made it."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != main_process:
        os._exit(0)  # it ended before the line above


def _serve(plan, connection, main_process, release):
    """Runs in a worker: answers lists of pairs (index, attempt), each with a row or an OutputError
    and its time [s], until the connection or the main process ends."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _die_with(main_process)
    release()
    runner = _Runner(plan)
    # Bound: the runs of the plan.
    for _ in range(ATTEMPTS * len(plan.runs) + 1):
        try:
            for index, attempt in connection.recv():
                begin = time.monotonic()
                try:
                    answer = runner.row(index, attempt)
                except OutputError as error:
                    answer = error
                connection.send((answer, time.monotonic() - begin))
        except (EOFError, OSError):
            break
    # Nothing of the main process, which forked, is to be flushed or closed here.
    os._exit(0)


class _Waiting:
    """Holds runs that wait for a worker, in order, and takes the next chunk where none waits."""

    def __init__(self, chunks):
        self._chunks, self._runs = iter(chunks), collections.deque()

    def __len__(self):
        # Bound: the chunks.
        while not self._runs and (chunk := next(self._chunks, None)) is not None:
            self._runs.extend(chunk)
        return len(self._runs)

    def pop(self):
        return self._runs.popleft()

    def put_back(self, runs):
        self._runs.extendleft(reversed(runs))


class _Worker:
    """Is a process with its connection and the runs that it was given, of which it makes the first.

    `depth` is the number of runs that it may have: more than one where its last run was short.
    """

    def __init__(self, plan, release):
        context = multiprocessing.get_context("fork")  # functions need not be importable
        self.connection, its_end = context.Pipe()
        self.process = context.Process(
            target=_serve, args=(plan, its_end, os.getpid(), release), daemon=True)
        self.process.start()
        its_end.close()
        self.given, self.depth = collections.deque(), 1

    def fill(self, waiting, attempts):
        """Gives the next of the runs that wait."""
        if 2 * len(self.given) > self.depth or not waiting:
            return
        new = [waiting.pop() for _ in range(min(self.depth - len(self.given), len(waiting)))]
        self.given.extend(new)
        with contextlib.suppress(OSError):  # it died: its connection says so, too
            self.connection.send([(index, attempts[index]) for index in new])

    def answer(self):
        """Returns the row of its first run, or None where the process died."""
        try:
            answer, seconds = self.connection.recv()
        except (EOFError, OSError):
            return None
        in_advance = int(BATCH[0] / max(seconds, 1e-6))
        self.depth = 1 if seconds >= QUICK else max(2, min(in_advance, BATCH[1]))
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


def _answers(plan, worker, waiting, attempts):
    """Yields (index, row) of all that a worker has answered, and gives it more runs.

    A worker that died is ended: its first run is begun again or has failed, and those behind it
    wait for another worker.
    """
    for _ in range(len(worker.given)):
        row, index = worker.answer(), worker.given.popleft()
        if row is None:
            worker.end()
            attempts[index] += 1
            waiting.put_back(worker.given)
            worker.given.clear()
            _say_death(plan, index, worker.process, attempts[index])
            if attempts[index] < ATTEMPTS:
                waiting.put_back([index])
            else:
                yield index, plan.row_of_failure(index, DIED)
            return
        worker.fill(waiting, attempts)
        yield index, row
        if not worker.connection.poll():
            return


def _work(plan, chunks, num_workers, release):
    """Yields (index, row) of all runs, as they end, from worker processes.

    `chunks` are lists of indices of runs; the next one is taken where no run waits. Each worker
    first calls `release`, which closes what only the main process may hold. A warning reports each
    worker that died.
    """
    waiting, attempts, workers = _Waiting(chunks), collections.Counter(), []
    try:
        # Bound: every pass ends a run, or an attempt of one.
        while workers or waiting:
            # Workers that died or were never there are made.
            while len(workers) < num_workers and waiting:
                workers.append(_Worker(plan, release))
                workers[-1].fill(waiting, attempts)
            ready = wait([worker.connection for worker in workers])
            for worker in [w for w in workers if w.connection in ready]:
                yield from _answers(plan, worker, waiting, attempts)
                if not worker.given:
                    workers.remove(worker)
                    worker.end()
            if workers and min(worker.depth for worker in workers) > 2:
                time.sleep(PAUSE)
    finally:
        for worker in workers:
            worker.end()
