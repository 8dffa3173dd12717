"""`badge`: the appearance of a shop's badge, and its tag for web pages. Spec: §4.3."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from reviewinvite_cli.context import open_application
from reviewinvite_cli.errors import unwrap, warn, wrong_usage
from reviewinvite_cli.options import JsonOption, SiteIdArgument, option
from reviewinvite_cli.output import print_facts, print_json

if TYPE_CHECKING:
    from reviewinvite_core.values import Shop

_SHOP = "shop"
"""As a language: that of the shop, and no language of the badge's own."""

app = typer.Typer(help="Show and set a badge's appearance, and print its tag.", rich_markup_mode=None)


@app.command()
def show(context: typer.Context, site_id: SiteIdArgument, json: JsonOption = False) -> None:
    """Show a badge's appearance: theme, size and language.

    It says whether the language is the badge's own or the shop's.
    """
    with open_application(context) as application:
        shop = unwrap(application.shops.show(site_id))
    _print_appearance(shop, json=json)


@app.command("set")
def set_(
    context: typer.Context,
    site_id: SiteIdArgument,
    theme: Annotated[
        str | None, option("--theme", "light|dark|auto", "Colours; auto follows the visitor's device.")
    ] = None,
    size: Annotated[str | None, option("--size", "small|medium|large", "Size.")] = None,
    language: Annotated[
        str | None, option("--language", "LANGUAGE", "Language: nl, en, ...; or shop, to follow the shop's.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Update the given parts of a badge's appearance.

    Pages show the change within 5 minutes; their tag stays the same.
    """
    from reviewinvite_core.values import BadgeChanges

    if theme is None and size is None and language is None:
        wrong_usage(context, "give at least one of --theme, --size and --language.")
    follows = language == _SHOP
    wanted = BadgeChanges(theme=theme, size=size, language=None if follows else language, follows_shop=follows)
    with open_application(context) as application:
        shop = unwrap(application.badges.configure(site_id, wanted))
    _print_appearance(shop, json=json)


def appearance_of(shop: Shop) -> dict[str, str]:
    """Return how a shop's badge looks, as JSON; without a language of its own it has the shop's."""
    badge = shop.badge
    return {"theme": badge.theme, "size": badge.size, "language": badge.language or shop.language}


def _print_appearance(shop: Shop, *, json: bool) -> None:
    """Print what visitors see; a language that follows the shop's is marked, since it changes with the shop's."""
    appearance, follows_shop = appearance_of(shop), shop.badge.language is None
    if json:
        print_json({"siteId": shop.site_id, **appearance, "languageSource": "shop" if follows_shop else "badge"})
        return
    language = f"{appearance['language']} ({'as the shop' if follows_shop else 'set for the badge'})"
    print_facts(
        (("Shop", shop.site_id), ("Theme", shop.badge.theme), ("Size", shop.badge.size), ("Language", language))
    )


@app.command()
def embed(context: typer.Context, site_id: SiteIdArgument, json: JsonOption = False) -> None:
    """Print the tag that shows a shop's badge on a page.

    The tag does not depend on the badge's appearance.
    """
    from reviewinvite_core.domain.embedding import BadgeEmbed

    with open_application(context) as application:
        shop = unwrap(application.shops.show(site_id))
        badge = BadgeEmbed(shop.site_id, application.widget_url)
    if json:
        print_json({"siteId": badge.site_id, "html": badge.tag, "contentSecurityPolicy": badge.policy})
    else:
        typer.echo(badge.tag)
    if not badge.is_secure:
        warn(f"widget_url is {badge.widget_url}: browsers will not load its script on https pages.")
