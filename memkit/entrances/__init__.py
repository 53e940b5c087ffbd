"""Command line, magics, agents: parse, call Memory, print."""
