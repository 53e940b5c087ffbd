"""The views people ask: one select each, stable names, described in docs/reference/views.md."""
