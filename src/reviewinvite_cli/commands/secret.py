"""`secret`: change the secret that seals the key ring."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reviewinvite_cli.context import load_settings
from reviewinvite_cli.errors import FAILURE, print_error, warn
from reviewinvite_cli.output import JsonOption, print_facts, print_json, tell

if TYPE_CHECKING:
    from reviewinvite_core import RotationIncomplete, SecretRotation

app = typer.Typer(help="Change the secret that seals the key ring.", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def _group() -> None:
    """Let `rotate` be named, though it is the only command."""


@app.command()
def rotate(
    context: typer.Context,
    new_secret_file: Annotated[
        Path | None,
        typer.Option(
            "--new-secret-file",
            metavar="FILE",
            help="The new secret, or where to make it, if it is yours to keep.",
            show_default=False,
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Seal the key ring under a new secret. Addresses, repeats, links and signing keys stand.

    Where the secret is in a file, a new one is made and takes its place, and the old one is kept beside it. Where it
    is given as SECRET, or its file cannot be written, name a file with --new-secret-file; nothing but that file is
    touched. What runs goes on, and needs the new secret when it is started again.
    """
    from reviewinvite_core import RotationIncomplete, SecretBusy, SecretChanged, rotate_secret

    try:
        rotation = rotate_secret(load_settings(context), new_secret_file=new_secret_file)
    except SecretBusy:
        print_error("another process is changing the secret at this moment. Nothing was changed.")
        raise typer.Exit(FAILURE) from None
    except SecretChanged:
        print_error(
            "somebody else has just changed the secret: the one that is set does not open the database any more."
        )
        tell("Nothing was changed here.")
        raise typer.Exit(FAILURE) from None
    except RotationIncomplete as incomplete:
        _explain_incomplete(incomplete, handed=new_secret_file is not None)
        raise typer.Exit(FAILURE) from None
    if json:
        print_json(
            {
                "outcome": "finished" if rotation.earlier == "finished" else "rotated",
                "secretFile": rotation.file,
                "oldSecretFile": rotation.old_file,
                "oldRingErased": rotation.traces is None,
            }
        )
    else:
        print_facts(
            (
                ("Secret in", rotation.file),
                *((("Old secret in", rotation.old_file),) if rotation.old_file else ()),
            )
        )
        _tell_what_was_done(rotation, handed=new_secret_file is not None)
    if rotation.traces:
        warn(f"the old ring may still be in the files of the database: {rotation.traces}.")
        tell("Run `reviewinvite privacy purge` when it is quiet: it leaves none.")


def _tell_what_was_done(rotation: SecretRotation, *, handed: bool) -> None:
    if rotation.earlier == "finished" and handed:
        tell("The key ring is sealed under this secret already.")
    elif rotation.earlier == "finished":
        tell("A change that was broken off is finished. Nothing more was done: to change it once more, run it again.")
    else:
        if rotation.earlier == "undone":
            tell("A change that was broken off was undone first.")
        tell("The key ring is sealed under the new secret. All that it protects stands.")
    if handed:
        tell(f"Give the text in {rotation.file} as SECRET, or the file as SECRET_FILE: the old secret opens no more.")
    tell("What runs goes on. Whatever is started from now on, on any machine, needs the new secret.")
    tell("Backups made before open with the old one only: keep it, apart from them, for as long as you keep those.")


def _explain_incomplete(incomplete: RotationIncomplete, *, handed: bool) -> None:
    if incomplete.sealed:
        print_error(
            f"the key ring is sealed under the new secret, but its file could not be put in place: {incomplete}."
        )
    else:
        print_error(f"it is not known whether the key ring is sealed under the new secret: {incomplete}.")
    if handed:
        tell("Keep both secrets. `reviewinvite db check` with the one or the other tells which one it is.")
    else:
        tell("Both secrets are there, the new one in the file that ends with .next: leave them. The next command finds")
        tell("the right one, and puts it in place.")
