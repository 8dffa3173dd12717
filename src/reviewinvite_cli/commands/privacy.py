"""`privacy`: export and erase what is stored about a person."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Annotated

import typer

from reviewinvite_cli.asking import EmailArgument, YesOption, require_consent
from reviewinvite_cli.commands import invitation, review, suppression
from reviewinvite_cli.context import built, load_settings, open_application
from reviewinvite_cli.errors import FAILURE, print_error
from reviewinvite_cli.job_reports import report, reported
from reviewinvite_cli.options import JsonOption
from reviewinvite_cli.output import print_json, print_table, source_in_words, tell
from reviewinvite_cli.progress import progress_of
from reviewinvite_cli.times import timed

if TYPE_CHECKING:
    from reviewinvite_core import Settings
    from reviewinvite_core.values import HeldAddress, InvitationRecord

_ASKED = ("timedatectl", "show", "--property=NTPSynchronized", "--value")
_SECONDS = 20.0

app = typer.Typer(help="Export or erase what is stored about a person.", rich_markup_mode=None)


@app.command()
def erase(
    context: typer.Context,
    email: EmailArgument,
    keep_reviews: Annotated[
        bool, typer.Option("--keep-reviews", help="Keep the person's reviews, without the name.")
    ] = False,
    yes: YesOption = False,
    json: JsonOption = False,
) -> None:
    """Erase an address at every shop.

    Its invitations that have not been handed over are cancelled. The person's reviews are erased too and no longer
    count, unless they are kept without a name.

    Hashes of orders and opt-outs stay, so a repeated order is still recognised. Run `privacy purge` afterwards to
    remove copies from the database's files.
    """
    reviews = "its reviews lose their name" if keep_reviews else "its reviews are erased"
    require_consent(
        context,
        yes=yes,
        warning=f"the address is erased at every shop, and {reviews}. This cannot be undone.",
        question="Erase it?",
    )
    with open_application(context) as application:
        erasure = application.privacy.erase_address(email, keep_reviews=keep_reviews)
    if json:
        print_json({"erased": erasure.erased, "cancelled": len(erasure.cancelled), "reviews": erasure.reviews})
        return
    typer.echo(f"Addresses erased: {erasure.erased}, invitations cancelled: {len(erasure.cancelled)}")
    if erasure.reviews:
        typer.echo(f"Reviews {'kept without a name' if keep_reviews else 'erased'}: {erasure.reviews}")
    if erasure.erased or erasure.reviews:
        tell("Erased data may remain in the database's files until you run `reviewinvite privacy purge`.")


@app.command()
def export(context: typer.Context, email: EmailArgument, json: JsonOption = False) -> None:
    """Show what is stored about this address.

    Lists its invitations, their reviews, its suppressions, and messages to it. With --json it prints everything,
    including texts and histories.
    """
    with open_application(context) as application:
        held = application.privacy.export(email)
    if json:
        print_json(_everything(held))
        return
    if held.member:
        shops = ", ".join(f"{site_id} ({role})" for site_id, role in held.member.roles.items())
        typer.echo(f"Member of: {shops or 'no shop any more'}. Sessions: {len(held.member.sessions)}.")
    if not (held.invitations or held.suppressions or held.notices or held.member):
        tell("Nothing is stored about this address.")
    if held.invitations:
        print_table(
            ("INVITATION", "STATE", timed("REPORTED"), "ADDRESS", "SHOP", "ORDER", "SOURCE"),
            list(map(_row, held.invitations)),
        )
    if held.reviews:
        typer.echo()
        review.print_list(held.reviews)
    if held.invitations and held.suppressions:
        typer.echo()
    if held.suppressions:
        suppression.print_list(held.suppressions)
    if held.notices:
        if held.invitations or held.suppressions:
            typer.echo()
        print_table(
            ("MESSAGE", "KIND", "STATE", timed("QUEUED")),
            [(each.message_id, each.kind, each.state, each.queued_at) for each in held.notices],
        )


@app.command()
def purge(
    context: typer.Context,
    require_synchronised_clock: Annotated[
        bool,
        typer.Option(
            "--require-synchronised-clock", help="Fail unless the machine's time service says that its clock is right."
        ),
    ] = False,
    json: JsonOption = False,
) -> None:
    """Remove expired and erased data from the database.

    Erases addresses at the end of their retention period, and removes erased data from the database's files.

    On SQLite the file is rewritten, and requests wait meanwhile: run it at a quiet hour. On PostgreSQL,
    docs/how-to/answer-privacy-requests.md says what remains, and for how long.
    """
    from reviewinvite_core.domain.jobs import Job

    settings = load_settings(context)
    if require_synchronised_clock and (fault := _clock_fault()):
        report(settings, Job.PURGE, failure=fault)
        print_error(f"nothing was purged, since {fault}. What a wrong clock erases cannot be brought back.")
        raise typer.Exit(FAILURE)
    with reported(settings, Job.PURGE):
        erased, cancelled = _purge(context, settings)
    if json:
        print_json({"erased": erased, "cancelled": cancelled})
        return
    typer.echo(f"Addresses erased: {erased}, invitations cancelled: {cancelled}. Database cleaned up.")


def _purge(context: typer.Context, settings: Settings) -> tuple[int, int]:
    """Return how many addresses were erased, and how many invitations cancelled."""
    erased = cancelled = 0
    application = built(context, settings)
    try:
        with progress_of("Purging"):
            for batch in application.privacy.purge():
                erased += batch.erased
                cancelled += len(batch.cancelled)
    finally:
        application.close()
    return erased, cancelled


def _row(record: InvitationRecord) -> tuple[object, ...]:
    one = record.invitation
    address = "kept, sealed" if one.sealed_address else "erased"
    source = source_in_words(one.source, confirmed=one.confirmed)
    return one.invite_id, one.state, one.reported_at, address, record.shop.site_id, one.order_number, source


def _clock_fault() -> str | None:
    """Return why this machine's clock may be wrong, or None if a time service keeps it, as systemd knows."""
    try:
        answer = subprocess.run(_ASKED, capture_output=True, text=True, timeout=_SECONDS, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return "timedatectl does not say whether this machine's clock is synchronised"
    said = answer.stdout.strip()
    return None if said == "yes" else f"this machine's clock is not synchronised (NTPSynchronized={said or 'unknown'})"


def _everything(held: HeldAddress) -> dict[str, object]:
    from reviewinvite_core.wire.json_converter import as_json
    from reviewinvite_core.wire.privacy import OperatorMessage, StoredMember, StoredSession

    member, sessions = held.member, held.member.sessions if held.member else ()
    stored = tuple(StoredSession.taken_from(each) for each in sessions)
    return {
        "invitations": [
            {**as_json(invitation.shape_of(each)), "addressKept": each.invitation.sealed_address is not None}
            for each in held.invitations
        ],
        "reviews": [review.shape_of(each) for each in held.reviews],
        "suppressions": [suppression.shape_of(each) for each in held.suppressions],
        "messages": [
            {**as_json(OperatorMessage.of(each)), "contentKept": each.sealed is not None} for each in held.notices
        ],
        "member": StoredMember.taken_from(member, sessions=stored) if member else None,
    }
