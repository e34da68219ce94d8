"""Attachment scores by the book: words aligned as the CoNLL 2018 shared task describes it, then counted one by one."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from types import SimpleNamespace

CONTENT = set(
    "nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse nmod appos nummod acl amod "
    "conj fixed flat compound list parataxis orphan goeswith reparandum root dep".split()
)
FUNCTION = set("aux cop mark det clf case cc".split())
UNIVERSAL = set(
    "PronType NumType Poss Reflex Foreign Abbr Gender Animacy Number Case Definite Degree VerbForm Mood Tense Aspect "
    "Voice Evident Polarity Person Polite".split()
)


def read(text):
    """Words, spans of tokens and spans of sentences of sound CoNLL-U."""
    words, tokens, sentences, place = [], [], [], 0
    for block in text.strip("\n").split("\n\n"):
        begin, start, covered = len(words), place, 0
        for cells in (line.split("\t") for line in block.split("\n") if line[0] != "#"):
            first, _, last = cells[0].partition("-")
            if "." in first:
                continue
            in_parts = covered > 0
            if not in_parts:
                tokens.append((place, place + len(cells[1].replace(" ", ""))))
                place = tokens[-1][1]
            covered = int(last) - int(first) + 1 if last else max(covered - 1, 0)
            if not last:
                words.append(_word(cells, tokens[-1], in_parts, begin))
        sentences.append((start, place))
    return words, tokens, sentences


def _word(cells, span, in_parts, begin):
    return SimpleNamespace(
        span=span,
        in_parts=in_parts,
        form=(cells[1] if in_parts else cells[1].replace(" ", "")).lower(),
        lemma=cells[2],
        upos=cells[3],
        xpos=cells[4],
        feats=sorted(feat for feat in cells[5].split("|") if feat.split("=")[0] in UNIVERSAL),
        head=begin + int(cells[6]) - 1 if cells[6] != "0" else None,
        relation=cells[7].split(":")[0],
    )


def stretches(*sides):
    """Spans of tokens of several words, those that overlap joined."""
    found = []
    for begin, end in sorted({word.span for side in sides for word in side if word.in_parts}):
        if found and begin < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((begin, end))
    return found


def aligned(gold, system):
    """Pairs of words of both sides: by their forms inside of stretches, by their spans where no stretch is."""
    joined = stretches(gold, system)
    pairs = []
    for begin, end in joined:
        inside = [
            [at for at, word in enumerate(side) if begin <= word.span[0] and word.span[1] <= end]
            for side in (gold, system)
        ]
        forms = [[side[at].form for at in places] for side, places in zip((gold, system), inside, strict=True)]
        pairs += [(inside[0][one], inside[1][other]) for one, other in common(*forms)]
    free = [
        {word.span: at for at, word in enumerate(side) if not any(overlap(word.span, one) for one in joined)}
        for side in (gold, system)
    ]
    pairs += [(at, free[1][span]) for span, at in free[0].items() if span in free[1]]
    return sorted(pairs)


def overlap(one, other):
    return one[0] < other[1] and other[0] < one[1]


def common(ours, theirs):
    """A longest common subsequence: pairs as early as they can be, forms of `ours` left out rather than of `theirs`."""

    @cache
    def length(one, other):
        if one == len(ours) or other == len(theirs):
            return 0
        equal = 1 + length(one + 1, other + 1) if ours[one] == theirs[other] else 0
        return max(equal, length(one + 1, other), length(one, other + 1))

    pairs, one, other = [], 0, 0
    while length(one, other):
        if ours[one] == theirs[other]:
            pairs.append((one, other))
            one, other = one + 1, other + 1
        elif length(one, other) == length(one + 1, other):
            one += 1
        else:
            other += 1
    return pairs


def goes_astray(gold, system):
    """Whether the script of the task counts words as those of a stretch that are not inside of it.

    It does so where one word covers several of the other side right before a token of several words, and where a word
    of gold begins with a stretch and ends behind it.
    """
    for side, others in ((gold, system), (system, gold)):
        for before, word in pairwise(side):
            if word.in_parts and not before.in_parts:
                covered = {other.span for other in others if before.span[0] <= other.span[0] < before.span[1]}
                if len(covered) > 1:
                    return True
    ends = dict(stretches(gold, system))
    return any(word.span[1] > ends.get(word.span[0], word.span[1]) for word in gold)


def counts(gold_text, system_text):
    """Of each score: how many of gold, of system, right, aligned."""
    (gold, *gold_spans), (system, *system_spans) = read(gold_text), read(system_text)
    pairs = aligned(gold, system)
    in_gold = {theirs: ours for ours, theirs in pairs} | {None: None}
    same = list(range(len(gold)))

    def of_spans(ours, theirs):
        return len(ours), len(theirs), len(set(ours) & set(theirs)), None

    def of_words(right, among=lambda word: True):
        some = [(gold[ours], system[theirs], ours, theirs) for ours, theirs in pairs if among(gold[ours])]
        totals = (sum(among(word) for word in side) for side in (gold, system))
        return *totals, sum(right(*one) for one in some), len(some)

    def is_content(word):
        return word.relation in CONTENT

    def tags(word):
        return word.upos, word.xpos, word.feats

    def attached(wanted, given, *_):
        return wanted.head == in_gold.get(given.head, "nowhere")

    def labelled(wanted, given, *_):
        return attached(wanted, given) and wanted.relation == given.relation

    def has_lemma(wanted, given, *_):
        return wanted.lemma in ("_", given.lemma)

    def function_words(side, head, places):
        return [
            (places(at), word.relation, word.upos, word.feats)
            for at, word in enumerate(side)
            if word.head == head and word.relation in FUNCTION
        ]

    def has_morphology(wanted, given, ours, theirs):
        children = function_words(gold, ours, same.__getitem__), function_words(system, theirs, in_gold.get)
        return (wanted.upos, wanted.feats, children[0]) == (given.upos, given.feats, children[1])

    return {
        "tokens": of_spans(gold_spans[0], system_spans[0]),
        "sentences": of_spans(gold_spans[1], system_spans[1]),
        "words": (len(gold), len(system), len(pairs), None),
        "upos": of_words(lambda wanted, given, *_: wanted.upos == given.upos),
        "xpos": of_words(lambda wanted, given, *_: wanted.xpos == given.xpos),
        "ufeats": of_words(lambda wanted, given, *_: wanted.feats == given.feats),
        "all_tags": of_words(lambda wanted, given, *_: tags(wanted) == tags(given)),
        "lemmas": of_words(has_lemma),
        "uas": of_words(attached),
        "las": of_words(labelled),
        "clas": of_words(labelled, is_content),
        "mlas": of_words(lambda *one: labelled(*one) and has_morphology(*one), is_content),
        "blex": of_words(lambda *one: labelled(*one) and has_lemma(*one), is_content),
    }
