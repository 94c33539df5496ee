"""Plots of motions: paths, phase portraits and flow through a plane."""
import numpy as np

from .._core import UnknownNameError
from ..arguments import number, positive
from .figure import axes_letters, finish, new_axes, of_run, some_names, triple


@of_run
def path(run, bodies=None, plane="xz", axes=None):
    """Plots paths of bodies in a coordinate plane [m]; by default of all moving bodies."""
    horizontal, vertical = axes_letters(plane)
    axes = new_axes(axes, f"{plane[1]} [m]", "Paths")
    axes.set_xlabel(f"{plane[0]} [m]")
    axes.set_aspect("equal", "datalim")
    for name in some_names(bodies, "bodies", run.body_names):
        position, _ = run.body(name)
        if bodies is None and np.ptp(position, axis=0).max() == 0.0:
            continue
        axes.plot(position[:, horizontal], position[:, vertical], label=name)
    return finish(axes, "no body moves")


@of_run
def phase(run, names=None, axes=None):
    """Plots the phase portrait of joints with one coordinate, velocity [rad/s or m/s] over position
    [rad or m]; by default of all of them. A dot marks the start."""
    axes = new_axes(axes, "velocity [rad/s or m/s]", "Phase portrait", "position [rad or m]")
    for name in some_names(names, "names", run.joint_names):
        try:
            position, velocity = run.joint(name), run.joint_velocity(name)
        except UnknownNameError:
            if names is not None:
                raise
            continue
        if position.shape[1] == 1:
            _portrait(axes, position[:, 0], velocity[:, 0], name)
    return finish(axes, "no joint of one coordinate")


@of_run
def body_phase(run, body, along=(0, 0, 1), axes=None):
    """Plots the phase portrait of a body's origin along a direction in world axes: velocity [m/s]
    over position [m]. A dot marks the start."""
    direction = _unit(along, "along")
    axes = new_axes(axes, "velocity [m/s]", f"Phase portrait of {body}", "position [m]")
    _portrait(axes, run.body(body)[0] @ direction, run.twist(body)[:, 3:] @ direction, body)
    return finish(axes)


@of_run
def flow(run, point, normal, bodies=None, radius=np.inf, mass=False, window=None, axes=None):
    """Plots how many bodies have passed a plane, or with `mass` how much of it [kg].

    A body passes where its origin crosses the plane along `normal`, within `radius` [m] of `point`
    [m]; back again counts negative. With a `window` [s] the plot shows the rate, a mean over it.
    `bodies` are names, by default those of all bodies that can move."""
    point, normal = triple(point, "point"), _unit(normal, "normal")
    if not number(radius, "radius") > 0:
        raise ValueError(f"radius must be positive, not {radius!r}")
    window = None if window is None else positive(window, "window")
    names = some_names(bodies, "bodies", run.body_names)
    masses = dict(zip(run.body_names, run.masses))
    passed = np.zeros(len(run))
    for name in names:
        position, _ = run.body(name)
        if np.isfinite(masses[name]) or bodies is not None:
            weight = masses[name] if mass else 1.0
            passed += weight * _passages(position, point, normal, radius)
    total, unit = np.cumsum(passed), "kg" if mass else "bodies"
    if window is None:
        axes = new_axes(axes, f"passed [{unit}]", "Flow")
        axes.step(run.time, total, where="post", label="passed")
    else:
        axes = new_axes(axes, f"rate [{unit if mass else '1'}/s]", "Flow")
        axes.plot(run.time, _rate(run.time, total, window), label=f"mean over {window:g} s")
    return finish(axes)


def _unit(direction, name):
    vector = triple(direction, name)
    if not np.linalg.norm(vector) > 0:
        raise ValueError(f"{name} must be a direction of three numbers, not {direction!r}")
    return vector / np.linalg.norm(vector)


def _portrait(axes, position, velocity, name):
    curve, = axes.plot(position, velocity, label=name)
    axes.plot(position[:1], velocity[:1], "o", markersize=4, color=curve.get_color())


def _passages(position, point, normal, radius):
    """Returns 1 in rows where a point has crossed a plane along its normal since the row before, -1
    where against it, 0 elsewhere [T]."""
    height = (position - point) @ normal
    change = np.diff((height > 0).astype(int), prepend=int(height[0] > 0))
    for row in np.flatnonzero(change):
        share = height[row - 1] / (height[row - 1] - height[row])
        place = (1 - share) * position[row - 1] + share * position[row]
        if np.linalg.norm(place - point) > radius:
            change[row] = 0
    return change


def _rate(time, total, window):
    """Returns the mean rate of a count over windows around the times; NaN where one leaves the run."""
    if not 0 < window <= time[-1] - time[0]:
        raise ValueError(f"window must be positive and at most {time[-1] - time[0]:g} s, "
                         f"the length of the run, not {window!r}")
    first, last = time - window / 2, time + window / 2
    inside = (first >= time[0] - 1e-12) & (last <= time[-1] + 1e-12)

    def at(times):
        return total[np.clip(np.searchsorted(time, times + 1e-12, "right") - 1, 0, None)]
    return np.where(inside, (at(last) - at(first)) / window, np.nan)
