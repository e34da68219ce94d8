"""Reports on programs: taggers, segmenters, parsers and role labellers.

What a program finds is judged as its field does it, by chunks, words, trees or arguments. Then the decisions of its
machine are examples like any others, and all ordinary sections are about these.
"""
