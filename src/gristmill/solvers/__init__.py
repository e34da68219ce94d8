"""How weights are found: online, in batch, by cutting planes."""
