"""gristmill roles: arguments of predicates in trees, found and named; learned from PropBank files."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, get_args

import click

from gristmill.apps.roles import (
    DEFAULT_KERNEL,
    Proposition,
    RoleLabeller,
    RoleScores,
    Sentences,
    marked_predicates,
    read_labelled,
    read_propbank,
    read_propositions,
    read_sentences,
    score_roles,
    write_labelled_trees,
    write_propositions,
)
from gristmill.apps.roles.nodes import Candidates, PredicateNode
from gristmill.base.files import display_name
from gristmill.cli.app_commands import AppTraining, decay_option, normalized_kernel, print_scores, training_options
from gristmill.cli.command import OUTPUT, Group, arguments, option
from gristmill.cli.options import jobs_option, json_option, output_option, seed_option
from gristmill.cli.places import check_place
from gristmill.cli.screen import count, note, progress_bar, score_table
from gristmill.data.formats.propbank import Name
from gristmill.data.relations import FORMS
from gristmill.kernels import Kernel
from gristmill.kernels.named import TREE_KERNELS


@click.group(cls=Group)
def roles() -> None:
    """Find the arguments of predicates in trees, and name their roles.

    \b
    TREES   document<TAB>sentence<TAB>(tree), or trees alone
    PROPS   document<TAB>sentence<TAB>token<TAB>roleset<TAB>first-last:ROLE ...
            tokens are leaves, counted from 0; V is the predicate itself

    \b
    Examples:
      gristmill roles train wsj.trees wsj.props roles.safetensors
      gristmill roles run roles.safetensors wsj.trees wsj.props
    """


@roles.command()
@arguments("trees", "props")
@click.argument("model", type=OUTPUT)
@option(
    *("-k", "--kernel"),
    type=click.Choice(list(TREE_KERNELS)),
    help="Of trees, normalised.  [default: c-marked with a decay of 0.4]",
)
@decay_option
@option("-C", "--cost", type=float, default=10.0, help="What an error costs.")
@option("--form", type=click.Choice(FORMS), default="path", advanced=True, help="The part of a sentence that is seen.")
@option(
    "--candidates",
    type=click.Choice(get_args(Candidates)),
    advanced=True,
    default="pruned",
    help="Nodes that may be arguments: all, the highest of those with the same tokens, or what hangs from the path "
    "from the predicate to the root.",
)
@option(
    "--predicate",
    type=click.Choice(get_args(PredicateNode)),
    advanced=True,
    default="tag",
    help="The node of a predicate: the tag of its token, the highest one of that token alone, or of all its tokens.",
)
@option("--lowercase/--keep-case", advanced=True, default=True, help="Of words.")
@option(
    "--leaves",
    type=click.Choice(["words", "tags"]),
    advanced=True,
    help="What leaves are.  [default: words, if more than half of them have no sister]",
)
@option(
    "--max-examples",
    type=click.IntRange(0),
    default=20_000,
    help="About as many for each step, of predicates drawn by --random-state; 0: all. Time grows with the square.",
)
@option("--min-count", advanced=True, type=click.IntRange(1), default=5, help="Examples a role must have.")
@seed_option
@training_options
def train(trees: str, props: str, model: str, **options: Any) -> None:
    """Learn from the arguments that PROPS has for the predicates of TREES, and write MODEL.

    \b
    Examples:
      gristmill roles train wsj.trees wsj.props roles.safetensors
      gristmill roles train wsj.trees wsj.props roles.safetensors --kernel c-marked --decay 0.2 -C 1
    """
    training, labeller = AppTraining(model, [trees, props], options), _labeller(options)
    with progress_bar("reading") as progress:
        sentences, propositions = read_propbank(trees, props, progress=progress)
    if not propositions:
        raise ValueError(f"{display_name(props)}: there are no propositions in it")
    training.fit(labeller, lambda: labeller.fit(sentences, propositions))
    training.print(_summary(labeller), _described(labeller))


@roles.command()
@arguments("model", "trees")
@arguments("props", required=False)
@output_option("answers")
@option(
    "--format",
    type=click.Choice(["props", "trees"]),
    default="props",
    help="Spans; or trees, with nodes such as *ARG0 above arguments and *V above the predicate.",
)
@option("--threshold", type=float, help="What the score of an argument is above.  [default: the model's]")
@option(
    "--overlap", is_flag=True, default=None, help="Arguments may share tokens, with each other and with the predicate."
)
@jobs_option
def run(model: str, trees: str, props: str | None, **options: Any) -> None:
    """Find the arguments of predicates in TREES.

    Predicates are those of PROPS, where document, sentence and token are enough; without PROPS they are the nodes of
    TREES that have a mark, as VBD*1 in (VP (VBD*1 saw) (NP me)).

    \b
    Examples:
      gristmill roles run roles.safetensors wsj.trees wsj.props -o found.props
      echo '(S (NP (PRP We)) (VP (VBP*1 sleep)))' | gristmill roles run roles.safetensors - --format trees
    """
    check_place(options["output"], model)
    labeller = RoleLabeller.load(model, n_jobs=options["jobs"])
    for name in ("threshold", "overlap"):
        if options[name] is not None:
            setattr(labeller, name, options[name])
    labeller.check_settings()
    sentences, predicates = read_predicates(trees, props)
    with progress_bar("labelling") as labeller.progress:
        found = labeller.label(sentences, predicates)
    if options["format"] == "trees":
        write_labelled_trees(options["output"], sentences, found)
    else:
        write_propositions(options["output"], found)


@roles.command()
@arguments("gold", "predicted")
@option(
    "--only-with-role",
    is_flag=True,
    help="Of each role, count what was labelled at predicates that have it in GOLD, and nowhere else.",
)
@json_option
def evaluate(gold: str, predicted: str, only_with_role: bool, as_json: bool) -> None:
    """Compare arguments: precision, recall and F1 of each role, all roles, and boundaries without roles.

    An argument is right if its tokens and its role are. Either file holds spans or labelled trees, whatever
    `gristmill roles run` writes.

    \b
    Examples:
      gristmill roles evaluate wsj.props found.props
      gristmill roles evaluate wsj.props found.props --only-with-role --json
    """
    expected, found = read_labelled(gold), read_labelled(predicted)
    if (expected or found) and not _names(expected) & _names(found):
        note("GOLD and PREDICTED have no predicate in common: document, sentence and token must be the same")
    print_scores(score_roles(expected, found, only_with_role=only_with_role), _show, as_json=as_json)


def _labeller(options: dict[str, Any]) -> RoleLabeller:
    names = ("form", "candidates", "predicate", "lowercase", "min_count", "random_state")
    return RoleLabeller(
        _kernel(options["kernel"], options["decay"]),
        C=options["cost"],
        max_examples=options["max_examples"] or None,
        n_jobs=options["jobs"],
        words=None if options["leaves"] is None else options["leaves"] == "words",
        **{name: options[name] for name in names},
    )


def _kernel(name: str | None, decay: float | None) -> Kernel:
    return DEFAULT_KERNEL if name is None and decay is None else normalized_kernel(name or "c-marked", decay)


def read_predicates(trees: str, props: str | None) -> tuple[Sentences, list[Proposition]]:
    """Those of PROPS, or nodes of TREES that have a mark; ValueError where there is neither."""
    with progress_bar("reading") as progress:
        sentences = read_sentences(trees, marks=props is None, progress=progress)
    if props is not None:
        return sentences, read_propositions(props, sentences)
    sentences, predicates = marked_predicates(sentences)
    if len(sentences) and not predicates:
        raise ValueError("no node of TREES has a mark, as VBD*1: mark the predicates, or name a file of PROPS")
    return sentences, predicates


def _names(propositions: list[Proposition]) -> set[tuple[Name, int]]:
    return {(one.sentence, one.token) for one in propositions}


def _described(labeller: RoleLabeller) -> list[str]:
    counts = labeller.counts_
    drawn = f"{count(labeller.n_drawn_)} of {count(counts.predicates)} predicates drawn"
    support = ", ".join(f"{name} {count(machine.n_support)}" for name, machine in labeller.machine_.items())
    return [
        *([drawn] if labeller.n_drawn_ < counts.predicates else []),
        str(counts),
        f"leaves are {'words' if labeller.words_ else 'tags'} ({labeller.leaves_})",
        f"{len(labeller.roles_)} role{'s' * (len(labeller.roles_) > 1)}",
        f"support trees: {support}",
    ]


def _summary(labeller: RoleLabeller) -> dict[str, Any]:
    return {
        "counts": asdict(labeller.counts_) | {"share_lost": labeller.counts_.share_lost},
        "drawn": labeller.n_drawn_,
        "words": labeller.words_,
        "leaves": labeller.leaves_._asdict(),
        "roles": labeller.roles_,
        "support": {name: machine.n_support for name, machine in labeller.machine_.items()},
    }


def _show(scores: RoleScores) -> None:
    rows = (*scores.roles, scores.total, scores.boundaries)
    score_table("roles", "role", ((score.role, score) for score in rows))
