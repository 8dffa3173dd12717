"""Signing keys as rows. An index ensures that only one is signing at a time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import attrs

from reviewinvite_core.adapters.sql.connection import Connection, Row
from reviewinvite_core.adapters.sql.rows import instant_or_none, microseconds_or_null
from reviewinvite_core.domain.signing import KeyState, SigningKey
from reviewinvite_core.domain.timing import from_microseconds, to_microseconds

FIELDS = ("key_id", "public_key", "sealed_seed", "state", "announced_at", "signing_since", "ended_at")
COLUMNS = ", ".join(FIELDS)
_EVERY = f"SELECT {COLUMNS} FROM signing_keys ORDER BY announced_at, key_id"
_IN_USE = f"""
SELECT {COLUMNS} FROM signing_keys
WHERE state IN ('announced', 'signing') OR state = 'retired' AND ended_at > :retired_after
ORDER BY announced_at, key_id
"""
_ADD = f"""
INSERT INTO signing_keys ({COLUMNS})
VALUES (:key_id, :public_key, :sealed_seed, :state, :announced_at, :signing_since, :ended_at)
ON CONFLICT DO NOTHING
"""
_CHANGE = """
UPDATE signing_keys
SET sealed_seed = :sealed_seed, state = :state, signing_since = :signing_since, ended_at = :ended_at
WHERE key_id = :key_id AND state = :before
"""


@attrs.frozen
class SqlSigningKeys:
    """Implements `ports.SigningKeys`."""

    _connection: Connection

    def every(self) -> Sequence[SigningKey]:
        return [key_from(row) for row in self._connection.execute(_EVERY, {}).fetchall()]

    def in_use(self, retired_after: datetime) -> Sequence[SigningKey]:
        rows = self._connection.execute(_IN_USE, {"retired_after": to_microseconds(retired_after)}).fetchall()
        return [key_from(row) for row in rows]

    def add(self, key: SigningKey) -> bool:
        return self._connection.execute(_ADD, _parameters(key)).rowcount > 0

    def change(self, before: SigningKey, after: SigningKey) -> bool:
        changed = {**_parameters(after), "before": before.state.value}
        return self._connection.execute(_CHANGE, changed).rowcount > 0


def _parameters(key: SigningKey) -> dict[str, object]:
    return {
        "key_id": key.key_id,
        "public_key": key.public_key,
        "sealed_seed": key.sealed_seed,
        "state": key.state.value,
        "announced_at": to_microseconds(key.announced_at),
        "signing_since": microseconds_or_null(key.signing_since),
        "ended_at": microseconds_or_null(key.ended_at),
    }


def key_from(row: Row) -> SigningKey:
    key_id, public_key, sealed_seed, state, announced_at, signing_since, ended_at = row
    return SigningKey(
        key_id=key_id,
        public_key=bytes(public_key),
        sealed_seed=None if sealed_seed is None else bytes(sealed_seed),
        state=KeyState(state),
        announced_at=from_microseconds(announced_at),
        signing_since=instant_or_none(signing_since),
        ended_at=instant_or_none(ended_at),
    )
