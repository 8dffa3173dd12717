"""`signing-key`: list, rotate and revoke the keys that sign statements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from reviewinvite_cli.asking import YesOption, require_consent
from reviewinvite_cli.context import open_application
from reviewinvite_cli.errors import unwrap
from reviewinvite_cli.options import JsonOption, argument
from reviewinvite_cli.output import print_facts, print_json, print_table, tell
from reviewinvite_cli.times import moment, timed

if TYPE_CHECKING:
    from reviewinvite_core.values import KeySet, SigningKey
    from reviewinvite_core.wire.statements import OperatorSigningKey

app = typer.Typer(help="List, rotate and revoke the keys that sign statements.", rich_markup_mode=None)


@app.command("list")
def list_(context: typer.Context, json: JsonOption = False) -> None:
    """List all signing keys, including retired ones, oldest first. Private keys are never shown."""
    with open_application(context) as application:
        keys = application.signing_keys.list()
    if json:
        print_json(list(map(_shape_of, keys)))
    elif not keys:
        tell("There are no signing keys yet. The first request for a statement or the key set creates them.")
    else:
        rows = [(key.key_id, key.state, key.announced_at, key.signing_since, key.ended_at) for key in keys]
        print_table(("KEY ID", "STATE", timed("ANNOUNCED"), timed("SIGNING SINCE"), timed("ENDED")), rows)


@app.command()
def rotate(
    context: typer.Context,
    now: Annotated[bool, typer.Option("--now", help="Do not wait for the 24 hours (emergency).")] = False,
    json: JsonOption = False,
) -> None:
    """Sign with the standby key, and announce a new standby.

    The standby must have been published for 24 hours, so that every verifier knows it; --now skips that.
    """
    with open_application(context) as application:
        keys = application.signing_keys.rotate_now() if now else unwrap(application.signing_keys.rotate())
    _print_keys(keys, json=json)


@app.command()
def compromised(
    context: typer.Context,
    key_id: Annotated[str, argument("KEY_ID", "The key's id, from `signing-key list`.")],
    yes: YesOption = False,
    json: JsonOption = False,
) -> None:
    """Revoke a compromised key immediately. If it was signing, the standby key signs from now on.

    This cannot be undone. Offline verifiers accept the key until they fetch the key set again.
    """
    warning = f"statements signed with {key_id} are no longer valid. This cannot be undone."
    require_consent(context, yes=yes, warning=warning, question="Revoke this signing key?")
    with open_application(context) as application:
        keys = unwrap(application.signing_keys.revoke(key_id))
    _print_keys(keys, json=json)


def _print_keys(keys: KeySet, *, json: bool) -> None:
    if json:
        print_json(list(map(_shape_of, keys.published)))
    else:
        print_facts((("Signing", keys.signing.key_id), ("Standby", keys.standby.key_id)))
        tell(f"The standby key can be used from {moment(keys.standby.ripe_at)}.")


def _shape_of(key: SigningKey) -> OperatorSigningKey:
    from reviewinvite_core.wire.statements import OperatorSigningKey

    return OperatorSigningKey.of(key)
