"""Pages as a browser reads them: what is markup, what is text, and whether every element ends."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_VOID = {"br", "col", "hr", "img", "input", "link", "meta"}
NAMESPACE = "http://www.w3.org/2000/svg"  # a name, that nobody fetches


class Page(HTMLParser):
    """Elements in their order, with attributes, and the texts between them."""

    def __init__(self, source):
        super().__init__(convert_charrefs=True)
        self.elements, self.texts, self._open = [], [], []
        self.feed(source)
        self.close()
        assert self._open == [], f"elements without an end: {self._open}"

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.texts.append("")
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open, f"</{tag}> without a begin"
        assert self._open.pop() == tag
        self.texts.append("")

    def handle_data(self, data):
        self.texts.append((self.texts.pop() if self.texts else "") + data)

    def all(self, tag):
        """Attributes of all elements of that name."""
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def text(self):
        return " ".join(text for text in self.texts if text.strip())


def addresses(source):
    """Whatever looks like an address of something outside, but for the name of SVG."""
    return [found for found in re.findall(r"(?:https?:)?//[\w.-]+[^\s\"'<>)]*", source) if found != NAMESPACE]


def assert_harmless(source):
    """Well-formed, and nothing in it runs or is fetched; returns the page."""
    page = Page(source)
    assert not {"script", "iframe", "object", "embed", "link", "base"} & {name for name, _ in page.elements}
    assert not [key for _, attributes in page.elements for key in attributes if key.startswith("on")]
    assert addresses(source) == []
    return page
