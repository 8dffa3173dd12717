"""`snippet`: code for a shop's confirmation page. Spec: §4.2."""

from __future__ import annotations

import typer

from reviewinvite_cli.context import open_application
from reviewinvite_cli.errors import unwrap, warn
from reviewinvite_cli.output import JsonOption, SiteIdArgument, print_json

app = typer.Typer(help="Print code for a shop's pages.", rich_markup_mode=None)


@app.callback()
def _group() -> None:
    """Print code for a shop's pages."""


@app.command()
def embed(context: typer.Context, site_id: SiteIdArgument, json: JsonOption = False) -> None:
    """Print code for a shop's confirmation page, in two forms.

    The code reports each order from the customer's browser. Paste either form, and let the shop software fill in
    CUSTOMER_EMAIL and ORDER_NUMBER.
    """
    from reviewinvite_core.domain.embedding import SnippetEmbed

    with open_application(context) as application:
        shop = unwrap(application.shops.show(site_id))
        domains = unwrap(application.domains.list(site_id))
        snippet = SnippetEmbed(shop.site_id, application.base_url)
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
