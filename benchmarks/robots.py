#!/usr/bin/python3
"""Measures what a step of real robots costs, and how much of it is collision detection.

    benchmarks/robots.py AMONTONS FOLDER [-o FOLDER] [--steps N] [--seconds S] [--package NAME=DIR ...]

Every URDF and MJCF file below the folder is dropped on a plane, upright and tilted, with its meshes as
they are and as hulls. Each run takes N steps of 1 ms at most, and is stopped after S seconds. With -o
the table is written to robots.json and robots.md.
"""
import argparse
import datetime
import json
import pathlib
import signal
import subprocess
import sys
import tempfile

POSES = {"upright": [0, 0, 0], "tilted": [60, 20, 0]}


def scene_of(robot, pose):
    """Returns a scene that drops a robot on a plane."""
    ground = {"name": "ground", "fixed": True, "shapes": [{"half_space": {"normal": [0, 0, 1]}}]}
    model = {"name": "robot", "file": str(robot), "pose": {"position": [0, 0, 0.6],
                                                          "rpy_deg": POSES[pose]}}
    if robot.suffix == ".urdf":
        model["base"] = "free"
    return {"amontons": 1, "simulation": {"step": 0.001, "duration": 100.0}, "bodies": [ground],
            "models": [model]}


def run(amontons, scene, options, seconds):
    """Returns the summary of a run, which is stopped after the given time; or the error."""
    command = [amontons, "run", scene, "--no-log", "--quiet", "--json", "--profile", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True) as child:
        try:
            out, _ = child.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGINT)
            out, _ = child.communicate()
    return json.loads(out)


def velocities_of(amontons, scene):
    out = subprocess.run([amontons, "info", scene, "--json"], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True, check=False).stdout
    return json.loads(out).get("velocities")


def table(rows, steps):
    lines = [
        "# Robots", "",
        f"{datetime.date.today()}, `benchmarks/robots.py`: each robot falls on a plane, at most "
        f"{steps} steps of 1 ms, one thread.", "",
        "| robot | pose | meshes collide | velocities | contacts a step | ms a step | real time | "
        "collision |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for row in rows:
        lines.append(f"| {row['robot']} | {row['pose']} | {row['collide']} | {row['velocities']} | "
                     f"{row['contacts']:.1f} | {row['ms']:.3g} | {row['real_time']:.3g} | "
                     f"{100 * row['collision']:.0f} % |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("amontons")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--package", action="append", default=[])
    arguments = parser.parse_args()
    robots = sorted([*arguments.folder.rglob("*.urdf"), *arguments.folder.rglob("*.xml")])
    packages = [word for package in arguments.package for word in ("--package", package)]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        scene = pathlib.Path(folder) / "scene.yaml"
        for robot in robots:
            for pose in POSES:
                scene.write_text(json.dumps(scene_of(robot.resolve(), pose)))
                for collide in ("mesh", "hull"):
                    options = [*packages, "--threads", "1", "--accept", "safe", "--collide", collide,
                               "--duration", repr(0.001 * arguments.steps)]
                    summary = run(arguments.amontons, scene, options, arguments.seconds)
                    row = {"robot": robot.stem, "pose": pose, "collide": collide}
                    if "error" in summary:
                        print(f"left out: {robot}: {summary['error']}", file=sys.stderr)
                        continue
                    count, time = summary["steps"], summary["step_time_s"]
                    row.update(
                        velocities=velocities_of(arguments.amontons, scene),
                        contacts=summary["contacts"] / count, ms=1e3 * time / count,
                        real_time=summary["real_time_factor"],
                        collision=summary["profile"]["parts"]["collision"] / time)
                    rows.append(row)
                    print(row, flush=True)
    text = table(rows, arguments.steps)
    print(text)
    if arguments.output:
        (arguments.output / "robots.md").write_text(text)
        (arguments.output / "robots.json").write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
