"""A picture of the forces between bodies at one time."""
import numpy as np

from ..arguments import floats
from .figure import axes_letters, new_axes, new_figure, of_run, say

WIDEST = 5.0  # line of the largest force [points]


@of_run
def force_chains(run, time=None, plane="xz", axes=None):
    """Draws the force chains of the recorded row nearest to a time [s], by default of the last one.

    Each contact that carries a load is a line from body to body through its point, in a coordinate
    plane ("xz"), or in space ("xyz"); width and color are its normal force [N]. Fixed bodies have
    no center: their lines end at the contact."""
    shown = axes_letters(plane, (2, 3), "'xz', or 'xyz'")
    if time is not None:
        time = floats(time, "time")
        if time.shape != () or not np.isfinite(time):
            raise ValueError(f"time must be finite [s], not {time!r}")
    if axes is not None and len(plane) == 3 and not hasattr(axes, "add_collection3d"):
        raise ValueError("axes must be those of space for plane='xyz': projection=\"3d\"")
    row = _row_at(run, time)
    if axes is None and len(plane) == 3:
        # The constrained layout does not know the labels of space, and cuts that of the bar.
        axes = new_figure(layout=None).add_subplot(projection="3d")
    axes = new_axes(axes, f"{plane[1]} [m]", "Force chains", f"{plane[0]} [m]")
    if row is None:
        say(axes, "no contacts are recorded")
        return axes.figure
    axes.set_title(f"Force chains at {run.time[row]:g} s")
    lines, forces = _chains(run, row)
    if len(lines) == 0:
        say(axes, "no contact carries a load")
        return axes.figure
    collection = _collection([line[:, shown] for line in lines], forces, len(plane))
    # Dots at the ends of lines mark the bodies; they also set the limits of the axes, in space only
    # as the first of their contents.
    ends = np.array([point for line in lines for point in line])[:, shown]
    axes.plot(*ends.T, ".", color="0.4", markersize=2)
    if len(plane) == 3:
        axes.add_collection3d(collection)
        axes.set_zlabel(f"{plane[2]} [m]")
        _scale_equally(axes)
    else:
        axes.add_collection(collection)
        axes.set_aspect("equal", "datalim")
    in_space = {"pad": 0.12, "shrink": 0.8} if len(plane) == 3 else {"pad": 0.02}
    axes.figure.colorbar(collection, ax=axes, label="normal force [N]", **in_space)
    return axes.figure


def _scale_equally(axes):
    """Makes a meter as long along each axis of space, and the shorter axes at least 0.3 of the
    longest."""
    limits = np.array([axes.get_xlim(), axes.get_ylim(), axes.get_zlim()])
    size, middle = np.ptp(limits, axis=1), limits.mean(axis=1)
    size = np.maximum(size, 0.3 * size.max())
    for letter, center, width in zip("xyz", middle, size):
        getattr(axes, f"set_{letter}lim")(center - width / 2, center + width / 2)
        axes.locator_params(axis=letter, nbins=max(2, round(5 * width / size.max())))
        # Beyond the labels of the ticks, which a long axis has in the middle, too.
        getattr(axes, f"{letter}axis").labelpad = 4 + 16 * width / size.max()
    axes.set_box_aspect(size, zoom=0.85)


def _row_at(run, time):
    rows = np.flatnonzero(run.has_contacts & (run["step"] > 0))
    rows = rows[rows > 0]
    if len(rows) == 0:
        return None
    return rows[-1] if time is None else rows[np.argmin(np.abs(run.time[rows] - time))]


def _chains(run, row):
    """Returns a polyline [k, 3] [m] and a force [N] for each contact of a row that has a load."""
    contacts = run.contacts(row)
    loaded = contacts["impulse"][:, 2] > 0
    forces = contacts["impulse"][loaded, 2] / run["step"][row]
    position, moves = run["bodies/position"][row], np.isfinite(run.masses)
    lines = []
    for a, b, point in zip(contacts["body_a"][loaded], contacts["body_b"][loaded],
                           run.contact_points(row)[loaded]):
        lines.append(np.array([*([position[a]] if moves[a] else []), point,
                               *([position[b]] if moves[b] else [])]))
    return lines, forces


def _collection(lines, forces, dimension):
    if dimension == 3:
        from mpl_toolkits.mplot3d.art3d import Line3DCollection as Collection
    else:
        from matplotlib.collections import LineCollection as Collection
    collection = Collection(lines, linewidths=WIDEST * forces / forces.max(), cmap="viridis_r",
                            capstyle="round")
    collection.set_array(forces)
    collection.set_clim(0.0, forces.max())
    return collection
