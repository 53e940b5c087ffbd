"""Timings, printed; ratios in one run, asserted by the smoke run. Never a timed test."""
