"""Machine -> Scorer: engines that evaluate a machine fast, the scorer, and the cache of compiled scorers."""
