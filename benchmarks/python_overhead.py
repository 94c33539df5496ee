#!/usr/bin/python3
"""Measures what a step from Python costs beyond one in C++, and what a second thread gives.

    PYTHONPATH=build/python benchmarks/python_overhead.py [-o FOLDER] [--rounds N]

Both sides run in this process, alternately, the same steps of the same simulator. One side is a loop
of `report = sim.step()`, the other a loop of Simulator::step in C++. Times of steps are processor
time; those of two threads against one are wall time too. The shortest of all rounds counts on each
side. The difference of two such times is as noisy as both. The table therefore also lists the time
of a call outside its step (median), which a busy machine hardly changes. With -o the result is also
written, to python.json and python.md.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import statistics
import time

import amontons as am
from amontons._core import _take_steps

ROOT = pathlib.Path(__file__).resolve().parents[1]
WALK = "experiments/quadruped-no-slip/walk.yaml"
GROUND = {"name": "ground", "fixed": True, "shapes": [{"half_space": {"normal": [0, 0, 1]}}]}


def box(name, position, speed=0.0):
    return {"name": name, "mass": 1, "shapes": [{"box": [0.2, 0.2, 0.2]}],
            "pose": {"position": position}, "velocity": {"linear": [speed, 0, 0]}}


def scene_of(boxes):
    return am.make_scene({"amontons": 1, "simulation": {"step": 0.001, "duration": 1e6},
                          "materials": [{"name": "default", "friction": 0.1}],
                          "bodies": [GROUND, *boxes]})


def endless(path):
    scene = am.load_scene(ROOT / path)
    scene.duration = 1e6
    return scene


def grid(speed):
    return [box(f"box {i}.{k}", [0.5 * i, 0.5 * k, 0.1], speed)
            for i in range(4) for k in range(11)]


def stack(speed):
    return [box(f"box {i}", [0, 0, 0.1 + 0.2 * i], speed) for i in range(10)]


# Title, scene, steps before the measurement, steps measured.
SCENES = [
    ("a box that slides", lambda: scene_of([box("box", [0, 0, 0.1], 2.0)]), 10, 1000),
    ("a box at rest", lambda: scene_of([box("box", [0, 0, 0.1])]), 100, 20000),
    ("a quadruped that walks", lambda: endless(WALK), 200, 200),
    ("a stack of ten boxes that slides", lambda: scene_of(stack(2.0)), 10, 100),
    ("a stack of ten boxes at rest", lambda: scene_of(stack(0.0)), 500, 20000),
    ("a grasp of two boxes", lambda: endless("experiments/grasp/grasp.yaml"), 10, 2000),
    ("44 boxes that slide", lambda: scene_of(grid(2.0)), 10, 100),
    ("44 boxes at rest", lambda: scene_of(grid(0.0)), 500, 20000),
]


def elapsed(clock, function):
    start = clock()
    function()
    return clock() - start


def measure_steps(title, scene, lead, steps, rounds):
    """Times the same steps from one state in Python and in C++."""
    sim = am.Simulator(scene, threads=1)
    for _ in range(lead):
        sim.step()
    state = sim.save()

    def in_python():
        for _ in range(steps):
            report = sim.step()
        return report

    def outside():
        """Returns the time of each call of step(), less the step time of its report [s]."""
        times = []
        for _ in range(steps):
            start = time.perf_counter()
            report = sim.step()
            times.append(time.perf_counter() - start - report.step_time_s)
        return 1e6 * statistics.median(times)

    def in_cpp():
        _take_steps(sim, steps)

    def second_half(run):
        """Returns the time of `run` after as many steps, which the start of a motion needs."""
        sim.restore(state)
        in_cpp()
        return elapsed(time.process_time, run)

    python, cpp, call = [], [], []
    for _ in range(rounds):
        python.append(second_half(in_python))
        cpp.append(second_half(in_cpp))
        call.append(outside())
    contacts = sim.report.problem.num_contacts
    python_us, cpp_us = 1e6 * min(python) / steps, 1e6 * min(cpp) / steps
    return {"scene": title, "contacts": contacts, "steps": steps, "python_us": python_us,
            "cpp_us": cpp_us, "difference_us": python_us - cpp_us, "outside_us": min(call)}


def measure_threads(rounds):
    """Times short rollouts by one and two threads alternately: a busy machine has short pauses."""
    scene = endless(WALK)
    sim = am.Simulator(scene, threads=1)
    states = []
    for _ in range(16):
        for _ in range(50):
            sim.step()
        states.append(sim.save())
    wall, processor = {1: [], 2: []}, {1: [], 2: []}
    for _ in range(4 * rounds):
        for threads in (1, 2):
            start = time.process_time()
            wall[threads].append(elapsed(time.perf_counter, lambda n=threads: am.rollout(
                scene, states, steps=100, threads=n)))
            processor[threads].append(time.process_time() - start)
    one, two = (min(wall[threads]) for threads in (1, 2))
    return {"scene": "a quadruped that walks", "starts": len(states), "steps": 100,
            "one_thread_s": one, "two_threads_s": two, "speedup": one / two,
            "processor_time_ratio": min(processor[2]) / min(processor[1])}


def as_markdown(result):
    rows = "".join(f"| {r['scene']} | {r['contacts']} | {r['cpp_us']:.2f} | {r['python_us']:.2f} | "
                   f"{r['python_us'] / r['cpp_us']:.2f} | {r['difference_us']:.2f} | "
                   f"{r['outside_us']:.2f} |\n" for r in result["steps"])
    rollout = result["rollout"]
    return (f"{result['date']}, {result['machine']}, {result['processors']} processors, load "
            f"{result['load_at_start']:.2f} to {result['load_at_end']:.2f}; {result['build']}\n\n"
            "| scene | contacts | C++ us | Python us | ratio | difference us | outside the step us |\n"
            f"|---|---|---|---|---|---|---|\n{rows}\n"
            f"`rollout` of {rollout['scene']}, {rollout['starts']} starts of {rollout['steps']} "
            f"steps: {rollout['one_thread_s']:.3f} s by one thread, "
            f"{rollout['two_threads_s']:.3f} s by two: {rollout['speedup']:.2f} times as fast. "
            f"The two together take {rollout['processor_time_ratio']:.3f} times the processor time "
            "of the one: twice as fast over that is what two free processors give.\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=pathlib.Path, help="folder to write into")
    parser.add_argument("--rounds", type=int, default=25, help="of which the best counts")
    options = parser.parse_args()
    result = {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
              "machine": platform.processor() or platform.machine(), "processors": os.cpu_count(),
              "load_at_start": os.getloadavg()[0], "build": am.build,
              "steps": [measure_steps(title, make(), lead, steps, options.rounds)
                        for title, make, lead, steps in SCENES],
              "rollout": measure_threads(options.rounds)}
    result["load_at_end"] = os.getloadavg()[0]
    print(as_markdown(result), end="")
    if options.output:
        (options.output / "python.json").write_text(json.dumps(result, indent=2) + "\n")
        (options.output / "python.md").write_text(as_markdown(result))


if __name__ == "__main__":
    main()
