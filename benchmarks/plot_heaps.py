#!/usr/bin/python3
"""Plots accuracy against time of heaps, from the results of `make bench-heaps`.

usage: plot_heaps.py HEAPS.json, which writes HEAPS.svg beside it.
"""

import json
import pathlib
import sys

import matplotlib
import matplotlib.ticker

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402  after the choice of the backend

OVERLAP = "settled overlap r"


def points(results):
    """Yields (engine, setting, mean time of a step [ms], mean overlap [radii]) of each entrant.

    The mean counts the steps in which the heap settles, which are the costly ones."""
    for result in results:
        figures = {figure["name"]: figure["value"] for figure in result.get("figures", [])}
        if result.get("steps") and figures.get(OVERLAP):
            mean = 1e3 * result["total_s"] / result["steps"]
            yield result["engine"], result["setting"], mean, figures[OVERLAP]


def draw(axes, case):
    """Draws one scene: Amontons as a line from coarse to fine, every peer as a point."""
    own = [(setting, ms, overlap) for engine, setting, ms, overlap in points(case["results"])
           if engine == "amontons"]
    axes.plot([ms for _, ms, _ in own], [overlap for *_, overlap in own], "o-", label="Amontons")
    for setting, ms, overlap in own:
        axes.annotate(setting.split()[-1], (ms, overlap), textcoords="offset points", xytext=(5, 5))
    for engine, setting, ms, overlap in points(case["results"]):
        if engine != "amontons":
            axes.plot([ms], [overlap], "s", label=f"{engine} {setting}")
    axes.set(title=case["id"], xscale="log", yscale="log", xlabel="mean CPU time of a step [ms]",
             ylabel="mean of the deepest overlap [radii]")
    # Few numbers, so that they stand apart over three decades, and room for the tolerances.
    axes.xaxis.set_major_locator(matplotlib.ticker.LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter("")
    axes.margins(x=0.12)
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(fontsize="small")


def main():
    source = pathlib.Path(sys.argv[1])
    cases = json.loads(source.read_text())["cases"]
    columns = 2
    rows = -(-len(cases) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(11, 4.5 * rows), squeeze=False)
    for place, case in zip(axes.flat, cases):
        draw(place, case)
    for place in axes.flat[len(cases):]:
        place.set_axis_off()
    figure.tight_layout()
    figure.savefig(source.with_suffix(".svg"), metadata={"Date": None})
    print(f"wrote {source.with_suffix('.svg')}")


if __name__ == "__main__":
    main()
