"""Taggers and chunkers: sequences of tokens in, a tag for each token out."""
