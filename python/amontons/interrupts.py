"""Ctrl-C while work is handed to threads."""
import threading
from concurrent.futures import Future, wait
from contextlib import contextmanager

from ._core import _StopFlag


@contextmanager
def plain_interrupts():
    """Raises KeyboardInterrupt for Ctrl-C alone within it. Where that comes while a lock of Python's
    own is taken, the lock raises RuntimeError in its place."""
    try:
        yield
    except RuntimeError as error:
        if isinstance(error.__context__, KeyboardInterrupt):
            raise KeyboardInterrupt from None
        raise


def in_thread(function):
    """Returns function(), of a library that hears no Ctrl-C: it is then left to a thread, which ends
    by itself, or with the program."""
    result = Future()

    def run():
        try:
            result.set_result(function())
        except BaseException as error:
            result.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    with plain_interrupts():
        return result.result()


def sobol_module():
    """Returns scipy.stats.qmc. The first Sobol of a process reads tables, and SciPy loses the Ctrl-C
    that comes meanwhile: a thread, which hears none, makes that one."""
    from scipy.stats import qmc
    in_thread(lambda: qmc.Sobol(1))
    return qmc


def map_on(pool, function, items):
    """Returns [function(item) for each item], called in the threads of a pool.

    Raises the error of the first item that has one, once no thread works any more; items that no
    thread has begun are left out then. Ctrl-C ends the steps that the threads take, too.
    """
    stop, futures, faults, is_submitted = _StopFlag(), [], [], threading.Event()

    def submit():
        try:
            futures.extend(pool.submit(stop.call, function, item) for item in items)
        except BaseException as error:
            faults.append(error)
        finally:
            is_submitted.set()

    # Ctrl-C within submit() could leave a lock of the pool taken for ever: a thread hears none. Nor is
    # it joined, for a join that Ctrl-C ends takes the thread for ended (CPython 3.11).
    submitting = threading.Thread(target=submit, daemon=True)
    try:
        with plain_interrupts():
            submitting.start()
            is_submitted.wait()
            if faults:
                raise faults[0]
            return [future.result() for future in futures]
    except BaseException as error:
        if not isinstance(error, Exception):
            stop.set()
        # Bound: the items, which end at once now.
        while submitting.ident is not None and not is_submitted.wait(0.1):
            pass
        for future in futures:
            future.cancel()
        wait(futures)
        raise
