"""Commands with their help and usage: decorated on a terminal, plain elsewhere; arguments by name, as in docs/cli.md.

A command is imported when it is named, so that `--version` and each command start without the others.
"""

from __future__ import annotations

import re
from collections import UserDict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from inspect import cleandoc
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from reviewinvite_cli.errors import GO_ON
from reviewinvite_cli.streams import is_decorated

_DASHED_KEY_ID = re.compile("-[A-Za-z0-9_-]{42}")  # a signing key's thumbprint in base64url


class HelpfulCommand(TyperCommand):
    """A command that shows its arguments by name only, and accepts a key id that begins with `-`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Treat anything in the form of a key id as one: one in 64 begins with `-` and looks like an option."""
        if any(one.metavar == "KEY_ID" for one in self.params) and "--" not in args:
            ids = [each for each in args if _DASHED_KEY_ID.fullmatch(each)]
            args = [*(each for each in args if each not in ids), "--", *ids]
        with _helpful_errors(ctx):
            return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return `[OPTIONS]` and the arguments."""
        return [piece.strip("{}") for piece in super().collect_usage_pieces(ctx)]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help: by rich on a terminal, as plain text elsewhere."""
        _choose_manner(self, ctx)
        super().format_help(ctx, formatter)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the sections `Arguments` and `Options`."""
        for kind, heading in (("argument", "Arguments"), ("option", "Options")):
            chosen = [one for one in self.get_params(ctx) if one.param_type_name == kind]
            rows = [_row(one, ctx) for one in chosen if not one.hidden]  # type: ignore[attr-defined]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)


class HelpfulGroup(TyperGroup):
    """A group of commands that prints its help and exits with 0 if none is named."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Print the help if nothing was asked."""
        if not args and not ctx.resilient_parsing:
            print_help(ctx)
            ctx.exit()
        with _helpful_errors(ctx):
            return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help: by rich on a terminal, as plain text elsewhere."""
        _choose_manner(self, ctx)
        super().format_help(ctx, formatter)
        self.rich_markup_mode = None  # errors look the same everywhere


@contextmanager
def _helpful_errors(context: Any) -> Iterator[None]:
    """Name a parameter as everywhere in the errors of the block, and say where a misplaced global option belongs."""
    try:
        yield
    except typer.BadParameter as error:
        _say_as_everywhere(error, context)
        raise
    except typer.exceptions.TyperException as error:
        _place_global_option(getattr(error, "option_name", None), context)
        raise


def _place_global_option(name: str | None, context: Any) -> None:
    """Say where the option belongs if it is a global one given after the command.

    Raises: `UsageError`.
    """
    root = context.find_root()
    if name is None or context is root:
        return
    for one in root.command.get_params(root):
        if name in one.opts and not one.is_eager:
            given = name if one.is_flag else f"{name} {one.metavar}"
            command = context.command_path.removeprefix(root.info_name)
            context.fail(f"{name} comes before the command: {root.info_name} {given}{command}")


def _say_as_everywhere(error: typer.BadParameter, context: Any) -> None:
    """Name the parameter without quotes; a sentence that goes on from its name follows it.

    Raises: `UsageError`.
    """
    if error.param is None or error.param_hint or not error.message:
        return
    name = error.param.opts[0] if error.param.param_type_name == "option" else error.param.metavar
    if error.message.startswith(GO_ON):
        context.fail(f"{name} {error.message}")
    error.param_hint = name


def _choose_manner(command: Any, context: Any) -> None:
    """Let typer use rich if standard output is a terminal; without types, which say nothing about the values."""
    command.rich_markup_mode = "rich" if is_decorated() else None
    command.help = re.sub(r"(?<=\S)\n(?=\S)", " ", cleandoc(command.help or ""))
    for one in command.get_params(context):
        shown = one.metavar if one.param_type_name == "option" and not one.is_flag else None
        one.display_type_rich = lambda ctx, shown=shown: shown  # noqa: ARG005 - called by its name


def print_help(context: Any) -> None:
    """Print the help of a context's command; rich prints it by itself and returns nothing."""
    text = context.get_help()
    if text:
        typer.echo(text)


def _row(parameter: Any, context: Any) -> tuple[str, str]:
    name, text = parameter.get_help_record(context)
    return (parameter.metavar if parameter.param_type_name == "argument" else name), text


def show_helpfully(app: typer.Typer) -> None:
    """Make all commands of `app` and its groups use `HelpfulCommand` and `HelpfulGroup`."""
    for command in app.registered_commands:
        command.cls = HelpfulCommand
    for group in app.registered_groups:
        group.cls = HelpfulGroup
        if group.typer_instance:
            show_helpfully(group.typer_instance)


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
