"""Sphinx settings."""

import importlib.metadata
import os
import sys

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
html_theme_options = {"description": "Exact kernel machines at the speed of linear models", "page_width": "1100px"}
