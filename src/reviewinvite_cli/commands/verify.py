"""`verify`: verify a signed statement as a third party, without database and secret."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated
from urllib.parse import unquote

import typer

from reviewinvite_cli.errors import FAILURE, flaw_in_words, print_error, wrong_usage
from reviewinvite_cli.options import JsonOption, argument, option
from reviewinvite_cli.output import print_facts, print_json

if TYPE_CHECKING:
    from reviewinvite_core import StatementRefused
    from reviewinvite_core.values import Statement

KEYS_PATH = "/v1/badge/public-keys"


def verify(
    context: typer.Context,
    place: Annotated[str, argument("URL|FILE", "The statement: JSON or compact JWS; - for standard input.")],
    keys: Annotated[str | None, option("--keys", "URL|FILE", "The key set; default for a URL: its origin's.")] = None,
    site: Annotated[
        str | None,
        option("--site", "SITE_ID", "The shop that the statement must be about; default: the one in the URL, if any."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Verify a signed statement about a shop.

    Exits with 0 if the statement is valid now and says `trusted`, and with 1 otherwise.

    For a URL .../v1/verify/SITE_ID, the keys come from the same origin, and the shop is the one in the URL. A file
    needs --keys. Neither a database nor a secret is needed. URLs must be https, or http on this machine.
    """
    from reviewinvite_cli.fetching import NotFetched, is_url, origin_of

    if keys is None and not is_url(place):
        wrong_usage(context, "a file needs --keys with the URL or file of the key set.")
    if keys == place == "-":
        wrong_usage(context, "either the statement or the key set can come from standard input, not both.")
    try:
        named = origin_of(place) + KEYS_PATH if keys is None else keys
        found = _verdict(place, named, _site_in(place) if site is None else site)
    except NotFetched as error:
        print_error(f"{error}.")
        raise typer.Exit(FAILURE) from None
    _tell(found, json=json)


def _verdict(place: str, keys: str, site_id: str | None) -> Statement | StatementRefused:
    from reviewinvite_cli.fetching import fetch
    from reviewinvite_core import verify_statement
    from reviewinvite_core.bootstrap.adapter_factory import machine_time

    return verify_statement(fetch(place), fetch(keys), now=machine_time(), site_id=site_id)


def _site_in(place: str) -> str | None:
    """Return the shop in a service's verification URL, or None for any other URL or file."""
    from reviewinvite_cli.fetching import is_url, parts_of

    found = re.search(r"/v1/verify/([^/]+)/?$", parts_of(place).path) if is_url(place) else None
    return unquote(found[1]) if found else None


def _tell(found: Statement | StatementRefused, *, json: bool) -> None:
    from reviewinvite_core import StatementRefused
    from reviewinvite_core.values import Status

    if isinstance(found, StatementRefused):
        if json:
            print_json({"valid": False, "reason": found.reason, "statement": None})
        print_error(f"not valid: {flaw_in_words(found.reason)}.")
        raise typer.Exit(FAILURE)
    if json:
        print_json({"valid": True, "reason": None, "statement": found.claims})
    else:
        _print_statement(found)
    if found.status is not Status.TRUSTED:
        print_error(f"the signature is valid, but the statement says `{found.status}`, not `trusted`.")
        raise typer.Exit(FAILURE)


def _print_statement(statement: Statement) -> None:
    claims = statement.claims
    print_facts(
        (
            ("Status", statement.status),
            ("Shop", _harmless(statement.site_id)),
            ("Name", _harmless(statement.name)),
            ("Domains", _harmless(", ".join(statement.domains))),
            ("Reviews", statement.count),
            ("Mean", statement.mean),
            ("Issued", claims["issuedAt"]),
            ("Expires", claims["expiresAt"]),
        )
    )


def _harmless(text: str) -> str:
    r"""Return the text with characters that move the cursor or change direction escaped, for example as `\u202e`."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)
