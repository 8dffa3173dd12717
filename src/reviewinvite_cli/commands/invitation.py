"""`invitation`: list invitations, and decide about those waiting or in doubt."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from reviewinvite_cli.context import open_application
from reviewinvite_cli.errors import FAILURE, unwrap, warn, wrong_usage
from reviewinvite_cli.output import (
    JsonOption,
    LimitOption,
    SiteOption,
    StateOption,
    instant,
    print_facts,
    print_json,
    print_table,
    tell,
)

if TYPE_CHECKING:
    from reviewinvite_core import InvitationRecord, State

app = typer.Typer(help="See, cancel, send and resolve invitations.", no_args_is_help=True, rich_markup_mode=None)

_InviteId = Annotated[str, typer.Argument(metavar="ID", help="The invitation's id.", show_default=False)]


@app.command("list")
def list_(
    context: typer.Context,
    site: SiteOption = None,
    state: StateOption = None,
    limit: LimitOption = 100,
    json: JsonOption = False,
) -> None:
    """List invitations, newest first."""
    from reviewinvite_core import OPERATOR, InvitationQuery

    query = InvitationQuery(site_id=site, state=_state(context, state), limit=limit)
    with open_application(context) as application:
        records = unwrap(application.invitations.list(OPERATOR, query)).invitations
    if json:
        print_json(records)
    elif not records:
        tell("There are no such invitations.")
    else:
        print_table(
            ("INVITATION", "STATE", "REASON", "SCHEDULED (UTC)", "SHOP", "ORDER"),
            list(map(_row, records)),
            first_line=3,
        )


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
        unwrap(application.invitations.send_now(invite_id))
        record = unwrap(application.invitations.show(OPERATOR, invite_id))
    _print_invitation(record, json=json)
    _tell_of_inactive(record)


@app.command()
def resolve(
    context: typer.Context,
    invite_id: _InviteId,
    sent: Annotated[bool, typer.Option("--sent", help="It was sent.")] = False,
    resend: Annotated[bool, typer.Option("--resend", help="Send it again; it may arrive twice.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Skip the question.")] = False,
    json: JsonOption = False,
) -> None:
    """Resolve an uncertain invitation.

    Use --sent if it was sent, or --resend to send it again.

    First look for its Message-ID, which begins with ID, in the mail server's log.
    """
    from reviewinvite_core import OPERATOR

    if sent == resend:
        wrong_usage(context, "give exactly one of --sent and --resend.")
    with open_application(context) as application:
        if resend and not yes:
            _ask(context, unwrap(application.invitations.show(OPERATOR, invite_id)))
        unwrap(
            (application.invitations.resolve_as_sent if sent else application.invitations.resolve_by_resending)(
                invite_id
            )
        )
        record = unwrap(application.invitations.show(OPERATOR, invite_id))
    _print_invitation(record, json=json)
    if resend:
        _tell_of_inactive(record)


def _ask(context: typer.Context, record: InvitationRecord) -> None:
    """Exit unless a person agrees to send it again."""
    from reviewinvite_core import NotUncertain, State

    if record.invitation.state is not State.UNCERTAIN:
        unwrap(NotUncertain(record.invitation.state))
    if not sys.stdin.isatty():
        wrong_usage(context, "there is no terminal to ask on, and it may arrive twice: add --yes.", "--resend")
    warn("the message may already have arrived: the customer may get it twice.")
    if not typer.confirm("Send it again?", err=True):
        tell("Nothing was changed.")
        raise typer.Exit(FAILURE)


def _tell_of_inactive(record: InvitationRecord) -> None:
    if not record.shop.active:
        tell("Its shop is not active: it waits for `reviewinvite shop activate`.")


def _state(context: typer.Context, text: str | None) -> State | None:
    from reviewinvite_core import State

    if text is None:
        return None
    try:
        return State(text)
    except ValueError:
        wrong_usage(context, f"must be one of: {', '.join(State)}.", "--state")


def _row(record: InvitationRecord) -> tuple[object, ...]:
    one = record.invitation
    when = instant(one.scheduled_for)
    return one.invite_id, one.state, one.reason, when, record.shop.site_id, one.order_number


def _print_invitation(record: InvitationRecord, *, json: bool) -> None:
    one = record.invitation
    if json:
        print_json(record)
        return
    waits_otherwise = one.state == "scheduled" and one.due_at != one.scheduled_for
    print_facts(
        (
            ("Invitation", one.invite_id),
            ("Shop", record.shop.site_id),
            ("Order", one.order_number),
            ("Language", one.language),
            ("State", f"{one.state} ({one.reason})"),
            ("Scheduled for", f"{instant(one.scheduled_for)} UTC"),
            *((("Next try", f"{instant(one.due_at)} UTC"),) if waits_otherwise else ()),
            ("Attempts", one.attempts),
            ("Address", "kept, sealed" if one.sealed_address else "erased"),
        )
    )
    typer.echo()
    rows = [(instant(change.at), change.state, change.reason, change.reply) for change in record.history]
    print_table(("WHEN (UTC)", "STATE", "REASON", "REPLY"), rows)
