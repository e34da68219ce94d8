"""Trees converted to vectors of frequent fragments (FREQTM), so that a tree kernel becomes a dot product."""
