"""The numerical guard: random machines, scored by every engine and in exact arithmetic beside it."""
