"""`app.trust_marks`: grant, revoke and verify trust marks."""

from __future__ import annotations

from reviewinvite_core.application.facade import AsyncFacade, Facade
from reviewinvite_core.domain.client_address import ClientAddress
from reviewinvite_core.domain.errors import LimitReached, ShopUnknown, TrustMarkStateConflict
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.views import CountMode
from reviewinvite_core.usecases.trust_marks import (
    Form,
    Verified,
    grant_trust_mark,
    revoke_trust_mark,
    verify_trust_mark,
)


class TrustMarks(Facade):
    """Grant, revoke and verify trust marks."""

    __slots__ = ()

    def verify(
        self,
        site_id: str,
        form: Form = Form.JSON,
        count_mode: CountMode = CountMode.COUNT,
        client: ClientAddress | None = None,
    ) -> Verified | ShopUnknown | LimitReached:
        """Return the signed statement about a shop, counted as a view; return when the view is on disk.

        Every shop has one, even if it is inactive or its trust mark is revoked. With `CountMode.DRY_RUN` the result is
        the same, but nothing is counted. `client` is who verifies, and is held to its share of the day; without one, no
        share applies.

        Refusals:
        - `ShopUnknown`: there is no shop with this site id.
        - `LimitReached`: the shop's views of the day, or the client's share of them, are used up.

        Raises: `StorageUnavailable`; the view may have been counted.

        Spec: §4.4. ADR-24, ADR-25, ADR-43.
        """
        return self._use_cases.run(verify_trust_mark, site_id, form, count_mode, client)

    def grant(self, site_id: str) -> Shop | ShopUnknown:
        """Grant a shop the trust mark, from the next statement on; return the shop. Repeating this changes nothing.

        Refusals: `ShopUnknown` if there is no shop with this site id.

        Raises: `StorageUnavailable`.

        Spec: §3.
        """
        return self._use_cases.run(grant_trust_mark, site_id)

    def revoke(self, site_id: str) -> Shop | ShopUnknown | TrustMarkStateConflict:
        """Revoke a shop's trust mark, from the next statement on; return the shop. Repeating this changes nothing.

        Refusals:
        - `ShopUnknown`: there is no shop with this site id.
        - `TrustMarkStateConflict`: the shop never had the mark.

        Raises: `StorageUnavailable`.

        Spec: §3.
        """
        return self._use_cases.run(revoke_trust_mark, site_id)


class AsyncTrustMarks(AsyncFacade):
    """Grant, revoke and verify trust marks; see `TrustMarks`."""

    __slots__ = ()

    async def verify(
        self,
        site_id: str,
        form: Form = Form.JSON,
        count_mode: CountMode = CountMode.COUNT,
        client: ClientAddress | None = None,
    ) -> Verified | ShopUnknown | LimitReached:
        """Return the signed statement about a shop; see `TrustMarks.verify`. Shares a commit with concurrent calls."""
        return await self._use_cases.run(verify_trust_mark, site_id, form, count_mode, client)

    async def grant(self, site_id: str) -> Shop | ShopUnknown:
        """Grant a shop the trust mark; see `TrustMarks.grant`. Shares a commit with concurrent calls."""
        return await self._use_cases.run(grant_trust_mark, site_id)

    async def revoke(self, site_id: str) -> Shop | ShopUnknown | TrustMarkStateConflict:
        """Revoke a shop's trust mark; see `TrustMarks.revoke`. Shares a commit with concurrent calls."""
        return await self._use_cases.run(revoke_trust_mark, site_id)
