"""`app.signing_keys`: publish, rotate and revoke the keys that sign statements."""

from __future__ import annotations

from collections.abc import Sequence

from reviewinvite_core.application.facade import AsyncFacade, Facade
from reviewinvite_core.domain.errors import AlreadyCompromised, SigningKeyUnknown, StandbyTooNew
from reviewinvite_core.domain.signing import SigningKey
from reviewinvite_core.usecases.signing_keys import (
    KeySet,
    current_keys,
    list_keys,
    published_keys,
    revoke_key,
    rotate,
    rotate_now,
)


class SigningKeys(Facade):
    """Publish, rotate and revoke the keys that sign statements."""

    __slots__ = ()

    def published(self) -> Sequence[SigningKey]:
        """Return the keys that verify statements: the active key, the standby, and recently retired keys.

        The first call creates the keys; later calls only read.

        Raises: `StorageUnavailable`.

        Spec: §4.5. ADR-24.
        """
        return (self._use_cases.run(published_keys) or self._use_cases.run(current_keys)).published

    def list(self) -> Sequence[SigningKey]:
        """List all signing keys ever made, in the order of their announcement.

        Raises: `StorageUnavailable`.

        ADR-24.
        """
        return self._use_cases.run(list_keys)

    def rotate(self) -> KeySet | StandbyTooNew:
        """Promote the standby to signing, retire the active key, and announce a new standby; return the keys in use.

        Refusals: `StandbyTooNew` if the standby has been published for less than 24 hours, because verifiers may not
        know it yet; `ready_at` says when it can be used.

        Raises: `StorageUnavailable`.

        ADR-24.
        """
        return self._use_cases.run(rotate)

    def rotate_now(self) -> KeySet:
        """Rotate in an emergency, regardless of the standby's age; return the keys in use.

        Raises: `StorageUnavailable`.

        ADR-24.
        """
        return self._use_cases.run(rotate_now)

    def revoke(self, key_id: str) -> KeySet | SigningKeyUnknown | AlreadyCompromised:
        """Revoke a compromised key, which is no longer published; return the keys in use.

        If it was signing, the standby takes over. A new standby is announced if none is left.

        Refusals:
        - `SigningKeyUnknown`: there is no signing key with this id.
        - `AlreadyCompromised`: it was revoked before.

        Raises: `StorageUnavailable`.

        ADR-24.
        """
        return self._use_cases.run(revoke_key, key_id)


class AsyncSigningKeys(AsyncFacade):
    """Publish, rotate and revoke signing keys; see `SigningKeys`."""

    __slots__ = ()

    async def published(self) -> Sequence[SigningKey]:
        """Return the keys that verify statements; see `SigningKeys.published`. Runs on a reader thread."""
        complete = await self._use_cases.run(published_keys)
        if complete:
            return complete.published
        made = await self._use_cases.run(current_keys)
        return made.published

    async def list(self) -> Sequence[SigningKey]:
        """List all signing keys; see `SigningKeys.list`. Runs on a reader thread."""
        return await self._use_cases.run(list_keys)

    async def rotate(self) -> KeySet | StandbyTooNew:
        """Promote the standby to signing; see `SigningKeys.rotate`. Shares a commit with concurrent calls."""
        return await self._use_cases.run(rotate)

    async def rotate_now(self) -> KeySet:
        """Rotate in an emergency; see `SigningKeys.rotate_now`. Shares a commit with concurrent calls."""
        return await self._use_cases.run(rotate_now)

    async def revoke(self, key_id: str) -> KeySet | SigningKeyUnknown | AlreadyCompromised:
        """Revoke a compromised key; see `SigningKeys.revoke`. Shares a commit with concurrent calls."""
        return await self._use_cases.run(revoke_key, key_id)
