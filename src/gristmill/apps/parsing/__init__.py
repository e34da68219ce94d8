"""Dependency parsers: sentences in, trees out."""
