"""`review`: list and hide reviews, and reply for a shop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reviewinvite_cli.context import open_application
from reviewinvite_cli.errors import unwrap
from reviewinvite_cli.options import (
    CursorOption,
    JsonOption,
    LimitOption,
    OrderNumberOption,
    SinceOption,
    SiteOption,
    argument,
    offering,
    one_of,
    option,
)
from reviewinvite_cli.output import (
    MOST_COUNTED,
    print_facts,
    print_json,
    print_table,
    print_text,
    source_in_words,
    tell,
    tell_shown,
)
from reviewinvite_cli.times import timed

if TYPE_CHECKING:
    from reviewinvite_core.values import ReviewRecord
    from reviewinvite_core.wire.reviews import OperatorReview

app = typer.Typer(help="List, hide and reply to reviews.", rich_markup_mode=None)

_State = Annotated[Any, option("--state", "STATE", "Only this state.", **one_of("reviews.ReviewState"))]
_ReviewId = Annotated[str, argument("ID", "The review's id.")]


@app.command("list")
def list_(
    context: typer.Context,
    site: SiteOption = None,
    state: _State = None,
    order_number: OrderNumberOption = None,
    since: SinceOption = None,
    cursor: CursorOption = None,
    limit: LimitOption = 100,
    json: JsonOption = False,
) -> None:
    """List reviews, newest first.

    If there are more, it says on standard error how many, and how to see the next page.
    """
    from reviewinvite_core import ReviewQuery

    query = ReviewQuery(site_id=site, state=state, order_number=order_number, since=since, before=cursor, limit=limit)
    with open_application(context) as application:
        records = unwrap(application.reviews.list(query))
        is_full = len(records) == limit
        counted = unwrap(application.reviews.count(query, up_to=max(limit, MOST_COUNTED) + 1)) if is_full else 0
    if json:
        print_json(list(map(shape_of, records)))
    elif not records:
        tell("There are no such reviews.")
    else:
        print_list(records)
    most = max(limit, MOST_COUNTED)
    if records:
        tell_shown(len(records), min(counted, most), more=counted > most, cursor=records[-1].review.review_id)


@app.command()
def show(context: typer.Context, review_id: _ReviewId, json: JsonOption = False) -> None:
    """Show one review with its history."""
    from reviewinvite_core import OPERATOR

    with open_application(context) as application:
        record = unwrap(application.reviews.show(OPERATOR, review_id))
    _print_review(record, json=json)


@app.command()
def hide(
    context: typer.Context,
    review_id: _ReviewId,
    reason: Annotated[str, option("--reason", "REASON", "Why it is hidden.", **offering("reviews.HideReason"))],
    json: JsonOption = False,
) -> None:
    """Hide a review: it is not shown and does not count.

    REASON is unlawful, personal_data, insult, spam, not_a_customer or other. The shop sees the reason, but
    neither the text nor the name.
    """
    from reviewinvite_core.domain.reviews import to_hide_reason

    with open_application(context) as application:
        record = unwrap(application.reviews.hide(review_id, to_hide_reason(reason)))
    _print_review(record, json=json)


@app.command("show-again")
def show_again(context: typer.Context, review_id: _ReviewId, json: JsonOption = False) -> None:
    """Publish a hidden review again."""
    with open_application(context) as application:
        record = unwrap(application.reviews.show_again(review_id))
    _print_review(record, json=json)


@app.command()
def reply(
    context: typer.Context,
    review_id: _ReviewId,
    text: Annotated[str, argument("TEXT", "The reply.")],
    json: JsonOption = False,
) -> None:
    """Reply to a review in its shop's name.

    TEXT replaces an earlier reply; "" removes the reply.
    """
    from reviewinvite_core import OPERATOR, NewReply

    new = NewReply(text=text)
    with open_application(context) as application:
        shop = unwrap(application.reviews.show(OPERATOR, review_id)).shop
        caller = unwrap(application.shops.act_for(shop.site_id.text))
        unwrap(application.reviews.reply(caller, review_id, new))
        record = unwrap(application.reviews.show(OPERATOR, review_id))
    _print_review(record, json=json)


def print_list(records: Sequence[ReviewRecord]) -> None:
    """Print reviews, one per line."""
    headings = ("REVIEW", "STATE", "RATING", timed("WRITTEN"), "NAME", "SHOP", "ORDER", "SOURCE")
    print_table(headings, list(map(_row, records)))


def _row(record: ReviewRecord) -> tuple[object, ...]:
    one = record.review
    return (
        one.review_id,
        one.state,
        one.rating,
        one.written_at,
        one.author,
        record.shop.site_id,
        record.order_number,
        source_in_words(one.source, confirmed=one.confirmed),
    )


def shape_of(record: ReviewRecord) -> OperatorReview:
    """Return what JSON shows of a review."""
    from reviewinvite_core.wire.reviews import OperatorReview

    return OperatorReview.of(record.review, record.shop.site_id.text, record.order_number, record.history)


def _print_review(record: ReviewRecord, *, json: bool) -> None:
    if json:
        print_json(shape_of(record))
        return
    one = record.review
    print_facts(
        (
            ("Review", one.review_id),
            ("Shop", record.shop.site_id),
            ("Order", record.order_number),
            ("Source", source_in_words(one.source, confirmed=one.confirmed)),
            ("Invitation", one.invite_id),
            ("State", f"{one.state} ({one.hidden_for})" if one.hidden_for else one.state),
            ("Rating", one.rating),
            ("Name", one.author),
            ("Language", one.language),
            ("Written", one.written_at),
            *((("Changed", one.edited_at),) if one.edited_at else ()),
        )
    )
    for heading, text in (("Text", one.text), ("Reply", one.reply.text if one.reply else None)):
        if text:
            typer.echo()
            print_text(heading, text)
    typer.echo()
    rows = [(change.at, change.act, change.act.by, change.state, change.hidden_for) for change in record.history]
    print_table((timed("WHEN"), "WHAT", "BY", "STATE", "REASON"), rows)
