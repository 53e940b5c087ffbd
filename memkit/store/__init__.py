"""Durable files: the only floor that writes truth."""
