#!/usr/bin/python3
"""Checks campaigns on Slurm: a cluster of this one machine, and the table of worker processes."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np

from harness import raises, run_tests
from slurm_cluster import missing_programs, slurm_cluster
from throws import check_that_it_continues, counting, deadly, newest_with, slow, text_of, throws


def queue():
    return subprocess.run(["squeue", "-h"], capture_output=True, text=True, check=True).stdout


def queue_empties():
    """Return True once no job waits or runs, False after half a minute."""
    end = time.monotonic() + 30.0
    while queue() != "" and time.monotonic() < end:
        time.sleep(0.2)
    return queue() == ""


def test_the_table_has_the_bits_of_worker_processes():
    with tempfile.TemporaryDirectory() as where:
        texts = {text_of(where, f"{k}.csv", on=on, workers=workers) for k, (on, workers) in
                 enumerate((("local", 2), ("slurm", 2), ("slurm", None)))}
        assert sorted(os.listdir(where)) == ["0.csv", "1.csv", "2.csv"]
    assert len(texts) == 1 and texts.pop().count("\n") == 41


def test_a_task_that_is_killed_is_reported_and_others_make_its_runs():
    heard, last = [], -np.inf

    def progress(done, *_):
        # A task may end by itself before it is killed: another one is, until a death is reported.
        nonlocal last
        is_reported = any("died" in str(one.message) for one in heard)
        if done < 2 or is_reported or time.monotonic() < last + 3.0:
            return
        task = newest_with("amontons.campaign.slurm_task")
        if task is not None:
            last = time.monotonic()
            os.kill(task, signal.SIGKILL)

    with warnings.catch_warnings(record=True) as heard, tempfile.TemporaryDirectory() as where:
        warnings.simplefilter("always")
        table = throws(60, on="slurm", workers=2, progress=progress, file=where + "/t.h5",
                       metrics={"s": slow})
        assert os.listdir(where) == ["t.h5"]
    heard_texts = [str(one.message) for one in heard]
    assert any("of Slurm died" in text for text in heard_texts), (last, heard_texts)
    expected = throws(60, workers=2)
    assert all((table[name] == expected[name]).all() for name in expected
               if name != "run")


def test_a_run_that_kills_its_process_has_an_error_and_the_others_end():
    with tempfile.TemporaryDirectory() as where, warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        one, other = (text_of(where, f"{on}.csv", on=on, workers=2, metrics={"d": deadly})
                      for on in ("local", "slurm"))
    assert one == other and one.count("its process died at each attempt") == 1
    assert any("of Slurm: worker process" in str(one.message) for one in heard)


def test_a_campaign_that_is_killed_or_interrupted_continues():
    with tempfile.TemporaryDirectory() as where, tempfile.TemporaryDirectory() as other:
        text = check_that_it_continues(where, "slurm", 8)
        throws(30, duration=1.0, metrics={"n": counting(other + "/count")}, file=other + "/t.csv")
        rows = pathlib.Path(other, "t.csv").read_text().splitlines()
        assert [line.split(",", 1)[1] for line in text.splitlines()] == \
            [line.split(",", 1)[1] for line in rows]
        assert sorted(os.listdir(where)) == ["count", "t.csv"], os.listdir(where)
    assert queue_empties()


def test_waiting_has_a_bound_and_what_waits_is_cancelled():
    with tempfile.TemporaryDirectory() as where:
        said = raises(TimeoutError, throws, on="slurm", timeout=2.0, file=where + "/t.csv",
                      slurm={"begin": "now+1hour"})
    assert "no run ended on Slurm in 2 s: job" in said and "PENDING BeginTime" in said, said
    assert queue_empties()


def test_what_slurm_refuses_is_said():
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as where:
        os.chdir(where)
        try:
            said = raises(RuntimeError, throws, on="slurm", slurm={"partition": "none"})
            assert "sbatch failed" in said and "Invalid partition" in said, said
            path, os.environ["PATH"] = os.environ["PATH"], where
            said = raises(ValueError, throws, on="slurm")
            os.environ["PATH"] = path
            assert "needs sinfo (Debian's slurm-client)" in said
            assert os.listdir(where) == []
        finally:
            os.chdir(here)


if __name__ == "__main__":
    missing = missing_programs()
    if missing:
        print(f"SKIPPED: {', '.join(missing)} of Slurm (scripts/install-deps) not installed")
        sys.exit(77)
    from amontons.campaign import slurm_engine
    slurm_engine.LOOK, slurm_engine.GRACE = 0.5, 1.0  # its files are on this machine's disk
    with slurm_cluster() as environment:
        os.environ.update(environment)
        run_tests(globals())
