"""What the server refuses: in one shape, with the place, and without a word of what it is made of."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.web import Limits, create_app
from gristmill.web.limits import RefusedError
from gristmill.web.requests import parse
from tests.properties import share
from tests.web.served import asking, serving

SMALL = Limits(body=2000, rows=3, explained=2, features=4, nodes=6, tokens=3, without=2, pairs=2, numbers=8)


@pytest.fixture(scope="module")
def clients(models):
    """By the names of models, each with small limits."""
    from contextlib import ExitStack
    from functools import cache

    with ExitStack() as stack:

        def opened(name):
            app = create_app(models(name), limits=SMALL, examples=[])
            return stack.enter_context(asking(stack.enter_context(serving(app))))

        yield cache(opened)


def refused(client, body, path="/api/score", **headers):
    """Status, code and place of a refusal."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    answer = client.post(path, content=content, headers={"Content-Type": "application/json"} | headers)
    error = answer.json()["error"]
    assert set(answer.json()) == {"error"}
    assert set(error) == {"code", "message", "where"}
    assert error["message"]
    return answer.status_code, error["code"], error["where"]


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"{", b"[1,]", b'{"rows": []} x', b"\xff\xfe", b'{"rows": ["\xff"]}', b"\xef\xbb\xbf{}"),
        *(b'{"rows": [{"salty": NaN}]}', b'{"rows": [{"salty": -Infinity}]}', b'{"rows": [{"salty": 1e999}]}'),
        *(b'{"rows": [], "rows": []}', b'{"rows": [{"salty": 1, "salty": 2}]}', b'{"rows": [["\\ud800"]]}'),
        *(b"[" * 1900, b'{"a":' * 300),
    ],
    ids=lambda body: repr(body[:24]),
)
@pytest.mark.parametrize("path", ["/api/score", "/api/explain"])
def test_what_is_not_strict_json(clients, body, path):
    assert refused(clients("foods"), body, path)[:2] == (400, "bad_json")


def test_a_whole_number_beyond_doubles_is_refused_at_its_place(clients):
    body = b'{"rows": [[], {"salty": ' + b"9" * 400 + b"}]}"
    assert refused(clients("foods"), body) == (400, "bad_input", "rows[1].salty")
    with pytest.raises(RefusedError, match="thousands of digits"):
        parse(b"9" * 5000)


def test_json_that_lies_deep_does_not_end_the_server(site):
    with asking(site("foods")) as client:
        for body in (b"[" * 500_000, b'{"rows":' + b"[" * 200_000 + b"]" * 200_000 + b"}", b'{"a":' * 150_000):
            assert refused(client, body)[:2] == (400, "bad_json")
        assert client.get("/api/health").json()["status"] == "ok"


@pytest.mark.parametrize(
    ("request_", "where"),
    [
        ([], None),
        ("rows", None),
        (None, None),
        ({}, "rows"),
        ({"rows": None}, "rows"),
        ({"rows": {}}, "rows"),
        ({"rows": [], "trees": []}, "trees"),
        ({"rows": [], "output": "bread"}, "output"),
        ({"rows": ["salty"]}, "rows[0]"),
        ({"rows": [[], 3]}, "rows[1]"),
        ({"rows": [[], ["salty", 3]]}, "rows[1][1]"),
        ({"rows": [[True]]}, "rows[0][0]"),
        ({"rows": [[None]]}, "rows[0][0]"),
        ({"rows": [["salty", "salty"]]}, "rows[0][1]"),
        ({"rows": [["x", "x"]]}, "rows[0][1]"),
        ({"rows": [{"salty": True}]}, "rows[0].salty"),
        ({"rows": [{"salty": "1"}]}, "rows[0].salty"),
        ({"rows": [{"x": None}]}, "rows[0].x"),
    ],
    ids=str,
)
def test_what_is_no_request_for_rows(clients, request_, where):
    assert refused(clients("foods"), request_) == (400, "bad_input", where)


@pytest.mark.parametrize("feature", [-1, 2**31, 10**30, 1.5, "x", "1.5", "-1", "01", "²", "", " 1", True])
def test_what_is_no_number_of_a_feature(clients, feature):
    assert refused(clients("numbered"), {"rows": [[feature]]}) == (400, "bad_input", "rows[0][0]")


def test_numbers_of_features_are_spelled_in_one_way(clients):
    assert refused(clients("numbered"), {"rows": [[1, "1"]]}) == (400, "bad_input", "rows[0][1]")
    assert refused(clients("numbered"), {"rows": [[1, 1.0]]}) == (400, "bad_input", "rows[0][1]")


@pytest.mark.parametrize(
    ("options", "where"),
    [
        ({"output": "rye"}, "output"),
        ({"output": 0}, "output"),
        ({"output": None}, "output"),
        ({"interactions": 1}, "interactions"),
        ({"without": "yes"}, "without"),
        ({"with": True}, "with"),
    ],
    ids=str,
)
def test_what_is_no_question_about_rows(clients, options, where):
    assert refused(clients("foods"), {"rows": [[]], **options}, "/api/explain") == (400, "bad_input", where)


def test_more_than_may_be_asked_at_once(clients):
    rows, four = clients("foods"), ["salty", "sweet", "soft", "green"]
    for path, request, where in (
        ("/api/score", {"rows": [[]] * 4}, "rows"),
        ("/api/score", {"rows": [[], [*four, "round"]]}, "rows[1]"),
        ("/api/score", {"rows": [[]] * 3}, None),  # of three outputs
        ("/api/explain", {"rows": [[]] * 3}, "rows"),
        ("/api/explain", {"rows": [four], "interactions": True}, None),
        ("/api/explain", {"rows": [four], "without": True}, None),
    ):
        assert refused(rows, request, path) == (422, "too_many", where)
    assert refused(clients("trees"), {"trees": ["(A B C D E F G)"]}) == (422, "too_many", "trees[0]")
    for name in ("tagger", "parser"):
        assert refused(clients(name), {"sentences": ["a/A b/B c/C d/D"]}) == (422, "too_many", "sentences[0]")
        assert refused(clients(name), {"sentences": [[], [["a", "A"]] * 4]}) == (422, "too_many", "sentences[1]")
    assert refused(clients("segmenter"), {"sentences": ["abcd"]}) == (422, "too_many", "sentences[0]")


@pytest.mark.parametrize("tree", ["", "(", ")", "(A", "(A))", "A B", "()", 3, None, ["A"]])
@pytest.mark.parametrize("path", ["/api/score", "/api/explain"])
def test_what_is_no_tree(clients, tree, path):
    assert refused(clients("trees"), {"trees": ["(A B)", tree]}, path) == (400, "bad_input", "trees[1]")


@pytest.mark.parametrize(
    ("name", "sentence", "where"),
    [
        ("tagger", 3, "sentences[0]"),
        ("tagger", "mill", "sentences[0]"),
        ("tagger", "mill/N /N", "sentences[0]"),
        ("tagger", ["mill"], "sentences[0][0]"),
        ("tagger", [["mill", "N"], 3], "sentences[0][1]"),
        ("tagger", [["mill", "N"], ["stone", ""]], "sentences[0][1]"),
        ("tagger", [["a mill", "N"]], "sentences[0][0]"),
        ("tagger", [[]], "sentences[0][0]"),
        ("parser", [["a", "b", "c", "d", "e", "f"]], "sentences[0][0]"),
        ("parser", {"a": 1}, "sentences[0]"),
        ("segmenter", ["a"], "sentences[0]"),
    ],
)
def test_what_is_no_sentence(clients, name, sentence, where):
    assert refused(clients(name), {"sentences": [sentence]}) == (400, "bad_input", where)


def test_bodies_must_say_that_they_are_json(clients):
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        found = refused(clients("foods"), {"rows": []}, **{"Content-Type": kind})
        assert found == (415, "media_type", None)
    good = {"Content-Type": "Application/JSON; charset=utf-8"}
    assert clients("foods").post("/api/score", content=b'{"rows": []}', headers=good).json() == {"results": []}


def test_addresses_and_methods_that_are_none(clients):
    client = clients("foods")
    for path in ("/api", "/api/score/", "/page/", "/page/../app.py", "/page/%2e%2e/app.py", "/page//etc/passwd", "/x"):
        answer = client.get(path)
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found"), path
    for method, path, allowed in (("GET", "/api/score", "POST"), ("POST", "/api/model", "GET, HEAD")):
        answer = client.request(method, path)
        assert (answer.status_code, answer.json()["error"]["code"]) == (405, "method")
        assert sorted(answer.headers["Allow"].split(", ")) == allowed.split(", ")


@share(0.6)
@given(
    request=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(st.sampled_from(["rows", "output", "salty", "without"]) | st.text(), inner, max_size=4)
        ),
    )
)
def test_anything_that_is_json_is_answered_or_refused(site, request):
    with asking(site("foods")) as client:
        for path in ("/api/score", "/api/explain"):
            answer = client.post(path, content=json.dumps(request), headers={"Content-Type": "application/json"})
            assert answer.status_code in (200, 400, 422)
            assert ("results" in answer.json()) == (answer.status_code == 200)


def test_a_failure_of_the_server_tells_nothing_of_it(models, monkeypatch, caplog):
    app = create_app(models("foods"))
    monkeypatch.setattr("gristmill.web.adapters.rows.trusted_scores", lambda *_, **__: 1 / 0)
    with serving(app) as address, asking(address) as client:
        answer = client.post("/api/score", json={"rows": [[]]})
        assert answer.status_code == 500
        assert answer.json()["error"]["code"] == "internal"
        assert "division" not in answer.text
        assert "nosniff" in answer.headers["X-Content-Type-Options"]
    assert "ZeroDivisionError" in caplog.text
