"""A real browser, for tests that look at pages."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

KEPT = ("browser", "performance")  # logs


def start_chromium(folder: str) -> Any:
    """A headless Chromium with an own profile; skips where there is none."""
    webdriver = pytest.importorskip("selenium.webdriver")
    browser, driver = shutil.which("chromium") or shutil.which("google-chrome"), shutil.which("chromedriver")
    if not browser or not driver:
        pytest.skip("no chromium with chromedriver to look at the page with")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    # the sandbox cannot start as root, nor /dev/shm serve in small containers; pages here are our own
    alone = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking", "--no-first-run"]
    for argument in ["--headless=new", *alone, f"--user-data-dir={folder}"]:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", dict.fromkeys(KEPT, "ALL"))
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
