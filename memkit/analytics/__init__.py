"""One module, one question, one `.sql` file of the same stem.

An analysis takes a catalog, asks it one whole query and returns a typed, frozen result: rows, the moment it was asked
about (`as_of`), and ways out (`to_arrow`, `to_pandas`). It computes and never draws; `present` draws and never
computes. "Now" is always a parameter. Hard sums are checked against a second, naive implementation in the tests.
"""
