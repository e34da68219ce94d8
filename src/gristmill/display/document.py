"""A whole page in one file that opens offline: style and pictures inside, nothing fetched."""

from __future__ import annotations

import base64
import hashlib

from gristmill.display.markup import Child, Html, element, joined
from gristmill.display.style import stylesheet


def document(title: str, body: Child, *, description: str | None = None, script: str | None = None) -> str:
    """The page. A policy in it forbids whatever is not in the file; of scripts only this one runs.

    Parameters
    ----------
    title : str
        Of the window; the heading is part of the body.
    body : Html, or several
        What is on the page, in `<main>`.
    description : str or None
        For those who list pages.
    script : str or None
        JavaScript that the page has.
    """
    head = [
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(script)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", title),
        element("meta", name="description", content=description) if description else None,
        element("style", Html(stylesheet())),
    ]
    skip = element("a", "Skip to the content", href="#content", class_="gm-skip")
    content = [skip, element("main", body, id="content", tabindex=-1)]
    if script is not None:
        content.append(element("script", Html(_checked(script))))
    page = element("html", element("head", head), element("body", content, class_="gm-page"), lang="en")
    return str(joined(Html("<!doctype html>\n"), page, Html("\n")))


def _policy(script: str | None) -> str:
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
    if script is None:
        return policy
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"{policy}; script-src 'sha256-{digest}'"


def _checked(script: str) -> str:
    """As it is: what would end the element early, or begin a comment, has no place in it."""
    if "</script" in script.lower() or "<!--" in script:
        raise ValueError("a script on a page cannot hold '</script' or '<!--'; write '<\\/script' or '<\\!--'")
    return script
