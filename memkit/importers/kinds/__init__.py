"""The kinds of files memkit takes in beside decision records and panel results: one module per kind.

A kind has a row in `table`, and a module with two functions: `drafts(intake)` gives one draft per item or says why
there is none; `signs(look)` says by what a file of this kind is known, or "" for any other file.
"""
