"""The OpenAPI document and the server, compared by schemathesis: what it allows is answered, the rest refused."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from gristmill.web import Limits, create_app
from tests.properties import share
from tests.web.served import serving

KINDS = ("foods", "numbered", "tagger", "parser", "segmenter", "trees", "people")
TREES_CANNOT_BE_DESCRIBED = ("trees",)  # by a schema: not every text has its brackets in pairs


@pytest.fixture(scope="module")
def schemathesis():
    """Imported by whoever uses it: that takes long."""
    return pytest.importorskip("schemathesis")


@pytest.fixture(scope="module", params=KINDS)
def described(request, models, schemathesis):
    limits = Limits(rows=5, explained=3, features=8, tokens=20)
    with serving(create_app(models(request.param), limits=limits)) as address:
        yield request.param, schemathesis.openapi.from_url(f"{address}/api/openapi.json")


FEW = share(0.15)
POSTED = [(path, mode) for path in ("/api/score", "/api/explain", "/api/features") for mode in ("positive", "negative")]
FIXED = [
    (path, "positive") for path in ("/api/model", "/api/health", "/api/shapes")
]  # nothing goes in that could be wrong


@pytest.mark.parametrize(("path", "mode"), [*POSTED, *FIXED])
def test_the_server_does_what_it_says(described, path, mode, schemathesis):
    name, schema = described
    (operation,) = (found.ok() for found in schema.get_all_operations() if found.ok().path == path)
    left_out = [schemathesis.checks.positive_data_acceptance] if name in TREES_CANNOT_BE_DESCRIBED else []

    @settings(FEW, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy(schemathesis.GenerationMode(mode)))
    def holds(case):
        case.call_and_validate(excluded_checks=left_out)

    holds()
