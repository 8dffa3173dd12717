"""Who is signed in, and at which shops that member may act (`permissions.py` says what). Spec: §10."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import attrs

from reviewinvite_core.domain.api_key import Actor, ApiKey
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.members import Role
from reviewinvite_core.domain.permissions import Permission
from reviewinvite_core.domain.refusals import RoleRefused, ShopUnknown, SignInTooOld
from reviewinvite_core.domain.shop import SiteId
from reviewinvite_core.domain.sign_in import Session


@attrs.frozen(kw_only=True)
class ShopAccess:
    """A shop of a member, the member's role there, and whether the member has `opened` the shop's dashboard."""

    shop_number: int
    site_id: SiteId
    name: str
    active: bool
    role: Role
    opened: bool = False


@attrs.frozen(kw_only=True)
class MemberIdentity:
    """Who a member is, whatever the shop."""

    member_id: str
    email: str = attrs.field(repr=False)
    language: Language


@attrs.frozen(kw_only=True)
class SignedIn:
    """A member who is signed in, the session, and the member's shops by site id, as they were at the instant `at`.

    `is_first_hour` is whether the session began less than an hour before, and no other one of the member is known.
    """

    member: MemberIdentity
    session: Session
    shops: Sequence[ShopAccess]
    at: datetime
    is_first_hour: bool = False

    def access(self, site_id: str) -> ShopAccess | None:
        """Return the member's access to the shop with this site id, or None."""
        return next((shop for shop in self.shops if shop.site_id.text == site_id), None)

    def may_make_key(self, keys: Sequence[ApiKey], now: datetime) -> SignInTooOld | None:
        """Return why a key cannot be made for a shop with these keys: a new member has an hour for a first one."""
        may = self.session.is_recent(now) or (self.is_first_hour and not keys)
        return None if may else SignInTooOld()

    def actor(
        self, site_id: str, permission: Permission, now: datetime
    ) -> Actor | ShopUnknown | RoleRefused | SignInTooOld:
        """Return the right to act for a shop, or why the member does not have it.

        Another shop is unknown to the member, whether or not it exists.
        """
        shop = self.access(site_id)
        if shop is None:
            return ShopUnknown(site_id)
        if not shop.role.includes(permission.role):
            return RoleRefused()
        if permission.recent and not self.session.is_recent(now):
            return SignInTooOld()
        return Actor(
            shop_number=shop.shop_number, site_id=shop.site_id, member_id=self.member.member_id, role=permission.role
        )
