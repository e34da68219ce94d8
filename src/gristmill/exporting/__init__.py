"""Machines as source text in other languages: one file, without dependencies."""

from gristmill.exporting.api import Exported, export

__all__ = ["Exported", "export"]
