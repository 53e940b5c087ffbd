"""A snapshot and its tail seen through DuckDB.

`Catalog` holds an in-memory DuckDB over one store or several. Underneath lie a few tables in the database `base`:
checked segments and the tail, and what is derived from both; on top stand the views people ask, one whole select each
in `views/*.sql`. Segments are read in place; from the second ranking on, postings are held as arrays too (`postings`).
DuckDB never parses a file of the store itself: damage is found while the store reads, and shows as rows of the view
`quarantine`.

Whatever is stored through the same Memory is visible at the next call, what others store after `refresh`. A reader
never holds a lock of the store. Every question runs on a cursor of its own in a read-only transaction, so many threads
may ask at once; recall's own statement stays prepared on one cursor behind a lock.

No replacement scans, no extensions loaded or fetched, times in UTC, spill files only in the folder the caller gave.

SQL stands in `.sql` files with a header that a test compares with the query (`queries.Query`).
"""
