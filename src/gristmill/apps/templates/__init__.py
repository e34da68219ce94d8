"""Feature templates: which cells of which tokens make which features. Written as YamCha's, or as CRF++'s files."""

from __future__ import annotations

from gristmill.apps.templates.reading import parse_templates
from gristmill.apps.templates.template import Item, Look, Templates, View

__all__ = ["Item", "Look", "Templates", "View", "parse_templates"]
