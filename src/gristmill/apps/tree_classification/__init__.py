"""Classifiers of trees: parse trees, code, XML in, a class for each tree out."""
