"""`app.api_keys`: create, list and revoke API keys, and identify their holders."""

from __future__ import annotations

from collections.abc import Sequence

from reviewinvite_core.application.facade import AsyncFacade, Facade, derived
from reviewinvite_core.domain.api_key import OPERATOR, Actor, ApiKey, Operator
from reviewinvite_core.domain.refusals import KeyExists, KeyRefused, KeyUnknown, LimitReached, ShopInactive, ShopUnknown
from reviewinvite_core.usecases.admission import authenticate
from reviewinvite_core.usecases.api_keys import NewKey, create_key, list_keys, revoke_key


class ApiKeys(Facade):
    """Create, list and revoke API keys, and identify their holders."""

    __slots__ = ()

    def create(
        self, actor: str | Actor, label: str = "", *, idempotency_key: str = ""
    ) -> NewKey | ShopUnknown | KeyExists | KeyRefused | ShopInactive | LimitReached:
        """Create an API key for a shop, with a label of at most 100 characters to recognise it by.

        Return the key; its text is in `secret.text`. Show it now: it is not stored, and cannot be shown again. A key
        itself cannot create another one.

        If you give an idempotency key, such as a random text that a form carries, repeating the call makes no second
        key.

        Refusals:
        - `ShopUnknown`: there is no shop with this site id.
        - `KeyExists`: the shop has a key that was made with this idempotency key.
        - `ShopInactive`: an actor acts for a shop that is not active.
        - `KeyRefused`: a key acts, or an actor for a shop of another database.
        - `LimitReached`: a member acts, and members of the shop have mailed others too often within an hour.

        Raises: `Invalid` if the label is too long or holds control characters; `StorageUnavailable`.

        Spec: §2, §5.
        """
        return self._use_cases.run(create_key, actor, label, idempotency_key)

    def authenticate(self, presented: str) -> Actor | KeyRefused:
        """Return the actor who holds the presented key; no limit applies to the actor's calls.

        A revoked key is refused from the next call on, in every process. Use this to make many calls with one key. To
        have each call checked and charged to the key's limits, pass a `SecretKey` as the actor instead.

        Refusals: `KeyRefused` if the key is malformed, unknown or revoked.

        Raises: `StorageUnavailable`.

        Spec: §5.
        """
        return self._use_cases.run(authenticate, presented)

    def list(self, actor: str | Actor) -> Sequence[ApiKey] | ShopUnknown | KeyRefused | LimitReached:
        """List a shop's keys, the oldest first, including revoked keys. The text of a key cannot be recovered.

        Refusals:
        - `ShopUnknown`: there is no shop with this site id.
        - `KeyRefused`: a key acts, or an actor for a shop of another database.
        - `LimitReached`: never; no limit applies.

        Raises: `StorageUnavailable`.

        Spec: §5.
        """
        return self._use_cases.run(list_keys, actor)

    def revoke(
        self, key_id: str, actor: Actor | Operator = OPERATOR
    ) -> ApiKey | KeyUnknown | KeyRefused | ShopInactive | LimitReached:
        """Revoke a key, so that it is refused from the next call on; return the key. Revoking it again changes nothing.

        Refusals:
        - `KeyRefused`: a key acts, or an actor for a shop of another database.
        - `KeyUnknown`: there is no key with this id, or it is another shop's.
        - `ShopInactive`, `LimitReached`: never; an inactive shop may revoke its keys, and no limit applies.

        Raises: `StorageUnavailable`.

        Spec: §5.
        """
        return self._use_cases.run(revoke_key, key_id, actor)


class AsyncApiKeys(AsyncFacade):
    """Create, list and revoke API keys; see `ApiKeys`."""

    __slots__ = ()

    create = derived(ApiKeys.create)
    authenticate = derived(ApiKeys.authenticate)
    list = derived(ApiKeys.list)
    revoke = derived(ApiKeys.revoke)
