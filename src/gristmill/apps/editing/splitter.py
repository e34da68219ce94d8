"""A splitter of multiword tokens: which tokens are several words (French au: à le), and which words they are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from gristmill import _core
from gristmill.apps.decisions import SentenceExplanation
from gristmill.apps.editing.app import EditApp
from gristmill.apps.editing.engine import UNCHANGED, EditModel
from gristmill.apps.editing.examples import Cells, alone, commonest
from gristmill.apps.editing.scores import SplitScores, score_splits
from gristmill.apps.editing.scripts import BOUND, PARTS, fewest_scripts, lower, read_script
from gristmill.apps.filled_columns import filled_shares
from gristmill.apps.parsing.surface import SurfaceSentence, read_surface, surface_sentences
from gristmill.apps.parsing.treebank import conllu_blocks
from gristmill.base.errors import FormatError, naming
from gristmill.base.files import PathLike, display_name, writing

SPLIT_TEMPLATES = (
    "F:0:0 F:0:0..2:lower F:0:0:brief F:0:0:lower+suffix:1..8 F:0:0:lower+prefix:1..3 F:0:1..2:lower+suffix:2"
)
OFTEN = 3  # times that a form is seen in one way, after which there is nothing to decide about it

Words = tuple[str, ...]

_EMPTY = "\t_" * 8 + "\n"


@dataclass(eq=False, repr=False)
class Splitter(EditApp):
    """Splits tokens that are several words: au into à le, evdeki into evde ki.

    The words of a token are made of it by an edit script, as lemmas are by a `Lemmatizer`. A form that training has
    three times or more, always with the same words, has these; of other tokens a machine with a polynomial kernel
    chooses the script, from the token and the tokens on both sides. So a form that is split now and then is decided
    each time, and so is one that was never seen.

    Parameters
    ----------
    templates : str
        As in `Tagger`, for row 0 alone; columns are the token, the one before it and the one behind it, 0 to 2.
    degree, C, epochs, solver, multiclass, engine, n_jobs, progress
        As in `Tagger`.

    Attributes
    ----------
    machine_, scorer_ : Machine, Scorer
        What was learned, and the same, compiled. Its classes are edit scripts, its features have names.
    n_features_ : int
        After `fit`: features of all tokens that were decided.

    Examples
    --------
    >>> from gristmill.apps import Splitter
    >>> tokens = [["Il", "va", "au", "bois"], ["Au", "bois"], ["Le", "mur"]]
    >>> words = [[["Il"], ["va"], ["à", "le"], ["bois"]], [["À", "le"], ["bois"]], [["Le"], ["mur"]]]
    >>> splitter = Splitter().fit(tokens, words)
    >>> splitter.split(["Il", "est", "au", "bois"])
    [['Il'], ['est'], ['à', 'le'], ['bois']]
    """

    kind = key = "splitter"
    title = "the splitter"
    looked_at: ClassVar = ("token", "token before", "token behind")

    templates: str = SPLIT_TEMPLATES
    _: KW_ONLY
    C: float | None = 0.03

    # --- learning -----------------------------------------------------------------------------------------------------

    def _learn(self, X: Iterable[Sequence[str]], y: Iterable[Sequence[Sequence[str]]]) -> None:
        self._fit_tokens([*zip(map(list, X), [[tuple(words) for words in one] for one in y], strict=True)])

    def fit_conllu(self, source: PathLike | _core.Conllu) -> Splitter:
        """Learn from a file in CoNLL-U, or from what was read of one."""
        self.check_settings()
        self._fit_tokens([_with_words(sentence) for sentence in read_surface(source)])
        return self

    def _fit_tokens(self, sentences: Sequence[tuple[list[str], list[Words]]]) -> None:
        tokens = [cells for forms, _ in sentences for cells in _in_context(forms)]
        words = [BOUND.join(one) for _, split in sentences for one in split]
        if not tokens:
            raise FormatError("there are no tokens")
        scripts = _scripts([cells[0] for cells in tokens], words)
        known = _unanimous([cells[0] for cells in tokens], scripts)
        examples = commonest(*_without(known, tokens, scripts))
        listed = [*examples] or [("", "", "")]
        shares = filled_shares(alone(listed, len(self.looked_at)), range(len(self.looked_at)))
        model = EditModel(self.templates, self.looked_at, shares, _by_script(known))
        self._fit(model, [*examples], [*examples.values()])

    # --- words --------------------------------------------------------------------------------------------------------

    def split(self, X: Sequence[Any]) -> Any:
        """The words of each token of a sentence, a list of forms, or of many sentences."""
        return self.predict(X)

    def _predict_many(self, X: Iterable[Sequence[str]]) -> list[list[list[str]]]:
        sentences = [*X]
        found = iter(self._words([cells for forms in sentences for cells in _in_context(forms)]))
        return [[next(found).split(BOUND) for _ in forms] for forms in sentences]

    def _words(self, tokens: Sequence[Cells]) -> list[str]:
        """The words of tokens, a bound between them."""
        engine = self.engine_
        scripts = engine.model.scripts
        different = [*dict.fromkeys(cells for cells in tokens if lower(cells[0]) not in scripts)]
        decided = dict(zip(different, engine.results(different, self.n_jobs, self.progress), strict=True))
        return [decided[cells] if cells in decided else _known(cells[0], scripts) for cells in tokens]

    def split_conllu(self, text: bytes) -> bytes:
        """CoNLL-U again, in which tokens that are several words are ranges of words; those that are stay.

        The text has nothing but forms yet: what else is there of a token that is split goes with the range.
        """
        sentences = [*surface_sentences([text])]
        forms = [[token.form for token in sentence.tokens] for sentence in sentences]
        found = iter(self._words([cells for own in forms for cells in _in_context(own)]))
        words = iter([next(found).split(BOUND) for own in forms for _ in own])
        return "".join(_split_lines(re.findall(r"[^\n]*\n|[^\n]+", text.decode()), words)).encode()

    def split_file(self, path: PathLike, output: PathLike) -> int:
        """Write a file of CoNLL-U, of any size, again with the words of its tokens; how many words it had."""
        words = 0
        with writing(output) as out, naming(display_name(path)):
            for text in conllu_blocks(path):
                out.write(self.split_conllu(text.filled()))
                words += text.columns.tokens
        return words

    def _explain_one(self, X: Sequence[str], *, interactions: bool = False) -> SentenceExplanation:
        engine = self.engine_
        tokens = [cells for cells in _in_context(list(X)) if lower(cells[0]) not in engine.model.scripts]
        return engine.explain(tokens, interactions=interactions)

    def evaluate(self, X: Iterable[Sequence[str]], y: Iterable[Sequence[Sequence[str]]]) -> SplitScores:  # type: ignore[override]
        """Split tokens whose words are known, and compare. `score` is the share of tokens with the right words."""
        return self._score([*zip(map(list, X), [[tuple(words) for words in one] for one in y], strict=True)])

    def evaluate_file(self, path: PathLike) -> SplitScores:
        """The same for a file in CoNLL-U."""
        return self._score([_with_words(sentence) for sentence in read_surface(path)])

    def _score(self, sentences: Sequence[tuple[list[str], list[Words]]]) -> SplitScores:
        found = self._predict_many([forms for forms, _ in sentences])
        return score_splits([words for _, own in sentences for words in own], [tuple(w) for own in found for w in own])


# --- tokens -----------------------------------------------------------------------------------------------------------


def _with_words(sentence: SurfaceSentence) -> tuple[list[str], list[Words]]:
    """The tokens of a sentence, and the words of each."""
    return [token.form for token in sentence.tokens], [token.words or (token.form,) for token in sentence.tokens]


def _in_context(forms: Sequence[str]) -> list[Cells]:
    """Each token with the ones on both sides."""
    return [*zip(forms, ["", *forms[:-1]], [*forms[1:], ""], strict=True)]


def _scripts(forms: Sequence[str], words: Sequence[str]) -> list[str]:
    """The script of each token: that of a token that is one word changes nothing."""
    several = [at for at, form in enumerate(forms) if words[at] != form]
    found = [UNCHANGED] * len(forms)
    chosen = fewest_scripts([forms[at] for at in several], [words[at] for at in several], PARTS)
    for at, script in zip(several, chosen, strict=True):
        found[at] = script
    return found


def _unanimous(forms: Sequence[str], scripts: Sequence[str]) -> dict[str, str]:
    """Forms in lower case that are often there and have one script."""
    lowered = [*map(lower, forms)]
    counts = Counter(lowered)
    different = Counter(form for form, _ in set(zip(lowered, scripts, strict=True)))
    named = dict(zip(lowered, scripts, strict=True))
    return {form: script for form, script in named.items() if different[form] == 1 and counts[form] >= OFTEN}


def _without(known: dict[str, str], tokens: Sequence[Cells], scripts: Sequence[str]) -> tuple[list[Cells], list[str]]:
    """The tokens that there is something to decide about."""
    kept = [at for at, cells in enumerate(tokens) if lower(cells[0]) not in known]
    return [tokens[at] for at in kept], [scripts[at] for at in kept]


def _by_script(known: dict[str, str]) -> dict[str, list[str]]:
    found = dict[str, list[str]]()
    for form, script in sorted(known.items()):
        found.setdefault(script, []).append(form)
    return found


def _known(form: str, scripts: dict[str, str]) -> str:
    script = scripts[lower(form)]
    return form if script == UNCHANGED else read_script(script).apply(form) or form


def _split_lines(lines: Iterable[str], words: Iterator[list[str]]) -> Iterator[str]:
    """Lines of CoNLL-U, with lines of their words behind those of tokens that are split."""
    number, covered = 1, 0
    for line in lines:
        first, _, rest = line.partition("\t")
        if line.startswith("#"):
            yield line
        elif not line.strip():
            number = 1
            yield line
        elif "." in first:
            yield f"{number - 1}.{first.partition('.')[2]}\t{rest}"
        elif "-" in first:
            begin, _, end = first.partition("-")
            covered = int(end) - int(begin) + 1
            next(words)
            yield f"{number}-{number + covered - 1}\t{rest}"
        elif covered > 0:
            covered, number = covered - 1, number + 1
            yield f"{number - 1}\t{rest}"
        else:
            own = next(words)
            if len(own) > 1:
                yield f"{number}-{number + len(own) - 1}\t{rest}"
                yield from (f"{at}\t{word}{_EMPTY}" for at, word in enumerate(own, number))
            else:
                yield f"{number}\t{rest}"
            number += len(own)
