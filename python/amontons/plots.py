"""The plots that people make of a run, with matplotlib.

    from amontons import plots
    plots.energy(am.open_run("first.h5")).savefig("energy.svg")

Each takes a Run, draws into `axes` (its own figure where none is given) and returns the figure.
"""
import numpy as np


def _axes(axes, ylabel, title):
    if axes is None:
        import matplotlib.pyplot as plt
        _, axes = plt.subplots(constrained_layout=True)
    axes.set_xlabel("time [s]")
    axes.set_ylabel(ylabel)
    axes.set_title(title)
    return axes


def _finish(axes, logarithmic=False):
    if logarithmic and any(np.any(line.get_ydata() > 0) for line in axes.lines):
        axes.set_yscale("log")
    if axes.lines:
        axes.legend(loc="best", fontsize="small")
    return axes.figure


def energy(run, axes=None):
    """Kinetic and potential energy and their sum [J]."""
    axes = _axes(axes, "energy [J]", "Energy")
    kinetic, potential = run["energy/kinetic"], run["energy/potential"]
    axes.plot(run.time, kinetic, label="kinetic")
    axes.plot(run.time, potential, label="potential")
    axes.plot(run.time, kinetic + potential, label="sum")
    return _finish(axes)


def certificate(run, axes=None):
    """The judged figures of every step, dimensionless, on a logarithmic scale."""
    axes = _axes(axes, "residual [-]", "Certificate")
    for name in ("normal", "friction", "limit", "joint_friction", "joint", "dynamics"):
        values = np.abs(run[f"certificate/{name}"])
        if np.any(values > 0):
            axes.plot(run.time, values, label=name.replace("_", " "))
    return _finish(axes, logarithmic=True)


def joints(run, names=None, axes=None):
    """Positions of joints with one coordinate [rad or m]; by default all of them."""
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
    return _finish(axes)


def contact_force(run, body, axes=None):
    """Mean normal force of all contacts of a body over each step [N]."""
    axes = _axes(axes, "normal force [N]", f"Contacts of {body}")
    index = run.body_names.index(body)
    step = run["step"]
    force = np.zeros(len(run))
    for row in range(1, len(run)):
        table = run.contacts(row)
        mine = (table["body_a"] == index) | (table["body_b"] == index)
        if step[row] > 0:
            force[row] = table["impulse"][mine, 2].sum() / step[row]
    axes.plot(run.time, force, label=body)
    return _finish(axes)


def path(run, bodies=None, plane="xz", axes=None):
    """Ways of bodies in a coordinate plane [m]; by default of all that move."""
    horizontal, vertical = ("xyz".index(letter) for letter in plane)
    axes = _axes(axes, f"{plane[1]} [m]", "Paths")
    axes.set_xlabel(f"{plane[0]} [m]")
    axes.set_aspect("equal", "datalim")
    for name in bodies if bodies is not None else run.body_names:
        position, _ = run.body(name)
        if bodies is None and np.ptp(position, axis=0).max() == 0.0:
            continue
        axes.plot(position[:, horizontal], position[:, vertical], label=name)
    return _finish(axes)
