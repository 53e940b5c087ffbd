"""Results as charts. Each chart is a Vega-Lite specification file beside this one; Python supplies rows and a theme.

`chart` holds what a chart is and who draws it (vl-convert, of the extra `charts`), `series` which rows it shows of a
result. `themes.json` has the colours of light and dark; a specification names none. Beside every chart stands a table
that says the same: no one needs the picture, and no one needs its colours.
"""
