"""Reports: all that is known of a model and how it does on some data, as one page to keep."""
