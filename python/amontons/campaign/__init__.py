"""Campaigns: a scene simulated for many parameters and seeds, with one table of metrics."""
from .campaign import campaign
from .plan import Range

__all__ = ["Range", "campaign"]
