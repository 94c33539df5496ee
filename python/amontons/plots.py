"""Common plots of a run, with matplotlib.

    from amontons import plots
    plots.energy(am.open_run("first.h5")).savefig("energy.svg")

Each takes a Run, draws into `axes` (its own figure where none is given) and returns the figure.
"""
import numpy as np

MOST_NAMED = 12  # lines in a legend
MOST_INSIDE = 6  # lines in a legend within the axes


def _axes(axes, ylabel, title):
    if axes is None:
        import matplotlib.pyplot as plt
        _, axes = plt.subplots(constrained_layout=True)
    axes.set_xlabel("time [s]")
    axes.set_ylabel(ylabel)
    axes.set_title(title)
    return axes


def _finish(axes, nothing="nothing to show"):
    """Adds the legend of the first lines; where there is no line, a text in its place."""
    if not axes.lines:
        axes.text(0.5, 0.5, nothing, transform=axes.transAxes, ha="center", va="center")
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


def energy(run, axes=None):
    """Plots kinetic and potential energy and their sum [J]."""
    axes = _axes(axes, "energy [J]", "Energy")
    kinetic, potential = run["energy/kinetic"], run["energy/potential"]
    axes.plot(run.time, kinetic, label="kinetic")
    axes.plot(run.time, potential, label="potential")
    axes.plot(run.time, kinetic + potential, label="sum")
    return _finish(axes)


def certificate(run, axes=None):
    """Plots the residuals of every step, dimensionless, on a logarithmic scale; 0 is left out."""
    axes = _axes(axes, "residual [-]", "Certificate")
    for name in ("normal", "friction", "limit", "joint_friction", "joint", "dynamics"):
        values = np.abs(run[f"certificate/{name}"])
        if np.any(values > 0):
            shown = np.where(values > 0, values, np.nan)
            axes.semilogy(run.time, shown, marker=".", markersize=3, label=name.replace("_", " "))
    return _finish(axes, "every residual is zero")


def joints(run, names=None, axes=None):
    """Plots positions of joints with one coordinate [rad or m]; by default all of them."""
    axes = _axes(axes, "position [rad or m]", "Joints")
    for name in names if names is not None else run.joint_names:
        try:
            position = run.joint(name)
        except KeyError:
            if names is not None:
                raise
            continue
        if position.shape[1] == 1:
            axes.plot(run.time, position[:, 0], label=name)
    return _finish(axes, "no joint of one coordinate")


def contact_force(run, body, axes=None):
    """Plots the mean normal force of all contacts of a body over each step [N]; none in an impact,
    which takes no time."""
    axes = _axes(axes, "normal force [N]", f"Contacts of {body}")
    index = run.body_index(body)
    step = run["step"]
    force = np.zeros(len(run))
    for row in range(1, len(run)):
        table = run.contacts(row)
        mine = (table["body_a"] == index) | (table["body_b"] == index)
        force[row] = table["impulse"][mine, 2].sum() / step[row] if step[row] > 0 else np.nan
    axes.plot(run.time, force, label=body)
    return _finish(axes)


def contact_impulses(run, body, axes=None):
    """Plots the normal impulse of all contacts of a body in each row [N s]: a line for each impact
    and step, as steps of different length and impacts have no common force."""
    axes = _axes(axes, "normal impulse [N s]", f"Contacts of {body}")
    index = run.body_index(body)
    impulse = np.zeros(len(run))
    for row in range(1, len(run)):
        table = run.contacts(row)
        mine = (table["body_a"] == index) | (table["body_b"] == index)
        impulse[row] = table["impulse"][mine, 2].sum()
    is_impact = run["step"] == 0
    is_impact[0] = False
    loaded = impulse > 0
    for chosen, name, color in ((loaded & ~is_impact, "steps", "tab:blue"),
                                (loaded & is_impact, "impacts", "tab:red")):
        if chosen.any():
            axes.vlines(run.time[chosen], 0, impulse[chosen], color=color)
            axes.plot(run.time[chosen], impulse[chosen], ".", color=color, markersize=4, label=name)
    return _finish(axes, "no contact")


def path(run, bodies=None, plane="xz", axes=None):
    """Plots paths of bodies in a coordinate plane [m]; by default of all moving bodies."""
    if len(plane) != 2 or not set(plane) <= set("xyz"):
        raise ValueError(f"plane must be two of x, y and z, such as 'xz', not {plane!r}")
    horizontal, vertical = ("xyz".index(letter) for letter in plane)
    axes = _axes(axes, f"{plane[1]} [m]", "Paths")
    axes.set_xlabel(f"{plane[0]} [m]")
    axes.set_aspect("equal", "datalim")
    for name in bodies if bodies is not None else run.body_names:
        position, _ = run.body(name)
        if bodies is None and np.ptp(position, axis=0).max() == 0.0:
            continue
        axes.plot(position[:, horizontal], position[:, vertical], label=name)
    return _finish(axes, "no body moves")
