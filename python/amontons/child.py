"""Long calls of libraries that hear no Ctrl-C, made by a process of their own."""
import contextlib
import ctypes
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import Future

from ._core import _hear_stop
from .interrupts import plain_interrupts

PR_SET_PDEATHSIG = 1  # of prctl(2)

# Begins the answer: what else the start of an interpreter writes comes before it.
MARK = b"\0answer of amontons\0"

# Loads this very package, by the path of the program that asks: numpy and SciPy are then its own.
PROGRAM = """
import sys
sys.path[:] = sys.argv[2:]
from importlib import util
spec = util.spec_from_file_location("amontons", sys.argv[1])
sys.modules["amontons"] = util.module_from_spec(spec)
spec.loader.exec_module(sys.modules["amontons"])
from amontons.child import answer
answer()
"""


def in_child(what, function, *arguments):
    """Returns function(*arguments), computed by a process of its own, which Ctrl-C ends at once.

    `function` is one of this package, without effects. It costs about 0.3 s to begin. Programs that
    hold an interpreter of their own, without sys.executable, call the function themselves. Raises
    the errors of the function, and ChildProcessError, which names `what`, where the process ends
    without an answer."""
    if not sys.executable or getattr(sys, "frozen", False):
        return function(*arguments)
    call = _Call(what, function, arguments)
    try:
        with plain_interrupts():
            call.thread.start()
            # Bound: the thread ends with the process, whose work is finite.
            while not call.is_done.wait(0.05):
                _hear_stop()
            return call.result.result()
    except BaseException:
        call.end()
        raise


class _Call:
    """Holds a process and the thread that begins it, which hears no Ctrl-C: none is lost track of."""

    def __init__(self, what, function, arguments):
        self.what, self.request = what, (function, arguments)
        self.result, self.is_done, self.lock = Future(), threading.Event(), threading.Lock()
        self.process, self.is_ended = None, False
        self.thread = threading.Thread(target=self._run, daemon=True)

    def end(self):
        """Ends the process; the thread takes its exit code."""
        with self.lock:
            self.is_ended = True
            if self.process is not None:
                self.process.kill()

    def _run(self):
        try:
            with tempfile.TemporaryFile() as messages:
                self._begin(messages)
                self.result.set_result(self._answer(messages))
        except BaseException as error:
            self.result.set_exception(error)
        finally:
            self.is_done.set()

    def _begin(self, messages):
        package = os.path.join(os.path.dirname(os.path.abspath(__file__)), "__init__.py")
        path = [place for place in sys.path if isinstance(place, str)]
        with self.lock:
            if self.is_ended:
                raise KeyboardInterrupt
            try:
                self.process = subprocess.Popen(
                    [sys.executable, "-c", PROGRAM, package, *path], stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE, stderr=messages,
                    start_new_session=True)  # Ctrl-C in the terminal is for this program alone
            except OSError as error:
                raise ChildProcessError(f"{self.what}: {sys.executable} begins no process: "
                                        f"{error.strerror}") from None

    def _answer(self, messages):
        """Returns what the process found."""
        process = self.process
        try:
            with contextlib.suppress(BrokenPipeError):  # its exit code says more
                with process.stdin:
                    pickle.dump(self.request, process.stdin, pickle.HIGHEST_PROTOCOL)
            _, mark, found = process.stdout.read().partition(MARK)
        except BaseException:
            process.kill()
            raise
        finally:
            process.wait()
            process.stdout.close()
        size = int.from_bytes(found[:8], "little")
        if not mark or len(found) < 8 + size:
            raise ChildProcessError(self._death(messages))
        value, error = pickle.loads(found[8:])
        if error is not None:
            raise error
        return value

    def _death(self, messages):
        """Returns a sentence about a process that gave no answer."""
        code = self.process.returncode
        if code < 0:
            name = signal.Signals(-code).name if -code in set(signal.Signals) else "unknown"
            return (f"{self.what}: the process that computes it was ended by signal {-code} ({name})"
                    f"{', which happens where memory is short' if -code == signal.SIGKILL else ''}")
        messages.seek(0)
        said = messages.read().decode(errors="replace").strip().splitlines() or ["nothing"]
        return f"{self.what}: the process that computes it ended with code {code} and said: {said[-1]}"


def answer():
    """Computes what the program at the other end of stdin asks for, and writes the answer to stdout."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    with os.fdopen(os.dup(1), "wb") as out:
        os.dup2(2, 1)  # what libraries print is no part of the answer
        try:
            function, arguments = pickle.load(sys.stdin.buffer)
            found = function(*arguments), None
        except Exception as error:
            found = None, error
        found = pickle.dumps(found, pickle.HIGHEST_PROTOCOL)
        out.write(MARK + len(found).to_bytes(8, "little") + found)
