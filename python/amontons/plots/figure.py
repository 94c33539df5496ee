"""Runs, axes and legends of all plots."""
import collections
import functools
import os

import numpy as np

from ..arguments import floats, kind, names_of
from ..run import Run, open_run

MOST_OPEN = 10   # figures that pyplot keeps where no window shows them
MOST_NAMED = 12  # lines in a legend
MOST_INSIDE = 6  # lines in a legend within the axes
DASHES = ("-", "--", ":")


def of_run(plot):
    """Makes a plot of a Run one that takes the path of a run, too."""
    @functools.wraps(plot)
    def plotted(run, *arguments, **options):
        if isinstance(run, Run):
            return plot(run, *arguments, **options)
        if not isinstance(run, (str, os.PathLike)):
            raise TypeError(f"{plot.__name__}: a Run or its path is needed, not "
                            f"{kind(run)}")
        with open_run(run) as opened:
            return plot(opened, *arguments, **options)
    return plotted


_unseen = collections.deque()


def new_figure(layout="constrained"):
    """Returns a new figure of pyplot. Without windows pyplot keeps the last ones alone: programs that
    save many plots would fill the memory. The caller's figure stays as it is."""
    import matplotlib.pyplot as plt
    figure = plt.figure(layout=layout)
    if plt.get_backend().lower() == "agg":
        _unseen.append(figure)
        while len(_unseen) > MOST_OPEN:
            plt.close(_unseen.popleft())
    return figure


def _add_dashes(axes, cycle):
    """Gives lines another dash where the colors begin again; a cycle with dashes stays."""
    if "linestyle" not in cycle.keys:
        from cycler import cycler
        axes.set_prop_cycle(cycler(linestyle=DASHES) * cycle)


def new_axes(axes, ylabel, title, xlabel="time [s]"):
    """Returns axes with labels and a title, in a figure of their own where none are given."""
    if axes is None:
        import matplotlib.pyplot as plt
        axes = new_figure().add_subplot()
        _add_dashes(axes, plt.rcParams["axes.prop_cycle"])
    elif not hasattr(axes, "set_xlabel"):
        raise TypeError(f"axes must be axes of matplotlib, not {axes!r}")
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    axes.set_title(title)
    return axes


def axes_letters(plane, counts=(2,), example="'xz'"):
    """Returns the indices of the axes that a text such as "xz" names, each once."""
    if (not isinstance(plane, str) or len(plane) not in counts or len(set(plane)) < len(plane)
            or not set(plane) <= set("xyz")):
        raise ValueError(f"plane must be two of x, y and z, such as {example}, not {plane!r}")
    return ["xyz".index(letter) for letter in plane]


def triple(values, name):
    """Returns three finite numbers; raises ValueError that names them otherwise."""
    vector = floats(values, name)
    if vector.shape != (3,) or not np.isfinite(vector).all():
        raise ValueError(f"{name} must be three finite numbers, not {values!r}")
    return vector


def some_names(given, name, usual):
    """Returns names as a list: a single one may be given as it is, None stands for the usual ones."""
    return [given] if isinstance(given, str) else names_of(given, name, usual)


def say(axes, text):
    """Writes a text in the middle of the axes."""
    axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center")


def finish(axes, nothing="nothing to show"):
    """Adds the legend of the first lines; where there is no line, a text in its place."""
    if not axes.lines:
        say(axes, nothing)
        return axes.figure
    handles, names = axes.get_legend_handles_labels()
    more = len(names) - MOST_NAMED
    if more > 0:
        handles, names = handles[:MOST_NAMED], names[:MOST_NAMED]
        handles += axes.plot([], [], alpha=0.0)
        names += [f"and {more} more"]
    # Many names would hide the curves, so their legend is beside the axes.
    place = {"loc": "best"} if len(names) <= MOST_INSIDE else {"loc": "upper left",
                                                               "bbox_to_anchor": (1.0, 1.0)}
    axes.legend(handles, names, fontsize="small", **place)
    return axes.figure
