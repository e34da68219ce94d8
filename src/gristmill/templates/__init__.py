"""Feature templates: which cells of which tokens make which features. Written as YamCha's, or as CRF++'s files."""

from __future__ import annotations

from gristmill.templates.reading import parse_templates
from gristmill.templates.template import Item, Look, Templates, View

__all__ = ["Item", "Look", "Templates", "View", "parse_templates"]
