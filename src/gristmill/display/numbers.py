"""Numbers as people read them: a true minus sign, commas between thousands, as many digits as help."""

from __future__ import annotations

import math

_MINUS = "\u2212"  # as wide as a plus, and read aloud
_JOINED = "\u00a0"  # a space at which no line ends


def number(value: float) -> str:
    """Whole numbers with commas, others with four digits.

    Examples
    --------
    >>> from gristmill.display.numbers import number
    >>> number(12345), number(0.123456), number(2.0)
    ('12,345', '0.1235', '2')
    """
    if isinstance(value, int) or (float(value).is_integer() and abs(value) < 1e15):
        return f"{int(value):,}".replace("-", _MINUS)
    return f"{value:.4g}".replace("-", _MINUS)


def signed(value: float, digits: int = 4) -> str:
    """With a sign, except 0.

    Examples
    --------
    >>> from gristmill.display.numbers import signed
    >>> signed(0.42), signed(0)
    ('+0.42', '0')
    """
    return "0" if value == 0 else f"{value:+.{digits}g}".replace("-", _MINUS)


def percent(share: float) -> str:
    """A share in percent with three digits, or as many more as keep it different from 100 %.

    Examples
    --------
    >>> from gristmill.display.numbers import percent
    >>> print(percent(0.98765), percent(1), percent(0.0004), percent(0.99987))
    98.8\xa0% 100\xa0% 0.04\xa0% 99.99\xa0%
    """
    if not math.isfinite(share):
        return "\u2013"
    return f"{_of_hundred(100 * share)}{_JOINED}%"


def _of_hundred(value: float) -> str:
    """Rounded, but never up to 100."""
    if value >= 100:
        return f"{value:.0f}"
    return next((text for digits in range(3, 17) if (text := f"{value:.{digits}g}") != "100"), "100")


def result(share: float) -> str:
    """A score such as accuracy or F1 for a table: in percent with two decimals, a dash for nan.

    Examples
    --------
    >>> from gristmill.display.numbers import result
    >>> result(0.93456), result(float("nan"))
    ('93.46', '-')
    """
    return "-" if math.isnan(share) else f"{100 * share:.2f}"


def in_percent(share: float) -> str:
    """The same in a sentence.

    Examples
    --------
    >>> from gristmill.display.numbers import in_percent
    >>> in_percent(0.93456)
    '93.46 %'
    """
    return f"{result(share)} %"


def memory(nbytes: float) -> str:
    """850 bytes, 12.3 kB, 4.5 MB."""
    for unit in ("bytes", "kB", "MB"):
        if nbytes < 1000:
            return f"{nbytes:.0f} bytes" if unit == "bytes" else f"{nbytes:.1f} {unit}"
        nbytes /= 1000
    return f"{nbytes:.2f} GB"
