"""Plots of a run, with matplotlib.

    am.plots.energy(am.open_run("first.h5")).savefig("energy.svg")

Each takes a Run or the path of one (residuals: arrays), draws into `axes` (its own figure where
none is given) and returns the figure.
"""
from .chains import force_chains
from .contacts import contact_force, contact_impulses, friction, slip_margin, wrench
from .convergence import residuals
from .figure import MOST_NAMED
from .motion import body_phase, flow, path, phase
from .series import certificate, energy, joints

__all__ = ["MOST_NAMED", "body_phase", "certificate", "contact_force", "contact_impulses", "energy",
           "flow", "force_chains", "friction", "joints", "path", "phase", "residuals", "slip_margin",
           "wrench"]
