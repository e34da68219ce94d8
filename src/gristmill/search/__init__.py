"""Search: the examples that a kernel finds most similar, exactly."""

from gristmill.search.index import NearestIndex, nearest
from gristmill.search.neighbours import Neighbour, Neighbours

__all__ = ["NearestIndex", "Neighbour", "Neighbours", "nearest"]
