"""Measurements, one file per claim: answers asserted equal first, then timed side by side, ratios in one run."""
