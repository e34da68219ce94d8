"""Settings that all tests share."""

from __future__ import annotations

import gc
import os
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from threadpoolctl import threadpool_limits

from gristmill import _core
from gristmill.kernels.conversion import forest as conversion
from tests import properties

installed = os.environ.get("GRISTMILL_INSTALLED")  # make check: the build that must be under test
if installed is not None and not _core.__file__.startswith(installed):
    raise RuntimeError(f"testing {_core.__file__} instead of what is installed in {installed}")


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Before a module of tests is imported."""
    if isinstance(collector, pytest.Module):
        properties.load_profile(collector.path)


def pytest_collection_finish() -> None:
    """All modules and tests stay to the end: whoever collects garbage need not look at them."""
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def short_timings() -> Iterator[None]:
    """Comparisons of engines call each as often as they have rounds: figures need not be exact here."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr("gristmill.evaluation.engines.SHORTEST", 1e-5)
        yield


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder of corpora; tests that need it skip where it is absent."""
    default = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("GRISTMILL_DATA", default))
    if not folder.is_dir():
        pytest.skip("no corpora: set GRISTMILL_DATA to the folder that holds them")
    return folder


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """LIBSVM's threads wait by spinning, and the order in which they add up is any."""
    with threadpool_limits(1, "openmp"):
        yield


@pytest.fixture
def conversions(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many trees were converted, each time all of them were."""
    made: list[int] = []
    own = conversion.mine

    def watched(fragments: Any, forest: Any, **options: Any) -> Any:
        made.append(len(forest))
        return own(fragments, forest, **options)

    monkeypatch.setattr(conversion, "mine", watched)
    return made


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Put text or bytes into a file, and say where it is."""

    def written(content: str | bytes, name: str = "file") -> Path:
        data = content if isinstance(content, bytes) else content.encode()
        (tmp_path / name).write_bytes(data)
        return tmp_path / name

    return written


@pytest.fixture
def fake_shap(monkeypatch: pytest.MonkeyPatch) -> None:
    """What shap.Explanation is given."""
    module = types.ModuleType("shap")
    module.Explanation = types.SimpleNamespace  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "shap", module)
