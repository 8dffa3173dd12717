"""`snippet`: code for a shop's confirmation page. Spec: §4.2."""

from __future__ import annotations

from typing import Annotated

import typer

from reviewinvite_cli.context import open_application
from reviewinvite_cli.errors import unwrap, warn
from reviewinvite_cli.options import JsonOption, SiteIdArgument
from reviewinvite_cli.output import print_facts, print_json, tell

app = typer.Typer(help="Print code for a shop's pages, and the secret that signs it.", rich_markup_mode=None)


@app.callback()
def _group() -> None:
    """Print code for a shop's pages, and the secret that signs it."""


@app.command()
def embed(context: typer.Context, site_id: SiteIdArgument, json: JsonOption = False) -> None:
    """Print code for a shop's confirmation page, in two forms.

    The code reports each order from the customer's browser. Paste either form, and let the shop software fill in
    CUSTOMER_EMAIL and ORDER_NUMBER, and SIGNATURE if the shop has a snippet secret.
    """
    from reviewinvite_core.domain.embedding import SnippetEmbed

    with open_application(context) as application:
        shop = unwrap(application.shops.show(site_id))
        domains = unwrap(application.domains.list(site_id))
        snippet = SnippetEmbed(shop.site_id, application.base_url, is_signed=bool(shop.snippet_secrets))
    if json:
        forms = ((snippet.tag, snippet.tag_policy), (snippet.inline, snippet.inline_policy))
        tag, inline = ({"html": html, "contentSecurityPolicy": policy} for html, policy in forms)
        print_json({"siteId": shop.site_id, "tag": tag, "inline": inline})
    else:
        typer.echo(f"One tag:\n\n{snippet.tag}\n")
        typer.echo(f"Or the same without an external script:\n\n{snippet.inline}")
    if not snippet.is_secure:
        warn(f"base_url is {application.base_url}: browsers will not let https pages report to it.")
    if not any(domain.verified_at for domain in domains):
        warn(f"no verified host, so reports from this snippet will be rejected: reviewinvite domain add {site_id} HOST")


@app.command()
def secret(
    context: typer.Context,
    site_id: SiteIdArgument,
    rotate: Annotated[bool, typer.Option("--rotate", help="Draw a new secret.")] = False,
    json: JsonOption = False,
) -> None:
    """Print the secret with which the shop's server signs the snippet.

    The first call draws it. With --rotate a new one is drawn; the one before it stays valid until the next rotation.
    """
    with open_application(context) as application:
        newest = unwrap(application.shops.snippet_secret(site_id, rotate))
    if json:
        print_json({"siteId": site_id, "secret": newest.text, "replacing": newest.is_replacing})
        return
    print_facts((("Shop", site_id), ("Secret", newest.text)))
    tell("Use it only on the shop's server, never in a web page.")
    if newest.is_replacing:
        tell("The secret before it is valid until the next rotation.")
