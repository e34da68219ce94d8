"""What tests of the playground share."""

from browser import chromium, models, page, site

__all__ = ["chromium", "models", "page", "site"]
