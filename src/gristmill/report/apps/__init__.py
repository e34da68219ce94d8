"""Reports on apps: taggers, segmenters, parsers and role labellers.

The results of an app get the metrics of its field, for chunks, words, trees or arguments. Then the decisions of its
machine are examples like any others, and all ordinary sections are about these.
"""
