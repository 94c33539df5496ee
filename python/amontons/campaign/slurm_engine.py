"""Campaigns on Slurm: a job array whose tasks claim chunks of runs in a folder that they share."""
import contextlib
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

from .._core import OutputError
from .runner import ATTEMPTS, _warn
from .slurm_chunks import _Chunks, _divide
from .table import FAILED, WARNING, _whole_rows

CALL = 60.0  # [s] for an answer of Slurm's programs
POLL = 0.1, 2.0  # [s] between looks at the rows, at first and at last
LOOK = 5.0  # [s] between questions to the controller
# [s] in which a cancelled task ends, and the last rows of one show on a network file system
GRACE = 10.0
REMOVALS = 30  # attempts to remove a folder, a tenth of a second apart
MOST_TASKS = 1000  # of an array, unless Slurm's MaxArraySize is less
TASKS = 4  # of a worker: where one dies or reaches a limit of time, Slurm begins the next one


def _call(*words):
    """Returns what one of Slurm's programs prints. Raises RuntimeError with its error."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=CALL, check=False,
                              stdin=subprocess.DEVNULL, start_new_session=True)
    except FileNotFoundError as error:
        raise ValueError(f"on=\"slurm\" needs {words[0]} (Debian's slurm-client)") from error
    except subprocess.TimeoutExpired as error:
        raise RuntimeError(f"Slurm's {words[0]} did not answer in {CALL:g} s") from error
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines() or ["no reason"]
        raise RuntimeError(f"Slurm's {words[0]} failed: {said[-1]}")
    return done.stdout


def _processors():
    """Returns the number of processors that Slurm's nodes have, of all partitions."""
    counts = _call("sinfo", "--noheader", "--format=%C").split()  # allocated/idle/other/total
    return max([int(count.split("/")[3]) for count in counts if count.count("/") == 3] or [1])


def _most_tasks():
    for line in _call("scontrol", "show", "config").splitlines():
        if line.startswith("MaxArraySize"):
            return max(1, min(MOST_TASKS, int(line.split("=")[1]) - 1))
    return MOST_TASKS


class _Array:
    """Is a job array in Slurm, whose files are in a folder."""

    def __init__(self, folder, plan_bytes, missing, num_workers, options):
        """`missing` are the indices of runs by their keys; who reads rows removes theirs."""
        chunks = _divide(list(missing.values()), num_workers)
        _Chunks.write(folder, chunks)
        self.folder, self._missing, self._chunks = folder, missing, _Chunks(folder)
        num_tasks = min(len(chunks), TASKS * num_workers, _most_tasks())
        (folder / "plan.pickle").write_bytes(plan_bytes)
        search = os.pathsep.join(path or os.getcwd() for path in sys.path)
        (folder / "task.sh").write_text(
            f"#!/bin/sh\nexport PYTHONPATH={shlex.quote(search)}\n"
            f"exec {shlex.quote(sys.executable)} -P -m amontons.campaign.slurm_task "
            f"{shlex.quote(str(folder))}\n")
        self.job = _call("sbatch", "--parsable", "--job-name=amontons",
                         f"--array=0-{num_tasks - 1}%{num_workers}",
                         f"--output={folder}/log-%a.txt",
                         *(f"--{name}={value}" for name, value in options.items()),
                         str(folder / "task.sh")).strip().split(";")[0]
        (folder / "job").write_text(self.job)
        self._read, self._gone_since = [0] * num_tasks, [None] * num_tasks
        self._next_look = time.monotonic() + LOOK
        self.open = set(range(num_tasks))

    def rows(self):
        """Yields the rows that were added, and closes tasks that are done."""
        for task in sorted(self.open):
            is_done = (self.folder / f"done-{task}").exists()
            rows, self._read[task] = _whole_rows(self.folder / f"rows-{task}.csv",
                                                 self._read[task])
            for row in rows:
                if row[0] == WARNING:
                    _warn(f"task {self.job}_{task} of Slurm: {row[1]}")
                elif row[0] == FAILED:
                    raise OutputError(row[1])
                else:
                    yield row
            if is_done:
                self.open.discard(task)

    def close_dead(self):
        """Closes tasks that ended and left runs; a warning reports each."""
        now = time.monotonic()
        if now < self._next_look:
            return
        self._next_look = now + LOOK
        active = self.active()
        for task in sorted(self.open):
            if active is None or task in active:
                self._gone_since[task] = None
            elif self._gone_since[task] is None:
                self._gone_since[task] = now
            elif now - self._gone_since[task] > GRACE:
                self.open.discard(task)
                self._chunks.release(task, set(self._missing.values()))
                _warn(f"task {self.job}_{task} of Slurm died: {self.said(task)}; others make its "
                      "runs")

    def active(self):
        """Returns the tasks that wait or run; None where Slurm's controller does not say."""
        return _active(self.job)

    def said(self, task):
        """Returns the last line of a task's log."""
        log = self.folder / f"log-{task}.txt"
        lines = log.read_text(errors="replace").split("\n") if log.exists() else []
        return next((line for line in reversed(lines) if line.strip()), "its log is empty")

    def reason(self):
        """Returns what Slurm says of the first task that waits or runs."""
        try:
            said = _call("squeue", "--noheader", f"--jobs={self.job}", "--format=%T %r")
        except RuntimeError as error:
            return str(error)
        return (said.strip().splitlines() or ["it is not in the queue"])[0]


def _pickled(plan):
    try:
        import cloudpickle
    except ImportError as error:
        raise ImportError("on=\"slurm\" needs cloudpickle (Debian's python3-cloudpickle)") \
            from error
    return cloudpickle.dumps(plan)


def _active(job):
    """Returns the tasks of a job that wait or run; None where Slurm's controller does not say."""
    try:
        lines = _call("squeue", "--noheader", "--array", f"--jobs={job}", "--format=%K")
    except RuntimeError as error:
        return set() if "Invalid job id" in str(error) else None
    return {int(word) for word in lines.split() if word.isdigit()}


def _cancel(job):
    try:
        _call("scancel", job)
    except RuntimeError:
        pass  # it ended, or its controller did


def _end(job):
    """Cancels a job, and waits until its tasks have ended: their last rows count."""
    _cancel(job)
    deadline = time.monotonic() + GRACE
    while _active(job) and time.monotonic() < deadline:
        time.sleep(POLL[0])


def _remove(path):
    """Removes a folder, in which a task that was just cancelled may write for a moment."""
    # Bound: REMOVALS.
    for _ in range(REMOVALS):
        shutil.rmtree(path, ignore_errors=True)
        if not path.exists():
            return
        time.sleep(0.1)


class _Folder:
    """Is the folder of a campaign: beside its table, where the next program finds it, or another
    one in the current folder. Each array has a folder of its own in it."""

    def __init__(self, file):
        self._is_kept = file is not None
        if file is None:
            self.path = pathlib.Path(tempfile.mkdtemp(prefix="amontons-slurm-", dir=os.getcwd()))
        else:
            self.path = pathlib.Path(file).absolute()
            self.path = self.path.with_name(self.path.name + ".slurm")

    def former_rows(self):
        """Yields the rows that a killed program has not read; its jobs are ended first."""
        for job in sorted(self.path.glob("*/job")):
            _end(job.read_text())
        for file in sorted(self.path.glob("*/rows-*.csv")):
            yield from (row for row in _whole_rows(file)[0] if row[0] not in (WARNING, FAILED))

    def new(self):
        """Returns a new folder in it, and removes the others."""
        _remove(self.path)
        self.path.mkdir(parents=True, exist_ok=True)
        return pathlib.Path(tempfile.mkdtemp(prefix="array-", dir=self.path))

    def end(self, is_complete):
        if is_complete or not self._is_kept:
            _remove(self.path)


def _work(plan, indices, file, num_workers, options, timeout):
    """Yields (index, row) of all runs `indices`, as they end, from tasks of Slurm.

    The job array is cancelled where the caller ends early. Raises TimeoutError where no run ends
    in `timeout` [s], and RuntimeError where tasks die and no run ends.
    """
    missing = {plan.keys[index]: index for index in indices}
    folder, vain = _Folder(file), 0
    try:
        for row in folder.former_rows():
            if row[0] in missing:
                yield missing.pop(row[0]), row
        # Bound: rounds in which no run ends.
        while missing and vain < ATTEMPTS:
            array = _Array(folder.new(), _pickled(plan), missing, num_workers or _processors(),
                           options)
            vain += 1
            with contextlib.closing(_rows_of(array, timeout)) as rows:
                for row in rows:
                    if row[0] in missing:
                        vain = 0
                        yield missing.pop(row[0]), row
                    if not missing:
                        break  # tasks that wait would find no chunk
        if missing:
            raise RuntimeError(f"tasks of Slurm die and no run ends: {array.said(0)}")
    finally:
        folder.end(not missing)


def _rows_of(array, timeout):
    """Yields the rows of an array until its tasks are closed."""
    last, pause = time.monotonic(), POLL[0]
    try:
        # Bound: the timeout after each row.
        while array.open:
            for row in array.rows():
                last, pause = time.monotonic(), POLL[0]
                yield row
            if not array.open:
                break
            array.close_dead()
            if time.monotonic() - last > timeout:
                raise TimeoutError(f"no run ended on Slurm in {timeout:g} s: job {array.job}, "
                                   f"{array.reason()}")
            time.sleep(pause)
            pause = min(1.2 * pause, POLL[1])
    finally:
        if array.open:
            _cancel(array.job)
