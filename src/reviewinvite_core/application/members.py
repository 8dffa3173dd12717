"""`app.members`: the members of shops, and what was changed at each shop."""

from __future__ import annotations

from collections.abc import Sequence

from reviewinvite_core.application.facade import AsyncFacade, Facade, derived
from reviewinvite_core.domain.activity import ActivityQuery
from reviewinvite_core.domain.api_key import Actor
from reviewinvite_core.domain.errors import Invalid
from reviewinvite_core.domain.members import NewMember, Role
from reviewinvite_core.domain.refusals import (
    ChangedMeanwhile,
    KeyRefused,
    LastOwner,
    LimitReached,
    MemberExists,
    MemberUnknown,
    ShopInactive,
    ShopUnknown,
)
from reviewinvite_core.usecases.members.change import (
    AddedMember,
    MemberLink,
    add_member,
    make_member_link,
    remove_member,
    set_role,
)
from reviewinvite_core.usecases.members.read import ActivityPage, MemberRecord, list_activity, list_members


class Members(Facade):
    """The members of shops, and what was changed at each shop.

    Each call acts as the operator for the shop with a site id, or as an actor for that actor's shop.
    """

    __slots__ = ()

    def add(
        self, actor: str | Actor, new: NewMember
    ) -> AddedMember | MemberExists | ShopUnknown | KeyRefused | ShopInactive | LimitReached:
        """Make a person a member of a shop, and mail a link by which that person signs in; return the member.

        `link` of the result signs that person in. It is None if a member or an API key asked: only the person gets it.

        Refusals, in this order:
        - `ShopUnknown`: there is no shop with this site id.
        - `KeyRefused`: a key acts, or an actor for a shop of another database.
        - `ShopInactive`: an actor acts for a shop that is not active.
        - `MemberExists`: the person is a member of this shop already.
        - `LimitReached`: a member acts, and members have added this person, or mailed others, too often within an hour.

        Raises: `StorageUnavailable`.

        Spec: §10.1.
        """
        return self._use_cases.run(add_member, actor, new)

    def list(self, actor: str | Actor) -> Sequence[MemberRecord] | ShopUnknown | KeyRefused | LimitReached:
        """List a shop's members with their addresses and roles, the one that was created first first.

        Refusals:
        - `ShopUnknown`: there is no shop with this site id.
        - `KeyRefused`: a key acts, or an actor for a shop of another database.
        - `LimitReached`: never; no limit applies.

        Raises: `StorageUnavailable`.

        Spec: §10.1.
        """
        return self._use_cases.run(list_members, actor)

    def set_role(
        self, actor: str | Actor, member_id: str, role: Role, seen: str | None = None
    ) -> (
        MemberRecord
        | MemberUnknown
        | ChangedMeanwhile
        | LastOwner
        | ShopUnknown
        | KeyRefused
        | ShopInactive
        | LimitReached
    ):
        """Give a member another role, which counts from that person's next request on; return the member.

        The owners and that person are notified by e-mail.

        Refusals, in this order:
        - `ShopUnknown`: there is no shop with this site id.
        - `KeyRefused`: a key acts, or an actor for a shop of another database.
        - `ShopInactive`: an actor acts for a shop that is not active.
        - `MemberUnknown`: the shop has no such member.
        - `ChangedMeanwhile`: you passed the role that you have `seen`, and it was changed since.
        - `LastOwner`: the member is the shop's last owner.
        - `LimitReached`: a member makes an owner, and members have mailed others too often within an hour.

        Raises: `StorageUnavailable`.

        Spec: §10.1.
        """
        return self._use_cases.run(set_role, actor, member_id, role, seen)

    def remove(
        self, actor: str | Actor, member_id: str, seen: str | None = None
    ) -> (
        MemberRecord
        | MemberUnknown
        | ChangedMeanwhile
        | LastOwner
        | ShopUnknown
        | KeyRefused
        | ShopInactive
        | LimitReached
    ):
        """Remove a member from a shop, from that person's next request on; return who it was.

        The sessions and links of a person without any other shop end, too. The owners and that person are notified.

        Refusals, in this order:
        - `ShopUnknown`: there is no shop with this site id.
        - `KeyRefused`: a key acts, or an actor for a shop of another database.
        - `MemberUnknown`: the shop has no such member.
        - `ChangedMeanwhile`: you passed the role that you have `seen`, and it was changed since.
        - `LastOwner`: the member is the shop's last owner.
        - `ShopInactive`, `LimitReached`: never; an inactive shop may remove members, and no limit applies.

        Raises: `StorageUnavailable`.

        Spec: §10.1.
        """
        return self._use_cases.run(remove_member, actor, member_id, seen)

    def link(self, site_id: str, email: str) -> MemberLink | MemberUnknown | ShopUnknown:
        """Make and mail a sign-in link for a shop's member, for the operator; it counts against no limit.

        Refusals:
        - `ShopUnknown`: there is no shop with this site id.
        - `MemberUnknown`: the shop has no member with this address.

        Raises: `Invalid` if `email` is not an address; `StorageUnavailable`.

        Spec: §10.2.
        """
        return self._use_cases.run(make_member_link, site_id, email)

    def list_activity(
        self, actor: str | Actor, query: ActivityQuery | Invalid
    ) -> ActivityPage | ShopUnknown | KeyRefused | LimitReached | Invalid:
        """List what was changed at a shop, by whom and when, newest first; it is kept for 365 days.

        Refusals:
        - `ShopUnknown`: there is no shop with this site id.
        - `KeyRefused`: a key acts, or an actor for a shop of another database.
        - `Invalid`: the `Invalid` that you passed as `query`, returned unchanged.
        - `LimitReached`: never; no limit applies.

        Raises: `StorageUnavailable`.

        Spec: §10.7.
        """
        return self._use_cases.run(list_activity, actor, query)


class AsyncMembers(AsyncFacade):
    """The members of shops, and what was changed at each shop; see `Members`."""

    __slots__ = ()

    add = derived(Members.add)
    list = derived(Members.list)
    set_role = derived(Members.set_role)
    remove = derived(Members.remove)
    link = derived(Members.link)
    list_activity = derived(Members.list_activity)
