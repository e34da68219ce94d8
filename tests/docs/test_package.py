"""What is needed so that anyone may use the package."""

from __future__ import annotations

import tomllib
from pathlib import Path

import gristmill as gm

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_licence_is_a_permissive_one_and_the_same_everywhere():
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Redistribution and use in source and binary forms" in licence
    assert "Neither the name" in licence
    assert PROJECT["license"] == "BSD-3-Clause"
    assert PROJECT["license-files"] == ["LICENSE"]
    sources = [*(ROOT / "core").rglob("*.?pp"), *(ROOT / "bindings").glob("*.?pp")]
    assert len(sources) > 100
    for source in sources:
        assert source.read_text(encoding="utf-8").startswith("// SPDX-License-Identifier: BSD-3-Clause\n"), source


def test_the_readme_says_how_to_install_it():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "pip install" in readme
    assert PROJECT["name"] == gm.__name__
    assert PROJECT["version"] == gm.__version__
