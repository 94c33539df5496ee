"""Throws of a cube: the campaign that all engines must answer with the same table."""
import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np

import amontons as am

SCENE = {"amontons": 1, "simulation": {"step": 0.005, "duration": 0.3},
         "materials": [{"name": "wood", "friction": 0.3}],
         "bodies": [{"name": "floor", "fixed": True,
                     "shapes": [{"half_space": {"normal": [0, 0, 1]}, "material": "wood"}]},
                    {"name": "cube", "mass": 0.4, "pose": {"position": [0, 0, 0.06]},
                     "shapes": [{"box": [0.1, 0.1, 0.1], "material": "wood"}]}]}
FRICTION = "materials.wood.friction"


def throw(random, simulator):
    """Returns a start with random velocities."""
    return simulator.q, random.uniform(-1.0, 1.0, 6)


def counting(path):
    """Returns a metric that notes each run in a file, and takes so long that programs end before."""
    def metric(sim):
        time.sleep(0.1)
        with open(path, "a") as file:
            file.write("x")
        return float(sim.q[-1])
    return metric


def slow(sim):
    """Takes its time, as a campaign worth a cluster does."""
    time.sleep(0.1)
    return 0


def deadly(sim):
    """Kills the process of the run that slides farthest."""
    if np.hypot(*sim.bodies["cube"].position[:2]) > 0.318:
        os.kill(os.getpid(), signal.SIGKILL)
    return 1.0


def throws(num=20, duration=0.3, metrics=None, **options):
    """Runs 2 num throws: num samples of friction, two seeds each."""
    scene = SCENE | {"simulation": {"step": 0.005, "duration": duration}}
    return am.campaign(am.make_scene(scene), {FRICTION: am.Range(0.1, 0.9)},
                       {"x": lambda sim: sim.bodies["cube"].position[0],
                        "z": (max, lambda sim: sim.bodies["cube"].position[2])} | (metrics or {}),
                       seeds=2, samples=num, start=throw, **options)


def text_of(where, name="t.csv", **options):
    """Returns the text of the table of the throws."""
    file = pathlib.Path(where) / name
    throws(file=file, **options)
    return file.read_text()


def processes_with(*words):
    """Returns the ids of processes whose command has all words."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            command = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if entry.name.isdigit() and all(any(word in part for part in command) for word in words):
            found.append(int(entry.name))
    return found


def newest_with(*words):
    """Returns the youngest of these processes that no other one of them has forked; or None."""
    found = processes_with(*words)
    for process in sorted(found, reverse=True):
        try:
            stat = pathlib.Path(f"/proc/{process}/stat").read_text()
        except OSError:
            continue
        if int(stat.rsplit(")", 1)[1].split()[1]) not in found:
            return process
    return None


def wait_for(check, seconds=60):
    """Waits until check() is true; the test fails after some seconds."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if check():
            return
        time.sleep(0.02)
    raise AssertionError("it did not come")


PROGRAM = """
import throws
throws.throws(30, duration=1.0, metrics={{"n": throws.counting("count")}}, on={on!r}, workers=2,
              file="t.csv")
"""


def check_that_it_continues(where, on, twice):
    """Kills the program of 60 throws, interrupts it, and lets it end; at most `twice` are made
    twice. Returns the text of the table."""
    journal, count = pathlib.Path(where) / "t.csv.journal", pathlib.Path(where) / "count"
    search = os.pathsep.join((str(pathlib.Path(__file__).parent), *sys.path))

    def start():
        return subprocess.Popen([sys.executable, "-c", PROGRAM.format(on=on)], cwd=where,
                                env=os.environ | {"PYTHONPATH": search},
                                stderr=subprocess.PIPE, text=True)

    def lines():
        return journal.read_bytes().count(b"\n") if journal.exists() else 0

    for end in (signal.SIGKILL, signal.SIGINT):
        program, before = start(), lines()
        wait_for(lambda before=before: lines() >= before + 5)
        program.send_signal(end)
        begin = time.monotonic()
        _, said = program.communicate(timeout=60)
        assert time.monotonic() - begin < 20 and program.returncode not in (0, None)
        assert end == signal.SIGKILL or "KeyboardInterrupt" in said, said
    program = start()
    _, said = program.communicate(timeout=120)
    assert program.returncode == 0, said
    assert 60 <= count.stat().st_size <= 60 + twice, count.stat().st_size
    return (pathlib.Path(where) / "t.csv").read_text()
