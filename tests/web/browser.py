"""A real browser before a real server: how the tests of the playground's page see, type and press."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from typing import Any

import pytest

from gristmill.web import create_app
from tests.web import playground_models
from tests.web.chromium import KEPT, start_chromium
from tests.web.served import serving

PATIENCE = 10.0  # seconds until something that should come is missed


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    driver = start_chromium(str(tmp_path_factory.mktemp("profile")))
    yield driver
    driver.quit()


@pytest.fixture
def page(chromium: Any) -> Page:
    return Page(chromium)


@pytest.fixture(scope="session")
def models() -> Callable[[str], Any]:
    """A model of `playground_models` by name, made once."""
    return cache(lambda name: getattr(playground_models, name)())


@pytest.fixture(scope="session")
def site(models: Callable[[str], Any]) -> Iterator[Callable[[str], str]]:
    """The address at which a model is served, until the last test."""
    with ExitStack() as stack:
        yield cache(lambda name: stack.enter_context(serving(create_app(models(name)))))


class Page:
    """The playground as a person meets it."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, address: str, *, width: int = 1000) -> Page:
        """A fresh page, with an answer on it."""
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.prefer("light")
        self.driver.get("about:blank")  # a new fragment alone would not load the page again
        for kind in KEPT:
            self.driver.get_log(kind)
        self.driver.get(address)
        self.wait(lambda: self.all(".view"))
        return self.settled()

    def prefer(self, scheme: str) -> None:
        """Light or dark colours."""
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})

    def wait(self, condition: Callable[[], Any]) -> Any:
        end = time.monotonic() + PATIENCE
        while not (found := condition()):
            assert time.monotonic() < end, f"waited in vain; the page says: {self.one('body').text}"
            time.sleep(0.02)
        return found

    def settled(self) -> Page:
        """When no question is open."""
        self.wait(lambda: not self.all("[aria-busy]"))
        return self

    def all(self, selector: str) -> list[Any]:
        return list(self.driver.find_elements("css selector", selector))

    def one(self, selector: str) -> Any:
        return self.driver.find_element("css selector", selector)

    def texts(self, selector: str) -> list[str]:
        script = "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent.trim())"
        return list(self.driver.execute_script(script, selector))

    def numbers(self, selector: str) -> list[float]:
        """The exact numbers behind those that are shown."""
        script = "return [...document.querySelectorAll(arguments[0])].map((one) => one.value)"
        return list(map(float, self.driver.execute_script(script, selector)))

    def type(self, *keys: str, into: str = ".field input, .field textarea") -> Page:
        self.one(into).send_keys(*keys)
        return self.settled()

    def write(self, text: str) -> Page:
        """In place of what stood in the field."""
        from selenium.webdriver.common.keys import Keys

        return self.type(Keys.CONTROL, "a", Keys.NULL, text)

    def press(self, selector: str, text: str | None = None) -> Page:
        """The first that fits, of those that hold a text; again where the page was drawn anew in between."""
        from selenium.common.exceptions import StaleElementReferenceException

        for _ in range(10):
            try:
                next(one for one in self.all(selector) if text is None or text in one.text).click()
                return self.settled()
            except StaleElementReferenceException:
                self.settled()
        raise AssertionError(f"the page never rests: {selector} with {text!r}")

    def key(self, *keys: str) -> Page:
        """To whatever has the focus, as a keyboard does."""
        self.driver.switch_to.active_element.send_keys(*keys)
        return self.settled()

    @property
    def focused(self) -> str:
        return str(self.driver.switch_to.active_element.accessible_name)

    @property
    def verdict(self) -> str:
        return self.texts(".verdict strong")[0]

    @property
    def score(self) -> float:
        return self.numbers(".verdict .score data")[0]

    @property
    def is_stale(self) -> bool:
        return bool(self.all(".results[data-stale]"))

    def contributions(self, title: str = "What each") -> dict[str, float]:
        """Names and numbers of the table whose caption begins so."""
        script = """
          const tables = [...document.querySelectorAll(".why table")];
          const table = tables.find((one) => one.caption.textContent.startsWith(arguments[0]));
          const rows = [...(table?.tBodies[0].rows ?? [])];
          return rows.map((row) => [row.cells[0].textContent, row.cells[1].querySelector("data").value]);
        """
        return {name: float(value) for name, value in self.driver.execute_script(script, title)}

    def without(self) -> dict[str, tuple[float, str]]:
        """Of each feature: the score without it, and the other answer, if there is one."""
        script = """
          return [...document.querySelectorAll(".why tr:has(.without)")].map((row) => [
            row.cells[0].textContent,
            row.querySelector(".without data").value,
            row.querySelector(".without b")?.textContent,
          ]);
        """
        rows = self.driver.execute_script(script)
        return {name: (float(value), (label or "").removeprefix(" → ")) for name, value, label in rows}

    def called(self, module: str, name: str, *arguments: Any) -> Any:
        """What a function of one of the page's modules returns."""
        script = """
          const [module, name, given, done] = arguments;
          import(`/page/${module}.js`).then((made) => done(made[name](...given)), (error) => done(String(error)));
        """
        return self.driver.execute_async_script(script, module, name, arguments)

    def requested(self) -> list[str]:
        """Addresses of all requests since the page was opened."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]

    def complaints(self) -> list[str]:
        """What the browser's console has."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] != "INFO"]
