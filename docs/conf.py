"""Sphinx settings."""

import importlib.metadata
import os
import sys
from pathlib import Path

from gristmill.display.stylesheet import colours

sys.path.insert(0, os.path.abspath(".."))  # noqa: PTH100

project = "gristmill"
copyright = "2026, the gristmill developers"
release = importlib.metadata.version("gristmill")
extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.mathjax"]
exclude_patterns = ["_build"]
numpydoc_show_class_members = False
autodoc_typehints = "none"
suppress_warnings = ["myst.xref_missing"]
html_theme = "alabaster"

# the colours of reports and of the playground, by day and by night
style = Path(__file__).parent / "_build" / "style"
style.mkdir(parents=True, exist_ok=True)
(style / "colours.css").write_text(colours(), encoding="utf-8")
html_static_path = ["_static", "_build/style"]
html_css_files = ["colours.css", "site.css"]
html_theme_options = {"description": "Exact kernel machines at the speed of linear models", "page_width": "1100px"}
