"""What was learned: machines, collections of them, how scores become classes and probabilities, and model files."""
