"""`privacy`: tell what is held about a person, and forget it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from reviewinvite_cli.commands import review, suppression
from reviewinvite_cli.context import open_application
from reviewinvite_cli.converter import as_json
from reviewinvite_cli.output import EmailArgument, JsonOption, instant, print_json, print_table, tell

if TYPE_CHECKING:
    from reviewinvite_core import InvitationRecord

app = typer.Typer(help="Tell what is held about a person, and forget it.", no_args_is_help=True, rich_markup_mode=None)


@app.command()
def erase(
    context: typer.Context,
    email: EmailArgument,
    keep_reviews: Annotated[
        bool, typer.Option("--keep-reviews", help="Keep what the person wrote, without the name.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Forget this address, at every shop. What has not been handed over is cancelled.

    What the person wrote is erased too, and counts no longer, unless it is to be kept without a name.

    What orders are known by and what was opted out of stays, as hashes: a repeat is still no new order. Run `privacy
    purge` afterwards, so that the files of the database hold no copy either.
    """
    with open_application(context) as application:
        erasure = application.privacy.erase_address(email, keep_reviews=keep_reviews)
    if json:
        print_json({"erased": erasure.erased, "cancelled": len(erasure.cancelled), "reviews": erasure.reviews})
        return
    typer.echo(f"{erasure.erased} erased, {len(erasure.cancelled)} cancelled")
    if erasure.reviews:
        typer.echo(f"Reviews {'without a name now' if keep_reviews else 'erased'}: {erasure.reviews}")
    if erasure.erased or erasure.reviews:
        tell("The files of the database may hold copies until `reviewinvite privacy purge` has run.")


@app.command()
def export(context: typer.Context, email: EmailArgument, json: JsonOption = False) -> None:
    """Tell what is held about this address.

    That is its invitations, the reviews written by way of them, and its suppressions: all of it with --json, with texts
    and histories; a short list without.
    """
    with open_application(context) as application:
        held = application.privacy.export(email)
    if json:
        invitations = [
            {**as_json(record), "addressKept": record.invitation.sealed_address is not None}
            for record in held.invitations
        ]
        print_json({"invitations": invitations, "reviews": held.reviews, "suppressions": held.suppressions})
        return
    if not held.invitations and not held.suppressions:
        tell("Nothing is held about this address.")
    if held.invitations:
        print_table(
            ("INVITATION", "STATE", "REPORTED (UTC)", "ADDRESS", "SHOP", "ORDER"),
            list(map(_row, held.invitations)),
            first_line=3,
        )
    if held.reviews:
        typer.echo()
        review.print_list(held.reviews)
    if held.invitations and held.suppressions:
        typer.echo()
    if held.suppressions:
        suppression.print_list(held.suppressions)


@app.command()
def purge(context: typer.Context, json: JsonOption = False) -> None:
    """Forget the addresses whose time is over.

    The database's file is written anew, without what was erased.

    Best when it is quiet: requests wait meanwhile. On PostgreSQL docs/operating.md says what remains, and for how long.
    """
    erased = cancelled = 0
    with open_application(context) as application:
        for batch in application.privacy.purge():
            erased += batch.erased
            cancelled += len(batch.cancelled)
    if json:
        print_json({"erased": erased, "cancelled": cancelled})
        return
    typer.echo(f"{erased} erased, {cancelled} cancelled")


def _row(record: InvitationRecord) -> tuple[object, ...]:
    one = record.invitation
    address = "kept, sealed" if one.sealed_address else "erased"
    return one.invite_id, one.state, instant(one.reported_at), address, record.shop.site_id, one.order_number
