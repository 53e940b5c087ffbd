"""Sessions become candidates, candidates become records."""
