"""Temporary stores for tests."""
