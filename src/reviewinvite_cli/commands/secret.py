"""`secret`: change the secret that seals the key ring."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reviewinvite_cli.asking import YesOption, require_consent
from reviewinvite_cli.context import load_settings
from reviewinvite_cli.errors import FAILURE, print_error, warn
from reviewinvite_cli.options import JsonOption, option
from reviewinvite_cli.output import print_facts, print_json, tell

if TYPE_CHECKING:
    from reviewinvite_core.admin import RotationIncomplete, SecretRotation

app = typer.Typer(help="Change the secret that seals the key ring.", rich_markup_mode=None)


@app.callback()
def _group() -> None:
    """Make `rotate` a named command, though it is the only one."""


@app.command()
def rotate(
    context: typer.Context,
    new_secret_file: Annotated[
        Path | None, option("--new-secret-file", "FILE", "The file with the new secret; created if it does not exist.")
    ] = None,
    yes: YesOption = False,
    json: JsonOption = False,
) -> None:
    """Seal the key ring under a new secret. Addresses, orders, links and signing keys are not affected.

    If the secret is in a file, a new secret replaces it and the old one is kept next to it. If the secret is given as
    SECRET, or its file cannot be written, name a file with --new-secret-file; no other file is touched. Running
    processes keep working, and need the new secret when they restart.
    """
    from reviewinvite_core.admin import RotationIncomplete, SecretBusy, SecretChanged, rotate_secret

    warning = "the present secret no longer opens the database: what starts from now on needs the new one."
    require_consent(context, yes=yes, warning=warning, question="Rotate the secret?")
    try:
        rotation = rotate_secret(load_settings(context), new_secret_file=new_secret_file)
    except SecretBusy:
        print_error("another process is changing the secret right now. Nothing was changed.")
        raise typer.Exit(FAILURE) from None
    except SecretChanged:
        print_error("another process has just changed the secret: the configured one no longer opens the database.")
        tell("This command changed nothing.")
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
            (("Secret in", rotation.file), *((("Old secret in", rotation.old_file),) if rotation.old_file else ()))
        )
        _tell_what_was_done(rotation, handed=new_secret_file is not None)
    if rotation.traces:
        warn(f"the old key ring may still be in the database's files: {rotation.traces}.")
        tell("Run `reviewinvite privacy purge` at a quiet time to remove it.")


def _tell_what_was_done(rotation: SecretRotation, *, handed: bool) -> None:
    if rotation.earlier == "finished" and handed:
        tell("The key ring is already sealed under this secret.")
    elif rotation.earlier == "finished":
        tell("An interrupted change was completed; nothing else was done. To change the secret again, run this again.")
    else:
        if rotation.earlier == "undone":
            tell("An interrupted change was undone first.")
        tell("Secret rotated. The data it protects is unchanged.")
    if handed:
        tell(f"Set SECRET to the text in {rotation.file}, or SECRET_FILE to the file: the old secret no longer works.")
    tell("Running processes keep working. Anything started from now on, on any machine, needs the new secret.")
    tell("Earlier backups need the old secret: keep it as long as you keep them, but in another place.")


def _explain_incomplete(incomplete: RotationIncomplete, *, handed: bool) -> None:
    if incomplete.sealed:
        print_error(
            f"the key ring is sealed under the new secret, but the secret's file could not be replaced: {incomplete}."
        )
    else:
        print_error(f"it is unknown whether the key ring is sealed under the new secret: {incomplete}.")
    if handed:
        tell("Keep both secrets. Run `reviewinvite db check` with each of them to see which one works.")
    else:
        tell("Both secrets exist, the new one in the file that ends with .next: leave them there. The next command")
        tell("finds the right one and puts it in place.")
