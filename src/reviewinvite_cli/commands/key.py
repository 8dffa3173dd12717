"""`key`: create, list and revoke API keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from reviewinvite_cli.asking import YesOption, require_consent
from reviewinvite_cli.context import open_application
from reviewinvite_cli.errors import unwrap
from reviewinvite_cli.options import JsonOption, SiteIdArgument, argument, option
from reviewinvite_cli.output import print_facts, print_json, print_table, tell
from reviewinvite_cli.times import timed

if TYPE_CHECKING:
    from reviewinvite_core.values import ApiKey
    from reviewinvite_core.wire.shops import OperatorKey


app = typer.Typer(help="Create, list and revoke API keys.", rich_markup_mode=None)


@app.command()
def create(
    context: typer.Context,
    site_id: SiteIdArgument,
    label: Annotated[str, option("--label", "LABEL", "A label for this key.")] = "",
    json: JsonOption = False,
) -> None:
    """Create an API key for a shop. It is shown only once; only its hash and last four characters are stored."""
    with open_application(context) as application:
        new = unwrap(application.api_keys.create(site_id, label))
    if json:
        print_json({"keyId": new.api_key.key_id, "key": new.secret.text})
    else:
        print_facts((("Key id", new.api_key.key_id), ("Key", new.secret.text)))
        tell("Save this key now; it won't be shown again. Use it only on the shop's server.")


@app.command("list")
def list_(context: typer.Context, site_id: SiteIdArgument, json: JsonOption = False) -> None:
    """List a shop's keys, oldest first, including revoked ones."""
    with open_application(context) as application:
        keys = unwrap(application.api_keys.list(site_id))
    if json:
        from reviewinvite_core.wire.json_converter import as_json

        print_json([{**as_json(_shape_of(key)), "siteId": site_id} for key in keys])
    elif not keys:
        tell(f"The shop has no keys. Create one: reviewinvite key create {site_id}")
    else:
        rows = [(key.key_id, f"...{key.last_four}", key.created_at, key.revoked_at, key.label) for key in keys]
        print_table(("KEY ID", "KEY", timed("CREATED"), timed("REVOKED"), "LABEL"), rows)


@app.command()
def revoke(
    context: typer.Context,
    key_id: Annotated[str, argument("KEY_ID", "The key's id, from `key list`.")],
    yes: YesOption = False,
    json: JsonOption = False,
) -> None:
    """Revoke a key: it is refused from the next request on. This cannot be undone."""
    warning = f"programs that use {key_id} are refused from their next request on. This cannot be undone."
    require_consent(context, yes=yes, warning=warning, question="Revoke this key?")
    with open_application(context) as application:
        key = unwrap(application.api_keys.revoke(key_id))
    if json:
        print_json(_shape_of(key))
    else:
        print_facts((("Key id", key.key_id), ("Key", f"...{key.last_four}"), ("Revoked", key.revoked_at)))


def _shape_of(key: ApiKey) -> OperatorKey:
    from reviewinvite_core.wire.shops import OperatorKey

    return OperatorKey.of(key)
