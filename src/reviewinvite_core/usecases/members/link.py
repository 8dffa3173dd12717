"""Make a sign-in link for a member, for the operator. Spec: §10.2."""

from __future__ import annotations

import attrs

from reviewinvite_core.domain.email_address import EmailAddress
from reviewinvite_core.domain.errors import MemberUnknown, ShopUnknown
from reviewinvite_core.domain.orders import address_hash
from reviewinvite_core.domain.sign_in import LinkKind
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.members.records import MemberRecord, record_of
from reviewinvite_core.usecases.sign_in.links import make_link
from reviewinvite_core.usecases.sign_in.mail import mail_link


@attrs.frozen(kw_only=True)
class MemberLink:
    """A link that signs a member in, and who that is."""

    member: MemberRecord
    link: str = attrs.field(repr=False)


@write()
def make_member_link(ctx: UnitContext, site_id: str, email: str) -> MemberLink | MemberUnknown | ShopUnknown:
    """Make and mail a sign-in link for a shop's member; it does not count against the limits of links.

    Raises: `Invalid` if `email` is not an address.
    """
    hashed = address_hash(ctx.ring.address, EmailAddress.parse(email))
    shop = ctx.store.shops.by_site_id(site_id)
    if shop is None:
        return ShopUnknown(site_id)
    for member, role in ctx.store.members.of_shop(shop.number):
        if member.address_hash == hashed:
            kind = LinkKind.HANDED_OUT if member.signed_in_at else LinkKind.WELCOME
            made = make_link(ctx, member, kind)
            mail_link(ctx, member, made)
            return MemberLink(member=record_of(ctx, member, role), link=made.url)
    return MemberUnknown()
