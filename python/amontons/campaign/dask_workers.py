"""Worker processes of Dask on this machine, with a scheduler in this process."""
import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile

from .local_engine import _die_with
from .runner import ATTEMPTS, _warn

COMMAND = ("-P", "-m", "distributed.cli.dask_worker", "--nthreads=1", "--nworkers=1", "--no-nanny",
           "--no-dashboard", "--memory-limit=0", "--death-timeout=60")
CLOSE = 10.0  # [s] for the end of the scheduler


class _OwnCluster:
    """Runs a scheduler and `num_workers` worker processes, replaces those that die, ends all.

    Dask's own LocalCluster would import the main program once per worker, which must then be
    guarded by `if __name__ == "__main__"`.
    """

    def __init__(self, distributed, num_workers):
        import dask
        self._distributed = distributed
        self._files = tempfile.TemporaryDirectory(prefix="amontons-dask-")
        self._num_workers, self._workers, self._vain = num_workers, [], 0
        # A task is given up at its second death; its runs are then tried one by one.
        with dask.config.set({"distributed.scheduler.allowed-failures": 1}):
            self._scheduler = distributed.LocalCluster(
                n_workers=0, processes=False, protocol="tcp://", host="127.0.0.1",
                dashboard_address=None, silence_logs=50)
        self.address = self._scheduler.scheduler_address
        self._log = pathlib.Path(self._files.name) / "workers.log"
        self.tend()

    def _start(self):
        main_process = os.getpid()
        search = os.pathsep.join(path or os.getcwd() for path in sys.path)
        with open(self._log, "ab") as log:
            # Ctrl-C in the terminal is for the main program alone.
            return subprocess.Popen(
                [sys.executable, *COMMAND, f"--local-directory={self._files.name}", self.address],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                preexec_fn=lambda: _die_with(main_process),
                env=os.environ | {"PYTHONPATH": search})

    def tend(self, ended=0):
        """Replaces workers that died, with a warning each.

        `ended` is the number of runs and tasks that ended since the last call. Raises RuntimeError
        where workers die and no run ends.
        """
        if ended:
            self._vain = 0
        for worker in [one for one in self._workers if one.poll() is not None]:
            self._workers.remove(worker)
            self._vain += 1
            if self._vain > ATTEMPTS * (self._num_workers + 1):
                last = self._log.read_text(errors="replace").strip().splitlines() or ["nothing"]
                raise RuntimeError(f"Dask's workers die and no run ends; the last line of their "
                                   f"log: {last[-1]}")
            _warn(f"worker process {worker.pid} of Dask died (exit code {worker.returncode}); "
                  "others make its runs")
        while len(self._workers) < self._num_workers:
            self._workers.append(self._start())

    def close(self):
        """Ends workers and scheduler at once."""
        for worker in self._workers:
            worker.kill()
        for worker in self._workers:
            worker.wait()
        self._workers = []
        # What a busy machine does not end in time ends with the program: no row depends on it.
        with contextlib.suppress(OSError, self._distributed.TimeoutError):
            self._scheduler.close(timeout=CLOSE)
        if self._scheduler.status == self._distributed.Status.closed:
            self._scheduler.__exit__(None, None, None)  # ends the thread of its loop
        else:
            # Else Dask waits for it again where the program ends.
            self._scheduler.status = self._distributed.Status.closed
        self._files.cleanup()
