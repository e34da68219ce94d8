"""Makes encoded-v2.safetensors and encoded-v2.json, with what the machine must answer.

Run once, by a release that writes version 2; never again, so that later releases prove they still read the file.
"""

from __future__ import annotations

import json
import math
from datetime import date
from pathlib import Path

import numpy as np

import gristmill as gm
from gristmill.data.tables.coders import DateCoder, JoinedCoder, NumberCoder, WordCoder
from gristmill.data.tables.encoding import Encoding
from gristmill.data.tables.fields import Field

HERE = Path(__file__).parent
TABLE = [
    {"age": 20.5, "größe": "M", "joined": date(2024, 2, 1)},
    {"age": 31, "größe": None, "joined": date(2025, 12, 31), "note": "not read"},
    {"age": None, "größe": "boat", "joined": date(1999, 1, 1)},
    {"age": 30.0, "größe": "XS", "joined": date(2024, 6, 1)},
]


def machine() -> gm.Machine:
    """Coders of all kinds; of a column with two codings, and of one with none."""
    age = Field("age", "age", "number", ("<= 30", "> 30", "missing"), 2, 2, None)
    old = Field("age", "age", "number", ("< 31", ">= 31"), 2, None, None)
    size = Field("größe", "größe", "category", ("S", "M", "other"), 0, 1, 2)
    year = Field("joined: year", "joined", "date", ("2024", "2025"), 2, None, None)
    limits = np.array([30.0, math.inf])
    coders = (
        JoinedCoder((NumberCoder(age, limits, 0), NumberCoder(old, np.array([np.nextafter(31.0, 0.0), math.inf]), 1))),
        WordCoder(size, {"S": 0, "M": 1, "XS": 2}, 2, frozenset(["XS"])),
        DateCoder({"year": NumberCoder(year, np.array([2024.0, math.inf]), None)}),
        JoinedCoder(),
    )
    encoding = Encoding(("age", "größe", "joined", "note"), True, coders)
    support = gm.ids([[0, 3, 5], [1, 4, 6, 9], [2, 7, 8], [0, 9]], n_features=10)
    return gm.Machine("poly", support, [1.0, -0.5, 0.25, 2.0], -1.0, ["no", "ja ✓"], encoding=encoding)


def main() -> None:
    machine().save(HERE / "encoded-v2.safetensors")
    scores = machine().compile("direct").decision_function(TABLE).tolist()
    (HERE / "encoded-v2.json").write_text(json.dumps(scores) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
