"""What a parser may be told: algorithms by our names and MaltParser's, and templates that serve each well."""

from __future__ import annotations

from gristmill import _core
from gristmill.apps.parsing.tree import COLUMNS
from gristmill.apps.templates.configurations import ConfigurationTemplates, parse_configurations

ALGORITHMS = {
    "arc-standard": _core.System.arc_standard,
    "arc-eager": _core.System.arc_eager,
    "swap": _core.System.swap,
    "head-final": _core.System.head_final,
    "cascaded": _core.System.cascade,
}
MALT_NAMES = {
    "nivrestandard": "arc-standard",
    "nivreeager": "arc-eager",
    "stackproj": "arc-standard",
    "stackeager": "swap",
    "stacklazy": "swap",
}
ORACLES = ("static", "dynamic")
LIFTED = ("arc-standard", "arc-eager")  # whose crossing arcs may be lifted

# The head word of a unit, then words with a role: function words behind it, words before it, punctuation.
_ROLES = ("", "last-", "prior-", "before-", "first-", "mark-")
UNIT_COLUMNS = tuple(f"{role}{column}" for role in _ROLES for column in COLUMNS)

_STANDARD = """
{s0,s1,b0}.{form:lower,upos,xpos,lemma}
{s0,s1,b0}.feats:parts
{s2,b1,b2}.{form:lower,upos}
s3.upos
{s0,s1}.{ldep,rdep}.{upos,deprel,form:lower}
{s0,s1}.{ldep2,rdep2}.deprel
{s0,s1}.{lefts,rights}
distance(s0,s1)
"""
_EAGER = """
{s0,b0}.{form:lower,upos,xpos,lemma}
{s0,b0}.feats:parts
{s1,b1,b2}.{form:lower,upos}
b3.upos s2.upos
s0.{ldep,rdep}.{upos,deprel,form:lower}
b0.ldep.{upos,deprel,form:lower}
s0.deprel s0.head.{upos,form:lower} s1.deprel
s0.{ldep2,rdep2}.deprel b0.ldep2.deprel
s0.{lefts,rights} b0.lefts
distance(s0,b0)
"""
_UNITS = """
{s0,b0}.{lemma,upos,xpos,form:suffix:1}
{s0,b0}.{last-form,last-xpos,prior-form,mark-form,first-form,before-form}
{s1,b1}.{lemma,upos,last-form,last-xpos,mark-form} b1.xpos
{s2,b2}.{upos,last-form}
{s0,b0}.{ldep,ldep2}.{last-form,upos,mark-form,deprel}
{s0,b0}.lefts
distance(s0,b0)
"""
_TEMPLATES = {
    "arc-standard": _STANDARD,
    "swap": _STANDARD,
    "arc-eager": _EAGER,
    "head-final": _UNITS,
    "cascaded": _UNITS,
}


def algorithm_of(name: str) -> str:
    """Our own name; ValueError where it is neither ours nor MaltParser's for one that we have."""
    found = MALT_NAMES.get(name, name) if isinstance(name, str) else None
    if found not in ALGORITHMS:
        known = ", ".join([*ALGORITHMS, *MALT_NAMES])
        raise ValueError(f"algorithm must be one of {known}, got {name!r}")
    return found


def default_templates(algorithm: str) -> str:
    return _TEMPLATES[algorithm]


def is_of_units(algorithm: str) -> bool:
    """Whether it links units of words, not words."""
    return algorithm in ("head-final", "cascaded")


def columns_of(algorithm: str) -> tuple[str, ...]:
    """What templates see: cells of words; of units, cells of words that have a role in them."""
    return UNIT_COLUMNS if is_of_units(algorithm) else COLUMNS


def parsed(templates: str, algorithm: str) -> ConfigurationTemplates:
    return parse_configurations(templates, columns_of(algorithm))
