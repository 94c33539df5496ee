"""Plots of energies, residuals and joints over time."""
import numpy as np

from .._core import UnknownNameError
from .figure import finish, new_axes, of_run, some_names


@of_run
def energy(run, axes=None):
    """Plots kinetic and potential energy and their sum [J]."""
    axes = new_axes(axes, "energy [J]", "Energy")
    kinetic, potential = run["energy/kinetic"], run["energy/potential"]
    axes.plot(run.time, kinetic, label="kinetic")
    axes.plot(run.time, potential, label="potential")
    axes.plot(run.time, kinetic + potential, label="sum")
    return finish(axes)


@of_run
def certificate(run, axes=None):
    """Plots the residuals of every step, dimensionless, on a logarithmic scale; 0 is left out."""
    axes = new_axes(axes, "residual [-]", "Certificate")
    for name in ("normal", "friction", "limit", "joint_friction", "joint", "dynamics"):
        values = np.abs(run[f"certificate/{name}"])
        if np.any(values > 0):
            shown = np.where(values > 0, values, np.nan)
            axes.semilogy(run.time, shown, marker=".", markersize=3, label=name.replace("_", " "))
    return finish(axes, "every residual is zero")


@of_run
def joints(run, names=None, axes=None):
    """Plots positions of joints with one coordinate [rad or m]; by default all of them."""
    axes = new_axes(axes, "position [rad or m]", "Joints")
    for name in some_names(names, "names", run.joint_names):
        try:
            position = run.joint(name)
        except UnknownNameError:
            if names is not None:
                raise
            continue
        if position.shape[1] == 1:
            axes.plot(run.time, position[:, 0], label=name)
    return finish(axes, "no joint of one coordinate")
