"""What tests of the playground share."""

from tests.web.browser import chromium, models, page, site

__all__ = ["chromium", "models", "page", "site"]
