"""What is stored about shops and their members: keys, hosts, sign-in, activity, limits."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Protocol

from reviewinvite_core.domain.activity import Activity
from reviewinvite_core.domain.api_key import ApiKey
from reviewinvite_core.domain.domains import Domain
from reviewinvite_core.domain.frequency import Recipient
from reviewinvite_core.domain.limits import LimitKey, Usage
from reviewinvite_core.domain.members import Member, Membership, Role
from reviewinvite_core.domain.shop import NewShop, Shop
from reviewinvite_core.domain.sign_in import MailedLink, Session, SignInLink
from reviewinvite_core.domain.signing import SigningKey


class Shops(Protocol):
    def add(self, shop: NewShop) -> Shop | None:
        """Store a new, active shop under a unique number and return it, or None if its site id is taken."""

    def by_site_id(self, site_id: str) -> Shop | None:
        """Return the shop with this site id, or None; a malformed id is unknown."""

    def named(self, site_ids: Collection[str]) -> Mapping[str, Shop]:
        """Return a mapping from site id to shop for these site ids; unknown ones are left out."""

    def by_number(self, number: int) -> Shop | None:
        """Return the shop with this number, or None."""

    def by_numbers(self, numbers: Collection[int]) -> Mapping[int, Shop]:
        """Return a mapping from number to shop for these numbers; unknown ones are left out."""

    def every(self) -> Sequence[Shop]:
        """Return all shops, ordered by site id."""

    def change(self, shop: Shop) -> None:
        """Store changes; number, site id, and when the badge or a signature was first seen, never change."""

    def note_badges_seen(self, numbers: Collection[int], at: datetime) -> None:
        """Note that the badges of these shops were first seen at this instant, unless they were seen before."""

    def note_snippets_signed(self, numbers: Collection[int], at: datetime) -> None:
        """Note that the first valid signatures of these shops came at this instant, unless one came before."""


class ApiKeys(Protocol):
    """API keys, stored as hashes."""

    def add(self, key: ApiKey) -> None:
        """Store a new key."""

    def holders(self, key_hashes: Sequence[bytes]) -> Mapping[bytes, tuple[ApiKey, Shop]]:
        """Return the keys with these hashes, revoked or not, and their shops, by hash; unknown hashes are left out."""

    def by_id(self, key_id: str) -> ApiKey | None:
        """Return the key with this id, or None."""

    def of_shop(self, shop_number: int) -> Sequence[ApiKey]:
        """Return a shop's keys, oldest first."""

    def revoke(self, key_id: str, at: datetime) -> None:
        """Mark a key as revoked at this instant; a key that is already revoked keeps its instant."""


class Domains(Protocol):
    """Hosts that shops claim as theirs; no two shops have the same host verified."""

    def add(self, domain: Domain) -> Domain:
        """Store a shop's host unless the shop already has it; return the stored one."""

    def find(self, shop_number: int, host: str) -> Domain | None:
        """Return a shop's host, or None."""

    def of_shop(self, shop_number: int) -> Sequence[Domain]:
        """Return all hosts of a shop, sorted by name."""

    def holders(self, hosts: Collection[str]) -> Mapping[str, int]:
        """Return, for each of these hosts that is verified, the number of the shop that has verified it."""

    def verified_of(self, shop_numbers: Collection[int]) -> Mapping[int, Sequence[str]]:
        """Return the verified hosts of each of these shops, sorted by name; shops without any are left out."""

    def to_recheck(
        self, before: datetime, after: datetime, limit: int, *, missing_before: datetime, recently: datetime
    ) -> Sequence[Domain]:
        """Return up to `limit` hosts to check again, longest unchecked first.

        These are hosts verified by a proof and last checked before `before`, or later than `after` because the clock
        was ahead. Hosts missing since `missing_before` or longer are due earlier: when last checked before `recently`.
        No other unit of work gets the same hosts until this one has ended.
        """

    def change(self, domain: Domain) -> None:
        """Store changes; shop, host, token and `added_at` never change."""

    def remove(self, shop_number: int, host: str) -> Domain | None:
        """Remove a shop's host, verified or not; return it, or None if the shop does not have it."""


class Members(Protocol):
    """The people who may act for shops, one row each, and their roles at shops."""

    def add(self, member: Member) -> None:
        """Store a new member; no other has the same address."""

    def change(self, member: Member) -> None:
        """Store changes; id, address and `created_at` never change."""

    def remove(self, member_id: str) -> None:
        """Delete a member, who has no membership, with sign-in links and sessions."""

    def by_ids(self, member_ids: Collection[str]) -> Mapping[str, Member]:
        """Return the members with these ids, by id; unknown ids are left out."""

    def by_address(self, address_hash: bytes) -> Member | None:
        """Return the member with this address, or None."""

    def of_shop(self, shop_number: int) -> Sequence[tuple[Member, Role]]:
        """Return a shop's members and their roles, in the order in which they were created."""

    def shops_of(self, member_id: str) -> Sequence[tuple[Shop, Membership]]:
        """Return the shops of a member and the membership of each, ordered by site id."""

    def role_of(self, shop_number: int, member_id: str) -> Role | None:
        """Return a member's role at a shop, or None."""

    def join(self, membership: Membership) -> None:
        """Store a membership, or its new role; that it was opened is stored by `open` only."""

    def open(self, shop_number: int, member_id: str, person_hash: bytes) -> None:
        """Store who has opened the shop's dashboard, if there is such a membership and nobody has; then it stays."""

    def leave(self, shop_number: int, member_id: str) -> bool:
        """Delete a membership; return whether there was one."""

    def sweep(self, left_before: datetime, limit: int) -> int:
        """Delete up to `limit` members who left before this instant; return how many."""


class SignInLinks(Protocol):
    """Single-use links by which members sign in."""

    def put(self, link: SignInLink) -> None:
        """Store a new link; of one with this hash, change only the two instants."""

    def find(self, link_hash: bytes) -> SignInLink | None:
        """Return the link with this hash, used or not, or None."""

    def use(self, link_hash: bytes, at: datetime) -> bool:
        """Mark a link as used; return False if it is unknown or was used before."""

    def asked_for(self, member_id: str | None, after: datetime, until: datetime) -> Sequence[MailedLink]:
        """Return the links that a member asked for after one instant and up to another, with their e-mails' states.

        For None, and for links without an e-mail, that is nothing. The first one asked for comes first.
        """

    def count_of_client(self, client_hash: bytes, after: datetime, until: datetime) -> int:
        """Return how many links a client asked for after one instant and up to another."""

    def withdraw(self, member_id: str) -> int:
        """Delete a member's links; return how many."""

    def withdraw_everyones(self) -> int:
        """Delete all links; return how many."""

    def sweep(self, expired_before: datetime, limit: int) -> int:
        """Delete up to `limit` links that expired before this instant; return how many."""


class Sessions(Protocol):
    """Sessions of members, also those that ended: they tell which devices are known."""

    def add(self, session: Session) -> None:
        """Store a new session."""

    def find(self, session_hash: bytes) -> Session | None:
        """Return the session with this hash, or None."""

    def of_member(self, member_id: str) -> Sequence[Session]:
        """Return a member's sessions, the newest sign-in first."""

    def note_seen(self, session_hash: bytes, at: datetime) -> None:
        """Store that a session was used at this instant."""

    def end(self, session_hash: bytes, at: datetime) -> bool:
        """Mark a session as ended; return False if it is unknown or was ended before."""

    def remove_all(self, member_id: str) -> int:
        """Delete all sessions of a member, so that none of the browsers is known any more; return how many."""

    def end_everyones(self, at: datetime) -> int:
        """Mark all sessions as ended; return how many were not."""

    def sweep(self, signed_in_before: datetime, limit: int) -> int:
        """Delete up to `limit` sessions that began before this instant; return how many."""


class SigningKeys(Protocol):
    """Keys that sign statements; at most one of them is signing."""

    def every(self) -> Sequence[SigningKey]:
        """Return all keys, retired and compromised ones included, by time of announcement."""

    def in_use(self, retired_after: datetime) -> Sequence[SigningKey]:
        """Return the keys announced or signing, and those retired after this instant, by time of announcement."""

    def add(self, key: SigningKey) -> bool:
        """Store a new key and return True; refuse a signing key if another key is signing.

        If another unit of work is about to store a signing key, wait for it to end.
        """

    def change(self, before: SigningKey, after: SigningKey) -> bool:
        """Replace `before` by `after` if the stored state is still that of `before`; return whether it was replaced."""


class ActivityLog(Protocol):
    """Who changed what at each shop."""

    def add(self, activity: Activity) -> None:
        """Store a new entry."""

    def newest(self, shop_number: int, *, after: str | None, since: datetime | None, limit: int) -> Sequence[Activity]:
        """Return up to `limit` entries of a shop by descending id, so newest first.

        `after` excludes entries with this id or a higher one, `since` those of earlier milliseconds. Ids increase with
        time, so new entries never appear on a later page.
        """

    def nth_newest_notice(self, shop_number: int, nth: int, *, after: datetime, until: datetime) -> datetime | None:
        """Return the instant of the `nth` newest entry of a shop that `mails_others`, or None if there are fewer.

        Only entries after one instant and up to another count.
        """

    def nth_newest_addition(self, member_id: str, nth: int, *, after: datetime, until: datetime) -> datetime | None:
        """Return the instant of the `nth` newest entry of any shop that `adds` this person, or None.

        Only entries after one instant and up to another count.
        """

    def sweep(self, before: datetime, limit: int) -> int:
        """Delete up to `limit` entries from before this instant; return how many."""


class RateLimitLog(Protocol):
    """Admissions under rate limits, each with its instant."""

    def nth_newest(self, limit_keys: Sequence[LimitKey], count: int) -> Mapping[LimitKey, datetime]:
        """Return the instant of the `count`-th newest admission of each key that has at least that many."""

    def usage(self, limit_keys: Sequence[LimitKey], count: int, *, after: datetime) -> Mapping[LimitKey, Usage]:
        """Return, for each key, its `count`-th newest admission, how many were later than `after`, and the oldest one.

        Takes as many statements as `nth_newest`. More than `count` may be counted as `count`.
        """

    def admit(self, limit_keys: Sequence[LimitKey], at: datetime, *, replacing_nth: int | None = None) -> None:
        """Record one admission for each of these distinct keys.

        With `replacing_nth`, a key's n-th newest admission and older ones are no longer needed.
        """

    def bring_back(self, limit_keys: Sequence[LimitKey], now: datetime) -> None:
        """Date these keys' admissions that are later than `now` to `now`, because the clock was set back."""

    def sweep(self, before: datetime, limit: int) -> int:
        """Delete admissions before this instant, at most `limit` rows; return how many.

        The storage may keep them for a minute longer.
        """

    def bring_back_all(self, now: datetime, *, later_than: datetime, limit: int) -> int:
        """Date admissions later than `later_than` to `now`, at most `limit` rows; return how many.

        `later_than` is at least a minute after `now`. Others of the same minute that are later than `now` may be too.
        """


class DailyCounters(Protocol):
    """Counters by calendar day (UTC)."""

    def counted(self, limit_keys: Collection[LimitKey], day: date) -> Mapping[LimitKey, int]:
        """Return each key's count on this day; keys without any are left out."""

    def count(self, counts: Mapping[LimitKey, int], day: date) -> None:
        """Add these counts on this day."""

    def sweep(self, before: date, limit: int) -> int:
        """Delete up to `limit` counters of days before this one; return the number of deleted counters."""


class SnippetReports(Protocol):
    """Orders that open snippets reported of late, by shop and person: how often, and never which order it was."""

    def counted(
        self, asked: Collection[Recipient], since: datetime, until: datetime
    ) -> Mapping[Recipient, tuple[int, int]]:
        """Return how many reports each of these people had between these instants: at the shop, and at all shops.

        `asked` has pairs of a shop's number and a person's hash; who had none at any shop is left out.
        """

    def count(self, reported: Collection[Recipient], at: datetime) -> None:
        """Add a report of each of these at this instant."""

    def sweep(self, before: datetime, limit: int) -> int:
        """Delete up to `limit` rows of before this instant; return how many."""
