"""The dashboard's charts as Vega-Lite: as wide as the page, which adds the colours of light and dark.

`data_*` gives the rows that a chart shows; `draw_*` only draws them.
"""
