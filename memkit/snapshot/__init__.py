"""Parquet segments derived from the store; may be deleted at any time.

A snapshot saves reading every entry again. It is a few immutable segments in `snapshots/`, each a pair of files: one
row per entry with everything the views show, and one row per term and entry with how often the term stands in each
field. `manifest.json` names the files with their rows, bytes and SHA-256, the index generation they were made from and
the byte of the index they cover; what follows that byte is the tail, read from the store. A file the manifest does not
name is never read.

`absorb` turns a tail of 256 or more entries into a segment, so the work grows with the tail and not with the store;
neighbours of similar size are merged, so a store of N entries has about log N segments and each entry is rewritten
about log N times. Everything is written under new names and counts only once the manifest is replaced, which happens
under the index lock and only if the index generation is still the one the rows were made from. `open_snapshot` checks
every file against the manifest before anything reads it: DuckDB reads a Parquet file with a flipped byte without
complaint.

A crash at any point leaves the old manifest with its files, or the new one; leftovers are swept by the next `absorb`.
"""
