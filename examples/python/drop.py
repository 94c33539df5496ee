#!/usr/bin/python3
"""Drops the bodies of examples/first.yaml, and prints their final places and the worst residual.

    PYTHONPATH=build/python /usr/bin/python3 examples/python/drop.py
"""
import pathlib

import amontons as am

FIRST = pathlib.Path(__file__).resolve().parents[1] / "first.yaml"


def main():
    sim = am.Simulator(am.load_scene(FIRST))
    worst = 0.0
    while not sim.finished:
        report = sim.step()
        worst = max(worst, report.certificate.normal, report.certificate.friction)
    for name, (position, _) in sim.body_poses().items():
        print(f"{name:8} at {position.round(4)}")
    print(f"worst residual of the contact laws: {worst:.1e}")


if __name__ == "__main__":
    main()
