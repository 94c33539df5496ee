#!/usr/bin/python3
"""Makes a campaign of 10,000 throws of a cube on each engine, and times it beside a plain loop.

    PYTHONPATH=build/python benchmarks/campaign.py [-o FOLDER] [--throws N]

The engines are two worker processes, a Dask cluster of two workers, and two tasks of a Slurm cluster
that has this machine as its node; those that are not installed are left out. Each engine makes the
campaign three times: undisturbed, with a worker killed on the way, and killed itself and begun again.
All tables must have the same bits. The plain loop makes as many throws of the kind by `sim.step()` and
computes the same metrics. With -o the result is written, to campaign.json and campaign.md.
"""
import argparse
import contextlib
import datetime
import json
import os
import pathlib
import platform
import signal
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np

import amontons as am

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/python"))
import slurm_cluster  # noqa: E402  (of the tests)
import throws  # noqa: E402

DURATION = 1.0  # of a throw [s]
SLOW_LOOK = 0.5  # [s] between looks at Slurm's files, on this machine's disk
PROCESS = {"local": None, "dask": ("distributed.cli.dask_worker", "amontons-dask-"),
           "slurm": ("amontons.campaign.slurm_task",)}


def campaign(num, on, file, **options):
    throws.throws(num // 2, DURATION, on=on, workers=2, file=file, **options)
    return pathlib.Path(file).read_text()


def plain_loop(num):
    """Returns the wall time of the throws in one process."""
    scene = throws.SCENE | {"simulation": {"step": 0.005, "duration": DURATION}}
    frictions = np.linspace(0.1, 0.9, num // 2)
    begin = time.perf_counter()
    for friction in frictions:
        thrown = am.make_scene(scene | {"materials": [{"name": "wood", "friction": friction}]})
        for seed in range(2):
            sim = am.Simulator(thrown, threads=1)
            sim.set_state(*throws.throw(np.random.default_rng(seed), sim))
            highest = -np.inf
            while not sim.finished:
                sim.step()
                highest = max(highest, sim.bodies["cube"].position[2])
            sim.bodies["cube"].position[0]
    return time.perf_counter() - begin


def worker_of(on, main):
    """Returns the id of a worker process, or None."""
    if PROCESS[on] is not None:
        return throws.newest_with(*PROCESS[on])
    children = pathlib.Path(f"/proc/{main}/task/{main}/children").read_text().split()
    return int(children[-1]) if children else None


def with_a_worker_killed(num, on, file):
    """Returns the table of a campaign in which a worker is killed on the way."""
    killed = []

    def progress(done, *_):
        if done > num // 3 and not killed:
            worker = worker_of(on, os.getpid())
            if worker is not None:
                killed.append(worker)
                os.kill(worker, signal.SIGKILL)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        text = campaign(num, on, file, progress=progress)
    return text if killed else ""


def killed_and_begun_again(num, on, file):
    """Returns the table of a campaign whose program is killed on the way, and begun again."""
    journal = pathlib.Path(f"{file}.journal")
    program = subprocess.Popen([sys.executable, __file__, "--make", on, str(file), "--throws",
                                str(num)])
    # Bound: the campaign ends.
    while program.poll() is None:
        if journal.exists() and journal.read_bytes().count(b"\n") > num // 3:
            program.kill()
            break
        time.sleep(0.02)
    return campaign(num, on, file) if program.wait() == -signal.SIGKILL else ""


def engines():
    """Yields the engines that are here, each while it may be used."""
    yield "local"
    with contextlib.suppress(ImportError):
        import distributed  # noqa: F401
        yield "dask"
    if not slurm_cluster.missing_programs():
        from amontons.campaign import slurm_engine
        slurm_engine.LOOK, slurm_engine.GRACE = SLOW_LOOK, 1.0
        with slurm_cluster.slurm_cluster() as environment:
            os.environ.update(environment)
            yield "slurm"


def measure(num, folder):
    """Returns a row per engine, beside the plain loop before and after it."""
    loops, rows, expected = [plain_loop(num)], [], None
    for on in engines():
        begin = time.perf_counter()
        text = campaign(num, on, folder / f"{on}.csv")
        seconds = time.perf_counter() - begin
        loops.append(plain_loop(num))
        expected = expected or text
        others = {"undisturbed": text,
                  "a worker killed": with_a_worker_killed(num, on, folder / f"{on}-worker.csv"),
                  "killed and begun again": killed_and_begun_again(num, on,
                                                                   folder / f"{on}-again.csv")}
        rows.append({"engine": on, "seconds": seconds, "loop": sum(loops[-2:]) / 2,
                     "same": [name for name, other in others.items() if other == expected]})
        print(rows[-1], file=sys.stderr, flush=True)
    return rows


def page(rows, num):
    lines = [f"{datetime.datetime.now(datetime.timezone.utc).isoformat(timespec='seconds')}; "
             f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}", "",
             f"{num} throws of a cube, {DURATION:g} s each, two workers. The plain loop ran before and "
             "after each", "engine. The last column lists the campaigns whose tables have the bits of the "
             "first one.", "", "| engine | s | plain loop, s | ratio | the same table |",
             "|---|---|---|---|---|"]
    for row in rows:
        lines.append(f"| {row['engine']} | {row['seconds']:.1f} | {row['loop']:.1f} | "
                     f"{row['loop'] / row['seconds']:.2f} | {', '.join(row['same'])} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=pathlib.Path)
    parser.add_argument("--throws", type=int, default=10000)
    parser.add_argument("--make", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.make:
        campaign(options.throws, *options.make)
        return
    with tempfile.TemporaryDirectory() as folder:
        rows = measure(options.throws, pathlib.Path(folder))
    text = page(rows, options.throws)
    print(text, end="")
    if options.output:
        (options.output / "campaign.json").write_text(json.dumps(rows, indent=1) + "\n")
        (options.output / "campaign.md").write_text(text)


if __name__ == "__main__":
    main()
