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
    stop, futures = _StopFlag(), []

    def submit():
        futures.extend(pool.submit(stop.call, function, item) for item in items)

    # Ctrl-C within submit() could leave a lock of the pool taken for ever: a thread hears none.
    submitting = threading.Thread(target=submit, daemon=True)
    try:
        with plain_interrupts():
            submitting.start()
            submitting.join()
            return [future.result() for future in futures]
    except BaseException as error:
        if not isinstance(error, Exception):
            stop.set()
        while submitting.is_alive():  # bound: the items, which end at once now
            submitting.join(0.1)
        for future in futures:
            future.cancel()
        wait(futures)
        raise
