"""Data files: one module per format, and how a file's kind is recognised by its content."""
