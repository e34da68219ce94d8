"""The playground: a model behind a small JSON API, and a page to try it on."""
