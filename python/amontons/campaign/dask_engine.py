"""Campaigns on Dask: chunks of runs as tasks of a scheduler, on this machine or elsewhere."""
import collections
import contextlib
import gc
import logging
import queue
import socket
import threading
import time
import uuid

from .._core import OutputError, __version__
from .dask_workers import _OwnCluster
from .runner import DIED, _Runner, _warn

CHUNK = 0.25  # [s] time of the runs of a task
CONNECT = 15.0  # [s] for the answer of a scheduler
FETCH = 3.0  # [s] for the rows of a task that ended
CLOSE = 5.0  # [s] for the end of the connection to a scheduler
WATCH = 1.0  # [s] between looks at the workers

_runners, _lock = {}, threading.Lock()  # of a worker, by the name of the campaign and its thread


def _make_chunk(name, plan_bytes, version, pairs):
    """Runs in a worker: returns (rows of pairs (index, attempt) in order, seconds that they took).

    A row may be an OutputError, after which no other follows.
    """
    if version != __version__:
        raise RuntimeError(f"a worker has version {__version__} of amontons, and the main program "
                           f"{version}: install the same on both")
    with _lock:
        key = name, threading.get_ident()
        if key not in _runners:
            import cloudpickle
            for old in [one for one in _runners if one[0] != name]:
                del _runners[old]
            _runners[key] = _Runner(cloudpickle.loads(plan_bytes))
        runner = _runners[key]
    begin, rows = time.monotonic(), []
    for index, attempt in pairs:
        try:
            rows.append(runner.row(index, attempt))
        except OutputError as error:
            rows.append(error)
            break
    return rows, time.monotonic() - begin


def _modules():
    try:
        import cloudpickle
        import distributed
    except ImportError as error:
        raise ImportError("on=\"dask\" needs Dask (Debian's python3-distributed); on=\"local\" "
                          "does not") from error
    return cloudpickle, distributed


class _Chunks:
    """Hands out runs in chunks whose time is about CHUNK.

    Runs that were in a task when it was given up come last, one at a time and nothing beside them:
    a worker that dies then dies of that run.
    """

    def __init__(self, indices):
        self._waiting, self._alone = collections.deque(indices), collections.deque()
        self._seconds = self._count = 0

    def __bool__(self):
        return bool(self._waiting or self._alone)

    def next(self, in_flight, threads):
        """Returns the pairs (index, attempt) of the next task, or None where it has to wait."""
        if self._waiting and in_flight < 2 * max(threads, 1):
            size = 1 if not self._count else int(CHUNK * self._count / max(self._seconds, 1e-9))
            size = max(1, min(size, len(self._waiting) // (2 * max(threads, 1))))
            return [(self._waiting.popleft(), 0) for _ in range(size)]
        if not self._waiting and self._alone and in_flight == 0:
            return [(self._alone.popleft(), 1)]
        return None

    def ended(self, count, seconds):
        self._count += count
        self._seconds += seconds

    def given_up(self, pairs):
        """Returns the index of a run that was alone, and None where its runs are tried again."""
        if pairs[0][1] > 0:
            return pairs[0][0]
        self._alone.extend(index for index, _ in pairs)
        return None


class _Watch:
    """Looks at the workers of a scheduler: how many threads they have, and which of them left."""

    def __init__(self, client, own):
        self._client, self._own = client, own
        self._known, self._next, self._ended = {}, 0.0, 0
        self.threads = 0

    def look(self, ended):
        self._ended += ended
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + WATCH
        if self._own is not None:
            self._own.tend(self._ended)
        workers = {address: worker["nthreads"]
                   for address, worker in self._client.scheduler_info()["workers"].items()}
        if self._own is None:
            for address in self._known.keys() - workers.keys():
                _warn(f"worker {address} of Dask left; others make its runs")
        self._known, self.threads, self._ended = workers, sum(workers.values()), 0


@contextlib.contextmanager
def _quiet():
    """Silences Dask's log in this process: what matters of it becomes a warning or an error."""
    loggers = [logging.getLogger(name) for name in ("distributed", "asyncio", "tornado")]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        gc.collect()  # asyncio logs the errors of tasks where they are collected
        for logger, level in zip(loggers, before):
            logger.setLevel(level)


def _close(client, distributed):
    """Ends a connection. What a busy machine does not end in time ends with the program: no row
    depends on it."""
    with contextlib.suppress(OSError, distributed.TimeoutError):
        client.close(timeout=CLOSE)
    client.status = "closed"  # else its finalizer waits again, and prints what it raises


def _client(distributed, address):
    """Returns a client of the scheduler at an address. Raises ValueError where none answers."""
    client = distributed.Client.__new__(distributed.Client)
    try:
        # What has no address does not get one by waiting.
        host, port = distributed.comm.get_address_host_port(address)
        socket.getaddrinfo(host, port)
        client.__init__(address, timeout=CONNECT, set_as_default=False)
    except (OSError, ValueError) as error:
        client.status = "closed"  # else its finalizer waits, and prints what it raises
        raise ValueError(f"no scheduler of Dask answers at {address}: start one with `dask "
                         f"scheduler` ({error})") from error
    return client


@contextlib.contextmanager
def _connected(distributed, address, num_workers):
    """Yields (client, own cluster or None)."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(_quiet())
        own = None
        if address is None:
            own = _OwnCluster(distributed, num_workers)
            stack.callback(own.close)
            address = own.address
        client = _client(distributed, address)
        stack.callback(_close, client, distributed)
        yield client, own


def _result(future, distributed):
    """Returns (rows, seconds) of a task that ended; None where its workers died.

    Raises _Lost where the worker that had the rows died: the scheduler makes them again.
    """
    status = future.status
    # A task is `lost` until the scheduler has begun it again.
    if status in ("pending", "lost"):
        raise _Lost
    try:
        if status == "finished":
            return future.result(timeout=FETCH)
        if status == "error":
            error = future.exception(timeout=FETCH)
        else:
            error = RuntimeError(f"its state is {status}")
    except (TimeoutError, distributed.TimeoutError) as late:  # one type from Python 3.11 on
        raise _Lost from late
    if isinstance(error, distributed.scheduler.KilledWorker):
        return None
    if future.status in ("pending", "lost"):
        raise _Lost
    raise RuntimeError(f"Dask cannot make runs: {type(error).__name__}: {error}; workers need "
                       "amontons, and the modules of your functions, in their PYTHONPATH") \
        from error


class _Lost(Exception):
    """Says that the rows of a task that ended are not there any more."""


class _Tasks:
    """Holds the tasks that the scheduler has, and hears when they end."""

    def __init__(self, client, distributed, arguments):
        self._client, self._distributed, self._arguments = client, distributed, arguments
        self._flying, self._ready = {}, queue.Queue()

    def __len__(self):
        return len(self._flying)

    def submit(self, pairs):
        future = self._client.submit(_make_chunk, *self._arguments, pairs, pure=False)
        self._flying[future.key] = future, pairs
        self._listen(future)

    def _listen(self, future):
        future.add_done_callback(lambda done: self._ready.put(done.key))

    def next(self):
        """Returns (pairs, result) of a task that ended, or None where none ends soon."""
        try:
            key = self._ready.get(timeout=WATCH)
        except queue.Empty:
            return None
        future, pairs = self._flying[key]
        try:
            result = _result(future, self._distributed)
        except _Lost:
            self._listen(future)
            return None
        del self._flying[key]
        return pairs, result


def _work(plan, indices, address, num_workers, timeout):
    """Yields (index, row) of all runs `indices`, as they end, from Dask's workers.

    Raises TimeoutError where no run ends in `timeout` [s].
    """
    if not indices:
        return
    cloudpickle, distributed = _modules()
    plan_bytes, chunks, ended = cloudpickle.dumps(plan), _Chunks(indices), 0
    with _connected(distributed, address, num_workers) as (client, own):
        # Sent once: tasks refer to it, and the scheduler makes it again where a worker is lost.
        shared = client.submit(bytes, plan_bytes, pure=False)
        tasks = _Tasks(client, distributed, (uuid.uuid4().hex, shared, __version__))
        watch, last = _Watch(client, own), time.monotonic()
        # Bound: every pass ends a task, or waits for one until the timeout.
        while chunks or tasks:
            watch.look(ended)
            while (pairs := chunks.next(len(tasks), watch.threads)) is not None:
                tasks.submit(pairs)
            answer, ended = tasks.next(), 0
            if answer is None:
                if time.monotonic() - last > timeout:
                    raise TimeoutError(f"no run ended on Dask in {timeout:g} s, with "
                                       f"{watch.threads} threads of workers")
                continue
            (pairs, result), last = answer, time.monotonic()
            if result is None:
                index, ended = chunks.given_up(pairs), 1
                if index is not None:
                    yield index, plan.row_of_failure(index, DIED)
                continue
            chunks.ended(len(result[0]), result[1])
            ended = len(result[0])
            for (index, _), row in zip(pairs, result[0]):
                if isinstance(row, OutputError):
                    raise row
                yield index, row
