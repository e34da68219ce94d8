"""From raw text to trees: tokenizer, tagger, lemmatizer and parser, one after another."""
