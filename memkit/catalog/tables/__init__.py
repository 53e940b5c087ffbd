"""Selects from which the tables of the database `base` are made again whenever the store has changed."""
