"""Sign-in links and sessions as rows: hashes of their secrets only."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import attrs

from reviewinvite_core.adapters.sql.connection import Connection, Row
from reviewinvite_core.adapters.sql.rows import instant_or_none, microseconds_or_null
from reviewinvite_core.domain.identifiers import id_bytes, id_text
from reviewinvite_core.domain.invitation_states import State
from reviewinvite_core.domain.sign_in import LinkKind, MailedLink, Session, SignInLink
from reviewinvite_core.domain.timing import from_microseconds, to_microseconds

_LINK_FIELDS = (
    *("hash", "kind", "member_id", "client_hash", "device_hash", "message_id"),
    *("made_at", "expires_at", "used_at"),
)
_LINK_COLUMNS = ", ".join(_LINK_FIELDS)
_PUT_LINK = f"""
INSERT INTO sign_in_links ({_LINK_COLUMNS}) VALUES ({", ".join(f":{field}" for field in _LINK_FIELDS)})
ON CONFLICT (hash) DO UPDATE SET made_at = excluded.made_at, expires_at = excluded.expires_at
"""
_FIND_LINK = f"SELECT {_LINK_COLUMNS} FROM sign_in_links WHERE hash = :hash"
_USE_LINK = "UPDATE sign_in_links SET used_at = :at WHERE hash = :hash AND used_at IS NULL"
_ASKED_FOR = f"""
SELECT {", ".join(f"links.{field}" for field in _LINK_FIELDS)}, messages.state, messages.changed_at
FROM sign_in_links AS links JOIN messages ON messages.message_id = links.message_id
WHERE links.member_id = :member_id AND links.kind = :kind AND links.made_at > :after AND links.made_at <= :until
ORDER BY links.made_at, links.hash
"""
_COUNT_OF_CLIENT = """
SELECT COUNT(*) FROM sign_in_links WHERE client_hash = :client_hash AND made_at > :after AND made_at <= :until
"""
_WITHDRAW = "DELETE FROM sign_in_links WHERE member_id = :member_id"
_WITHDRAW_EVERYONES = "DELETE FROM sign_in_links"
_SWEEP_LINKS = """
DELETE FROM sign_in_links WHERE hash IN (
    SELECT hash FROM sign_in_links WHERE expires_at < :expired_before LIMIT :most
)
"""

_COLUMNS = "hash, member_id, signed_in_at, last_seen_at, device, ended_at"
_ADD = f"""
INSERT INTO sessions ({_COLUMNS}) VALUES (:hash, :member_id, :signed_in_at, :last_seen_at, :device, :ended_at)
"""
_FIND = f"SELECT {_COLUMNS} FROM sessions WHERE hash = :hash"
_OF_MEMBER = f"SELECT {_COLUMNS} FROM sessions WHERE member_id = :member_id ORDER BY signed_in_at DESC, hash"
_NOTE_SEEN = "UPDATE sessions SET last_seen_at = :at WHERE hash = :hash"
_END = "UPDATE sessions SET ended_at = :at WHERE hash = :hash AND ended_at IS NULL"
_REMOVE_ALL = "DELETE FROM sessions WHERE member_id = :member_id"
_END_EVERYONES = "UPDATE sessions SET ended_at = :at WHERE ended_at IS NULL"
_SWEEP = """
DELETE FROM sessions WHERE hash IN (
    SELECT hash FROM sessions WHERE signed_in_at < :signed_in_before LIMIT :most
)
"""


@attrs.frozen
class SqlSignInLinks:
    """Implements `ports.SignInLinks`."""

    _connection: Connection

    def put(self, link: SignInLink) -> None:
        self._connection.execute(
            _PUT_LINK,
            {
                "hash": link.hash,
                "kind": link.kind.value,
                "member_id": link.member_id,
                "client_hash": link.client_hash,
                "device_hash": link.device_hash,
                "message_id": id_bytes(link.message_id) if link.message_id else None,
                "made_at": to_microseconds(link.made_at),
                "expires_at": to_microseconds(link.expires_at),
                "used_at": microseconds_or_null(link.used_at),
            },
        )

    def find(self, link_hash: bytes) -> SignInLink | None:
        row = self._connection.execute(_FIND_LINK, {"hash": link_hash}).fetchone()
        return _link_from(row) if row else None

    def use(self, link_hash: bytes, at: datetime) -> bool:
        return self._connection.execute(_USE_LINK, {"hash": link_hash, "at": to_microseconds(at)}).rowcount > 0

    def asked_for(self, member_id: str | None, after: datetime, until: datetime) -> Sequence[MailedLink]:
        asked = {"member_id": member_id or "", "kind": LinkKind.REQUESTED.value, **_span(after, until)}
        rows = self._connection.execute(_ASKED_FOR, asked).fetchall()
        return [MailedLink(_link_from(link), State(state), from_microseconds(since)) for *link, state, since in rows]

    def count_of_client(self, client_hash: bytes, after: datetime, until: datetime) -> int:
        asked = {"client_hash": client_hash, **_span(after, until)}
        count: int = self._connection.execute(_COUNT_OF_CLIENT, asked).fetchone()[0]
        return count

    def withdraw(self, member_id: str) -> int:
        return self._connection.execute(_WITHDRAW, {"member_id": member_id}).rowcount

    def withdraw_everyones(self) -> int:
        return self._connection.execute(_WITHDRAW_EVERYONES, {}).rowcount

    def sweep(self, expired_before: datetime, limit: int) -> int:
        asked = {"expired_before": to_microseconds(expired_before), "most": limit}
        return self._connection.execute(_SWEEP_LINKS, asked).rowcount


@attrs.frozen
class SqlSessions:
    """Implements `ports.Sessions`."""

    _connection: Connection

    def add(self, session: Session) -> None:
        self._connection.execute(
            _ADD,
            {
                "hash": session.hash,
                "member_id": session.member_id,
                "signed_in_at": to_microseconds(session.signed_in_at),
                "last_seen_at": to_microseconds(session.last_seen_at),
                "device": session.device,
                "ended_at": microseconds_or_null(session.ended_at),
            },
        )

    def find(self, session_hash: bytes) -> Session | None:
        row = self._connection.execute(_FIND, {"hash": session_hash}).fetchone()
        return _session_from(row) if row else None

    def of_member(self, member_id: str) -> Sequence[Session]:
        return [_session_from(row) for row in self._connection.execute(_OF_MEMBER, {"member_id": member_id}).fetchall()]

    def note_seen(self, session_hash: bytes, at: datetime) -> None:
        self._connection.execute(_NOTE_SEEN, {"hash": session_hash, "at": to_microseconds(at)})

    def end(self, session_hash: bytes, at: datetime) -> bool:
        return self._connection.execute(_END, {"hash": session_hash, "at": to_microseconds(at)}).rowcount > 0

    def remove_all(self, member_id: str) -> int:
        return self._connection.execute(_REMOVE_ALL, {"member_id": member_id}).rowcount

    def end_everyones(self, at: datetime) -> int:
        return self._connection.execute(_END_EVERYONES, {"at": to_microseconds(at)}).rowcount

    def sweep(self, signed_in_before: datetime, limit: int) -> int:
        asked = {"signed_in_before": to_microseconds(signed_in_before), "most": limit}
        return self._connection.execute(_SWEEP, asked).rowcount


def _span(after: datetime, until: datetime) -> dict[str, object]:
    return {"after": to_microseconds(after), "until": to_microseconds(until)}


def _link_from(row: Sequence[Any]) -> SignInLink:
    link_hash, kind, member_id, client_hash, device_hash, message_id, made_at, expires_at, used_at = row
    return SignInLink(
        hash=bytes(link_hash),
        kind=LinkKind(kind),
        member_id=member_id,
        client_hash=None if client_hash is None else bytes(client_hash),
        device_hash=None if device_hash is None else bytes(device_hash),
        message_id=None if message_id is None else id_text(bytes(message_id)),
        made_at=from_microseconds(made_at),
        expires_at=from_microseconds(expires_at),
        used_at=instant_or_none(used_at),
    )


def _session_from(row: Row) -> Session:
    session_hash, member_id, signed_in_at, last_seen_at, device, ended_at = row
    return Session(
        hash=bytes(session_hash),
        member_id=member_id,
        signed_in_at=from_microseconds(signed_in_at),
        last_seen_at=from_microseconds(last_seen_at),
        device=device,
        ended_at=instant_or_none(ended_at),
    )
