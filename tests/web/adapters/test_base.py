"""Every kind of model: what it says of itself, what it answers, and that both are as described."""

from __future__ import annotations

import jsonschema_rs
import numpy as np
import pytest

import gristmill as gm
from gristmill.apps import RoleLabeller, Tagger
from gristmill.web import Limits, create_app
from tests.apps.tagging import chunked_sentences as tagger_tasks
from tests.web.served import asking, serving

pytestmark = pytest.mark.filterwarnings("ignore::gristmill.EmptyColumnsWarning")  # words have few columns here

KINDS = {
    "foods": ("rows", "rows", [["salty", "soft"], {"green": 1}, []]),
    "strange": ("rows", "rows", [["🌾 grain", "w=2"]]),
    "numbered": ("rows", "rows", [[0, 3], ["0", "3"], {"1": 2.5}]),
    "trees": ("trees", "trees", ["(Q (W Who) (N he) (V is))", "(Q (X unknown))", "(leaf)"]),
    "tagger": ("tagger", "sentences", ["the/D mill/N grinds/V", [["a", "D"]], "", []]),
    "parser": ("parser", "sentences", ["the/DET mill/NOUN grinds/VERB", ["mill", ["grinds", "VERB"]], "a", ""]),
    "segmenter": ("segmenter", "sentences", ["この海が見えた。", "海 を", "x", ""]),
}


@pytest.fixture(params=KINDS)
def kind(request, site):
    with asking(site(request.param)) as client:
        yield request.param, client


def resolved(described, name):
    return {"$ref": f"#/components/schemas/{name}", "components": described["components"]}


def test_answers_are_as_described(kind):
    name, client = kind
    own, key, inputs = KINDS[name]
    described = client.get("/api/openapi.json").json()
    jsonschema_rs.validator_for(resolved(described, "Model")).validate(client.get("/api/model").json())
    for path, requested, answered in (
        ("/api/score", "Scoring", "ScoredList"),
        ("/api/explain", "Explaining", "ExplainedList"),
    ):
        jsonschema_rs.validator_for(resolved(described, requested)).validate({key: inputs})
        answer = client.post(path, json={key: inputs})
        assert answer.status_code == 200, answer.text
        assert len(answer.json()["results"]) == len(inputs)
        jsonschema_rs.validator_for(resolved(described, answered)).validate(answer.json())
    facts = client.get("/api/model").json()
    assert (facts["kind"], facts["inputs"]) == (own, [key])


def test_explanations_say_the_same_as_scores(kind):
    name, client = kind
    _, key, inputs = KINDS[name]
    scored, explained = (client.post(f"/api/{path}", json={key: inputs}).json() for path in ("score", "explain"))
    for one, more in zip(scored["results"], explained["results"], strict=True):
        assert {key: more[key] for key in one} == one


def test_what_parts_add_goes_up_to_the_score(kind):
    name, client = kind
    _, key, inputs = KINDS[name]
    for found in client.post("/api/explain", json={key: inputs}).json()["results"]:
        for one in found.get("steps", [found]):
            parts = [*one.get("features", []), *one.get("nodes", []), *one.get("words", [])]
            assert one["baseline"] + sum(part["value"] for part in parts) == pytest.approx(one["score"], abs=1e-9)


def test_examples_can_be_asked_about(kind):
    _, client = kind
    facts = client.get("/api/model").json()
    answer = client.post("/api/explain", json={facts["inputs"][0]: facts["examples"]})
    assert answer.status_code == 200
    assert len(facts["examples"]) > 0 or facts["inputs"] == ["sentences"]


def test_a_head_is_a_get_without_its_body(kind):
    _, client = kind
    for path in ("/api/model", "/api/health", "/api/openapi.json", "/api/features", "/api/shapes"):
        whole, bare = client.get(path), client.head(path)
        assert (bare.status_code, bare.content) == (200, b"")
        assert bare.headers["Content-Length"] == str(len(whole.content))


# --- each as its app --------------------------------------------------------------------------------------------------


def explained(client, **request):
    return client.post("/api/explain", json=request).json()["results"]


def test_trees_are_those_of_the_classifier(site, models):
    classifier, trees = models("trees"), KINDS["trees"][2][:2]
    with asking(site("trees")) as client:
        found = explained(client, trees=trees)
    assert [one["label"] for one in found] == classifier.predict(trees).tolist()
    scores = classifier.decision_function(trees).tolist()
    assert [next(iter(one["scores"].values())) for one in found] == pytest.approx(scores)
    for one, own in zip(found, classifier.explain(trees), strict=True):
        assert [node["label"] for node in one["nodes"]] == list(own.labels)
        assert [node["value"] for node in one["nodes"]] == own.shares(0).tolist()
        assert [(word["name"], word["value"]) for word in one["words"]] == [
            (part.name, part.value) for part in own.top_vector_features(output=0)
        ]
        assert one["svg"].startswith("<svg ")


def test_a_machine_on_trees_with_marks_and_one_on_a_field_of_trees():
    trees = ["(S (NP*1 dogs) (VP*2 bark))", "(S (NP*2 dogs) (VP*1 (V sleep)))"]
    marked = gm.Machine(
        gm.ProductionTreeKernel(1.0, marked=True), gm.Forest.from_strings(trees, marks=True), [1.0, -0.5], 0.25
    )
    field = gm.Machine(
        gm.SubsetTreeKernel(1.0).on("tree"), gm.Examples(tree=gm.Forest.from_strings(trees)), [1.0, -0.5], 0.25
    )
    for machine, X in ((marked, gm.Forest.from_strings(trees, marks=True)), (field, field.support)):
        with serving(create_app(machine)) as address, asking(address) as client:
            found = client.post("/api/score", json={"trees": trees}).json()["results"]
            assert [one["value"] for one in found] == machine.compile().decision_function(X).tolist()
            assert explained(client, trees=trees)[0]["nodes"][0]["label"] == "S"


def test_models_that_have_no_page_are_refused(models):
    trees, rows = gm.Forest.from_strings(["(S a)"]), gm.Examples(trees=["(S a)"], vectors=[{1}])
    both = gm.SubsetTreeKernel().on("trees") + gm.PolynomialKernel(2).on("vectors")
    for machine in (
        gm.Machine(both, rows, [1.0], 0.0),
        gm.Machine(gm.Normalized(gm.PolynomialKernel(2)), [{0}], [1.0], 0.0),
    ):
        with pytest.raises(ValueError, match="compares other things"):
            create_app(machine)
    create_app(gm.Machine(gm.SubsetTreeKernel(), trees, [1.0], 0.0))
    with pytest.raises(ValueError, match="no page for a role labeller"):
        create_app(RoleLabeller())


def test_trees_whose_kernel_leaves_the_range_of_doubles_are_refused(site):
    wide = f"(S {' '.join(f'(X w{word})' for word in range(3000))})"
    deep = "(A " * 3000 + "b" + ")" * 3000
    with asking(site("trees")) as client:
        for path in ("/api/score", "/api/explain"):
            answer = client.post(path, json={"trees": [wide]})
            assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_input")
            assert "leaves the range of double" in answer.json()["error"]["message"]
            assert client.post(path, json={"trees": [deep]}).status_code == 200


def test_a_tagger_with_one_column_takes_plain_words():
    tagger = Tagger(epochs=3).fit([[(token[0], token[-1]) for token in s] for s in tagger_tasks.sentences(10)])
    with serving(create_app(tagger)) as address, asking(address) as client:
        assert client.get("/api/model").json()["columns"] == 1
        found = client.post("/api/score", json={"sentences": ["the mill/stone", ["the", "mill/stone"]]}).json()[
            "results"
        ]
    assert found[0] == found[1] == {"tokens": ["the", "mill/stone"], "tags": tagger.tag(["the", "mill/stone"])}


def test_steps_of_a_tagger_are_its_own(site, models):
    tagger, tokens = models("tagger"), [("the", "D"), ("mill", "N"), ("grinds", "V")]
    with asking(site("tagger")) as client:
        (found,) = explained(client, sentences=[tokens])
        (other,) = explained(client, sentences=[tokens], output="O")
    assert found["tags"] == tagger.tag(tokens)
    for step, own in zip(found["steps"], tagger.explain(tokens), strict=True):
        assert (step["token"], step["label"], step["output"]) == (own.token, own.label, own.output_names[own.predicted])
        assert list(step["scores"].values()) == own.score.tolist()
    assert {step["output"] for step in other["steps"]} == {"O"}


@pytest.mark.parametrize("name", ["tagger", "parser", "segmenter"])
def test_without_is_what_the_machine_of_a_decision_says_of_the_row_that_lacks_the_feature(site, models, name):
    _, key, inputs = KINDS[name]
    with asking(site(name)) as client:
        (found,) = explained(client, **{key: inputs[:1]}, without=True)
        (bare,) = explained(client, **{key: inputs[:1]})
        described = client.get("/api/openapi.json").json()
    jsonschema_rs.validator_for(resolved(described, "ExplainedList")).validate({"results": [found]})
    own = models(name).explain([tuple(w.split("/")) for w in inputs[0].split()] if "/" in inputs[0] else inputs[0])
    for step, plain, decision in zip(found["steps"], bare["steps"], own, strict=True):
        parts = step.pop("features")
        assert step == {key: value for key, value in plain.items() if key != "features"}
        assert [{"name": part["name"], "value": part["value"]} for part in parts] == plain["features"]
        machine, names = decision.machine, decision.machine.feature_names
        scorer = machine.compile("direct")
        for part in parts:
            others = [{one for one in decision.ids.tolist() if names[one] != part["name"]}]
            scores = dict(zip(decision.output_names, np.atleast_1d(scorer.decision_function(others)[0]), strict=True))
            assert part["without"]["score"] == pytest.approx(scores[step["output"]], abs=1e-9)
            assert part["without"]["value"] is None
            if decision.impossible is None and (label := scorer.predict(others)[0]) in (decision.possible or [label]):
                assert part["without"]["label"] == label


def test_outputs_of_a_tagger_of_pairs_can_be_asked_about():
    tagger = Tagger(epochs=3, multiclass="ovo").fit(tagger_tasks.sentences(10))
    with serving(create_app(tagger)) as address, asking(address) as client:
        outputs = client.get("/api/model").json()["outputs"]
        (found,) = explained(client, sentences=["the/D"], output=outputs[-1])
    assert " : " in outputs[-1]
    assert found["steps"][0]["output"] == outputs[-1]


def test_explanations_of_sentences_are_bounded(models):
    app = create_app(models("tagger"), limits=Limits(numbers=300, without=25))
    request = {"sentences": ["the/D mill/N"]}
    with serving(app) as address, asking(address) as client:
        assert client.post("/api/explain", json={**request, "without": True}).status_code == 200
        many = client.post("/api/explain", json={"sentences": request["sentences"] * 20})
    assert (many.status_code, many.json()["error"]["code"]) == (422, "too_many")
    with serving(create_app(models("tagger"), limits=Limits(without=3))) as address, asking(address) as client:
        assert client.post("/api/explain", json=request).status_code == 200
        wide = client.post("/api/explain", json={**request, "without": True})
    assert (wide.status_code, wide.json()["error"]["code"]) == (422, "too_many")


def test_steps_of_a_parser_lead_to_its_tree(site, models):
    parser, words = models("parser"), [("the", "DET"), ("mill", "NOUN"), ("grinds", "VERB")]
    tree = parser.parse(words)
    with asking(site("parser")) as client:
        found, same = explained(client, sentences=[words, "the/DET mill/NOUN grinds/VERB"])
    assert found == same
    assert (found["heads"], found["relations"], found["svg"]) == (tree.heads, tree.relations, tree.svg())
    assert [step["label"] for step in found["steps"]] == [one.label for one in parser.explain(words)]
    assert all("stack" in step and "buffer" in step for step in found["steps"])


def test_given_examples_are_checked_and_shown(models):
    app = create_app(models("foods"), name="<b>", examples=[["salty"]])
    with serving(app) as address, asking(address) as client:
        facts = client.get("/api/model").json()
    assert (facts["name"], facts["examples"]) == ("<b>", [["salty"]])
    with pytest.raises(ValueError, match=r"examples\[0\]"):
        create_app(models("foods"), examples=["salty"])


def test_a_scorer_is_served_as_it_is(models):
    scorer = models("foods").compile("inverted")
    with serving(create_app(scorer)) as address, asking(address) as client:
        engine = client.get("/api/model").json()["engine"]
    assert engine == {"name": "inverted", "exact": True, "bytes": scorer.nbytes, "reason": scorer.report().reason}


def test_outliers_are_a_task(models):
    machine = gm.Machine(gm.PolynomialKernel(2), [{0}], [1.0], -1.0, [-1, 1], "one-class")
    with serving(create_app(machine)) as address, asking(address) as client:
        assert client.get("/api/model").json()["task"] == "outliers"
        found = client.post("/api/score", json={"rows": [[0], [1]]}).json()["results"]
    assert [one["label"] for one in found] == [str(label) for label in machine.compile().predict([{0}, {1}])]
    assert np.isfinite([one["scores"]["1"] for one in found]).all()
