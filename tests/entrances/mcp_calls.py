"""A project with surroundings of its own, and a client that calls the MCP server in memory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest

import memkit
from memkit.settings import Environment

pytest.importorskip("mcp", reason="needs the package mcp: pip install 'memkit[mcp]'")

from mcp import Client

from memkit.entrances.mcp_server.consent import Door
from memkit.entrances.mcp_server.serving import build


@dataclass
class Place:
    """A project folder in a home of its own."""

    home: Path
    project: Path
    environment: Environment

    def enable(self) -> None:
        memkit.enable(self.project, environment=self.environment)

    def open(self):
        return memkit.open(self.project, environment=self.environment)

    def say(self, text: str) -> None:
        """Write the user's settings file, with consent for this project."""
        self.environment.config_file.write_text(f'{text}\n[projects."{self.project}"]\nenabled = true\n')


def place_in(folder: Path) -> Place:
    home, project = folder / "home", folder / "home" / "shop"
    project.mkdir(parents=True)
    return Place(home, project, Environment(home=home, config_file=home / "config.toml"))


def with_client(place: Place, talk, **options):
    """Run `talk(client)` against a server for the place."""

    async def session():
        door = Door(str(place.project), None, place.environment)
        try:
            async with Client(build(door, **options)) as client:
                return await talk(client)
        finally:
            door.close()

    return anyio.run(session)


def call(place: Place, tool: str, /, _options=None, **arguments):
    """One call: the structured answer, or the words of the refusal."""

    async def talk(client):
        answer = await client.call_tool(tool, arguments)
        return answer.content[0].text if answer.is_error else answer.structured_content

    return with_client(place, talk, **(_options or {}))


def names(place: Place) -> list[str]:
    async def talk(client):
        return [tool.name for tool in (await client.list_tools()).tools]

    return with_client(place, talk)
