"""Contract tests for the storage of sign-in links and sessions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import attrs
from tests.builders import a_member, a_message, a_session, a_sign_in_link, an_address_hash

from reviewinvite_core.domain.deliveries import Claim
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.sign_in import LinkKind, MailedLink, Session, SignInLink
from reviewinvite_core.ports import Storage, Store
from reviewinvite_core.testing.builders import NOON

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
TICK = timedelta(microseconds=1)


def keep_members(store: Store) -> None:
    """Store two members, `mem_1` and `mem_2`."""
    for member in (a_member("mem_1"), a_member("mem_2")):
        store.members.add(member)


def keep_links(storage: Storage, *links: SignInLink) -> None:
    """Store these links, and the members whose they are."""

    def unit(store: Store) -> None:
        keep_members(store)
        for each in links:
            store.sign_in_links.put(each)

    storage.run(unit)


def link(storage: Storage, link_hash: bytes) -> SignInLink | None:
    """Return the link with this hash, as stored."""
    return storage.read(lambda store: store.sign_in_links.find(link_hash))


def keep_sessions(storage: Storage, *sessions: Session) -> None:
    """Store these sessions, and the members whose they are."""

    def unit(store: Store) -> None:
        keep_members(store)
        for each in sessions:
            store.sessions.add(each)

    storage.run(unit)


def session(storage: Storage, session_hash: bytes) -> Session | None:
    """Return the session with this hash, as stored."""
    return storage.read(lambda store: store.sessions.find(session_hash))


class SignInLinksContract:
    """Part of `StorageContract`: sign-in links."""

    def test_a_link_is_found_as_it_was_added(self, storage: Storage) -> None:
        of_member = a_sign_in_link("mem_1", 1, kind=LinkKind.WELCOME, used_at=NOON + MINUTE)
        of_nobody = a_sign_in_link(None, 2, client_hash=an_address_hash("client"))
        keep_links(storage, of_member, of_nobody)
        assert link(storage, of_member.hash) == of_member
        assert link(storage, of_nobody.hash) == of_nobody
        assert link(storage, bytes(32)) is None

    def test_a_link_is_used_once(self, storage: Storage) -> None:
        used, other = a_sign_in_link(serial=1), a_sign_in_link(serial=2)
        keep_links(storage, used, other)
        assert storage.run(lambda store: store.sign_in_links.use(used.hash, NOON + MINUTE))
        assert not storage.run(lambda store: store.sign_in_links.use(used.hash, NOON + 2 * MINUTE))
        assert not storage.run(lambda store: store.sign_in_links.use(bytes(32), NOON))
        assert link(storage, used.hash) == attrs.evolve(used, used_at=NOON + MINUTE)
        assert link(storage, other.hash) == other

    def test_a_link_that_is_put_again_has_other_instants_and_nothing_else(self, storage: Storage) -> None:
        mail = a_message()
        first = a_sign_in_link("mem_1", message_id=mail.message_id, client_hash=an_address_hash("client"))
        keep_links(storage, first)
        again = attrs.evolve(first, made_at=NOON + MINUTE, expires_at=NOON + HOUR)
        storage.run(lambda store: store.sign_in_links.put(attrs.evolve(again, client_hash=None, device_hash=bytes(32))))
        assert link(storage, first.hash) == again

    def test_links_that_a_member_asked_for_are_listed_with_the_states_of_their_mails(self, storage: Storage) -> None:
        mails = [a_message(n) for n in range(4)]
        waiting, claimed = mails[1:3]
        requested = [
            a_sign_in_link("mem_1", n, made_at=NOON + n * MINUTE, message_id=mails[n].message_id, device_hash=bytes(32))
            for n in range(4)
        ]
        others = [
            a_sign_in_link("mem_1", 11, kind=LinkKind.HANDED_OUT, made_at=NOON + MINUTE, message_id=waiting.message_id),
            a_sign_in_link("mem_2", 12, made_at=NOON + MINUTE, message_id=waiting.message_id),
            a_sign_in_link("mem_1", 13, made_at=NOON + MINUTE),
            a_sign_in_link(None, 14, made_at=NOON + MINUTE, message_id=waiting.message_id),
        ]
        keep_links(storage, *reversed(requested), *others)
        claim = Claim(token=b"claim", lease_until=NOON + HOUR)
        moved = claimed.moved(State.CLAIMED, Reason.CLAIMED, NOON + MINUTE, claim=claim)

        def unit(store: Store) -> None:
            for each in mails:
                store.notices.add(each)
            assert store.notices.change(claimed, moved)

        storage.run(unit)

        def asked_for(member_id: str | None) -> Sequence[MailedLink]:
            return storage.read(
                lambda store: store.sign_in_links.asked_for(member_id, after=NOON, until=NOON + 2 * MINUTE)
            )

        assert asked_for("mem_1") == [
            MailedLink(requested[1], State.SCHEDULED, waiting.changed_at),
            MailedLink(requested[2], State.CLAIMED, NOON + MINUTE),
        ]
        assert [len(asked_for(each)) for each in ("mem_2", "mem_9", None)] == [1, 0, 0]

    def test_links_that_a_client_asked_for_are_counted_whosever_they_are(self, storage: Storage) -> None:
        client, other = an_address_hash("client"), an_address_hash("other")
        keep_links(
            storage,
            a_sign_in_link("mem_1", 1, client_hash=client),
            a_sign_in_link("mem_2", 2, client_hash=client, made_at=NOON + MINUTE),
            a_sign_in_link(None, 3, client_hash=client, made_at=NOON + 2 * MINUTE),
            a_sign_in_link(None, 4, client_hash=client, made_at=NOON + 3 * MINUTE),
            a_sign_in_link(None, 5, client_hash=other, made_at=NOON + MINUTE),
            a_sign_in_link("mem_1", 6, made_at=NOON + MINUTE),
        )
        span = {"after": NOON, "until": NOON + 2 * MINUTE}
        counts = [
            storage.read(lambda store, each=each: store.sign_in_links.count_of_client(each, **span))  # type: ignore[misc]
            for each in (client, other, bytes(32))
        ]
        assert counts == [2, 1, 0]

    def test_a_members_links_can_be_withdrawn(self, storage: Storage) -> None:
        kept = a_sign_in_link("mem_2", 3)
        keep_links(storage, a_sign_in_link("mem_1", 1), a_sign_in_link("mem_1", 2), kept)
        assert storage.run(lambda store: store.sign_in_links.withdraw("mem_1")) == 2
        assert link(storage, a_sign_in_link(serial=1).hash) is None
        assert link(storage, kept.hash) == kept

    def test_everyones_links_can_be_withdrawn(self, storage: Storage) -> None:
        links = [a_sign_in_link("mem_1", 1), a_sign_in_link("mem_2", 2), a_sign_in_link(None, 3)]
        keep_links(storage, *links)
        assert storage.run(lambda store: store.sign_in_links.withdraw_everyones()) == 3
        assert [link(storage, each.hash) for each in links] == [None, None, None]

    def test_links_are_swept_that_expired_before_an_instant_a_few_at_a_time(self, storage: Storage) -> None:
        links = [a_sign_in_link(serial=n, expires_at=NOON + n * MINUTE) for n in range(4)]
        keep_links(storage, *links)
        swept = [storage.run(lambda store: store.sign_in_links.sweep(NOON + 3 * MINUTE, 2)) for _ in range(3)]
        assert swept == [2, 1, 0]
        assert [link(storage, each.hash) for each in links] == [None, None, None, links[3]]


class SessionsContract:
    """Part of `StorageContract`: sessions."""

    def test_a_session_is_found_as_it_was_added(self, storage: Storage) -> None:
        stored = a_session(last_seen_at=NOON + HOUR, device="Safari — iPhone 📱")
        keep_sessions(storage, stored, a_session(serial=2))
        assert session(storage, stored.hash) == stored
        assert session(storage, bytes(32)) is None

    def test_a_members_sessions_are_listed_the_newest_sign_in_first(self, storage: Storage) -> None:
        early, late = a_session(serial=1), a_session(serial=2, signed_in_at=NOON + HOUR)
        keep_sessions(storage, early, late, a_session("mem_2", 3))
        assert storage.read(lambda store: store.sessions.of_member("mem_1")) == [late, early]
        assert storage.read(lambda store: store.sessions.of_member("mem_9")) == []

    def test_the_instant_at_which_a_session_was_last_seen_can_change(self, storage: Storage) -> None:
        seen, other = a_session(serial=1), a_session(serial=2)
        keep_sessions(storage, seen, other)
        storage.run(lambda store: store.sessions.note_seen(seen.hash, NOON + HOUR))
        assert session(storage, seen.hash) == attrs.evolve(seen, last_seen_at=NOON + HOUR)
        assert session(storage, other.hash) == other

    def test_a_session_ends_once_and_the_others_go_on(self, storage: Storage) -> None:
        ended, other = a_session(serial=1), a_session(serial=2)
        keep_sessions(storage, ended, other)
        assert storage.run(lambda store: store.sessions.end(ended.hash, NOON + HOUR))
        assert not storage.run(lambda store: store.sessions.end(ended.hash, NOON + 2 * HOUR))
        assert not storage.run(lambda store: store.sessions.end(bytes(32), NOON))
        assert session(storage, ended.hash) == attrs.evolve(ended, ended_at=NOON + HOUR)
        assert session(storage, other.hash) == other

    def test_all_sessions_of_a_member_can_be_removed(self, storage: Storage) -> None:
        other = a_session("mem_2", 3)
        keep_sessions(storage, a_session(serial=1, ended_at=NOON), a_session(serial=2), other)
        assert storage.run(lambda store: store.sessions.remove_all("mem_1")) == 2
        assert storage.read(lambda store: store.sessions.of_member("mem_1")) == []
        assert session(storage, other.hash) == other

    def test_everyones_sessions_end_at_once(self, storage: Storage) -> None:
        keep_sessions(storage, a_session("mem_1", 1), a_session("mem_2", 2), a_session("mem_2", 3, ended_at=NOON))
        assert storage.run(lambda store: store.sessions.end_everyones(NOON + HOUR)) == 2
        of_both = storage.read(lambda store: [*store.sessions.of_member("mem_1"), *store.sessions.of_member("mem_2")])
        assert {each.ended_at for each in of_both} == {NOON, NOON + HOUR}

    def test_sessions_are_swept_that_began_before_an_instant_a_few_at_a_time(self, storage: Storage) -> None:
        old = [a_session(serial=n, signed_in_at=NOON - TICK, last_seen_at=NOON) for n in range(3)]
        kept = a_session(serial=9, signed_in_at=NOON)
        keep_sessions(storage, *old, kept)
        assert [storage.run(lambda store: store.sessions.sweep(NOON, 2)) for _ in range(3)] == [2, 1, 0]
        assert storage.read(lambda store: store.sessions.of_member("mem_1")) == [kept]
