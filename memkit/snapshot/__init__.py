"""Parquet segments derived from the store; may be deleted at any time."""
