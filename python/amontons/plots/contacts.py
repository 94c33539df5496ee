"""Plots of contacts over time: forces, friction, slip margins, wrenches and impulses."""
import numpy as np

from .contact_rows import ContactRows
from .figure import finish, new_axes, new_figure, of_run


def _title(body, other):
    if body is None:
        return "Contacts"
    return f"Contacts of {body}" + (f" with {other}" if other is not None else "")


@of_run
def contact_force(run, body, axes=None):
    """Plots the mean normal force of all contacts of a body over each step [N]; none in an impact,
    which takes no time."""
    axes = new_axes(axes, "normal force [N]", _title(body, None))
    contacts = ContactRows(run, body)
    axes.plot(run.time, contacts.per_time(contacts.sum(contacts.normal)), label=body)
    return finish(axes)


@of_run
def friction(run, body, other=None, axes=None):
    """Plots the friction on a body (from another body alone) [N]: the size of the sum of its
    contacts' friction forces, in which forces that cancel leave nothing, and the sum of mu f_n, the
    most that it can be. Means of steps; none in an impact."""
    axes = new_axes(axes, "force [N]", _title(body, other))
    contacts = ContactRows(run, body, other)
    total = np.linalg.norm(contacts.sum(contacts.friction_on_body()), axis=1)
    most = contacts.sum(contacts.mu * contacts.normal)
    axes.plot(run.time, contacts.per_time(total), label="friction")
    axes.plot(run.time, contacts.per_time(most), "--", label="most friction")
    return finish(axes)


@of_run
def slip_margin(run, body, other=None, each=False, axes=None):
    """Plots the slip margin mu f_n - |f_t| [N] of the contacts of a body (with another body alone):
    the least of those that carry a load, or with `each` that of every contact by itself. It is 0
    where a contact slides; there is none in an impact, or without a load."""
    axes = new_axes(axes, "slip margin [N]", _title(body, other))
    contacts = ContactRows(run, body, other)
    margin = contacts.mu * contacts.normal - contacts.friction
    loaded = contacts.normal > 0
    curves = contacts.each() if each else [("least", np.ones(len(loaded), bool))]
    for name, mine in curves:
        chosen = mine & loaded
        least = np.full(len(run), np.inf)
        np.minimum.at(least, contacts.row[chosen], margin[chosen])
        shown = contacts.per_time(np.where(np.isfinite(least), least, np.nan))
        if np.isfinite(shown).any():
            axes.plot(run.time, shown, label=name)
    return finish(axes, "no contact carries a load")


@of_run
def wrench(run, body, other=None, axes=None):
    """Plots the wrench of the contacts of a body (with another body alone) along world axes: the
    force [N], and the torque about the body's origin at the start of the step [N m]. Means of
    steps; none in an impact. `axes` are two, for force and torque."""
    if axes is None:
        axes = new_figure().subplots(2, 1, sharex=True)
    if not np.iterable(axes) or len(axes) != 2:
        raise ValueError("axes must be two, for force and torque: plt.subplots(2)[1]")
    upper = new_axes(axes[0], "force [N]", _title(body, other), xlabel="")
    lower = new_axes(axes[1], "torque [N m]", "")
    contacts = ContactRows(run, body, other)
    impulse = contacts.impulse_on_body()
    arm = contacts.dataset("position") - run.start_position(body)[contacts.row]
    force = contacts.per_time(contacts.sum(impulse))
    torque = contacts.per_time(contacts.sum(np.cross(arm, impulse)))
    for shown, values in ((upper, force), (lower, torque)):
        for k, letter in enumerate("xyz"):
            shown.plot(run.time, values[:, k], label=letter)
        finish(shown)
    return upper.figure


@of_run
def contact_impulses(run, body=None, axes=None):
    """Plots the normal impulse of all contacts of a body (by default of all bodies) in each row
    [N s]: a line for each, as steps of different length and impacts have no common force. Impacts
    are those that take no time, and contacts that bounce within a step."""
    axes = new_axes(axes, "normal impulse [N s]", _title(body, None))
    contacts = ContactRows(run, body)
    for is_impact, name, color in ((False, "steps", "tab:blue"), (True, "impacts", "tab:red")):
        impulse = contacts.sum(np.where(contacts.is_impact == is_impact, contacts.normal, 0.0))
        chosen = impulse > 0
        if chosen.any():
            axes.vlines(run.time[chosen], 0, impulse[chosen], color=color)
            axes.plot(run.time[chosen], impulse[chosen], ".", color=color, markersize=4, label=name)
    return finish(axes, "no contact")
