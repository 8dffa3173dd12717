"""`invitation`: list invitations, and decide about those that wait, are in doubt or were rejected."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reviewinvite_cli.asking import YesOption, ask, require_terminal
from reviewinvite_cli.context import open_application
from reviewinvite_cli.errors import FAILURE, unwrap, wrong_usage
from reviewinvite_cli.options import (
    WHEN,
    CursorOption,
    JsonOption,
    LimitOption,
    OrderNumberOption,
    SinceOption,
    SiteOption,
    argument,
    one_of,
    option,
    since as instant_since,
)
from reviewinvite_cli.output import (
    MOST_COUNTED,
    print_facts,
    print_json,
    print_table,
    safe,
    source_in_words,
    tell,
    tell_shown,
)
from reviewinvite_cli.times import timed

if TYPE_CHECKING:
    from reviewinvite_core import Application, InvitationQuery, Reason
    from reviewinvite_core.values import Change, InvitationRecord, ManyRetried
    from reviewinvite_core.wire.invitations import OperatorInvitation

app = typer.Typer(help="List, cancel, send, resolve and retry invitations.", rich_markup_mode=None)

_WHO = {"operator": "the operator", "member": "a member", "api_key": "an API key"}


def _reasons_of_doubt() -> Sequence[Reason]:
    """Return why an invitation may be uncertain, in alphabetical order."""
    from reviewinvite_core.domain.invitation_states import TRANSITIONS, State

    return sorted({each for (_, to), reasons in TRANSITIONS.items() if to is State.UNCERTAIN for each in reasons})


_State = Annotated[Any, option("--state", "STATE", "Only this state.", **one_of("invitation_states.State"))]
_Reason = Annotated[Any, option("--reason", "REASON", "Only those with this reason.", **one_of(_reasons_of_doubt))]
_InviteId = Annotated[str, argument("ID", "The invitation's id.")]


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
    """List invitations, newest first.

    If there are more, it says on standard error how many, and how to see the next page.
    """
    from attrs import evolve

    from reviewinvite_core import InvitationQuery

    query = InvitationQuery(site_id=site, state=state, order_number=order_number, before=cursor, limit=limit)
    with open_application(context) as application:
        records, next_page = _page(application, query, since)
        more = evolve(query, before=next_page, limit=max(1, MOST_COUNTED - limit)) if next_page else None
        rest, uncounted = _page(application, more, since) if more else ([], None)
    if json:
        print_json(list(map(shape_of, records)))
    elif not records:
        tell("There are no such invitations.")
    else:
        print_table(
            ("INVITATION", "STATE", "REASON", timed("SCHEDULED"), "SHOP", "ORDER", "SOURCE"), list(map(_row, records))
        )
    if next_page:
        tell_shown(len(records), len(records) + len(rest), more=uncounted is not None, cursor=next_page)


def _page(
    application: Application, query: InvitationQuery, since: datetime | None
) -> tuple[list[InvitationRecord], str | None]:
    """Return the newest invitations that were reported since then, and the cursor of the next page, or None."""
    from reviewinvite_core import OPERATOR

    page = unwrap(application.invitations.list(OPERATOR, query))
    new = [each for each in page.invitations if since is None or each.invitation.reported_at >= since]
    return new, page.next if len(new) == len(page.invitations) else None


@app.command()
def show(context: typer.Context, invite_id: _InviteId, json: JsonOption = False) -> None:
    """Show one invitation with its history."""
    from reviewinvite_core import OPERATOR

    with open_application(context) as application:
        record = unwrap(application.invitations.show(OPERATOR, invite_id))
    _print_invitation(record, json=json)


@app.command()
def cancel(context: typer.Context, invite_id: _InviteId, json: JsonOption = False) -> None:
    """Cancel an invitation that has not been handed over."""
    from reviewinvite_core import OPERATOR

    with open_application(context) as application:
        record = unwrap(application.invitations.cancel(OPERATOR, invite_id))
    _print_invitation(record, json=json)


@app.command("send-now")
def send_now(context: typer.Context, invite_id: _InviteId, json: JsonOption = False) -> None:
    """Make a scheduled invitation due immediately.

    A running worker takes it within a second.
    """
    from reviewinvite_core import OPERATOR

    with open_application(context) as application:
        unwrap(application.invitations.send_now(OPERATOR, invite_id))
        record = unwrap(application.invitations.show(OPERATOR, invite_id))
    _print_invitation(record, json=json)
    _tell_of_inactive(record)


@app.command()
def resolve(
    context: typer.Context,
    invite_id: Annotated[str | None, argument("ID", "The invitation's id.")] = None,
    sent: Annotated[bool, typer.Option("--sent", help="Record that the message was sent.")] = False,
    resend: Annotated[
        bool, typer.Option("--resend", help="Send the message again; the customer may get it twice.")
    ] = False,
    all_: Annotated[bool, typer.Option("--all", help="Resolve all that match --site, --reason or both.")] = False,
    site: SiteOption = None,
    reason: _Reason = None,
    yes: YesOption = False,
    json: JsonOption = False,
) -> None:
    """Resolve one uncertain invitation, or many.

    With --all, it resolves those of a shop, of a reason, or of both.

    First look in the mail server's log for the message whose Message-ID begins with the invitation's ID. Then use
    --sent if the message was sent, or --resend to send it again.
    """
    from reviewinvite_core import OPERATOR

    if sent == resend:
        wrong_usage(context, "give exactly one of --sent and --resend.")
    if resend:
        require_terminal(context, yes=yes, option="--resend")
    if all_:
        if invite_id is not None:
            wrong_usage(context, "give an ID or --all, not both.")
        if site is None and reason is None:
            wrong_usage(context, "say which: add --site, --reason or both.", "--all")
        _resolve_many(context, site, reason, resend=resend, yes=yes, json=json)
        return
    if site is not None or reason is not None:
        wrong_usage(context, "--site and --reason go with --all.")
    if invite_id is None:
        wrong_usage(context, "give an ID, or --all with --site or --reason.")
    with open_application(context) as application:
        if resend:
            _ask(unwrap(application.invitations.show(OPERATOR, invite_id)), yes=yes)
        unwrap(
            (application.invitations.resolve_as_sent if sent else application.invitations.resolve_by_resending)(
                invite_id
            )
        )
        record = unwrap(application.invitations.show(OPERATOR, invite_id))
    _print_invitation(record, json=json)
    if resend:
        _tell_of_inactive(record)


def _resolve_many(
    context: typer.Context, site: str | None, reason: Reason | None, *, resend: bool, yes: bool, json: bool
) -> None:
    from reviewinvite_core.values import UncertainQuery

    query = UncertainQuery(site_id=site, reason=reason)
    with open_application(context) as application:
        if resend and not yes and (count := unwrap(application.invitations.count_uncertain(query))):
            ask(_may_arrive_twice(count), f"Send {count:,} again?", yes=yes)
        result = unwrap(application.invitations.resolve_many(query, resend=resend))
        waits = any(not shop.active for shop in application.shops.list() if site in (None, shop.site_id))
    if json:
        print_json({"resolved": result.resolved, "erased": result.erased})
        return
    typer.echo(f"{'Due again' if resend else 'Resolved as sent'}: {result.resolved:,}.")
    if result.erased:
        typer.echo(f"Still uncertain, because the address was erased: {result.erased:,}.")
    if resend and result.resolved and waits:
        tell("Those of inactive shops are sent after `reviewinvite shop activate SITE_ID`.")


@app.command()
def retry(
    context: typer.Context,
    invite_ids: Annotated[list[str] | None, argument("ID", "The invitations' ids.")] = None,
    rejected_since: Annotated[
        datetime | None,
        option("--rejected-since", "TIME", f"All that were rejected since: {WHEN}.", parser=instant_since),
    ] = None,
    yes: YesOption = False,
    json: JsonOption = False,
) -> None:
    """Try rejected invitations again that certainly never left.

    First correct what the mail server rejected them for. Then give their IDs, or --rejected-since. What may have
    arrived, or must not be sent, is left alone.
    """
    if bool(invite_ids) == (rejected_since is not None):
        wrong_usage(context, "give either IDs or --rejected-since.")
    require_terminal(context, yes=yes)
    with open_application(context) as application:
        invitations = application.invitations
        count = len(invite_ids) if invite_ids else 0
        if rejected_since is not None and not yes:
            count = invitations.count_rejected(rejected_since)
        if count:
            ask("what the mail server still rejects is rejected again.", f"Try {count:,} again?", yes=yes)
        result = invitations.retry_rejected(rejected_since) if rejected_since else invitations.retry(invite_ids or [])
    if json:
        print_json({"scheduled": result.scheduled, "refused": result.refused})
    else:
        _print_retried(result, named=bool(invite_ids))
    if invite_ids and result.refused:
        raise typer.Exit(FAILURE)


def _print_retried(result: ManyRetried, *, named: bool) -> None:
    """Print how many were scheduled again, and why others were not; also which, if their ids were given."""
    from reviewinvite_cli.sentences import NOT_RETRIED

    refused = ((f"Left alone, because {NOT_RETRIED[reason]}", ids) for reason, ids in sorted(result.refused.items()))
    for heading, invite_ids in (("Scheduled again", result.scheduled), *refused):
        typer.echo(f"{heading}: {len(invite_ids):,}.")
        for invite_id in invite_ids if named else ():
            typer.echo(f"  {safe(invite_id)}")


def _may_arrive_twice(count: int) -> str:
    if count == 1:
        return "the message may already have arrived: the customer may get it twice."
    return f"{count:,} messages may already have arrived: their customers may get them twice."


def _ask(record: InvitationRecord, *, yes: bool) -> None:
    """Exit unless the user agrees to send the invitation again."""
    from reviewinvite_core import State
    from reviewinvite_core.values import NotUncertain

    if record.invitation.state is not State.UNCERTAIN:
        unwrap(NotUncertain(record.invitation.state))
    ask(_may_arrive_twice(1), "Send it again?", yes=yes)


def _tell_of_inactive(record: InvitationRecord) -> None:
    if not record.shop.active:
        tell(f"The shop is not active: the message is sent after `reviewinvite shop activate {record.shop.site_id}`.")


def _row(record: InvitationRecord) -> tuple[object, ...]:
    one = record.invitation
    number, source = one.order_number, source_in_words(one.source, confirmed=one.confirmed)
    return one.invite_id, one.state, one.reason, one.scheduled_for, record.shop.site_id, number, source


def shape_of(record: InvitationRecord) -> OperatorInvitation:
    """Return what JSON shows of an invitation."""
    from reviewinvite_core.wire.invitations import OperatorInvitation

    return OperatorInvitation.of(record.invitation, record.shop.site_id.text, record.history)


def _print_invitation(record: InvitationRecord, *, json: bool) -> None:
    one = record.invitation
    if json:
        print_json(shape_of(record))
        return
    waits_otherwise = one.state == "scheduled" and one.due_at != one.scheduled_for
    print_facts(
        (
            ("Invitation", one.invite_id),
            ("Shop", record.shop.site_id),
            ("Order", one.order_number),
            ("Source", source_in_words(one.source, confirmed=one.confirmed)),
            *((("API key", one.provenance.key_id),) if one.provenance.key_id else ()),
            ("Language", one.language),
            ("State", f"{one.state} ({_reason_in_words(record, record.history[-1])})"),
            ("Scheduled for", one.scheduled_for),
            *((("Next try", one.due_at),) if waits_otherwise else ()),
            ("Attempts", one.attempts),
            ("Address", "kept, sealed" if one.sealed_address else "erased"),
        )
    )
    typer.echo()
    rows = [(change.at, change.state, _reason_in_words(record, change), change.reply) for change in record.history]
    print_table((timed("WHEN"), "STATE", "REASON", "REPLY"), rows)


def _reason_in_words(record: InvitationRecord, change: Change) -> str:
    if change not in record.brought_forward:
        return change.reason
    actor = record.brought_forward[change]
    return f"brought forward by {_WHO[actor.kind]}" if actor else "brought forward"
