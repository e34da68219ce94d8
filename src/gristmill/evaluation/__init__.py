"""How good answers are: metrics, curves, calibration, summaries of models, and comparisons of engines."""
