"""One task of a Slurm job array: claims chunks of runs until none is left, and makes those that its
file of rows does not have.

Slurm starts it as `python3 -m amontons.campaign.slurm_task FOLDER`.
"""
import os
import pathlib
import pickle
import sys
import warnings

from .._core import OutputError
from .local_engine import _work
from .slurm_chunks import _Chunks
from .table import FAILED, WARNING, _lines, _whole_rows


def main(folder, task):
    """Makes the runs of the chunks that it claims; returns the exit code."""
    plan = pickle.loads((folder / "plan.pickle").read_bytes())
    path = folder / f"rows-{task}.csv"
    # A task that Slurm has queued again begins after the last whole line of the former one.
    done, whole = _whole_rows(path)
    made = {row[0] for row in done}
    with open(path, "a", encoding="utf-8") as file:
        file.truncate(whole)

        def add(*row):
            file.write(_lines([row]))
            file.flush()

        warnings.showwarning = lambda message, *_: add(WARNING, str(message))
        warnings.simplefilter("always")
        workers = int(os.environ.get("SLURM_CPUS_PER_TASK", "1"))
        own = ([run for run in chunk if plan.keys[run] not in made]
               for chunk in _Chunks(folder).claimed_by(task))
        try:
            for _, row in _work(plan, own, workers, file.close):
                add(*row)
        except OutputError as error:
            add(FAILED, str(error))
            return 5
    (folder / f"done-{task}").touch()
    return 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), int(os.environ["SLURM_ARRAY_TASK_ID"])))
