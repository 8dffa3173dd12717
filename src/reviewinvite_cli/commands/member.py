"""`member`: the people who may use the dashboard for a shop. Spec: §1, §10.1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from reviewinvite_cli.asking import EmailArgument, YesOption, ask, require_terminal
from reviewinvite_cli.context import open_application
from reviewinvite_cli.errors import unwrap
from reviewinvite_cli.options import JsonOption, SiteIdArgument, offering, option
from reviewinvite_cli.output import print_facts, print_json, print_table, tell
from reviewinvite_cli.times import timed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reviewinvite_core.values import AddedMember, MemberLink, MemberRecord, MemberUnknown
    from reviewinvite_core.wire.privacy import OperatorMember

app = typer.Typer(help="Manage who may use the dashboard for a shop.", rich_markup_mode=None)


@app.command()
def add(
    context: typer.Context,
    site_id: SiteIdArgument,
    email: EmailArgument,
    role: Annotated[
        str,
        typer.Option(
            "--role", metavar="ROLE", help="owner, or staff: reviews and invitations only.", **offering("members.Role")
        ),
    ] = "owner",
    language: Annotated[
        str | None, option("--language", "LANGUAGE", "Language of the person's e-mails; default: the shop's.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Make a person a member of a shop.

    A link that signs the person in is e-mailed, and printed, too. It works once: within 72 hours if the person has
    never signed in, otherwise within 15 minutes. Whoever presses its button is signed in as that person.
    """
    from reviewinvite_core import NewMember

    new = NewMember(email=email, role=role, language=language)
    with open_application(context) as application:
        added = unwrap(application.members.add(site_id, new))
    _print_link(added, json=json)


@app.command("list")
def list_(context: typer.Context, site_id: SiteIdArgument, json: JsonOption = False) -> None:
    """List a shop's members, oldest first."""
    with open_application(context) as application:
        members = unwrap(application.members.list(site_id))
    if json:
        print_json(list(map(_shape_of, members)))
    elif not members:
        tell(f"The shop has no members. Add one: reviewinvite member add {site_id} EMAIL")
    else:
        rows = [(each.email, each.role, each.signed_in_at, each.member_id) for each in members]
        print_table(("ADDRESS", "ROLE", timed("SIGNED IN"), "MEMBER ID"), rows)


@app.command()
def remove(
    context: typer.Context,
    site_id: SiteIdArgument,
    email: EmailArgument,
    yes: YesOption = False,
    json: JsonOption = False,
) -> None:
    """Remove a member from a shop.

    It applies from that person's next request on. The last owner of a shop cannot be removed.
    """
    require_terminal(context, yes=yes)
    with open_application(context) as application:
        member = unwrap(_with_address(unwrap(application.members.list(site_id)), email))
        ask(f"{member.email} can then do nothing more for {site_id}.", "Remove this member?", yes=yes)
        removed = unwrap(application.members.remove(site_id, member.member_id))
    if json:
        print_json(_shape_of(removed))
    else:
        tell(f"{removed.email} is not a member of {site_id} any more.")


@app.command()
def link(context: typer.Context, site_id: SiteIdArgument, email: EmailArgument, json: JsonOption = False) -> None:
    """E-mail a member a new sign-in link, and print it.

    It works once: within 15 minutes, or within 72 hours if the person has never signed in. Whoever presses its button
    is signed in as that person.
    """
    with open_application(context) as application:
        made = unwrap(application.members.link(site_id, email))
    _print_link(made, json=json)


def _with_address(members: Sequence[MemberRecord], email: str) -> MemberRecord | MemberUnknown:
    """Return the member with this address.

    Raises: `Invalid` if it is not an address.
    """
    from reviewinvite_core.values import EmailAddress, MemberUnknown

    wanted = EmailAddress.parse(email).identity
    found = (each for each in members if EmailAddress.parse(each.email).identity == wanted)
    return next(found, None) or MemberUnknown()


def _print_link(made: AddedMember | MemberLink, *, json: bool) -> None:
    member = made.member
    if json:
        print_json({"url": made.link, "memberId": member.member_id, "email": member.email, "role": member.role})
        return
    print_facts((("Member", member.email), ("Role", member.role), ("Link", made.link)))
    tell("The link will be e-mailed, too. It signs in once; whoever uses it is signed in as this person.")


def _shape_of(member: MemberRecord) -> OperatorMember:
    from reviewinvite_core.wire.privacy import OperatorMember

    return OperatorMember.taken_from(member)
