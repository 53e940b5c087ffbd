"""Entries written out for other programs, people and stores: JSON lines, Parquet, Markdown, panel results.

What it holds. `formats` says how an entry looks in each format, `columns` what a row of Parquet has, `export` puts a
folder together and describes it in `_manifest.json`, `report` is what an export answers.

What it promises. An export changes nothing in a store and works while memory is off. Secrets are masked on the way out
as they are on the way in, and counted. The folder appears under its name when it is whole, or not at all; a folder with
something in it is never written into. Every file is in the manifest with rows, bytes and SHA-256; what could not be
read, and what a format has no place for, is listed with its reason. JSON lines taken into an empty store give the same
store: ids, times, editions, sources.

How it is checked. Round trips are compared entry by entry, each format is read back by an engine that does not know
memkit, and a fault at every step of the writer leaves no folder under the export's name.
"""
