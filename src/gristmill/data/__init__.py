"""Data: binary rows, forests of trees, examples of several fields, and where they come from."""
