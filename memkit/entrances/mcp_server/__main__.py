"""`python -m memkit.entrances.mcp_server --project P [--root R]`: serve on stdin and stdout."""

from __future__ import annotations

import argparse
import logging
import os
import sys
import warnings


def main() -> None:
    """Parse the line, then serve until stdin ends."""
    parser = argparse.ArgumentParser(prog="memkit mcp serve", description="Serve one project's memory to agents.")
    parser.add_argument("--project", default=".", help="the project's folder")
    parser.add_argument("--root", default=None, help="folder of all stores")
    parser.add_argument("--verbose", action="store_true", help="say on stderr what is refused")
    asked = parser.parse_args()
    logging.basicConfig(stream=sys.stderr, level=logging.INFO if asked.verbose else logging.WARNING)
    try:
        import anyio

        from memkit.entrances.mcp_server.consent import Door
        from memkit.entrances.mcp_server.serving import serve
    except ModuleNotFoundError as error:
        if error.name not in {"mcp", "mcp_types", "anyio"}:
            raise
        sys.exit("memkit: error: the MCP server needs the package mcp. Install it with: pip install 'memkit[mcp]'")
    # One line a warning, like everything else on stderr.
    warnings.showwarning = lambda message, *_, **__: logging.getLogger("memkit.mcp").warning("%s", message)
    try:
        anyio.run(serve, Door(asked.project, asked.root))
    except* BrokenPipeError:
        os._exit(0)  # the client is gone


if __name__ == "__main__":
    main()
