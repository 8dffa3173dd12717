"""Show a command's usage and arguments: `SITE_ID`, as in docs/cli.md, without braces and types."""

from __future__ import annotations

import re
from typing import Any

import typer
from typer.core import TyperCommand

_DASHED_KEY_ID = re.compile("-[A-Za-z0-9_-]{42}")  # a signing key's thumbprint in base64url


class PlainCommand(TyperCommand):
    """A command that shows its arguments by name only, and accepts a key id that begins with `-`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Treat anything in the form of a key id as one: one in 64 begins with `-` and looks like an option."""
        if any(one.metavar == "KEY_ID" for one in self.params) and "--" not in args:
            ids = [each for each in args if _DASHED_KEY_ID.fullmatch(each)]
            args = [*(each for each in args if each not in ids), "--", *ids]
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return `[OPTIONS]` and the arguments."""
        return [piece.strip("{}") for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the sections `Arguments` and `Options`."""
        for kind, heading in (("argument", "Arguments"), ("option", "Options")):
            rows = [_row(one, ctx) for one in self.get_params(ctx) if one.param_type_name == kind]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)


def _row(parameter: Any, context: Any) -> tuple[str, str]:
    name, text = parameter.get_help_record(context)
    return (parameter.metavar if parameter.param_type_name == "argument" else name), text


def show_plainly(app: typer.Typer) -> None:
    """Make all commands of `app` and its groups use `PlainCommand`."""
    for command in app.registered_commands:
        command.cls = PlainCommand
    for group in app.registered_groups:
        if group.typer_instance:
            show_plainly(group.typer_instance)
