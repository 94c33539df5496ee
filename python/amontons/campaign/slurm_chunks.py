"""Chunks of the runs of a campaign, which the tasks of a job array claim in their folder."""
import json
import os


def _divide(indices, num_workers):
    """Returns the indices in chunks that become smaller: each has half of a worker's share of what
    is left, so that all workers end together (guided self-scheduling)."""
    chunks, begin = [], 0
    # Bound: every pass takes an index.
    while begin < len(indices):
        end = begin + max(1, (len(indices) - begin) // (2 * num_workers))
        chunks.append(indices[begin:end])
        begin = end
    return chunks


class _Chunks:
    """Holds the chunks of a folder, each of the task that claims it until it is released."""

    def __init__(self, folder):
        self._folder = folder
        self._chunks = json.loads((folder / "chunks.json").read_text())

    @staticmethod
    def write(folder, chunks):
        (folder / "chunks.json").write_text(json.dumps(chunks))

    def _claim(self, number):
        return self._folder / f"claim-{number}"

    def _left(self, number):
        return self._folder / f"left-{number}.json"

    def _owner(self, number):
        """Returns the task that has claimed a chunk, a text; None where none has."""
        try:
            return os.readlink(self._claim(number))
        except FileNotFoundError:
            return None

    def claimed_by(self, task):
        """Yields the runs of the chunks that a task claims, one at a time, until none is left.

        A task that Slurm has queued again takes those that it had claimed before, too.
        """
        owner, open_ones, was_left = str(task), list(range(len(self._chunks))), True
        # Bound: every pass claims a chunk; those of tasks that died are released meanwhile.
        while was_left:
            was_left = False
            for number in list(open_ones):
                try:
                    # One task alone makes the link, on network file systems as well.
                    os.symlink(owner, self._claim(number))
                except FileExistsError:
                    if self._owner(number) != owner:
                        continue
                was_left = True
                open_ones.remove(number)
                yield self._runs(number)

    def _runs(self, number):
        left = self._left(number)
        return json.loads(left.read_text()) if left.exists() else self._chunks[number]

    def release(self, task, missing):
        """Lets other tasks claim what a task that died has left: those runs that are `missing`."""
        for number, chunk in enumerate(self._chunks):
            left = [run for run in chunk if run in missing]
            if left and self._owner(number) == str(task):
                self._left(number).write_text(json.dumps(left))
                self._claim(number).unlink()
