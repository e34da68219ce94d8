"""Display: charts, bars, tables and trees as HTML and SVG. One place for colours, type and sizes.

Notebooks, reports, the playground and the pages of results draw with these. Nothing here knows a machine.
"""
