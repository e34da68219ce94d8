"""Segmenters: text without spaces in, words out."""
