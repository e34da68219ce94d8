"""Tokenizers: raw text in, sentences and their tokens out."""
