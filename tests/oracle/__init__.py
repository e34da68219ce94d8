"""Slow, obvious definitions that native code is compared with."""
