"""`suppression`: addresses to which nothing may be sent."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from reviewinvite_cli.asking import EmailArgument
from reviewinvite_cli.context import open_application
from reviewinvite_cli.errors import CURSOR, unwrap, wrong_usage
from reviewinvite_cli.options import CursorOption, JsonOption, LimitOption, SinceOption, option
from reviewinvite_cli.output import MOST_COUNTED, print_facts, print_json, print_table, tell, tell_shown
from reviewinvite_cli.times import instant, timed

if TYPE_CHECKING:
    from reviewinvite_core.domain.bookmarks import Bookmark
    from reviewinvite_core.values import SuppressionRecord
    from reviewinvite_core.wire.privacy import OperatorSuppression

app = typer.Typer(help="Add, list and remove suppressed addresses.", rich_markup_mode=None)

_AddAt = Annotated[str | None, option("--site", "SITE_ID", "Suppress at this shop only; default: at all shops.")]
_RemoveAt = Annotated[
    str | None, option("--site", "SITE_ID", "Remove only this shop's suppression; default: the one for all shops.")
]


@app.command()
def add(context: typer.Context, email: EmailArgument, site: _AddAt = None, json: JsonOption = False) -> None:
    """Suppress an address, at all shops or one.

    Its pending invitations are suppressed too.
    """
    with open_application(context) as application:
        record = unwrap(application.privacy.suppress(email, site))
    if json:
        from reviewinvite_core.wire.json_converter import as_json

        print_json({**as_json(shape_of(record)), "invitationsSuppressed": record.stopped})
    else:
        _print_record(record, json=False)
        tell(f"{record.stopped} pending {'invitation' if record.stopped == 1 else 'invitations'} suppressed.")


@app.command("list")
def list_(
    context: typer.Context,
    since: SinceOption = None,
    cursor: CursorOption = None,
    limit: LimitOption = 100,
    json: JsonOption = False,
) -> None:
    """List suppressions, newest first.

    No address can be shown, because only hashes are stored: `reviewinvite privacy export EMAIL` shows whether an
    address is suppressed. If there are more, it says on standard error how many, and how to see the next page.
    """
    most = max(limit, MOST_COUNTED)
    before = _place(context, cursor)
    with open_application(context) as application:
        found = application.privacy.list_suppressions(limit + 1, before=before)
        if len(found) > limit:
            found = application.privacy.list_suppressions(most + 1, before=before)
    found = [each for each in found if since is None or each.suppression.suppressed_at >= since]
    records = found[:limit]
    if json:
        print_json(list(map(shape_of, records)))
    elif not records:
        tell("There are no suppressions.")
    else:
        print_list(records)
    if records:
        cursor = records[-1].suppression.bookmark.text
        tell_shown(len(records), min(len(found), most), more=len(found) > most, cursor=cursor)


@app.command()
def remove(
    context: typer.Context,
    email: EmailArgument,
    site: _RemoveAt = None,
    customer_asked: Annotated[
        bool, typer.Option("--customer-asked", help="Also undo the customer's own opt-out, on their request.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Remove a suppression. Invitations that are already suppressed stay suppressed."""
    from reviewinvite_core.values import SuppressedBy

    word = SuppressedBy.CUSTOMER if customer_asked else SuppressedBy.OPERATOR
    with open_application(context) as application:
        record = unwrap(application.privacy.remove_suppression(email, site, word))
    _print_record(record, json=json)
    if not json:
        tell("Removed. Already suppressed invitations stay suppressed.")
        tell("New orders will be invited again, unless another suppression applies.")


def print_list(records: Sequence[SuppressionRecord]) -> None:
    """Print a table of suppressions."""
    print_table(("SHOP", "BY", timed("SINCE"), timed("UNTIL")), list(map(_row, records)))


def _place(context: typer.Context, cursor: str | None) -> Bookmark | None:
    from reviewinvite_core.domain.bookmarks import Bookmark

    place = Bookmark.parse(cursor) if cursor is not None else None
    if cursor is not None and place is None:
        wrong_usage(context, CURSOR, "--cursor")
    return place


def _row(record: SuppressionRecord) -> tuple[object, ...]:
    one = record.suppression
    return record.shop.site_id if record.shop else "all", one.by, one.suppressed_at, one.expires_at


def shape_of(record: SuppressionRecord) -> OperatorSuppression:
    """Return what JSON shows of a suppression."""
    from reviewinvite_core.wire.privacy import OperatorSuppression

    return OperatorSuppression.of(record.suppression, record.shop.site_id.text if record.shop else None)


def _print_record(record: SuppressionRecord, *, json: bool) -> None:
    if json:
        print_json(shape_of(record))
        return
    names = ("Shop", "By", timed("Since"), timed("Until"))
    values = (instant(each) if isinstance(each, datetime) else each for each in _row(record))  # the name has the zone
    print_facts(tuple(zip(names, values, strict=True)))
