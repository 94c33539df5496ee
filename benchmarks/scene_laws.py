#!/usr/bin/python3
"""Counts in thirty scenes how many steps have the law asked, and how far the others are from it.

    benchmarks/scene_laws.py AMONTONS [-o FOLDER] [--tolerance T] [--steps N] [--seconds S]

Scenes are those of the comparison with other engines, of the examples, and heaps of boxes, of mixed
shapes and of robots that are made here. Each runs for N steps at most, and is stopped after S seconds.
With -o the table is written to scenes.json and scenes.md.
"""
import argparse
import datetime
import json
import pathlib
import re
import signal
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PEERS = ROOT / "benchmarks/peers/scenes"
EXAMPLES = ROOT / "examples"
FILES = [*(PEERS / f"{name}.yaml" for name in (
    "arm_swinging bouncing columns_10_sliding columns_100_sliding gripper granular_126 hopper_504 "
    "pile_55 pile_210 pyramid pyramid_braced quadruped ramp rolling spin_down stack wall_105 "
    "wall_105_sliding wedge_504").split()),
    EXAMPLES / "events/bounce.yaml", EXAMPLES / "events/crowd.yaml",
    EXAMPLES / "quadruped/demo.yaml"]

# Shapes of about 0.1 m, by name.
SHAPES = {
    "box": {"box": [0.1, 0.08, 0.06]},
    "ball": {"sphere": 0.045},
    "capsule": {"capsule": [0.03, 0.06]},
    "cylinder": {"cylinder": [0.04, 0.06]},
    "ellipsoid": {"ellipsoid": [0.05, 0.04, 0.03]},
}


def heap(shapes, columns, layers, models=(), friction=0.4, masses=None):
    """Returns a scene in which bodies of the shapes named fall into an open box."""
    width = 0.13 * columns
    walls = [{"half_space": {"normal": [0, 0, 1]}}] + [
        {"half_space": {"normal": normal, "offset": -width}}
        for normal in ([1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0])]
    bodies = [{"name": "container", "fixed": True, "shapes": walls}]
    repeat = []
    for k, shape in enumerate(shapes):
        bodies.append({
            "name": shape, "mass": (masses or {}).get(shape, 1.0), "shapes": [SHAPES[shape]],
            "pose": {"position": [-0.5 * width, -0.5 * width, 0.1 + 0.14 * layers * k],
                     "rpy_deg": [20, 30, 10 * k]}})
        repeat.append({"body": shape, "grid": [columns, columns, layers],
                       "spacing": [width / columns, width / columns, 0.14], "jitter": 0.01})
    return {"amontons": 1, "simulation": {"step": 0.004, "duration": 2.0, "seed": 3},
            "materials": [{"name": "default", "friction": friction}],
            "bodies": bodies, "repeat": repeat, "models": list(models)}


def robot(name, file, height, base="free"):
    return {"name": name, "file": str(EXAMPLES / file), "base": base,
            "pose": {"position": [0.02, 0.01, height]}}


MADE = {
    "64 boxes fall": lambda: heap(["box"], 4, 4),
    "64 capsules fall": lambda: heap(["capsule"], 4, 4),
    "48 cylinders fall": lambda: heap(["cylinder"], 4, 3),
    "80 mixed shapes fall": lambda: heap(list(SHAPES), 4, 1),
    "40 mixed shapes, masses 1:1000": lambda: heap(
        ["box", "ball", "cylinder", "capsule", "ellipsoid"], 3, 1, masses={"box": 10.0, "ball": 0.01}),
    "a quadruped falls on 36 boxes": lambda: heap(
        ["box"], 6, 1, [robot("robot", "quadruped/quadruped.urdf", 0.6)]),
    "two quadrupeds fall on 50 balls": lambda: heap(
        ["ball"], 5, 2, [robot("low", "quadruped/quadruped.urdf", 0.7),
                         robot("high", "quadruped/quadruped.urdf", 1.3)]),
    "an arm falls into 45 boxes and balls": lambda: heap(
        ["box", "ball"], 5, 1, [robot("arm", "arm/arm.urdf", 0.0, "fixed")]),
}


def run(amontons, scene, options, seconds):
    """Returns the summary of a run, which is stopped after the given time."""
    command = [amontons, "run", scene, "--no-log", "--quiet", "--json", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        try:
            out, _ = child.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGINT)
            out, _ = child.communicate()
    summary = json.loads(out)
    if "error" in summary:
        raise SystemExit(f"{scene}: {summary['error']}")
    return summary


def row_of(name, summary):
    law, steps = summary["law"], summary["steps"]
    weaker = {status: answer for status, answer in law["answers"].items()
              if status not in ("Converged", "Acceptable")}
    worst = max((answer["distance"] or 0.0 for answer in law["answers"].values()), default=0.0)
    return {"scene": name, "steps": steps, "contacts": summary["contacts"] / max(steps, 1),
            "within": law["with_law_asked"] - law["acceptable"], "acceptable": law["acceptable"],
            "weaker": {status: answer["steps"] for status, answer in weaker.items()},
            "missed": summary["missed_certificates"], "worst": worst,
            "ms": 1e3 * summary["step_time_s"] / max(steps, 1)}


def table(rows, tolerance, steps):
    total = sum(row["steps"] for row in rows)
    within = sum(row["within"] for row in rows)
    acceptable = sum(row["acceptable"] for row in rows)
    lines = [
        "# The law asked, in thirty scenes", "",
        f"{datetime.date.today()}, `make bench-scenes`: at most {steps} steps a scene, tolerance "
        f"{tolerance:g}, one thread.",
        f"Of {total} steps {within} have the law asked within the tolerance, and {acceptable} are "
        f"acceptable.", "",
        "| scene | steps | contacts a step | within | acceptable | weaker answers | missed | farthest "
        "from the law | ms a step |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    for row in rows:
        weaker = ", ".join(f"{count} {status}" for status, count in row["weaker"].items()) or "none"
        lines.append(f"| {row['scene']} | {row['steps']} | {row['contacts']:.0f} | {row['within']} | "
                     f"{row['acceptable']} | {weaker} | {row['missed']} | {row['worst']:.1e} | "
                     f"{row['ms']:.2g} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("amontons")
    parser.add_argument("-o", "--output", type=pathlib.Path)
    parser.add_argument("--tolerance", type=float, default=1e-8)
    parser.add_argument("--steps", type=int, default=250)
    parser.add_argument("--seconds", type=float, default=60)
    arguments = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        scenes = [(path.stem.replace("_", " "), path) for path in FILES]
        for name, make in MADE.items():
            path = pathlib.Path(folder) / (name.replace(" ", "_").replace(":", "_") + ".yaml")
            path.write_text(json.dumps(make()))
            scenes.append((name, path))
        for name, path in scenes:
            text = path.read_text()
            step = float(re.search(r"step\"?: ([0-9.e-]+)", text).group(1))
            options = ["--threads", "1", "--accept", "safe", "--duration",
                       repr(step * arguments.steps), "--set",
                       f"simulation.tolerance={arguments.tolerance!r}"]
            rows.append(row_of(name, run(arguments.amontons, path, options, arguments.seconds)))
            print(rows[-1], flush=True)
    text = table(rows, arguments.tolerance, arguments.steps)
    print(text)
    if arguments.output:
        (arguments.output / "scenes.md").write_text(text)
        (arguments.output / "scenes.json").write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
