"""Other people's formats become results, with an account of what was read and what was not.

An importer reads files and returns drafts: what would be stored, where each field came from, and what could not be
understood. It stores nothing. `run` compares the drafts with what the store already holds and says, for every file it
saw, one of: imported, unchanged, updated, skipped, rejected. Nothing is dropped without a reason.
"""
