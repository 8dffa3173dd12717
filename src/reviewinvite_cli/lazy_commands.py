"""Import a command when it is named, so that `--version` and each command start without the others."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Iterable
from importlib import import_module
from typing import Any

import typer

from reviewinvite_cli.usage import HelpfulGroup, show_helpfully


class LazyCommands(UserDict[str, Any]):
    """The commands by name, in the order of the help page; each is imported and built when it is first looked up."""

    def __init__(self, names: Iterable[str]) -> None:
        """Take the names; the module of `signing-key` is `commands.signing_key`."""
        super().__init__()
        self.data = dict.fromkeys(names)

    def __getitem__(self, name: str) -> Any:
        if self.data[name] is None:
            self.data[name] = _build(name)
        return self.data[name]


def lazy_group(*names: str) -> type[HelpfulGroup]:
    """Return the class of a group that has these commands."""

    class LazyGroup(HelpfulGroup):
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            self.commands = LazyCommands(names)

    return LazyGroup


def _build(name: str) -> Any:
    """Return typer's command for the module's `app`, which has subcommands, or else for its function of that name."""
    module = import_module(f"reviewinvite_cli.commands.{name.replace('-', '_')}")
    parent = typer.Typer(rich_markup_mode=None)
    if hasattr(module, "app"):
        parent.add_typer(module.app, name=name)
    else:
        parent.command(name)(getattr(module, name))
    show_helpfully(parent)
    return typer.main.get_group(parent).commands[name]
