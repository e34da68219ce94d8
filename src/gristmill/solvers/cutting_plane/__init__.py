"""Cutting planes for support vector machines, exact or sampled, on operators or on rows."""

from __future__ import annotations

from gristmill.solvers.cutting_plane.solver import CuttingPlanes

__all__ = ["CuttingPlanes"]
