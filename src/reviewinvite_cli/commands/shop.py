"""`shop`: create, show and change shops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from reviewinvite_cli.commands.badge import appearance_of
from reviewinvite_cli.context import open_application
from reviewinvite_cli.errors import unwrap, wrong_usage
from reviewinvite_cli.options import JsonOption, SiteIdArgument, number_of_days, offering, option, whole
from reviewinvite_cli.output import days, print_facts, print_json, print_table, tell

if TYPE_CHECKING:
    from reviewinvite_core.values import DayOfSnippets, DayOfViews, Shop

app = typer.Typer(help="Create, show and change shops.", rich_markup_mode=None)

_Language = Annotated[str | None, option("--language", "LANGUAGE", "Language of invitations: nl, en, ...")]
_DelayDays = Annotated[
    float | None,
    option("--delay-days", "DAYS", "Days from report to invitation, 0 to 60, such as 2.5.", parser=number_of_days),
]
_FrequencyDays = Annotated[
    int | None,
    option(
        "--frequency-days",
        "DAYS",
        "Invite one address at most once in DAYS, 0 to 365; 0 for no such rule.",
        parser=whole(0, 365),
    ),
]
_Snippet = Annotated[
    str | None,
    option(
        "--snippet",
        "MODE",
        "Orders to accept from web pages: open (all), signed (those with a valid signature) or off (none).",
        **offering("snippets.SnippetMode"),
    ),
]
_ReplyTo = Annotated[str | None, option("--reply-to", "ADDRESS", 'Address for customers\' replies; "" for none.')]


@app.command()
def add(
    context: typer.Context,
    site_id: SiteIdArgument,
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="The name that customers see.")],
    language: _Language = None,
    delay_days: _DelayDays = None,
    frequency_days: _FrequencyDays = None,
    reply_to: _ReplyTo = None,
    json: JsonOption = False,
) -> None:
    """Create an active shop.

    By default, its language is nl and its delay is 5 days.
    """
    from reviewinvite_core import NewShop

    wanted = {"language": language, "delay_days": delay_days, "frequency_days": frequency_days, "reply_to": reply_to}
    given = {field: value for field, value in wanted.items() if value is not None}
    new = NewShop(site_id=site_id, name=name, **given)  # type: ignore[arg-type]  # takes plain values
    with open_application(context, create_database=True) as application:
        shop = unwrap(application.shops.add(new))
    _print_shop(shop, json=json)


@app.command("list")
def list_(context: typer.Context, json: JsonOption = False) -> None:
    """List all shops, sorted by site id.

    New names that wait for approval are shown, too.
    """
    with open_application(context) as application:
        shops = application.shops.list()
    if json:
        print_json([_fields(shop) | {"requestedName": shop.requested_name} for shop in shops])
    elif not shops:
        tell("There are no shops yet. Make one: reviewinvite shop add SITE_ID --name NAME")
    else:
        waiting = [shop for shop in shops if shop.requested_name]
        headings = ("SHOP", "ACTIVE", "LANGUAGE", "DELAY (DAYS)", "NAME", *(["NEW NAME"] if waiting else []))
        rows = [
            (shop.site_id, shop.active, shop.language, days(shop.delay_days.days), shop.name, shop.requested_name)
            for shop in shops
        ]
        print_table(headings, [row[: len(headings)] for row in rows])
        for shop in waiting:
            tell(f"The new name of {shop.site_id} waits. Approve it: reviewinvite shop approve {shop.site_id}")


@app.command()
def show(context: typer.Context, site_id: SiteIdArgument, json: JsonOption = False) -> None:
    """Show one shop, and its use of the daily limits.

    Limits count by UTC day. Views are badges and statements. Orders by snippet are new orders that browsers
    reported. With --json it also prints the appearance of the badge.
    """
    with open_application(context) as application:
        shop, views = unwrap(application.shops.show(site_id)), unwrap(application.badges.show_views(site_id))
        snippets = unwrap(application.orders.show_snippets(site_id))
    if json:
        today = {
            "viewsToday": views.counted,
            "viewsPerDay": views.limit,
            "snippetsToday": snippets.counted,
            "snippetsPerDay": snippets.limit,
            "wrongSignaturesToday": snippets.wrong_signatures,
        }
        more = {"requestedName": shop.requested_name, "badge": appearance_of(shop)}
        print_json(_fields(shop) | today | more)
    else:
        _print_shop(shop, views, snippets, json=False)


@app.command("set")
def set_(
    context: typer.Context,
    site_id: SiteIdArgument,
    name: Annotated[str | None, typer.Option("--name", metavar="NAME", help="The name that customers see.")] = None,
    language: _Language = None,
    delay_days: _DelayDays = None,
    frequency_days: _FrequencyDays = None,
    reply_to: _ReplyTo = None,
    snippet: _Snippet = None,
    json: JsonOption = False,
) -> None:
    """Update the given fields of a shop.

    Invitations that are already scheduled keep their time and language.
    """
    changes = {"name": name, "language": language, "delay_days": delay_days, "reply_to": reply_to}
    changes |= {"frequency_days": frequency_days, "snippet": snippet}
    if all(value is None for value in changes.values()):
        options = "--name, --language, --delay-days, --frequency-days, --reply-to and --snippet"
        wrong_usage(context, f"give at least one of {options}.")
    _change(context, site_id, json=json, **changes)


@app.command()
def approve(context: typer.Context, site_id: SiteIdArgument, json: JsonOption = False) -> None:
    """Approve the new name that waits.

    If a shop with the trust mark asks for another name, that name waits; `shop show` prints it.
    """
    with open_application(context) as application:
        shop = unwrap(application.shops.approve_name(site_id))
    _print_shop(shop, json=json)


@app.command()
def activate(context: typer.Context, site_id: SiteIdArgument, json: JsonOption = False) -> None:
    """Activate a shop.

    Its reports are accepted again, and its waiting invitations are sent.
    """
    _change(context, site_id, json=json, active=True)


@app.command()
def deactivate(context: typer.Context, site_id: SiteIdArgument, json: JsonOption = False) -> None:
    """Deactivate a shop.

    Its reports are refused, and its invitations are held back.
    """
    _change(context, site_id, json=json, active=False)


def _change(context: typer.Context, site_id: str, *, json: bool, **changes: object) -> None:
    from reviewinvite_core import ShopChanges

    wanted = ShopChanges(**changes)  # type: ignore[arg-type]  # takes plain values
    with open_application(context) as application:
        shop = unwrap(application.shops.update(site_id, wanted))
    _print_shop(shop, json=json)


def _fields(shop: Shop) -> dict[str, object]:
    from reviewinvite_core.wire.json_converter import as_json
    from reviewinvite_core.wire.shops import OperatorShop

    fields: dict[str, object] = as_json(OperatorShop.of(shop))
    return fields


def _print_shop(shop: Shop, *today: DayOfViews | DayOfSnippets, json: bool) -> None:
    if json:
        print_json(_fields(shop))
        return
    facts: list[tuple[str, object]] = [
        ("Shop", shop.site_id),
        ("Name", shop.name),
        *((("New name", f"{shop.requested_name} (waits for `shop approve`)"),) if shop.requested_name else ()),
        ("Active", shop.active),
        ("Language", shop.language),
        ("Delay", "1 day" if shop.delay_days.days == 1 else f"{days(shop.delay_days.days)} days"),
        ("Frequency", _frequency(shop.frequency_days)),
        ("Replies to", shop.reply_to),
        ("Trust mark", shop.trust_mark),
        ("Snippet", _SNIPPETS[shop.snippet]),
    ]
    for (name, what), each in zip((("Views today", ""), ("By snippet", " orders today")), today, strict=False):
        limit = "no limit" if each.limit is None else f"of {each.limit:,}"
        facts.append((name, f"{each.counted:,}{what} ({limit})"))
        if wrong := getattr(each, "wrong_signatures", 0):
            facts.append(("Wrong signatures", f"{wrong:,} today"))
    print_facts(facts)


_SNIPPETS = {"open": "open", "signed": "signed orders only", "off": "off"}


def _frequency(least_days: int) -> str:
    if least_days == 0:
        return "every order"
    return "at most once a day" if least_days == 1 else f"at most once in {least_days} days"
