"""How good parses are: the scores of the CoNLL 2018 shared task (Zeman et al. 2018), as its script counts them.

Of relations the part before ':' counts, of features those that are universal. CLAS, MLAS and BLEX are of words whose
relation is one of content.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from gristmill.apps.columns import decoded_lines
from gristmill.apps.parsing.alignment import ROOT, Words, align, check_same_text, read_words
from gristmill.apps.scores import MatchScore
from gristmill.base.errors import naming
from gristmill.base.files import PathLike, display_name, read_bytes
from gristmill.data.formats.kinds import CONLLU
from gristmill.data.formats.reading import reading

_CONTENT = frozenset(
    "nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse nmod appos nummod acl amod "
    "conj fixed flat compound list parataxis orphan goeswith reparandum root dep".split()
)
_FUNCTION = frozenset("aux cop mark det clf case cc".split())
_NOWHERE = ROOT - 1  # the head that a word has in gold if its own is not there

# As fields of ParseScores, and as the task's script calls them.
_NAMES = {
    "tokens": "Tokens",
    "sentences": "Sentences",
    "words": "Words",
    "upos": "UPOS",
    "xpos": "XPOS",
    "ufeats": "UFeats",
    "all_tags": "AllTags",
    "lemmas": "Lemmas",
    "uas": "UAS",
    "las": "LAS",
    "clas": "CLAS",
    "mlas": "MLAS",
    "blex": "BLEX",
}


@dataclass(frozen=True)
class ParseScore(MatchScore):
    """How many of something there are in gold, in the system's file, and how many are right.

    Parameters
    ----------
    gold, predicted, correct : int
    aligned : int or None
        How many of gold are words of the system's file too; None for tokens, sentences and words themselves.
    """

    gold: int
    predicted: int
    correct: int
    aligned: int | None = None

    @property
    def aligned_accuracy(self) -> float | None:
        """The share of aligned words that are right; 0 if there are none."""
        return self.correct / self.aligned if self.aligned else self.aligned

    def as_dict(self) -> dict[str, Any]:
        return {**self.numbers(), "aligned": self.aligned, "aligned_accuracy": self.aligned_accuracy}

    def conll18(self) -> str:
        """Return the figures in percent, as the script prints them."""
        shares = " |".join(f"{100 * share:10.2f}" for share in (self.precision, self.recall, self.f1))
        return f"{shares} |" + ("" if self.aligned_accuracy is None else f"{100 * self.aligned_accuracy:10.2f}")


@dataclass(frozen=True)
class RelationScore(MatchScore):
    """How many words of gold have a relation, and how many of the system's.

    Parameters
    ----------
    relation : str
        Without subtype.
    gold, predicted : int
    heads : int
        How many words of gold that have it were given the right head.
    correct : int
        How many of these were given the relation too.
    """

    relation: str
    gold: int
    predicted: int
    heads: int
    correct: int

    def as_dict(self) -> dict[str, Any]:
        return {"relation": self.relation, **self.numbers(), "heads": self.heads}


@dataclass(frozen=True)
class ParseScores:
    """All scores of the task, and how well words of each relation of gold are attached, in the order of names."""

    tokens: ParseScore
    sentences: ParseScore
    words: ParseScore
    upos: ParseScore
    xpos: ParseScore
    ufeats: ParseScore
    all_tags: ParseScore
    lemmas: ParseScore
    uas: ParseScore
    las: ParseScore
    clas: ParseScore
    mlas: ParseScore
    blex: ParseScore
    relations: tuple[RelationScore, ...]

    @property
    def main(self) -> float:
        """What `DependencyParser.score` gives: the labelled attachment score."""
        return self.las.f1

    def as_dict(self) -> dict[str, Any]:
        relations = [one.as_dict() for one in self.relations]
        return {**{name: getattr(self, name).as_dict() for name in _NAMES}, "relations": relations}

    def conll18(self) -> str:
        """Return what the task's script prints with -v, character for character, with the line end."""
        top = "Metric     | Precision |    Recall |  F1 Score | AligndAcc\n" + "+".join(["-" * 11] * 5) + "\n"
        return top + "".join(f"{title:11}|{getattr(self, name).conll18()}\n" for name, title in _NAMES.items())


def score_conllu(gold: str, system: str) -> ParseScores:
    """Compare two analyses of one text in CoNLL-U; sentences, tokens and words may differ, the text may not.

    FormatError, a ValueError, where a line is not CoNLL-U, heads are no tree with one root, or texts differ.

    Examples
    --------
    >>> from gristmill.apps.parsing.scores import score_conllu
    >>> gold = "1 Dogs dog NOUN _ _ 2 nsubj _ _|2 bark bark VERB _ _ 0 root _ _|3 loudly _ ADV _ _ 2 advmod _ _"
    >>> system = "1 Dogs dog NOUN _ _ 2 obj _ _|2 bark bark VERB _ _ 0 root _ _|3 loudly _ ADV _ _ 1 advmod _ _"
    >>> scores = score_conllu(*(text.replace(" ", "\\t").replace("|", "\\n") for text in (gold, system)))
    >>> scores.uas.correct, scores.las.correct, scores.las.gold, scores.upos.f1
    (2, 1, 3, 1.0)
    """
    with naming("gold"):
        of_gold = read_words(gold)
    with naming("system"):
        of_system = read_words(system)
        check_same_text(of_gold, of_system)
    return _score_words(of_gold, of_system)


def score_files(gold: PathLike, system: PathLike) -> ParseScores:
    """Compare two files of CoNLL-U, compressed or not, or standard input for '-', as `score_conllu` does."""
    of_gold = _read_file(gold)
    of_system = _read_file(system)
    with naming(display_name(system)):
        check_same_text(of_gold, of_system)
    return _score_words(of_gold, of_system)


def _read_file(path: PathLike) -> Words:
    with reading(path, CONLLU) as looked:
        return read_words(decoded_lines(looked.content(read_bytes(path))))


Pairs = list[tuple[int, int]]


def _score_words(gold: Words, system: Words) -> ParseScores:
    pairs = align(gold, system)
    in_gold = _places_in_gold(pairs, len(system))
    heads = [gold.heads[ours] == in_gold[system.heads[theirs]] for ours, theirs in pairs]
    upos, xpos, ufeats, relations = (
        [of_gold[ours] == of_system[theirs] for ours, theirs in pairs]
        for of_gold, of_system in (
            (gold.upos, system.upos),
            (gold.xpos, system.xpos),
            (gold.feats, system.feats),
            (gold.relations, system.relations),
        )
    )
    lemmas = [gold.lemmas[ours] in ("_", system.lemmas[theirs]) for ours, theirs in pairs]
    labelled = _both(heads, relations)
    of_words, of_content = _counter(gold, system, pairs), _content_counter(gold, system, pairs)
    return ParseScores(
        _score_spans(gold.tokens, system.tokens),
        _score_spans(gold.sentences, system.sentences),
        ParseScore(len(gold), len(system), len(pairs)),
        of_words(upos),
        of_words(xpos),
        of_words(ufeats),
        of_words(_both(upos, xpos, ufeats)),
        of_words(lemmas),
        of_words(heads),
        of_words(labelled),
        of_content(labelled),
        of_content(_both(labelled, upos, ufeats, _function_words_agree(gold, system, pairs, in_gold))),
        of_content(_both(labelled, lemmas)),
        _score_relations(gold, system, pairs, heads, labelled),
    )


def _places_in_gold(pairs: Pairs, words: int) -> list[int]:
    """Of each word of the system, the word of gold; behind them, where the index ROOT finds it, that of a root."""
    places = [_NOWHERE] * words + [ROOT]
    for ours, theirs in pairs:
        places[theirs] = ours
    return places


def _both(*flags: Sequence[bool]) -> list[bool]:
    return [all(ones) for ones in zip(*flags, strict=True)]


def _counter(gold: Words, system: Words, pairs: Pairs) -> Callable[[Sequence[bool]], ParseScore]:
    return lambda right: ParseScore(len(gold), len(system), sum(right), len(pairs))


def _content_counter(gold: Words, system: Words, pairs: Pairs) -> Callable[[Sequence[bool]], ParseScore]:
    of_gold, of_system = (sum(one in _CONTENT for one in words.relations) for words in (gold, system))
    content = [gold.relations[ours] in _CONTENT for ours, _ in pairs]
    return lambda right: ParseScore(of_gold, of_system, sum(_both(content, right)), sum(content))


def _score_spans(gold: Iterable[tuple[int, int]], system: Iterable[tuple[int, int]]) -> ParseScore:
    of_gold, of_system = set(gold), set(system)
    return ParseScore(len(of_gold), len(of_system), len(of_gold & of_system))


def _function_words_agree(gold: Words, system: Words, pairs: Pairs, in_gold: Sequence[int]) -> list[bool]:
    of_gold, of_system = _function_words(gold, range(len(gold))), _function_words(system, in_gold)
    return [of_gold.get(ours) == of_system.get(theirs) for ours, theirs in pairs]


def _function_words(words: Words, places: Sequence[int]) -> dict[int, list[tuple[int, str, str, str]]]:
    """Those of each head, by their places in gold, with what is compared of them."""
    found: dict[int, list[tuple[int, str, str, str]]] = {}
    for word, (head, relation) in enumerate(zip(words.heads, words.relations, strict=True)):
        if relation in _FUNCTION and head != ROOT:
            found.setdefault(head, []).append((places[word], relation, words.upos[word], words.feats[word]))
    return found


def _score_relations(
    gold: Words, system: Words, pairs: Pairs, heads: Sequence[bool], labelled: Sequence[bool]
) -> tuple[RelationScore, ...]:
    of_gold, of_system = Counter(gold.relations), Counter(system.relations)
    attached, correct = (
        Counter(gold.relations[ours] for (ours, _), right in zip(pairs, flags, strict=True) if right)
        for flags in (heads, labelled)
    )
    return tuple(
        RelationScore(name, of_gold[name], of_system[name], attached[name], correct[name]) for name in sorted(of_gold)
    )
