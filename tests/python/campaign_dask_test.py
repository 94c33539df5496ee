#!/usr/bin/python3
"""Checks campaigns on Dask: the table of worker processes of this machine, to the bit."""
import os
import signal
import subprocess
import sys
import tempfile
import warnings

import amontons as am
from harness import raises, run_tests
from throws import (check_that_it_continues, counting, deadly, processes_with, slow, text_of,
                    throws, wait_for)


def test_the_table_has_the_bits_of_worker_processes():
    with tempfile.TemporaryDirectory() as where:
        texts = {text_of(where, f"{k}.csv", on=on, workers=workers) for k, (on, workers) in
                 enumerate((("local", 1), ("local", 2), ("dask", 2), ("dask", 1)))}
    assert len(texts) == 1 and texts.pop().count("\n") == 41
    assert not processes_with("distributed.cli.dask_worker", "amontons-dask-")


def test_a_worker_that_is_killed_is_reported_and_others_make_its_runs():
    killed = []

    def progress(done, *_):
        if 4 <= done and not killed:
            killed.append(min(processes_with("distributed.cli.dask_worker", "amontons-dask-")))
            os.kill(killed[0], signal.SIGKILL)

    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        table = throws(60, on="dask", workers=2, progress=progress, metrics={"s": slow})
    assert killed and not any(table["error"])
    said = [str(one.message) for one in heard if one.category is RuntimeWarning]
    assert f"worker process {killed[0]} of Dask died (exit code -9)" in said[0], said
    expected = throws(60, workers=2)
    assert all((table[name] == expected[name]).all() for name in expected
               if name != "run")


def test_a_run_that_kills_its_worker_has_an_error_and_the_others_end():
    with tempfile.TemporaryDirectory() as where, warnings.catch_warnings(record=True):
        one, other = (text_of(where, f"{on}.csv", on=on, workers=2, metrics={"d": deadly})
                      for on in ("local", "dask"))
    assert one == other and one.count("its process died at each attempt") == 1


def test_a_campaign_that_is_killed_or_interrupted_continues():
    with tempfile.TemporaryDirectory() as where, tempfile.TemporaryDirectory() as other:
        # Tasks under way at the two ends are made twice: two of each worker, of some runs each.
        text = check_that_it_continues(where, "dask", 40)
        throws(30, duration=1.0, metrics={"n": counting(other + "/count")}, file=other + "/t.csv")
        with open(other + "/t.csv") as file:
            rows = [line.split(",", 1)[1] for line in file]
        assert [line.split(",", 1)[1] for line in text.splitlines(True)] == rows
        assert sorted(os.listdir(where)) == ["count", "t.csv"]


def test_a_scheduler_elsewhere_is_used_and_left_as_it_was():
    search = os.pathsep.join(sys.path)
    with tempfile.TemporaryDirectory() as where:
        note = where + "/scheduler.json"
        options = {"cwd": where, "env": os.environ | {"PYTHONPATH": search},
                   "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        programs = [subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host=127.0.0.1",
             "--port=0", "--no-dashboard", f"--scheduler-file={note}"], **options)]
        try:
            wait_for(lambda: os.path.exists(note))
            import json
            with open(note) as file:
                address = json.load(file)["address"]
            assert "no run ended on Dask in 1.5 s, with 0 threads" in raises(
                TimeoutError, throws, on="dask://" + address, timeout=1.5)
            programs += [subprocess.Popen(
                [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads=2",
                 "--no-nanny", "--no-dashboard", f"--local-directory={where}"], **options)]
            texts = {text_of(where, f"{k}.csv", on=on) for k, on in enumerate(
                ("local", "dask://" + address, "dask://" + address.removeprefix("tcp://")))}
            assert len(texts) == 1
            assert all(program.poll() is None for program in programs)
        finally:
            for program in programs:
                program.kill()
                program.wait()


# Neither the connection nor the scheduler ends in the time that it has, as on a busy machine.
SLOW_END = """
import asyncio
import sys
import threading
import distributed
from amontons.campaign import dask_engine, dask_workers
from throws import throws

async def late(self, *arguments, **options):
    await asyncio.sleep(3600)

if {slow}:
    distributed.Client._close = distributed.LocalCluster._close = late
dask_engine.CLOSE = dask_workers.CLOSE = {seconds}
table = throws(3, on="dask", workers=1)
print(sum(error == "" for error in table["error"]), threading.active_count())
"""


def test_an_end_that_takes_too_long_says_nothing_and_fails_no_campaign():
    for slow_end, seconds in ((True, 0.2), (False, 60.0)):
        done = subprocess.run(
            [sys.executable, "-c", SLOW_END.format(slow=slow_end, seconds=seconds)],
            capture_output=True, text=True, timeout=300,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})
        assert done.returncode == 0 and done.stderr == "", done.stderr
        rows, threads = map(int, done.stdout.split())
        assert rows == 6
        if not slow_end:  # the threads of the loops have ended, but for Dask's pools
            assert threads <= 3, threads


def test_a_scheduler_that_is_not_there_is_said():
    from amontons.campaign import dask_engine
    dask_engine.CONNECT = 1.0
    said = raises(ValueError, throws, on="dask://127.0.0.1:9")
    assert "no scheduler of Dask answers at 127.0.0.1:9" in said and "dask scheduler" in said
    assert am.campaign.__module__ == "amontons.campaign.campaign"
    # A name without an address, or without a port, needs no time; the program ends as usual.
    for place, words in (("nohost.invalid:8786", "known"), ("nohost.invalid", "missing port")):
        done = subprocess.run(
            [sys.executable, "-c", "import throws; throws.throws(on='dask://" + place + "')"],
            capture_output=True, text=True, timeout=60, check=False,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})
        said = done.stderr.strip().splitlines()[-1]
        assert f"no scheduler of Dask answers at {place}: " in said and words in said, said
        assert "Exception ignored" not in done.stderr, done.stderr


if __name__ == "__main__":
    try:
        import distributed
    except ImportError:
        print("SKIPPED: Dask (python3-distributed) is not installed")
        sys.exit(77)
    run_tests(globals())
