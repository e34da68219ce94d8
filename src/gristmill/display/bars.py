"""Bars of characters, for histograms on a screen."""

from __future__ import annotations

import math

WIDTH = 40  # characters


def bar(share: float, marked: float = 1.0) -> str:
    """As long as a share of the width, a character at least for what there is; '#' for a share of it, then '-'."""
    length = math.ceil(WIDTH * share)
    dark = math.ceil(length * marked)
    return "#" * dark + "-" * (length - dark)
