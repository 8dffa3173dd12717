"""Stored values for tests: valid, plain, and the same in every run."""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta
from typing import Any

from reviewinvite_core.domain.activity import Action, Activity
from reviewinvite_core.domain.actor import ActorKind, ActorRef
from reviewinvite_core.domain.api_key import ApiKey
from reviewinvite_core.domain.domains import Domain
from reviewinvite_core.domain.handovers import HandOver
from reviewinvite_core.domain.identifiers import uuid7
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.members import Member
from reviewinvite_core.domain.notices import Notice, NoticeKind
from reviewinvite_core.domain.orders import DedupKey
from reviewinvite_core.domain.origins import HostName
from reviewinvite_core.domain.provenance import UNKNOWN, Source
from reviewinvite_core.domain.reviews import Review
from reviewinvite_core.domain.sealing import NONCE_BYTES, KeyRing
from reviewinvite_core.domain.shop import NewShop, Shop
from reviewinvite_core.domain.sign_in import LinkKind, Session, SignInLink
from reviewinvite_core.domain.signing import SigningKey
from reviewinvite_core.domain.suppressions import SuppressedBy, Suppression
from reviewinvite_core.ports import Storage
from reviewinvite_core.testing.builders import NOON


def an_invitation(
    shop: Shop,
    serial: int = 1,
    *,
    reported_at: datetime = NOON,
    due_after: timedelta = timedelta(days=5),
    **fields: Any,
) -> Invitation:
    """Return a scheduled invitation of a shop, whose id depends on `serial`; `fields` are those of `Invitation`."""
    plain = {
        "invite_id": uuid7(reported_at, serial.to_bytes(10, "big")),
        "shop_number": shop.number,
        "order_number": str(1000 + serial),
        "language": Language.NL,
        "address_hash": an_address_hash(),
        "sealed_address": b"sealed %d" % serial,
        "reported_at": reported_at,
        "scheduled_for": reported_at + due_after,
        "due_at": reported_at + due_after,
        "changed_at": reported_at,
        "provenance": UNKNOWN,
    }
    return Invitation(**{**plain, **fields})


def a_message(
    serial: int = 1, *, queued_at: datetime = NOON, expires_after: timedelta = timedelta(minutes=15), **fields: Any
) -> Notice:
    """Return a sign-in link that waits, whose id depends on `serial`; `fields` are those of `Notice`."""
    plain = {
        "message_id": uuid7(queued_at, serial.to_bytes(10, "big")),
        "kind": NoticeKind.SIGN_IN_LINK,
        "language": Language.NL,
        "address_hash": an_address_hash(),
        "sealed": b"sealed %d" % serial,
        "queued_at": queued_at,
        "expires_at": queued_at + expires_after,
        "due_at": queued_at,
        "changed_at": queued_at,
    }
    return Notice(**{**plain, **fields})


def a_hand_over(
    number: int, scheduled_for: datetime = NOON, *, invitation: Invitation | None = None, at: datetime | None = None
) -> HandOver:
    """Return the hand-over with this number; it is early if `at` is before `scheduled_for`."""
    return HandOver(
        number=number,
        shop_number=invitation.shop_number if invitation else 1,
        invite_id=invitation.invite_id if invitation else uuid7(NOON, number.to_bytes(10, "big")),
        scheduled_for=invitation.scheduled_for if invitation else scheduled_for,
        at=at or scheduled_for,
    )


def a_review(invitation: Invitation, rating: int | None = 5, *, written_at: datetime = NOON, **fields: Any) -> Review:
    """Return a published review of an invitation; `fields` are those of `Review`."""
    plain = {
        "review_id": uuid7(written_at, hashlib.sha256(invitation.invite_id.encode()).digest()),
        "shop_number": invitation.shop_number,
        "invite_id": invitation.invite_id,
        "text": "Snel geleverd.\nLekker brood! 🍞",
        "author": "Anna",
        "language": Language.NL,
        "written_at": written_at,
        "changed_at": written_at,
        "source": Source.UNKNOWN,
        "confirmed": True,
    }
    return Review(rating=rating, **{**plain, **fields})


def a_domain(shop_number: int = 1, host: str = "molen.example.nl", **fields: Any) -> Domain:
    """Return a shop's host, unverified by default; `fields` are those of `Domain`."""
    plain = {"token": "abcdefghijklmnopqrstuvwxyz234567", "added_at": NOON}
    return Domain(shop_number=shop_number, host=HostName.parse(host), **{**plain, **fields})


def a_signing_key(serial: int = 1, *, announced_at: datetime = NOON) -> SigningKey:
    """Return a standby signing key, a different one for each `serial`. Never use it for real."""
    seed = hashlib.sha256(b"seed %d" % serial).digest()
    return SigningKey.announced(seed, bytes(NONCE_BYTES), KeyRing.make(bytes(128)), announced_at)


def a_dedup_key(name: str = "order", *, numbered: bool = True) -> DedupKey:
    """Return a dedup key, a different one for each name."""
    return DedupKey(hashlib.sha256(name.encode()).digest(), numbered)


def an_address_hash(name: str = "anna") -> bytes:
    """Return the hash of an address, a different one for each name."""
    return hashlib.sha256(b"address " + name.encode()).digest()[:16]


def a_suppression(shop_number: int | None, *, name: str = "anna", **fields: Any) -> Suppression:
    """Return a customer's suppression of the named address for one shop; `shop_number` None means all shops."""
    plain = {"address_hash": an_address_hash(name), "by": SuppressedBy.CUSTOMER, "suppressed_at": NOON}
    return Suppression(shop_number=shop_number, **{**plain, **fields})


def an_api_key(shop: Shop, key_id: str = "key_1", *, created_at: datetime = NOON) -> ApiKey:
    """Return a shop's API key as stored, with a different hash for each id."""
    return ApiKey(
        key_id=key_id,
        shop_number=shop.number,
        hash=hashlib.sha256(key_id.encode()).digest(),
        last_four="wxyz",
        label="web shop",
        created_at=created_at,
    )


def a_member(member_id: str = "mem_1", **fields: Any) -> Member:
    """Return a member, with a different address for each id; `fields` are those of `Member`."""
    plain = {
        "address_hash": an_address_hash(member_id),
        "sealed_address": b"sealed " + member_id.encode(),
        "language": Language.NL,
        "created_at": NOON,
    }
    return Member(member_id=member_id, **{**plain, **fields})


def a_sign_in_link(member_id: str | None = "mem_1", serial: int = 1, **fields: Any) -> SignInLink:
    """Return a link that the member asked for, a different one for each serial; `fields` are those of `SignInLink`."""
    plain = {
        "hash": hashlib.sha256(b"link %d" % serial).digest(),
        "kind": LinkKind.REQUESTED,
        "made_at": NOON,
        "expires_at": NOON + timedelta(minutes=15),
    }
    return SignInLink(member_id=member_id, **{**plain, **fields})


def a_session(member_id: str = "mem_1", serial: int = 1, **fields: Any) -> Session:
    """Return a session of a member, a different one for each serial; `fields` are those of `Session`."""
    plain = {
        "hash": hashlib.sha256(b"session %d" % serial).digest(),
        "signed_in_at": NOON,
        "last_seen_at": NOON,
        "device": "Firefox on Linux",
    }
    return Session(member_id=member_id, **{**plain, **fields})


def an_activity(shop: Shop, serial: int = 1, *, at: datetime = NOON, **fields: Any) -> Activity:
    """Return an entry of a shop's activity log, made by the operator; `fields` are those of `Activity`."""
    plain = {"actor": ActorRef(ActorKind.OPERATOR), "action": Action.SHOP_RENAMED}
    return Activity(
        activity_id=uuid7(at, serial.to_bytes(10, "big")), shop_number=shop.number, at=at, **{**plain, **fields}
    )


def added(storage: Storage, shop: NewShop) -> Shop:
    """Store the shop and return it."""
    stored = storage.run(lambda store: store.shops.add(shop))
    if stored is None:
        message = f"{shop.site_id} is taken"
        raise ValueError(message)
    return stored


def scheduled(storage: Storage, invitation: Invitation, dedup: DedupKey | None = None) -> Invitation:
    """Store the invitation and return it; without `dedup` it belongs to a new order."""
    key = dedup or a_dedup_key(invitation.invite_id)
    return storage.run(lambda store: store.invitations.schedule([(invitation, key)]))[0]
