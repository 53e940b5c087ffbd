"""How well recall finds what people look for, beside two search engines on the same texts and questions.

`queries.tsv` holds 150 questions over the samples, written and labelled by hand before anything was tuned: by words of
the text, by other forms of those words, by meaning. `make quality` prints the table; with `DATA=DIR` also one for
conversation files in the shape of LoCoMo, which are not part of memkit.
"""
