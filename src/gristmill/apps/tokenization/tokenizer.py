"""A tokenizer: raw text in, sentences and their tokens out; what ends behind a character is decided by a machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from gristmill import _core
from gristmill.apps.base import App
from gristmill.apps.columns import without_mark
from gristmill.apps.decisions import SentenceExplanation
from gristmill.apps.learning import Learning, decidable, keep_learned, learn, named, recovered_learning
from gristmill.apps.parsing.surface import SurfaceSentence, read_surface
from gristmill.apps.segmentation.files import as_bytes
from gristmill.apps.tokenization.engine import (
    KEY,
    LONGEST,
    TokenizerEngine,
    TokenizerModel,
    model_of,
    open_places,
)
from gristmill.apps.tokenization.gold import (
    CLASSES,
    INSIDE,
    facts_in_learning,
    gold_of,
    is_spaceless,
    surface_of,
    within_paragraphs,
    words_within,
)
from gristmill.apps.tokenization.parts import parts_of_text
from gristmill.apps.tokenization.scores import TokenScores, score_endings
from gristmill.base.checks import check_choice
from gristmill.base.errors import naming
from gristmill.base.files import PathLike, display_name, line_blocks, writing
from gristmill.base.progress import Progress
from gristmill.base.threads import resolve_jobs
from gristmill.data.formats.kinds import TABLE, TEXT
from gristmill.data.formats.reading import reading
from gristmill.data.rows import Rows
from gristmill.machines.machine import Machine
from gristmill.scoring.engines import ENGINES

SPACED = (
    "F:0:0..8 F:0:0..1:type F:0:3..8:type F:0:9..12:lower F:0:9..12:brief F:0:9:lower+suffix:2..3 "
    "F:0:10:lower+prefix:2..3 F:0:13"
)
SPACELESS = "F:0:0..8 F:0:0..1:type F:0:3..8:type F:0:14"
OFTEN = 20  # times that a pair of characters is seen with one ending, after which there is nothing to decide there

_BLOCK = 1 << 20  # bytes of a file that are worked on at once


@dataclass(eq=False, repr=False)
class Tokenizer(App[TokenizerEngine]):
    """Finds the sentences of raw text and the tokens of each, in any language that there are examples of.

    Behind each character nothing ends, or a token, or a token and a sentence. A machine with a polynomial kernel
    decides, from the characters and words around the place; except where two characters meet that training has twenty
    times or more with one ending: that one it is. An empty line ends a sentence; other white space is one space,
    line breaks too. Where no token of the training text holds a space, none will.

    Parameters
    ----------
    templates : str or None
        What of a place is seen, how: as in `Tagger`, for row 0 alone. Columns are the characters before and behind (0,
        1); whether a space is between (2: _); three characters before, from near to far (3 to 5), and three behind (6
        to 8); the word so far (9), its rest or the next word (10), the words before and behind these (11, 12); how the
        training text writes the letters behind within sentences, if they begin with a capital (13: l, c, lc or -); what
        a dictionary of the tokens says, as in `Segmenter` (14). None: what serves a script with spaces, or without.
    degree, C, epochs, solver, engine, n_jobs, progress
        As in `Tagger`.

    Attributes
    ----------
    machine_, scorer_ : Machine, Scorer
        What was learned, and the same, compiled.
    n_places_, n_features_ : int
        After `fit`: what there was to decide, and of how many features.

    Examples
    --------
    >>> from gristmill.apps import Tokenizer
    >>> texts = ["It is he. It is she, not he.", "Is it she? It is not."]
    >>> tokens = [["It is he .", "It is she , not he ."], ["Is it she ?", "It is not ."]]
    >>> tokenizer = Tokenizer().fit(texts, [[sentence.split() for sentence in text] for text in tokens])
    >>> tokenizer.tokenize("Is it he? It is.")
    [['Is', 'it', 'he', '?'], ['It', 'is', '.']]
    """

    kind = key = KEY
    machine_: Machine = field(init=False)
    _reads_tokens = False

    templates: str | None = None
    _: KW_ONLY
    degree: int = 2
    C: float = 0.002
    solver: str = "online"
    epochs: int = 10
    engine: str = "auto"
    n_jobs: int | None = None
    progress: Progress | None = None

    def check_settings(self) -> None:
        check_choice("engine", self.engine, ENGINES)
        self._learning()
        TokenizerModel(self.templates or SPACED, [[], [], []], "", None, False)

    # --- learning -----------------------------------------------------------------------------------------------------

    def _learn(self, X: Iterable[str], y: Iterable[Sequence[Sequence[str]]]) -> None:
        self._fit(surface_of(X, y))

    def fit_conllu(self, source: PathLike | _core.Conllu) -> Tokenizer:
        """Learn from a file in CoNLL-U, or from what was read of one."""
        self.check_settings()
        return self._fit(read_surface(source))

    def _fit(self, sentences: Sequence[SurfaceSentence]) -> Tokenizer:
        sentences = within_paragraphs(sentences)
        gold, threads = gold_of(sentences), resolve_jobs(self.n_jobs)
        raw, words = _core.RawText(gold.text), words_within(sentences)
        pairs = _core.KnownPairs.learn(raw, gold.endings, OFTEN)
        places = open_places(pairs.endings(raw))
        book = _core.Dictionary([], LONGEST) if is_spaceless(sentences) else None
        facts = None if book is None else facts_in_learning(sentences, book, threads)
        model = TokenizerModel(
            self.templates or (SPACED if book is None else SPACELESS),
            pairs.pairs(),
            " ".join(dict.fromkeys(words)),
            None if book is None else " ".join(book.words()),
            bool(((gold.endings == INSIDE) & (raw.gaps() > 0)).any()),
        )
        columns = raw.columns(places, _core.WordCases(words), facts, gold.endings)
        names, labels = _core.Strings([]), gold.endings[places]
        window = model.parsed().compile(CLASSES)
        offsets, ids = _core.extract_rows(window, columns, labels, names, True, False, self.progress)
        task = decidable(Rows(offsets, ids, n_features=len(names)), labels, CLASSES, CLASSES)

        def keep(machine: Machine) -> None:
            self.n_places_, self.n_features_ = len(places), len(names)
            self._keep(named(machine, names.words(), model.provenance()), model)

        how = self._learning()
        keep_learned(lambda: learn(*task, how, n_jobs=self.n_jobs, progress=self.progress), keep)
        return self

    def _learning(self) -> Learning:
        return Learning(self.solver, "auto", self.degree, self.C, self.epochs)

    def _compile(self, machine: Machine) -> TokenizerEngine:
        return TokenizerEngine.of(machine, self._state, self.engine)

    # --- tokenizing ---------------------------------------------------------------------------------------------------

    def tokenize(self, X: str | Iterable[str]) -> Any:
        """The sentences of a text, each a list of tokens, or of many texts."""
        return self.predict(X)

    def _predict_many(self, X: Iterable[str]) -> list[list[list[str]]]:
        return [[[text[begin:end] for begin, end in sentence] for sentence in self.spans(text)] for text in X]

    def spans(self, text: str) -> list[list[tuple[int, int]]]:
        """Of the sentences of a text: where their tokens begin and end."""
        content = as_bytes(text)
        raw = _core.RawText(content)
        sentences: list[list[tuple[int, int]]] = [[]]
        for begin, end, is_last in raw.spans(self._endings(content, raw)).reshape(-1, 3).tolist():
            sentences[-1].append((begin, end))
            if is_last:
                sentences.append([])
        return sentences[:-1]

    def conllu_blocks(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """Blocks of raw text in CoNLL-U: forms, SpaceAfter=No, paragraphs, numbers and text of sentences."""
        number = 1
        for raw, endings, part in parts_of_text(without_mark(blocks), self._endings):
            sentences = raw.conllu(endings, number - part.start).split(b"\n\n")[part]
            if sentences:
                yield b"\n\n".join([*sentences, b""])
            number += len(sentences)

    def tokenize_file(self, path: PathLike, output: PathLike) -> int:
        """Write a file of raw text in CoNLL-U; how many sentences it had. It may be larger than memory."""
        sentences = 0
        with writing(output) as out, reading(path, TEXT, also=(TABLE,)) as looked, naming(display_name(path)):
            for block in self.conllu_blocks(looked.blocks(line_blocks(path, _BLOCK))):
                out.write(block)
                sentences += block.count(b"\n\n")
                if self.progress is not None:
                    self.progress(sentences, sentences)
        return sentences

    def explain(self, X: str | Iterable[str], *, interactions: bool = False) -> Any:
        """Why tokens and sentences end where they do: what each feature adds, place by place where that was decided."""
        return super().explain(X, interactions=interactions)

    def _explain_one(self, X: str, *args: Any, **options: Any) -> SentenceExplanation:
        return self.engine_.explain(X, *args, **options)

    def evaluate(self, X: Iterable[str], y: Iterable[Sequence[Sequence[str]]]) -> TokenScores:  # type: ignore[override]
        """Tokenize texts whose sentences and tokens are known, and compare. `score` is the F1 of tokens."""
        return self._score(surface_of(X, y))

    def _score(self, sentences: Sequence[SurfaceSentence]) -> TokenScores:
        gold = gold_of(sentences)
        return score_endings(gold.endings, self._endings(gold.text, _core.RawText(gold.text)))

    def evaluate_file(self, path: PathLike) -> TokenScores:
        """The same for a file in CoNLL-U."""
        return self._score(read_surface(path))

    def _endings(self, text: bytes, raw: _core.RawText) -> Any:
        return self.engine_.endings(text, raw, resolve_jobs(self.n_jobs))

    # --- what was learned ---------------------------------------------------------------------------------------------

    @classmethod
    def _read_state(cls, machines: Mapping[str, Machine]) -> TokenizerModel:
        return model_of(*machines.values())

    @classmethod
    def recovered_params(cls, machines: Mapping[str, Machine]) -> dict[str, Any]:
        """Parameters read off a machine: how it learned, and templates."""
        (machine,) = machines.values()
        how = recovered_learning(machine)
        return {"templates": model_of(machine).templates} | {
            name: how[name] for name in ("degree", "C", "solver") if name in how
        }
