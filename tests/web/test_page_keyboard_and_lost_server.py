"""The playground in a browser: by keyboard, on small screens, without a server, for all eyes and ears."""

from __future__ import annotations

import pytest
from starlette.responses import JSONResponse

from gristmill.web import create_app
from tests.web.served import serving

pytestmark = pytest.mark.slow  # in a browser

Keys = pytest.importorskip("selenium.webdriver").Keys

TYPED = {
    "foods": "#on=salty&on=soft&off=green&on=unheard-of-and-very-long-indeed-with-no-place-to-break-it-anywhere",
    "trees": "#tree=(Q (W Who) (N she) (V is))&cut=1",
    "tagger": "#text=the/D old/A mill/N grinds/V now/R ./.",
    "parser": "#text=the/DET mill/NOUN grinds/VERB grain/NOUN ./PUNCT",
    "segmenter": "#text=この海を見た。",
}
each_kind = pytest.mark.parametrize("kind", TYPED)

CONTRAST = """
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const over = ([r, g, b, a = 1], below) => [r, g, b].map((one, at) => a * one + (1 - a) * below[at]);
  const light = (colour) => {
    const [r, g, b] = colour.map((one) => (one /= 255) <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (one) => {
    const chain = [];
    for (let at = one; at; at = at.parentElement) chain.unshift(channels(getComputedStyle(at).backgroundColor));
    return chain.reduce((below, colour) => over(colour, below), [255, 255, 255]);
  };
  const poor = [];
  for (const one of document.querySelectorAll("body *")) {
    const hasText = [...one.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
    if (!hasText || !one.checkVisibility() || one instanceof SVGElement) continue;
    const back = behind(one), text = over(channels(getComputedStyle(one).color), back);
    const [high, low] = [light(text), light(back)].sort((a, b) => b - a);
    if ((high + 0.05) / (low + 0.05) < 4.5) poor.push([one.className, one.textContent.slice(0, 30)]);
  }
  return poor;
"""


@each_kind
def test_the_page_is_in_order(page, site, kind):
    address = site(kind)
    page.open(f"{address}{TYPED[kind]}")
    assert page.one(".verdict").is_displayed()
    ids = page.driver.execute_script("return [...document.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(ids) == len(set(ids))
    for control in page.all("input, select, textarea, button, [role=button], [tabindex='0']"):
        assert control.accessible_name or not control.is_displayed(), control.get_attribute("outerHTML")
    assert page.texts("h1") == ["model"]
    assert {requested.split("#")[0].startswith(f"{address}/") for requested in page.requested()} == {True}
    assert page.complaints() == []


@each_kind
def test_small_screens_show_all_of_it_in_colours_that_can_be_read(page, site, kind):
    page.open(f"{site(kind)}{TYPED[kind]}", width=360)
    wide = page.driver.execute_script(
        "return document.documentElement.scrollWidth > document.documentElement.clientWidth"
    )
    assert not wide
    assert page.driver.execute_script(CONTRAST) == []
    page.prefer("dark")
    assert page.driver.execute_script(CONTRAST) == []


def test_the_keyboard_does_everything_for_rows(page, site):
    page.open(site("foods"))
    page.key(Keys.TAB)
    assert page.focused == "Skip to the playground"
    page.key(Keys.ENTER).key(Keys.TAB)
    assert page.focused == "Features"
    page.key("unheard-of ")
    page.wait(lambda: "unheard-of unknown" in page.texts(".chip-name"))
    page.settled()
    before = page.score
    page.key(Keys.TAB)
    first = page.focused
    assert first == page.texts(".chip-name")[0]
    page.key(" ")
    assert page.texts("[aria-pressed=false]") == [first]
    assert page.focused == first
    assert page.score != before
    page.key(" ")
    assert page.score == before
    page.key(Keys.END).key(Keys.DELETE)
    assert "unheard-of unknown" not in page.texts(".chip-name")
    assert page.focused == page.texts(".chip-name")[-1]
    assert outlined(page)
    page.key(Keys.TAB)
    page.key(Keys.ENTER)
    assert page.texts(".chip-name") == page.texts(".example:first-of-type bdi")


def test_the_keyboard_does_everything_for_trees(page, site):
    page.open(f"{site('trees')}#tree=(Q (W Who) (N she) (V is))")
    page.key(Keys.TAB, Keys.TAB)
    assert page.focused == "Tree"
    while "cut off" not in page.focused:
        page.key(Keys.TAB)
    assert page.focused.startswith("W")  # the root cannot be cut off
    before = page.score
    page.key(Keys.ARROW_RIGHT).key(Keys.ARROW_LEFT).key(Keys.ENTER)
    assert page.texts(".tree-card .chip-name") == ["(W Who)"]
    assert "cut off" in page.focused
    while page.focused != "(W Who)":
        page.key(Keys.TAB)
    page.key(" ")
    assert page.score == before
    assert "cut off" in page.focused


def test_the_keyboard_chooses_decisions(page, site):
    page.open(f"{site('tagger')}{TYPED['tagger']}")
    while not page.focused.startswith("the"):
        page.key(Keys.TAB)
    page.key(Keys.ARROW_RIGHT).key(Keys.ENTER)
    assert page.texts(".answer h2") == ["Decision: old"]
    assert page.focused.startswith("old")


def outlined(page):
    style = "return getComputedStyle(document.activeElement).outlineStyle"
    return page.driver.execute_script(style) != "none"


def test_a_server_that_goes_is_missed_and_one_that_comes_back_is_asked(page, models):
    app = create_app(models("foods"))
    with serving(app) as address:
        page.open(f"{address}#on=salty&on=soft")
        before = page.verdict, page.score
    page.press(".chip-name", "soft")
    page.wait(lambda: page.one("#notice").is_displayed())
    assert "does not answer" in page.one("#notice").text
    assert page.is_stale
    assert (page.verdict, page.score) == before
    with serving(create_app(models("foods")), port=int(address.rpartition(":")[2])):
        page.press("#notice button")
        page.wait(lambda: not page.is_stale)
        assert not page.one("#notice").is_displayed()
        assert page.driver.switch_to.active_element.get_attribute("id") == "content"
        assert page.score != before[1]


def test_where_nothing_is_asked_no_server_is_missed(page, models):
    with serving(create_app(models("tagger"))) as address:
        page.open(f"{address}#text=the/D")
    page.write("the/D mill/N")
    page.wait(lambda: page.one("#notice").is_displayed())
    page.write(" ")
    assert not page.one("#notice").is_displayed()
    assert not page.one(".results").is_displayed()


def test_without_an_answer_there_is_no_page_but_a_sentence(page, site):
    page.driver.execute_cdp_cmd("Network.enable", {})
    page.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*/api/model"]})
    try:
        page.driver.get("about:blank")
        page.driver.get(site("foods"))
        page.wait(lambda: page.one("#notice").is_displayed())
        page.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
        page.press("#notice button")
        page.wait(lambda: page.all(".verdict strong"))
    finally:
        page.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})


class BusyAtFirst:
    """Refuses the first question."""

    def __init__(self, app):
        self.app, self.is_first = app, True

    async def __call__(self, scope, receive, send):
        answers = self.app
        if self.is_first and scope.get("path") == "/api/explain":
            self.is_first = False
            error = {"error": {"code": "busy", "message": "64 requests are under way", "where": None}}
            answers = JSONResponse(error, 503, {"Retry-After": "1"})
        await answers(scope, receive, send)


def test_a_busy_server_is_asked_again(page, models):
    app = create_app(models("foods"))
    app.add_middleware(BusyAtFirst)
    with serving(app) as address:
        page.driver.get(f"{address}#on=salty")
        page.wait(lambda: page.all("#notice") and "64 requests are under way" in page.one("#notice").text)
        page.wait(lambda: page.all(".verdict strong"))
        assert not page.one("#notice").is_displayed()


def test_of_a_picture_only_shapes_and_texts_are_left(page, site):
    page.open(site("foods"))
    source = """<svg xmlns="http://www.w3.org/2000/svg" onload="document.title='taken'" style="color:red">
      <script>document.title = "taken"</script><a href="javascript:1"><text>link</text></a>
      <foreignObject><b>x</b></foreignObject><image href="http://example.org/x.png"/>
      <g data-node="0" tabindex="0"><text onclick="x()" x="1">kept</text></g></svg>"""
    script = """
      const [source, done] = arguments;
      import("/page/picture.js").then(({ picture }) => {
        const made = picture(source);
        document.body.append(made);
        const parts = [...made.querySelectorAll("*"), made];
        done(parts.map((one) => [one.localName, one.getAttributeNames().sort()]));
      });
    """
    kept = page.driver.execute_async_script(script, source)
    assert kept == [["g", ["data-node", "tabindex"]], ["text", ["x"]], ["svg", ["xmlns"]]]
    assert "playground" in page.driver.title
    assert not any("example.org" in address for address in page.requested())
