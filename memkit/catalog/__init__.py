"""A snapshot and its tail seen through DuckDB."""
