"""The page of the documentation: what it shows is what comes back."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import gristmill as gm
from gristmill.web import Limits, create_app
from tests.web.served import serving

PAGE = Path(__file__).parents[2] / "docs" / "serve.md"


def test_answers_are_as_printed(tmp_path, monkeypatch):
    if shutil.which("curl") is None:
        pytest.skip("no curl to ask with")
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(code, {})
    shown = re.findall(r"```console\n\$ (.*)\n(.*)\n```", text)
    assert len(shown) == text.count("```console") > 0
    with serving(create_app(gm.load("words.safetensors"))) as address:
        for command, answer in shown:
            asked = command.replace("localhost:8000", address)
            ran = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, check=True)
            assert ran.stdout == answer


def test_limits_are_as_printed():
    text, limits = PAGE.read_text(encoding="utf-8"), Limits()
    assert limits.body == 1 << 20
    assert f"{limits.rows:,} scored, {limits.explained} explained" in text
    assert f"nodes of a tree | {limits.features:,} |" in text
    assert limits.features == limits.nodes
    assert f"tokens of a sentence | {limits.tokens:,} |" in text
    assert f"{limits.seconds:g} each" in text
    assert f"{limits.requests} a worker" in text
