#!/usr/bin/python3
"""Checks the chunks of runs that tasks of Slurm claim: each run in one of them, each of one task."""
import concurrent.futures
import pathlib
import tempfile

from amontons.campaign.slurm_chunks import _Chunks, _divide
from harness import run_tests


def chunks_in(where, chunks):
    folder = pathlib.Path(where)
    _Chunks.write(folder, chunks)
    return _Chunks(folder)


def test_chunks_hold_every_run_once_and_end_small():
    for num, workers in ((1, 2), (7, 2), (1000, 1), (10000, 2), (999, 64)):
        runs = list(range(3, 3 + num))
        chunks = _divide(runs, workers)
        assert [run for chunk in chunks for run in chunk] == runs
        sizes = [len(chunk) for chunk in chunks]
        assert sizes == sorted(sizes, reverse=True) and sizes[-1] == 1
        assert sizes[0] <= max(1, num / (2 * workers))


def test_every_chunk_has_one_owner_whatever_claims_beside_it():
    with tempfile.TemporaryDirectory() as where, concurrent.futures.ThreadPoolExecutor(8) as pool:
        chunks = chunks_in(where, [[2 * k, 2 * k + 1] for k in range(400)])
        claims = pool.map(lambda task: sum(chunks.claimed_by(task), []), range(8))
        assert sorted(run for own in claims for run in own) == list(range(800))


def test_a_task_that_begins_again_has_the_chunks_that_it_had_before():
    with tempfile.TemporaryDirectory() as where:
        chunks = chunks_in(where, [[k] for k in range(9)])
        first, second = chunks.claimed_by(1), chunks.claimed_by(2)
        assert [next(first), next(second), next(first)] == [[0], [1], [2]]
        assert sum(chunks.claimed_by(1), []) == [0, 2, 3, 4, 5, 6, 7, 8]
        assert list(second) == []


def test_what_a_task_that_died_has_left_goes_to_one_that_runs():
    with tempfile.TemporaryDirectory() as where:
        chunks = chunks_in(where, [[0, 1, 2], [3, 4], [5]])
        dead, other = chunks.claimed_by(1), chunks.claimed_by(2)
        assert [next(dead), next(other)] == [[0, 1, 2], [3, 4]]
        chunks.release(1, missing={2, 3, 4, 5})  # it has made 0 and 1
        assert [next(other), next(other), list(other)] == [[5], [2], []]


if __name__ == "__main__":
    run_tests(globals())
