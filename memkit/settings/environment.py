"""What memkit takes from the process it runs in, as a value that a test can make up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from memkit.errors import SettingsError

PREFIX = "MEMKIT_"


@dataclass(frozen=True, slots=True)
class Environment:
    """The surroundings of a call.

    Attributes:
        home: What `~` means.
        config_file: The user's own settings file; it need not exist.
        env: The variables whose names start with `MEMKIT_`; nothing else of the process's environment is kept.
    """

    home: Path
    config_file: Path
    env: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @classmethod
    def from_process(cls) -> Environment:
        """Read the process: the only place of memkit that does.

        The settings file is `config.toml` in the folder `memkit` of the user's configuration
        (`$XDG_CONFIG_HOME`, by default `~/.config`, on Linux).

        Raises:
            SettingsError: the operating system knows no home folder for this user.
        """
        import os

        from platformdirs import user_config_path

        try:
            home = Path.home()
        except RuntimeError as error:
            raise SettingsError(
                "no home folder is known", field="HOME", remedy="Set HOME to a folder of your own."
            ) from error
        if not home.is_absolute():
            raise SettingsError(
                f"{str(home)!r} is not an absolute path", field="HOME", remedy="Set HOME to a folder of your own."
            )
        return cls(
            home=home,
            config_file=user_config_path("memkit") / "config.toml",
            env=MappingProxyType({name: value for name, value in os.environ.items() if name.startswith(PREFIX)}),
        )
