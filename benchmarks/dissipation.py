#!/usr/bin/python3
"""Times maximum-dissipation beside convex-relaxation and anitescu-potra, on the same piles.

    benchmarks/dissipation.py AMONTONS [-o FOLDER] [--rounds N]

Boxes that fall into a bin, pyramids whose top box is pushed, and spheres that fall into a bin: half a
second of each, on one thread. The models take turns, round by round; the figure of a model is the least
time of its rounds, since other work of the machine only adds. Times are those of the steps alone. With
-o the table is written to dissipation.json and dissipation.md.
"""
import argparse
import datetime
import json
import pathlib
import random
import subprocess
import tempfile

MODELS = ("maximum-dissipation", "convex-relaxation", "anitescu-potra")
SECONDS = 300  # a run that takes longer has no figure


def scene(bodies, repeat=()):
    return {"amontons": 1, "simulation": {"step": 0.005, "duration": 0.5, "seed": 5},
            "materials": [{"name": "default", "friction": 0.4}], "bodies": bodies,
            "repeat": list(repeat)}


def bin_of(width):
    """Returns a floor and four walls at this distance from the middle [m]."""
    walls = [{"half_space": {"normal": [0, 0, 1], "offset": 0}}]
    walls += [{"half_space": {"normal": normal, "offset": -width}}
              for normal in ([1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0])]
    return {"name": "bin", "fixed": True, "shapes": walls}


def falling_boxes(count):
    """Returns boxes at random orientations that fall into a bin."""
    rng, side = random.Random(3), max(1, round(count ** (1 / 3)))
    bodies = []
    for k in range(count):
        x, y, z = k % side, k // side % side, k // side**2
        bodies.append({
            "name": f"box{k}", "density": 1000, "shapes": [{"box": [0.1, 0.08, 0.06]}],
            "pose": {"position": [(x - 0.5 * (side - 1)) * 0.15, (y - 0.5 * (side - 1)) * 0.15,
                                  0.08 + 0.15 * z],
                     "rpy_deg": [round(rng.uniform(-180, 180), 2) for _ in range(3)]},
            "velocity": {"linear": [0, 0, -1]}})
    return scene([*bodies, bin_of(0.08 * side + 0.03)])


def pyramid(levels):
    """Returns a pyramid of boxes whose top box is pushed sideways."""
    bodies = []
    for level in range(levels):
        for k in range(levels - level):
            bodies.append({
                "name": f"box{level}_{k}", "density": 1000, "shapes": [{"box": [0.1, 0.1, 0.1]}],
                "pose": {"position": [0.105 * (k - 0.5 * (levels - level - 1)), 0,
                                      0.05 + 0.1 * level]}})
    bodies[-1]["velocity"] = {"linear": [0.6, 0.1, 0]}
    ground = {"name": "ground", "fixed": True,
              "shapes": [{"half_space": {"normal": [0, 0, 1], "offset": 0}}]}
    return scene([*bodies, ground])


def falling_spheres(columns, layers):
    start = -0.5 * 0.085 * (columns - 1)
    ball = {"name": "ball", "density": 1000, "shapes": [{"sphere": 0.04}],
            "pose": {"position": [start, start, 0.045]}}
    return scene([ball, bin_of(0.8 / 14 * columns)],
                 [{"body": "ball", "grid": [columns, columns, layers],
                   "spacing": [0.085, 0.085, 0.085], "jitter": 0.002}])


SCENES = {
    **{f"{n} falling boxes": falling_boxes(n) for n in (3, 10, 30, 60, 150)},
    **{f"pyramid of {n * (n + 1) // 2} boxes": pyramid(n) for n in (2, 4, 6, 9, 14)},
    "18 falling spheres": falling_spheres(3, 2),
    "72 falling spheres": falling_spheres(3, 8),
}


def measure(program, file, model):
    """Returns contacts a step, milliseconds a step and steps with the law asked, or None."""
    try:
        result = subprocess.run(
            [program, "run", str(file), "--model", model, "--no-log", "--quiet", "--json", "--threads",
             "1"], capture_output=True, text=True, check=False, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return None
    summary = json.loads(result.stdout)
    return {"contacts": summary["contacts"] / summary["steps"],
            "ms": 1e3 * summary["step_time_s"] / summary["steps"],
            "with_law_asked": summary["law"]["with_law_asked"], "steps": summary["steps"]}


def run_all(program, rounds):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, contents in SCENES.items():
            file = pathlib.Path(folder) / "scene.yaml"
            file.write_text(json.dumps(contents))
            best = {}
            for _ in range(rounds):
                for model in MODELS:
                    found = measure(program, file, model) if best.get(model, 0) is not None else None
                    if not best.get(model) or not found or found["ms"] < best[model]["ms"]:
                        best[model] = found
            rows.append({"scene": name, **best})
            print(text_of(rows[-1]), flush=True)
    return rows


def text_of(row):
    own, other = row["maximum-dissipation"], row["convex-relaxation"]

    def figure(found):
        return "-" if found is None else f"{found['ms']:.3g}"

    ratio = "-" if own is None or other is None else f"{own['ms'] / other['ms']:.2g}"
    law = "-" if own is None else f"{own['with_law_asked']} of {own['steps']}"
    contacts = "-" if own is None else f"{own['contacts']:.0f}"
    return (f"| {row['scene']} | {contacts} | " + " | ".join(figure(row[model]) for model in MODELS)
            + f" | {ratio} | {law} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("amontons")
    parser.add_argument("-o", "--output", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    rows = run_all(options.amontons, options.rounds)
    if options.output is None:
        return
    version = subprocess.run([options.amontons, "--version"], capture_output=True, text=True,
                             check=True).stdout.splitlines()[0]
    data = {"date": datetime.date.today().isoformat(), "build": version, "rounds": options.rounds,
            "rows": rows}
    (options.output / "dissipation.json").write_text(json.dumps(data, indent=1) + "\n")
    lines = ["# Maximum dissipation beside the convex relaxation", "",
             "Written by `make bench-dissipation`, which describes the scenes.", "",
             f"- date: {data['date']}", f"- build: {version}",
             f"- one thread; the least of {options.rounds} rounds, in which the models take turns", "",
             "| scene | contacts a step | maximum-dissipation [ms/step] | convex-relaxation | "
             "anitescu-potra | ratio to the relaxation | steps with the law asked |",
             "|---|---|---|---|---|---|---|", *map(text_of, rows), ""]
    (options.output / "dissipation.md").write_text("\n".join(lines))


if __name__ == "__main__":
    main()
