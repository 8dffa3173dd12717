"""The baseline of `reviewinvite --version`: the least that typer can do.

`python -m benchmarks.bare_typer --version`
"""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo("bare 1.0")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _main(version: Annotated[bool, typer.Option("--version", callback=_print_version, is_eager=True)] = False) -> None:
    """Do nothing."""


if __name__ == "__main__":
    app()
