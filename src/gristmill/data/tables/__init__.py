"""Tables of numbers, categories, dates and booleans, read in one way and encoded as discrete fields."""
