"""A member's browser as calls in this process, for a program that embeds the service."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from features.drivers.member_browser import ListedSession, MemberBrowser, Outcome

from reviewinvite_core import Actor, Application, NewMember, Role, ShopChanges, accepted
from reviewinvite_core.ports import Clock
from reviewinvite_core.values import (
    InvitationUnknown,
    LastOwner,
    LimitReached,
    Permission,
    RoleRefused,
    ShopUnknown,
    SignedIn,
    SignInTooOld,
    permissions,
)

OUTCOMES: Mapping[type, Outcome] = {
    ShopUnknown: Outcome.SHOP_UNKNOWN,
    RoleRefused: Outcome.ROLE_REFUSED,
    SignInTooOld: Outcome.SIGN_IN_TOO_OLD,
    InvitationUnknown: Outcome.UNKNOWN,
    LastOwner: Outcome.LAST_OWNER,
    LimitReached: Outcome.LIMIT_REACHED,
}


class LibraryBrowser(MemberBrowser):
    """A browser that keeps the secret of its session, and calls the application that runs now."""

    def __init__(self, device: str, application: Callable[[], Application], clock: Clock) -> None:
        super().__init__(device)
        self._application = application
        self._clock = clock
        self._secret = ""
        self._device: str | None = None

    def ask_for_link(self, email: str, address: str) -> str:
        app = self._application()
        app.sign_in.request_link(email, app.proxies.client(address), self._device)
        return "nothing"

    def open_link(self, link: str) -> str | None:
        offer = self._application().sign_in.show_link(_token(link))
        return offer.email if offer else None

    def press_button(self, link: str) -> bool:
        new = self._application().sign_in.use_link(_token(link), self.device)
        if new:
            self._secret, self._device = new.secret.text, new.session.device_token
        return new is not None

    def roles(self) -> Mapping[str, str] | None:
        signed_in = self._signed_in()
        return {each.site_id: each.role for each in signed_in.shops} if signed_in else None

    def sessions(self) -> Sequence[ListedSession]:
        sessions = self._application().sign_in.list_sessions(self._require())
        return [ListedSession(each.session_id, each.device) for each in sessions]

    def end_session(self, session_id: str) -> None:
        self._application().sign_in.end_session(self._require(), session_id)

    def end_other_sessions(self) -> None:
        self._application().sign_in.end_other_sessions(self._require())

    def sign_out(self) -> None:
        self._application().sign_in.sign_out(self._secret)

    def open_shop(self, shop: str) -> None:
        self._application().sign_in.note_opened(self._require(), shop)

    def cancel(self, shop: str, invite_id: str) -> Outcome:
        return self._act(
            shop, permissions.CANCEL_INVITATIONS, lambda app, caller: app.invitations.cancel(caller, invite_id)
        )

    def set_delay(self, shop: str, days: int) -> Outcome:
        return self._act(
            shop,
            permissions.CHANGE_SETTINGS,
            lambda app, caller: app.shops.update(caller, ShopChanges(delay_days=days)),
        )

    def rename(self, shop: str, name: str) -> Outcome:
        return self._act(
            shop, permissions.CHANGE_NAME, lambda app, caller: app.shops.update(caller, ShopChanges(name=name))
        )

    def set_reply_to(self, shop: str, reply_to: str) -> Outcome:
        return self._act(
            shop,
            permissions.CHANGE_REPLY_TO,
            lambda app, caller: app.shops.update(caller, ShopChanges(reply_to=reply_to)),
        )

    def withdraw_name(self, shop: str) -> Outcome:
        return self._act(shop, permissions.CHANGE_NAME, lambda app, caller: app.shops.withdraw_name(caller))

    def make_key(self, shop: str) -> Outcome:
        def make(app: Application, caller: Actor) -> object:
            refusal = self._require().may_make_key(accepted(app.api_keys.list(shop)), self._clock.now())
            return refusal or app.api_keys.create(caller, "made by a member")

        return self._act(shop, permissions.MAKE_KEYS, make)

    def add_member(self, shop: str, email: str, role: str) -> Outcome:
        new = NewMember(email=email, role=role)
        needed = permissions.ADD_OWNERS if role == "owner" else permissions.ADD_STAFF
        return self._act(shop, needed, lambda app, caller: app.members.add(caller, new))

    def change_role(self, shop: str, email: str, role: str) -> Outcome:
        return self._act(
            shop,
            permissions.CHANGE_ROLES,
            lambda app, caller: app.members.set_role(caller, _member_id(app, caller, email), Role(role)),
        )

    def remove_member(self, shop: str, email: str) -> Outcome:
        members = {each.email: each for each in accepted(self._application().members.list(shop))}
        is_owner = email in members and members[email].role is Role.OWNER
        needed = permissions.REMOVE_OWNERS if is_owner else permissions.REMOVE_STAFF
        return self._act(shop, needed, lambda app, caller: app.members.remove(caller, _member_id(app, caller, email)))

    def revoke_key(self, shop: str) -> Outcome:
        key = accepted(self._application().api_keys.list(shop))[0]
        return self._act(shop, permissions.REVOKE_KEYS, lambda app, caller: app.api_keys.revoke(key.key_id, caller))

    def _act(self, shop: str, permission: Permission, act: Callable[[Application, Actor], object]) -> Outcome:
        """Do something for a shop with the rights that the member has now."""
        signed_in = self._require()
        result: object = signed_in.actor(shop, permission, self._clock.now())
        if isinstance(result, Actor):
            result = act(self._application(), result)
        return OUTCOMES.get(type(result), Outcome.DONE)

    def _signed_in(self) -> SignedIn | None:
        return self._application().sign_in.resume(self._secret) if self._secret else None

    def _require(self) -> SignedIn:
        signed_in = self._signed_in()
        assert signed_in, "nobody is signed in"
        return signed_in


def _token(link: str) -> str:
    return link.rpartition("/")[2]


def _member_id(app: Application, caller: Actor, email: str) -> str:
    [member_id] = [each.member_id for each in accepted(app.members.list(caller)) if each.email == email]
    return member_id
