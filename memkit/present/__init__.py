"""Results made visible, never computing."""
