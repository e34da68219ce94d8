"""Small treebanks made up for tests of benchmarks, in CoNLL-U and compressed, as corpora lie on disk."""

from __future__ import annotations

import gzip

import numpy as np

FUNCTION = {"たい": "aux", "を": "case", "た": "aux"}
CONTENT = ("また", "行き", "海", "見", "天気")
ENGLISH = {
    "the": ("DET", "DT", "det"),
    "old": ("ADJ", "JJ", "amod"),
    "cat": ("NOUN", "NN", "nsubj"),
    "dog": ("NOUN", "NN", "obj"),
    "sees": ("VERB", "VBZ", "root"),
}


def put(path, sentences):
    """Sentences are lists of lines."""
    path.parent.mkdir(exist_ok=True)
    text = "".join("".join(f"{line}\n" for line in sentence) + "\n" for sentence in sentences)
    path.write_bytes(gzip.compress(text.encode()))


def put_treebanks(folder, train, test):
    for part, size, seed in (("train", train, 0), ("test", test, 1)):
        put(folder / f"dep/en_ewt-ud-{part}.conllu.gz", english(size, seed))
        put(folder / f"dep/ja_gsd-megagon-{part}.conllu.gz", japanese(size, seed))


def english(size, seed):
    """Subject, verb and object, with or without words before them."""
    random = np.random.default_rng(seed)
    return [_clause(random) for _ in range(size)]


def _clause(random):
    subject, thing = (["the"] * int(random.integers(2)) + ["old"] * int(random.integers(2)) for _ in range(2))
    words = [*subject, "cat", "sees", *thing, "dog"]
    verb, noun = len(subject) + 2, len(subject) + 1
    heads = [*[noun] * len(subject), verb, 0, *[len(words)] * len(thing), verb]
    return _lines(words, [ENGLISH[word] for word in words], heads)


def japanese(size, seed):
    """Function words hang on the content word before them, content words on the next one or on the last."""
    random = np.random.default_rng(seed)
    made = []
    for _ in range(size):
        chosen = random.choice([*CONTENT, *FUNCTION], random.integers(3, 9)).tolist()
        made.append(_sentence([str(random.choice(CONTENT)), *chosen]))
    return made


def _sentence(words):
    content = [place for place, word in enumerate(words) if word in CONTENT]
    heads, cells = [], []
    for place, word in enumerate(words):
        if word in FUNCTION:
            heads.append(max(one for one in content if one < place) + 1)
            cells.append(("ADP", "助詞", FUNCTION[word]))
        else:
            later = [one for one in content if one > place]
            heads.append((later[-1] if word in ("また", "天気") else later[0]) + 1 if later else 0)
            cells.append(("NOUN", "名詞", "obl" if later else "root"))
    return [f"# text = {''.join(words)}", *_lines(words, cells, heads, "SpaceAfter=No")]


def _lines(words, cells, heads, more="_"):
    return [
        f"{number}\t{word}\t{word}\t{upos}\t{xpos}\t_\t{head}\t{relation}\t_\t{more}"
        for number, (word, (upos, xpos, relation), head) in enumerate(zip(words, cells, heads, strict=True), 1)
    ]
