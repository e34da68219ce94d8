"""Scores of parses."""

from __future__ import annotations

import gzip
import unicodedata
from dataclasses import asdict

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gristmill.apps.parsing import alignment
from gristmill.apps.parsing.scores import ParseScore, RelationScore, score_conllu, score_files
from gristmill.base.errors import FormatError
from tests.oracle import attachment as oracle

RELATIONS = "nsubj nsubj:pass obj det det:predet case aux root punct flat:name foreign".split()
FEATS = ["_", "Case=Nom", "Case=Nom|Own=1", "Number=Sing|Case=Nom", "Case=Nom|Number=Sing"]


def conllu(*sentences):
    """Sentences whose lines have cells separated by blanks and '|'; columns that are not given are '_'."""
    return "".join("".join(f"{line}\n" for line in map(full_line, one.split("|"))) + "\n" for one in sentences)


def full_line(line):
    """Columns ID FORM HEAD DEPREL LEMMA UPOS FEATS, where they are given, in the places of CoNLL-U."""
    name, form, head, relation, lemma, upos, feats = (line.split(" ") + ["_"] * 7)[:7]
    return "\t".join([name, form.replace("~", " "), lemma, upos, "_", feats, head, relation, "_", "_"])


def counted(scores):
    return {name: tuple(score.values()) for name, score in asdict(scores).items() if name != "relations"}


# --- By the definition ------------------------------------------------------------------------------------------------


@st.composite
def analyses(draw, text):
    """A text cut into sentences, tokens and words, with any trees and tags."""
    cuts = draw(st.lists(st.sampled_from("  ..|"), min_size=len(text), max_size=len(text)))
    cut = "".join(character + mark.strip() for character, mark in zip(text, cuts, strict=True))
    sentences = [[token for token in one.split(".") if token] for one in cut.split("|")]
    return "".join(map(draw, [lines_of(sentence) for sentence in sentences if sentence]))


@st.composite
def lines_of(draw, tokens):
    parts = st.one_of(
        st.none(), st.none(), st.lists(st.sampled_from(["a", "b", "B", "ab", "a b"]), min_size=1, max_size=3)
    )
    words = [draw(parts) for _ in tokens]
    heads = draw(trees(sum(len(some) if some else 1 for some in words)))
    lines, number = [], 0
    for token, some in zip(tokens, words, strict=True):
        if some:
            lines.append([f"{number + 1}-{number + len(some)}", token, *["_"] * 8])
        for form in some or [token]:
            number += 1
            lines.append(
                [str(number), form, *draw(TAGS), str(heads[number - 1]), draw(st.sampled_from(RELATIONS)), "_", "_"]
            )
    return "".join("\t".join(line) + "\n" for line in lines) + "\n"


TAGS = st.tuples(st.sampled_from("_xy"), st.sampled_from("NV"), st.sampled_from("_n"), st.sampled_from(FEATS))


@st.composite
def trees(draw, words):
    """Heads of a tree: in some order every word hangs below one that came before it."""
    order = draw(st.permutations(range(1, words + 1)))
    heads = {word: order[draw(st.integers(0, at - 1))] if at else 0 for at, word in enumerate(order)}
    return [heads[word] for word in range(1, words + 1)]


PAIRS = st.text("abAB", min_size=1, max_size=10).flatmap(lambda text: st.tuples(analyses(text), analyses(text)))


@given(PAIRS)
def test_scores_are_those_of_the_definition(pair):
    gold, system = (oracle.read(text)[0] for text in pair)
    assume(not oracle.goes_astray(gold, system))
    assert counted(score_conllu(*pair)) == oracle.counts(*pair)


@given(st.text("abAB", min_size=1, max_size=10).flatmap(analyses))
def test_a_file_equals_itself(text):
    scores = score_conllu(text, text)
    assert all(gold == predicted == correct for gold, predicted, correct, _ in counted(scores).values())


@given(PAIRS)
def test_relations_sum_up_to_attachment_scores(pair):
    scores = score_conllu(*pair)
    assert sum(one.gold for one in scores.relations) == scores.words.gold
    assert sum(one.heads for one in scores.relations) == scores.uas.correct
    assert sum(one.correct for one in scores.relations) == scores.las.correct


@given(PAIRS)
def test_line_ends_comments_and_the_last_newline_change_nothing(pair):
    gold, system = pair
    other = "\ufeff# text = x\n\n\n" + system.replace("\n", "\r\n").rstrip("\r\n")
    assert score_conllu(gold, other) == score_conllu(gold, system)


@given(st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.sampled_from("abcd"), max_size=12))
def test_bits_find_the_subsequence_that_the_table_finds(ours, theirs):
    assert list(alignment._common(ours, theirs)) == oracle.common(ours, theirs)


# --- By hand ----------------------------------------------------------------------------------------------------------


def test_heads_and_relations():
    gold = conllu("1 the 2 det|2 dog 3 nsubj:outer|3 barks 0 root|4 loudly 3 advmod")
    mine = conllu("1 the 2 det:own|2 dog 3 nsubj|3 barks 0 root|4 loudly 2 advmod")
    scores = score_conllu(gold, mine)
    assert scores.uas == scores.las == ParseScore(4, 4, 3, 4)
    assert scores.clas == ParseScore(3, 3, 2, 3)
    wrong = score_conllu(gold, conllu("1 the 2 case|2 dog 3 obj|3 barks 0 root|4 loudly 3 punct"))
    assert (wrong.uas.correct, wrong.las.correct) == (4, 1)
    assert wrong.clas == ParseScore(3, 2, 1, 3)


def test_relations_one_by_one():
    gold = conllu("1 a 2 det|2 b 0 root|3 c 4 det:own|4 d 2 obj|5 e 4 det")
    mine = conllu("1 a 2 det|2 b 0 root|3 c 4 case|4 d 2 obj|5 e 2 det")
    assert score_conllu(gold, mine).relations == (
        RelationScore("det", gold=3, predicted=2, heads=2, correct=1),
        RelationScore("obj", gold=1, predicted=1, heads=1, correct=1),
        RelationScore("root", gold=1, predicted=1, heads=1, correct=1),
    )


def test_a_word_below_one_that_the_other_side_has_not_is_wrong():
    gold = conllu("1 a 2 det|2 b 0 root|3 c 2 obj")
    mine = conllu("1 a 2 det|2 bc 0 root")
    scores = score_conllu(gold, mine)
    assert scores.words == scores.tokens == ParseScore(3, 2, 1)
    assert scores.uas == ParseScore(3, 2, 0, 1)
    assert (scores.words.precision, scores.words.recall, scores.words.f1) == (0.5, 1 / 3, 0.4)
    assert scores.sentences == ParseScore(1, 1, 1)


def test_words_of_tokens_are_found_by_their_forms():
    gold = conllu("1 va 0 root|2-3 au _ _|2 à 4 case|3 le 4 det|4 lac 1 obl")
    mine = conllu("1 va 0 root|2 au 3 case|3 lac 1 obl")
    scores = score_conllu(gold, mine)
    assert scores.tokens == ParseScore(3, 3, 3)
    assert scores.words == ParseScore(4, 3, 2)
    assert scores.las == ParseScore(4, 3, 2, 2)


def test_tokens_of_several_words_that_overlap_are_one_stretch():
    gold = conllu("1-3 abc _ _|1 a 2 det|2 BX 0 root|3 c 2 obj|4-6 def _ _|4 d 2 obj|5 EX 2 obj|6 f 2 obj")
    mine = conllu("1-2 ab _ _|1 a 2 det|2 b 0 root|3-4 cd _ _|3 c 2 obj|4 d 2 obj|5-6 ef _ _|5 e 2 obj|6 f 2 obj")
    scores = score_conllu(gold, mine)
    assert scores.words == ParseScore(6, 6, 4)
    assert scores.tokens == ParseScore(2, 3, 0)
    assert scores.uas == ParseScore(6, 6, 0, 4)


def test_forms_are_equal_whatever_their_case():
    gold, mine = conllu("1-2 Ab _ _|1 A 2 det|2 B 0 root"), conllu("1 A 2 det|2 b 0 root")
    assert score_conllu(gold, mine).las.correct == 2


def test_a_stretch_begins_where_that_of_the_script_does():
    """Two words before a token of several, both covered by one of the other side: the script skips only the first."""
    gold = conllu("1 a 4 det|2 b 4 det|3 x 4 det|4 cd 0 root")
    mine = conllu("1 abx 2 det|2-3 cd _ _|2 x 0 root|3 y 2 obj")
    assert score_conllu(gold, mine).words == ParseScore(4, 3, 1)


def test_a_stretch_ends_where_that_of_the_script_does():
    """A word of gold that begins with the stretch and ends behind it is one of it, a word of the other side is not."""
    long, several = conllu("1 ab 0 root"), conllu("1-1 a _ _|1 ab 0 root|2 b 1 obj")
    assert score_conllu(long, several).words == ParseScore(1, 2, 1)
    assert score_conllu(several, long).words == ParseScore(2, 1, 0)


def test_sentences_may_be_cut_elsewhere():
    gold = conllu("1 a 0 root|2 b 1 obj", "1 c 0 root")
    mine = conllu("1 a 0 root", "1 b 0 root|2 c 1 obj")
    scores = score_conllu(gold, mine)
    assert scores.sentences == ParseScore(2, 2, 0)
    assert scores.words.f1 == 1.0
    assert scores.uas == ParseScore(3, 3, 1, 3)


def test_tags_features_and_lemmas():
    gold = conllu("1 a 0 root x DET Case=Nom", "1 b 0 root _ VERB _", "1 c 0 root z NOUN Own=1")
    mine = conllu("1 a 0 root X DET Case=Nom", "1 b 0 root y NOUN _", "1 c 0 root z NOUN Other=1")
    scores = score_conllu(gold, mine)
    assert scores.upos == scores.all_tags == ParseScore(3, 3, 2, 3)
    assert scores.ufeats == scores.xpos == ParseScore(3, 3, 3, 3)
    assert scores.lemmas == scores.blex == ParseScore(3, 3, 2, 3)
    assert score_conllu(mine, gold).lemmas.correct == 1


@pytest.mark.parametrize(
    ("mine", "right"),
    [
        ("1 the 3 det _ DET _|2 big 3 amod|3 dog 0 root", 2),
        ("1 the 3 det _ PRON _|2 big 3 amod|3 dog 0 root", 1),
        ("1 the 2 det _ DET _|2 big 3 amod|3 dog 0 root", 0),
        ("1 the 3 case _ DET _|2 big 3 amod|3 dog 0 root", 1),
        ("1 the 3 det _ DET _|2 big 3 amod _ _ Case=Nom|3 dog 0 root", 1),
    ],
)
def test_mlas_looks_at_function_words_of_content_words(mine, right):
    gold = conllu("1 the 3 det _ DET _|2 big 3 amod|3 dog 0 root")
    assert score_conllu(gold, conllu(mine)).mlas.correct == right


def test_nodes_that_the_text_has_not_and_spaces_count_nothing():
    gold = conllu("1-2 ab _ _|1 a 2 det|1.1 x _ _|2 b 0 root|2.1 y _ _|3 10~000 2 obj")
    mine = conllu("0.1 x _ _|1 a 2 det|2 b 0 root|3 10\u3000000 2 obj")
    scores = score_conllu(gold, mine)
    assert scores.words == ParseScore(3, 3, 3)
    assert scores.las.f1 == 1.0
    assert score_conllu(gold, conllu("1 a 2 det|2 b 0 root|3 10 2 obj|4 000 3 flat")).tokens == ParseScore(2, 4, 0)


def test_spaces_are_those_of_unicode():
    spaces = "".join(chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) == "Zs")
    assert alignment._SPACES.sub("", spaces) == ""
    assert alignment._SPACES.sub("", "\t\u200b\u2028a") == "\t\u200b\u2028a"


def test_a_sentence_of_ten_thousand_words():
    chain = conllu("|".join(f"{at} w {at - 1} dep" for at in range(1, 10001)))
    together = conllu(f"1-10000 {'w' * 10000} _ _|" + "|".join(f"{at} w {at - 1} dep" for at in range(1, 10001)))
    assert score_conllu(chain, chain).las == ParseScore(10000, 10000, 10000, 10000)
    assert score_conllu(chain, together).las == ParseScore(10000, 10000, 10000, 10000)


def test_nothing_is_scored_as_nothing():
    scores = score_conllu("", "# nothing\n\n")
    assert all(numbers[:3] == (0, 0, 0) for numbers in counted(scores).values())
    assert (scores.las.f1, scores.las.aligned_accuracy, scores.words.aligned_accuracy) == (0.0, 0.0, None)
    assert scores.relations == ()


def test_scores_as_a_dictionary():
    scores = score_conllu(conllu("1 a 0 root|2 b 1 obj"), conllu("1 a 2 obj|2 b 0 root")).as_dict()
    shares = {"precision": 0.0, "recall": 0.0, "f1": 0.0}
    assert scores["las"] == {
        **shares,
        "gold": 2,
        "predicted": 2,
        "correct": 0,
        "aligned": 2,
        "aligned_accuracy": 0.0,
    }
    assert scores["relations"][0] == {"relation": "obj", **shares, "gold": 1, "predicted": 1, "correct": 0, "heads": 0}


def test_the_table_is_that_of_the_script():
    gold, mine = conllu("1 a 2 det|2 b 0 root|3 c 2 obj"), conllu("1 a 2 det|2 b 0 root|3 c 1 obj")
    table = score_conllu(gold, mine).conll18().splitlines()
    assert table[:4] == [
        "Metric     | Precision |    Recall |  F1 Score | AligndAcc",
        "-----------+-----------+-----------+-----------+-----------",
        "Tokens     |    100.00 |    100.00 |    100.00 |",
        "Sentences  |    100.00 |    100.00 |    100.00 |",
    ]
    assert table[10:13] == [
        "UAS        |     66.67 |     66.67 |     66.67 |     66.67",
        "LAS        |     66.67 |     66.67 |     66.67 |     66.67",
        "CLAS       |     50.00 |     50.00 |     50.00 |     50.00",
    ]


# --- What is refused --------------------------------------------------------------------------------------------------

HEAD = "expected the number of the word's head, or 0 for the root in column HEAD"


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("1 a 2 x|2 b 1 x|3 c 0 root", "system:1: word 1 depends on itself through its heads"),
        ("1 a 0 root|2 b 3 x|3 c 3 x", "system:3: word 3 is its own head"),
        ("1 a 2 x|2 b 1 x", "system:1: word 1 depends on itself"),
        ("1 a 0 root|2 b 1 x|3 c 0 root", "system:3: words 1 and 3 are both roots"),
        ("1 a 0 root|2 b 3 x", "system:2: the head 3 is no word of a sentence of 2"),
        ("1 a 0 root|2 b -1 x", f"system:2:13: {HEAD}, got '-1'"),
        ("1 ä 0 root|2 ä _ x", f"system:2:14: {HEAD}, got '_'"),
        ("1 a 0 root|3 b 1 x", "system:2:1: expected word 2 in column ID, got '3'"),
        ("1 a 0 root|x b 1 x", "system:2:1: expected word 2 in column ID, got 'x'"),
        ("1 a 0 root|3-4 b _ _|2 b 1 x", "system:2:1: expected a range from 2 on in column ID, got '3-4'"),
        ("1-0 a _ _|1 a 0 root", "system:1:1: expected a range from 1 on"),
        ("1-3 a _ _|1-2 b _ _|1 a 0 root", "system:2:1: expected word 1 in column ID, got '1-2'"),
        ("1-3 a _ _|1 a 0 root|2 b 1 x", "system:1: the sentence ends before word 3"),
        ("1 ~ 0 root", "system:1:3: expected a word of more than spaces in column FORM"),
    ],
)
def test_sentences_that_are_no_trees_are_refused(lines, said):
    with pytest.raises(FormatError) as caught:
        score_conllu(conllu("1 a 0 root"), conllu(lines))
    assert str(caught.value).startswith(said)


def test_lines_with_other_columns_are_refused():
    text = conllu("1 a 0 root") + "1\tb\tb\n"
    with pytest.raises(FormatError, match=r"gold:3:1: expected ten columns separated by tabs, got 3"):
        score_conllu(text, text)
    with pytest.raises(FormatError, match=r"gold:1:3: expected a word in column FORM, got ''"):
        score_conllu("1\t\t_\t_\t_\t_\t0\troot\t_\t_", "")


def test_other_texts_are_refused():
    gold = conllu("1 a 0 root|2 bcd 1 x", "1 e 0 root")
    with pytest.raises(FormatError, match="system:2: the texts differ: 'xde' here, 'cde' in line 2 of gold"):
        score_conllu(gold, conllu("1 a 0 root|2 bxd 1 x", "1 e 0 root"))
    with pytest.raises(FormatError, match="system:2: the texts differ: the end here, 'e' in line 4 of gold"):
        score_conllu(gold, conllu("1 a 0 root|2 bcd 1 x"))
    with pytest.raises(FormatError, match="system: the texts differ: the end here, 'abcde' in line 1 of gold"):
        score_conllu(gold, "")
    with pytest.raises(FormatError, match="system:1: the texts differ: 'abcde' here, the end in gold"):
        score_conllu("", gold)


# --- Files ------------------------------------------------------------------------------------------------------------


def test_files_may_be_compressed(tmp_path):
    text = conllu("1 ä 0 root|2 b 1 obj")
    (tmp_path / "gold.conllu.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "mine.conllu").write_text(text, encoding="utf-8")
    scores = score_files(tmp_path / "gold.conllu.gz", tmp_path / "mine.conllu")
    assert scores == score_conllu(text, text)


def test_errors_name_the_file(tmp_path):
    gold, mine = tmp_path / "gold.conllu", tmp_path / "mine.conllu"
    gold.write_text(conllu("1 a 0 root"))
    mine.write_text(conllu("1 b 0 root"))
    with pytest.raises(FormatError, match=r"mine\.conllu:1: the texts differ: 'b' here, 'a' in line 1 of gold"):
        score_files(gold, mine)
    mine.write_bytes(conllu("1 a 0 root").encode() + b"1\t\xff")
    with pytest.raises(FormatError, match=r"mine\.conllu:3:3: the text is not UTF-8"):
        score_files(gold, mine)
    with pytest.raises(FormatError, match=r"mine\.conllu:3:3: the text is not UTF-8"):
        score_files(mine, gold)


@pytest.mark.parametrize("name", ["en_ewt-ud-dev", "ja_gsd-ud-dev"])
def test_treebanks_are_read(corpora, name):
    path = corpora / "dep" / f"{name}.conllu.gz"
    if not path.exists():
        pytest.skip(f"no treebank {name}")
    scores = score_files(path, path)
    assert scores.words.gold > 12000
    assert all(numbers[0] == numbers[1] == numbers[2] for numbers in counted(scores).values())
