"""Words made of other words by edit scripts: lemmas, and the words of multiword tokens."""
