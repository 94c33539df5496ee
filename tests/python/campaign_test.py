#!/usr/bin/python3
"""Checks campaigns: points, rows, independence of workers, resumption, and workers that die."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import warnings

import h5py
import numpy as np

import amontons as am
from harness import FIRST, raises, run_tests

SLIDE = {"amontons": 1, "simulation": {"step": 0.01, "duration": 0.5},
         "materials": [{"name": "wood", "friction": 0.3}],
         "bodies": [{"name": "floor", "fixed": True,
                     "shapes": [{"half_space": {"normal": [0, 0, 1]}, "material": "wood"}]},
                    {"name": "block", "mass": 1, "pose": {"position": [0, 0, 0.05]},
                     "velocity": {"linear": [2, 0, 0]},
                     "shapes": [{"box": [0.2, 0.2, 0.1], "material": "wood"}]}]}
FRICTION, SPEED = "materials.wood.friction", "bodies.block.velocity.linear"
METRICS = {"x": lambda sim: sim.bodies["block"].position[0],
           "fastest": (max, lambda sim: sim.bodies["block"].velocity[0])}


def slide():
    return am.make_scene(SLIDE)


def folder():
    return tempfile.TemporaryDirectory()


def push(random, simulator):
    v = simulator.v.copy()
    v[3:] *= random.uniform(0.5, 1.5)
    return simulator.q, v


def test_a_block_slows_by_friction_as_the_table_says():
    table = am.campaign(slide(), {FRICTION: [0.1, 0.2, 0.3]}, METRICS, workers=2)
    expected = 2.0 - 9.81 * 0.01 * table[FRICTION]  # after the first step
    assert np.allclose(table["fastest"], expected, atol=1e-9), (table["fastest"], expected)
    assert np.all(np.diff(table["x"]) < 0) and np.all(table["time"] >= 0.5 - 1e-9)
    assert np.all(table["steps"] == 50) and np.all(table["steps_that_hold"] == 50)
    assert set(table["law_asked"]) == {"coulomb"} and np.all(table["steps_with_law"] == 50)
    assert np.all(table["iterations"] >= 0) and not any(table["error"])
    one = am.Simulator(am.make_scene(SLIDE | {"materials": [{"name": "wood", "friction": 0.2}]}),
                       threads=1)
    effort = 0.0
    while not one.finished:
        effort += one.step().work["effort"]
    assert table["effort"][1] == effort
    assert table["x"][1] == one.bodies["block"].position[0]


def test_effort_and_laws_are_counted_alike_with_and_without_metrics_of_all_steps():
    points = {FRICTION: [0.1, 0.9], "simulation.model": ["coulomb", "maximum-dissipation"],
              "simulation.tolerance": [1e-8, 1e-17]}
    each, end = (am.campaign(slide(), points, {"x": metric}) for metric in
                 ((max, lambda sim: sim.time), lambda sim: sim.time))
    for name in ("time", "steps", "steps_that_hold", "law_asked", "steps_with_law", "iterations"):
        assert (each[name] == end[name]).all(), name
    assert 0 < sum(end["steps_that_hold"]) < sum(end["steps"]) and max(end["iterations"]) > 0


def test_metrics_of_all_steps_reduce_their_values():
    def time(sim):
        return sim.time
    table = am.campaign(slide(), {FRICTION: [0.2]},
                        {"sum": (sum, time), "mean": (np.mean, time), "count": (len, time),
                         "last": (lambda values: values[-1], time), "least": (min, time)}, workers=1)
    times = 0.01 * np.arange(1, 51)
    assert not table["error"][0], table["error"]
    found = [table[name][0] for name in ("sum", "mean", "count", "last", "least")]
    assert np.allclose(found, [times.sum(), times.mean(), 50, 0.5, 0.01]), found


def test_the_table_has_the_same_bits_for_any_number_of_workers():
    texts = set()
    for workers in (1, 2, 5):
        with folder() as where:
            file = pathlib.Path(where) / "t.csv"
            am.campaign(slide(), {FRICTION: am.Range(0.05, 0.9), SPEED: [[1, 0, 0], [2, 1, 0]]},
                        METRICS, seeds=3, samples=4, start=push, file=file, workers=workers)
            texts.add(file.read_bytes())
            assert os.listdir(where) == ["t.csv"]
    assert len(texts) == 1
    assert texts.pop().count(b"\n") == 1 + 4 * 2 * 3


def test_seeds_give_starts_and_the_same_at_every_point():
    table = am.campaign(slide(), {FRICTION: [0.1, 0.1000001]}, METRICS, seeds=[4, 9], start=push)
    assert list(table["seed"]) == [4, 9, 4, 9]
    assert abs(table["x"][0] - table["x"][2]) < 1e-5 < abs(table["x"][0] - table["x"][1])


def test_samples_fill_their_ranges():
    ranges = {FRICTION: am.Range(1e-3, 1.0, log=True), "gravity": [[0, 0, -9.81], [0, 0, -1.62]],
              "simulation.step": am.Range(0.01, 0.02)}
    for sampler in ("sobol", "latin-hypercube", "random"):
        table = am.campaign(slide(), ranges, samples=8, sampler=sampler, sampler_seed=3)
        unit = np.column_stack((np.log10(table[FRICTION][:8]) / 3 + 1,
                                (table["simulation.step"][:8] - 0.01) / 0.01))
        assert np.all((unit >= 0) & (unit <= 1)) and len(np.unique(unit[:, 0])) == 8
        assert np.array_equal(table[FRICTION][:8], table[FRICTION][8:])
        if sampler != "random":  # one sample in each eighth
            assert np.array_equal(np.sort((unit * 8).astype(int), axis=0),
                                  np.repeat(np.arange(8), 2).reshape(8, 2)), sampler
    # More samples keep the first ones of Sobol.
    less, more = (am.campaign(slide(), {FRICTION: am.Range(0, 1)}, samples=n) for n in (3, 9))
    assert np.array_equal(less[FRICTION], more[FRICTION][:3])


def test_models_and_files_are_parameters_too():
    table = am.campaign(FIRST, {"simulation.method": ["time-stepping", "impulse-based"],
                                "simulation.duration": ["0.1"]},
                        {"z": lambda sim: sim.bodies["ball"].position[2]})
    assert list(table["simulation.method"]) == ["time-stepping", "impulse-based"]
    assert np.all(table["steps"] == 20) and np.all(np.isfinite(table["z"]))


def test_a_run_that_fails_has_its_error_and_the_others_end():
    metrics = METRICS | {"bad": lambda sim: 1 / int(sim.bodies["block"].position[0] > 0.9)}
    table = am.campaign(slide(), {FRICTION: [0.0, 0.9, -1.0]}, metrics, workers=2)
    assert table["error"][0] == "" and "ZeroDivisionError" in table["error"][1]
    assert "ParseError" in table["error"][2] and "must not be negative" in table["error"][2]
    assert np.isnan(table["x"][1:]).all() and np.isfinite(table["x"][0])
    text = am.campaign(slide(), {}, {"list": lambda sim: [1, 2]})["error"][0]
    assert "metric list must be a number or a text, not list" in text


def counting(path, kill=0):
    """Returns a metric that notes each run in a file, and kills the first `kill` processes."""
    def metric(sim):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.write(file, b"x")
        place = os.lseek(file, 0, os.SEEK_CUR)  # behind its own letter, whatever others write
        os.close(file)
        if place <= kill:
            os.kill(os.getpid(), signal.SIGKILL)
        return sim.q[0]
    return metric


def test_a_worker_that_dies_loses_no_row():
    with folder() as where:
        path = os.path.join(where, "count")
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            table = am.campaign(slide(), {FRICTION: [0.1, 0.2, 0.3, 0.4]},
                                {"x": counting(path, 2)}, workers=2)
        assert os.path.getsize(path) == 6 and not any(table["error"])
        texts = [str(one.message) for one in heard]
        assert len(texts) == 2 and all("died (exit code -9)" in text for text in texts), texts
        os.remove(path)
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            table = am.campaign(slide(), {FRICTION: [0.1]}, {"x": counting(path, 99)}, workers=2)
        assert os.path.getsize(path) == 3
        assert table["error"][0] == "its process died at each attempt"
        assert "failed 3 times" in str(heard[-1].message)


def test_nothing_is_done_twice():
    for end in ("csv", "h5"):
        with folder() as where:
            path, file = os.path.join(where, "count"), os.path.join(where, f"t.{end}")

            def runs(num, **options):
                if os.path.exists(path):
                    os.remove(path)
                table = am.campaign(slide(), {FRICTION: am.Range(0.1, 0.9)},
                                    {"x": counting(path)}, samples=num, file=file, **options)
                return table, os.path.getsize(path) if os.path.exists(path) else 0

            first, count = runs(4)
            assert count == 4
            again, count = runs(4)
            assert count == 0 and all(np.array_equal(first[k], again[k]) for k in first)
            more, count = runs(7)
            assert count == 3 and np.array_equal(more["x"][:4], first["x"])
            assert [more[k].dtype for k in more] == [first[k].dtype for k in first]
            assert "another campaign" in raises(ValueError, runs, 4)
            assert "another campaign" in raises(ValueError, runs, 7, start=push)
            assert sorted(os.listdir(where)) == [f"t.{end}"]
            if end == "h5":
                with h5py.File(file) as stored:
                    names = list(stored.attrs["columns"])
                    x = stored[f"columns/{names.index('x')}"][()]
                assert names == list(more) and np.array_equal(x, more["x"])


KILLED = """
import amontons as am
import campaign_test as c

am.campaign(c.slide(), {c.FRICTION: am.Range(0.1, 0.9), "simulation.duration": [1.0]},
            {"x": c.counting("count")}, samples=64, workers=2, file="t.csv")
"""


def start_program(where):
    search = os.pathsep.join((str(pathlib.Path(__file__).parent), *sys.path))
    return subprocess.Popen([sys.executable, "-c", KILLED], cwd=where, stderr=subprocess.PIPE,
                            text=True, env=os.environ | {"PYTHONPATH": search})


def lines_of(file, num):
    """Waits until a file has a number of lines."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if os.path.exists(file) and pathlib.Path(file).read_bytes().count(b"\n") >= num:
            return
        time.sleep(0.01)
    raise AssertionError(f"{file} did not come")


def test_a_campaign_that_is_killed_or_interrupted_continues():
    with folder() as where, folder() as other:
        journal = os.path.join(where, "t.csv.journal")
        for end in (signal.SIGKILL, signal.SIGINT):
            before = (pathlib.Path(journal).read_bytes().count(b"\n")
                      if os.path.exists(journal) else 0)
            program = start_program(where)
            lines_of(journal, before + 8)
            assert "another program works on" in raises(
                ValueError, am.campaign, slide(), {FRICTION: [1.0]}, file=where + "/t.csv")
            program.send_signal(end)
            begin = time.monotonic()
            _, said = program.communicate(timeout=60)
            assert time.monotonic() - begin < 10 and program.returncode not in (0, None)
            assert end == signal.SIGKILL or "KeyboardInterrupt" in said
        # A line that was not finished is cut.
        with open(journal, "a") as file:
            file.write("0123,0.5")
        for place in (where, other):
            assert start_program(place).wait(timeout=120) == 0
        texts = [pathlib.Path(place, "t.csv").read_bytes() for place in (where, other)]
        assert texts[0] == texts[1]
        # Runs under way at the two ends, eight at each of two workers, are the only ones made twice.
        assert 64 <= os.path.getsize(os.path.join(where, "count")) <= 96
        assert os.path.getsize(os.path.join(other, "count")) == 64


def processor_time():
    """Returns the processor time of this process and those that it ended [s]."""
    return sum(os.times()[:4])


def test_a_run_costs_at_most_five_milliseconds_more_than_its_steps():
    metrics = {"x": lambda sim: sim.q[0]}
    num, scene = 200, slide()
    begin = processor_time()
    for _ in range(num):
        simulator = am.Simulator(scene, threads=1)
        while not simulator.finished:
            simulator.step()
    plain = processor_time() - begin
    begin = processor_time()
    am.campaign(scene, {FRICTION: am.Range(0.1, 0.9)}, metrics, samples=num, workers=1)
    cost = (processor_time() - begin - plain) / num
    print(f"a run costs {1e3 * cost:.2f} ms more than its steps, {1e3 * plain / num:.2f} ms")
    assert cost < 0.005


def test_mistakes_are_refused():
    def said(*arguments, **options):
        return raises(ValueError, am.campaign, slide(), *arguments, **options)

    assert "did you mean 'friction'" in said({"materials.wood.fricton": [1, 2]})
    assert "needs a list of values or an am.Range" in said({FRICTION: 0.5})
    assert "needs a list of values or an am.Range" in said({FRICTION: []})
    assert "how many points" in said({FRICTION: am.Range(0, 1)})
    assert "needs a parameter that is an am.Range" in said({FRICTION: [1]}, samples=4)
    assert "sobol, latin-hypercube" in said({FRICTION: am.Range(0, 1)}, samples=2, sampler="halton")
    for word in ("cloud", "daskk", "", None):
        assert "on must be \"local\", \"dask\"" in said({}, on=word)
    assert "keep must be one of none, failures, all" in said({}, keep="some", file="t.csv")
    assert "need a file" in said({}, keep="all") and "need a file" in said({}, report="r.html")
    assert "timeout must be" in said({}, timeout=0) and "timeout must be" in said({}, timeout="1")
    assert "workers must be" in said({}, workers=0)
    assert "seeds must be" in said({}, seeds=0) and "seeds must be" in said({}, seeds=[-1])
    assert "metric x must be a function" in said({}, {"x": 3})
    assert "named seed" in said({}, {"seed": lambda sim: 0})
    assert "must end in .csv" in said({}, file="table.txt")
    assert "same parameters and seed" in said({FRICTION: [0.5, 0.5]})
    assert "ascending" in raises(ValueError, am.Range, 2, 1)
    assert "positive ends" in raises(ValueError, am.Range, 0, 1, log=True)


def test_logs_are_kept_of_failures_of_all_or_of_none():
    metrics = {"far": lambda sim: 1 / int(sim.bodies["block"].position[0] > 0.3)}
    for keep, kept in (("none", []), ("failures", [2]), ("all", [0, 1, 2])):
        with folder() as where:
            file, page = pathlib.Path(where) / "t.csv", pathlib.Path(where) / "t.html"
            table = am.campaign(slide(), {FRICTION: [0.1, 0.2, 1.9]}, metrics, file=file,
                                keep=keep, report=page)
            assert [text != "" for text in table["error"]] == [False, False, True]
            logs = pathlib.Path(where) / "t.csv.runs"
            found = sorted(log.name for log in logs.glob("*")
                           if log.suffix != ".html") if kept else []
            assert found == sorted(f"{table['run'][k]}.h5" for k in kept), found
            assert kept or not logs.exists()
            text = page.read_text()
            assert text.index("Failures") < text.index("Response") < text.index("<h2>Runs")
            assert "ZeroDivisionError" in text
            for k in kept:
                with am.open_run(logs / f"{table['run'][k]}.h5") as run:
                    assert run.time[-1] >= 0.5 - 1e-9 and run.has_law_asked.all()
                assert f"t.csv.runs/{table['run'][k]}." in text


def test_the_page_shows_the_response_to_numbers_and_names():
    with folder() as where:
        page = pathlib.Path(where) / "t.html"
        am.campaign(slide(), {FRICTION: am.Range(0.01, 2.0, log=True),
                              "simulation.model": ["coulomb", "frictionless"],
                              "simulation.duration": ["0.1"]},
                    METRICS | {"name": lambda sim: "<b>"}, samples=9,
                    file=pathlib.Path(where) / "t.h5", report=page)
        text = page.read_text()
        assert text.count("<svg") == 4 and "frictionless" in text  # 2 numbers, 2 that vary
        assert "<b>" not in text and "&lt;b&gt;" in text and "Failures" not in text


def test_a_table_in_parquet_continues_too():
    try:
        import pyarrow
    except ImportError:
        with folder() as where:
            text = raises(ImportError, am.campaign, slide(), {}, file=where + "/t.parquet")
            assert "needs pyarrow" in text and not os.listdir(where)
        print("SKIPPED: tables in Parquet, as pyarrow is not installed")
        return
    with folder() as where:
        file = pathlib.Path(where) / "t.parquet"
        first = am.campaign(slide(), {FRICTION: [0.1, -1.0]}, METRICS, file=file)
        again = am.campaign(slide(), {FRICTION: [0.1, -1.0]}, METRICS, file=file)
        assert all(np.array_equal(first[k], again[k], equal_nan=first[k].dtype != object)
                   for k in first)
        assert pyarrow.parquet.read_table(file).column_names == list(first)


def test_files_of_another_kind_are_left_as_they_are():
    for name, data in (("a.csv", b"\xff\xfe\n"), ("b.csv", b"name,mass\n\nrod,2\n"),
                       ("c.h5", b"no HDF5"), ("e.csv", b"notes"), ("d.csv", b"a,\0\n")):
        with folder() as where:
            file = pathlib.Path(where) / name
            file.write_bytes(data)
            assert str(file) in raises(ValueError, am.campaign, slide(), {}, file=file)
            assert file.read_bytes() == data and os.listdir(where) == [name]
        raises(FileNotFoundError, am.campaign, slide(), {}, file=file)


def test_progress_counts_to_the_end():
    calls = []
    am.campaign(slide(), {FRICTION: [0.1, 0.2, -1.0]}, progress=lambda *now: calls.append(now))
    assert calls[-1][:3] == (3, 3, 1) and calls[-1][3] == 0


if __name__ == "__main__":
    run_tests(globals())
