"""Reports in a real browser: nothing is fetched, nothing overflows, everything can be reached."""

from __future__ import annotations

import base64
import json

import pytest

from gristmill.report import make_report
from tests.report.models_to_report import task
from tests.web.chromium import start_chromium

pytestmark = pytest.mark.slow  # in a browser


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    driver = start_chromium(str(tmp_path_factory.mktemp("profile")))
    yield driver
    driver.quit()


@pytest.fixture(scope="module", params=["binary", "classifier", "values", "many_classes"])
def address(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "report.html"
    make_report(*task(request.param), engines=False).save(path)
    return path.as_uri()


def opened(browser, address, width=1000, *, medium="", **media):
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [{"name": name.replace("_", "-"), "value": value} for name, value in media.items()]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": medium, "features": features})
    browser.get("about:blank")
    browser.get_log("performance")
    browser.get_log("browser")
    browser.get(address)
    return browser


def test_nothing_is_fetched_and_nothing_complains(browser, address):
    page = opened(browser, address)
    messages = [json.loads(entry["message"])["message"] for entry in page.get_log("performance")]
    requested = [one["params"]["request"]["url"] for one in messages if one["method"] == "Network.requestWillBeSent"]
    assert {url for url in requested if not url.startswith("data:")} == {address}
    assert [entry["message"] for entry in page.get_log("browser")] == []
    pictures = page.execute_script("return [...document.images].map((one) => one.complete && one.naturalWidth > 0)")
    assert pictures
    assert all(pictures)


@pytest.mark.parametrize(("medium", "width"), [("screen", 360), ("screen", 1200), ("print", 700)])
def test_no_page_is_wider_than_the_screen_or_the_sheet(browser, address, medium, width):
    page = opened(browser, address, width, medium=medium)
    page.execute_script("for (const one of document.querySelectorAll('details')) one.open = true")
    assert page.execute_script("return document.documentElement.scrollWidth") <= width


def test_what_is_wider_than_a_phone_has_a_shadow_at_the_edge_beyond_which_it_goes_on(browser, address):
    page = opened(browser, address, 360)
    wide = page.execute_script(
        "return [...document.querySelectorAll('.gm-scroll')].filter((one) => one.scrollWidth > one.clientWidth)"
    )
    for region in wide:
        assert region.value_of_css_property("background-attachment") == "local, local, scroll, scroll"
        assert region.value_of_css_property("background-image").count("linear-gradient") == 4


def test_the_thresholds_of_another_class_are_a_press_away(browser, tmp_path):
    make_report(*task("rest"), engines=False).save(tmp_path / "report.html")
    page = opened(browser, (tmp_path / "report.html").as_uri())
    first, second, *_ = page.find_elements("css selector", "details[name=class]")
    assert (first.get_attribute("open"), second.get_attribute("open")) == ("true", None)
    second.find_element("css selector", "summary").click()
    assert (first.get_attribute("open"), second.get_attribute("open")) == (None, "true")


def test_links_lead_to_sections_and_regions_can_be_focused(browser, address):
    page = opened(browser, address)
    script = "return [...document.querySelectorAll('nav a')].every((one) => document.querySelector(one.hash + ' h2'))"
    assert page.execute_script(script)
    script = (
        "return [...document.querySelectorAll('[role=region]')].every((one) => one.tabIndex === 0 && one.ariaLabel)"
    )
    assert page.execute_script(script)


def test_at_night_the_paper_is_dark(browser, address):
    script = "return getComputedStyle(document.body).backgroundColor"
    day = opened(browser, address, prefers_color_scheme="light").execute_script(script)
    night = opened(browser, address, prefers_color_scheme="dark").execute_script(script)
    assert day == "rgb(255, 255, 255)"
    assert night != day


def test_bars_keep_their_colours_where_readers_have_chosen_all_others(browser, address):
    script = "return [...document.querySelectorAll('.gm-bar')].map((one) => getComputedStyle(one).backgroundColor)"
    day = opened(browser, address).execute_script(script)
    assert day
    assert set(day) <= {"rgb(0, 114, 178)", "rgb(213, 94, 0)"}
    assert opened(browser, address, forced_colors="active").execute_script(script) == day


def test_it_can_be_printed_with_what_is_folded(browser, address):
    page = opened(browser, address)
    whole = printed(page)
    assert whole.startswith(b"%PDF")
    folded = "document.querySelectorAll('details:not([open]) > :not(summary)')"
    assert page.execute_script(f"const found = {folded}; found.forEach((one) => one.remove()); return found.length")
    assert len(whole) > len(printed(page))


def printed(page):
    """A PDF, of what has been painted: until then an empty sheet may come out."""
    page.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(() => arguments[0]()))")
    return base64.b64decode(page.execute_cdp_cmd("Page.printToPDF", {})["data"])
