"""`trustmark`: grant and revoke a shop's trust mark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from reviewinvite_cli.context import open_application
from reviewinvite_cli.errors import unwrap
from reviewinvite_cli.options import JsonOption, SiteIdArgument
from reviewinvite_cli.output import print_facts, print_json, tell

if TYPE_CHECKING:
    from reviewinvite_core.values import Shop

app = typer.Typer(help="Grant and revoke trust marks.", rich_markup_mode=None)


@app.command()
def grant(context: typer.Context, site_id: SiteIdArgument, json: JsonOption = False) -> None:
    """Grant a shop the trust mark.

    Its statements and badge show it from now on.
    """
    with open_application(context) as application:
        shop = unwrap(application.trust_marks.grant(site_id))
    _print_trust_mark(shop, json=json)


@app.command()
def revoke(context: typer.Context, site_id: SiteIdArgument, json: JsonOption = False) -> None:
    """Revoke a shop's trust mark.

    The badge becomes empty, and statements say that the mark is revoked.

    Statements issued earlier remain valid until they expire, at most 10 minutes later.
    """
    with open_application(context) as application:
        shop = unwrap(application.trust_marks.revoke(site_id))
    _print_trust_mark(shop, json=json)


def _print_trust_mark(shop: Shop, *, json: bool) -> None:
    if json:
        print_json({"siteId": shop.site_id, "trustMark": shop.trust_mark, "status": shop.status})
        return
    print_facts((("Shop", shop.site_id), ("Trust mark", shop.trust_mark)))
    if not shop.active:
        tell("The shop is not active: its statements say `inactive` until you activate it.")
