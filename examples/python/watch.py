#!/usr/bin/python3
"""Shows a quadruped in the browser while this program steps it: pull it with Ctrl and the mouse.

    PYTHONPATH=build/python /usr/bin/python3 examples/python/watch.py
"""
import pathlib
import sys

import amontons as am

DEMO = pathlib.Path(__file__).resolve().parents[1] / "quadruped" / "demo.yaml"


def main():
    is_watched = sys.stdout.isatty()
    scene = am.load_scene(DEMO, {"simulation.duration": 60 if is_watched else 0.5})
    sim = am.Simulator(scene)
    with am.view(sim, scene, open_browser=is_watched) as view:
        if is_watched and not view.wait(60):
            print("no browser has opened the page")
        missed = 0
        for _ in view:
            missed += not sim.step().certificate.holds
    print(f"t = {sim.time:.2f} s, {missed} steps missed their certificate")


if __name__ == "__main__":
    main()
