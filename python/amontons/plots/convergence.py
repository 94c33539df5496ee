"""A plot of how iterations approach a solution."""
import numpy as np

from ..arguments import floats
from .figure import finish, new_axes


def residuals(histories, axes=None):
    """Plots residuals [-] over iterations on a logarithmic scale; 0 is left out.

        am.plots.residuals({name: problem.residual_history(name) for name in ("newton", "coulomb")})

    histories: arrays of residuals by their names, or one array."""
    if not isinstance(histories, dict):
        histories = {"residual": histories}
    axes = new_axes(axes, "residual [-]", "Convergence", "iteration")
    for name, history in histories.items():
        history = floats(history, f"the history of {name}")
        if history.ndim != 1:
            raise ValueError(f"the history of {name} must have one axis, not {history.ndim}")
        if np.any(history > 0):
            axes.semilogy(np.arange(history.size), np.where(history > 0, history, np.nan),
                          marker=".", markersize=3, label=name)
    return finish(axes, "no iterations")
