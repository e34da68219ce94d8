"""Evaluation: metrics, curves, calibration, summaries of data and models, comparison of engines."""
