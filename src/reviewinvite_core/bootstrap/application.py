"""All that the service does, as one record of use cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, ParamSpec, TypeVar

import attrs

from reviewinvite_core.bootstrap.delivery import Delivery
from reviewinvite_core.bootstrap.domain_recheck import DomainRechecker
from reviewinvite_core.domain.client_address import TrustedProxies
from reviewinvite_core.domain.domains import Domain
from reviewinvite_core.domain.errors import (
    ConfigurationError,
    DomainTaken,
    DomainUnknown,
    ShopUnknown,
    StorageUnavailable,
)
from reviewinvite_core.domain.signing import SigningKey
from reviewinvite_core.execution import Declaration, GroupCommit, UseCase
from reviewinvite_core.ports import Condition, Executor, PublicSuffixes, Storage, Store
from reviewinvite_core.usecases import (
    api_keys,
    badges,
    domains,
    invitations,
    orders,
    privacy,
    reviews,
    shops,
    signing_keys,
    trust_marks,
)
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.delivery import reconcile
from reviewinvite_core.usecases.domains.add import host_to_add
from reviewinvite_core.usecases.domains.check import DomainCheck
from reviewinvite_core.usecases.invitations.resolve_many import ManyResolved, UncertainQuery
from reviewinvite_core.usecases.privacy.erase import Erasure

P = ParamSpec("P")
R = TypeVar("R")


class bind(Generic[P, R]):  # noqa: N801 - it reads as a function, and is a descriptor
    """A declared use case; on an application it is ready to call."""

    def __init__(self, declaration: Declaration[UnitContext, P, R]) -> None:
        self._declaration = declaration
        self.__doc__ = declaration.function.__doc__

    def __set_name__(self, _: type[object], name: str) -> None:
        self._name = name

    def __get__(self, app: Application, _: type[Application]) -> UseCase[P, R]:
        ready = UseCase(self._declaration, app._context_of, app._storage)
        app.__dict__[self._name] = ready  # from now on it is found there first
        return ready


@attrs.frozen(kw_only=True, slots=False)
class Application:
    """All that the service does. Safe to call from many threads. Close it when done."""

    delivery: Delivery
    domain_rechecker: DomainRechecker
    proxies: TrustedProxies
    widget_url: str  # without a slash at its end, as `base_url`
    _public_suffixes: PublicSuffixes
    _context_of: Callable[[Store], UnitContext]
    _storage: Storage

    add_shop = bind(shops.add_shop)
    list_shops = bind(shops.list_shops)
    show_shop = bind(shops.show_shop)
    set_shop = bind(shops.set_shop)

    authenticate = bind(api_keys.authenticate)
    act_for = bind(api_keys.act_for)
    create_key = bind(api_keys.create_key)
    list_keys = bind(api_keys.list_keys)
    revoke_key = bind(api_keys.revoke_key)
    serve_reviews = bind(api_keys.serve_reviews)
    serve_invitations = bind(api_keys.serve_invitations)
    serve_invitation = bind(api_keys.serve_invitation)
    receive_reply = bind(api_keys.receive_reply)
    receive_cancellation = bind(api_keys.receive_cancellation)

    receive_order = bind(orders.receive_order)
    report_order = bind(orders.report_order)
    report_snippet = bind(orders.report_snippet)
    import_orders = bind(orders.import_orders)

    list_invitations = bind(invitations.list_invitations)
    show_invitation = bind(invitations.show_invitation)
    cancel_invitation = bind(invitations.cancel_invitation)
    send_invitation_now = bind(invitations.send_invitation_now)
    resolve_as_sent = bind(invitations.resolve_as_sent)
    resolve_by_resending = bind(invitations.resolve_by_resending)
    _list_uncertain = bind(invitations.list_uncertain)
    _resolve_batch = bind(invitations.resolve_batch)
    list_merchant_invitations = bind(invitations.list_merchant_invitations)
    get_merchant_invitation = bind(invitations.get_merchant_invitation)
    cancel_merchant_invitation = bind(invitations.cancel_merchant_invitation)

    show_review_link = bind(reviews.show_review_link)
    note_opened_link = bind(reviews.note_opened_link)
    write_review = bind(reviews.write_review)
    withdraw_review = bind(reviews.withdraw_review)
    show_shop_reviews = bind(reviews.show_shop_reviews)
    list_merchant_reviews = bind(reviews.list_merchant_reviews)
    answer_review = bind(reviews.answer_review)
    recount_reviews = bind(reviews.recount)
    list_reviews = bind(reviews.list_reviews)
    show_review = bind(reviews.show_review)
    hide_review = bind(reviews.hide_review)
    show_review_again = bind(reviews.show_review_again)

    set_badge = bind(badges.set_badge)
    show_badge = bind(badges.show_badge)
    show_views = bind(badges.show_views)

    verify_trust_mark = bind(trust_marks.verify_trust_mark)
    grant_trust_mark = bind(trust_marks.grant_trust_mark)
    revoke_trust_mark = bind(trust_marks.revoke_trust_mark)

    list_signing_keys = bind(signing_keys.list_keys)
    rotate_signing_keys = bind(signing_keys.rotate)
    rotate_signing_keys_now = bind(signing_keys.rotate_now)
    revoke_signing_key = bind(signing_keys.revoke_key)
    _published_keys = bind(signing_keys.published_keys)
    _current_keys = bind(signing_keys.current_keys)

    list_domains = bind(domains.list_domains)
    remove_domain = bind(domains.remove_domain)
    _add_domain = bind(domains.add_domain)

    show_subscription = bind(privacy.show_subscription)
    unsubscribe = bind(privacy.unsubscribe)
    add_suppression = bind(privacy.add_suppression)
    list_suppressions = bind(privacy.list_suppressions)
    remove_suppression = bind(privacy.remove_suppression)
    erase_address = bind(privacy.erase_address)
    erase_expired = bind(privacy.erase_expired)
    export_address = bind(privacy.export_address)

    @property
    def base_url(self) -> str:
        """The address at which the world reaches the service, without a slash at its end. Spec: §8, Settings."""
        return self.delivery.config.base_url

    def group_commit(self, *, executor: Executor | None = None) -> GroupCommit:
        """The writing side that lets many concurrent units of work share a commit (ADR-3). Close it before this."""
        return GroupCommit(self._storage, executor=executor if self._storage.units_only_compute else None)

    def add_domain(self, site_id: str, host: str, assume_verified: bool = False) -> Domain | ShopUnknown | DomainTaken:
        """Note that a shop says a host is its own, or that the operator vouches for it; gives what stands.

        Raises: `Invalid` if it is not a host name or is a public suffix; `StorageUnavailable`.
        """
        return self._add_domain(site_id, host_to_add(host, self._public_suffixes), assume_verified)

    def check_domain(self, site_id: str, host: str) -> DomainCheck | ShopUnknown | DomainUnknown | DomainTaken:
        """Look for a host's proof now, and note what was found; takes up to 10 seconds.

        Raises: `Invalid` if it is not a host name; `StorageUnavailable`.
        """
        return self.domain_rechecker.check(site_id, host)

    def count_uncertain(self, query: UncertainQuery) -> int | ShopUnknown:
        """How many invitations `resolve_many` would be about.

        Raises: `StorageUnavailable`.
        """
        count, last = 0, None
        while batch := self._list_uncertain(query, last):
            if isinstance(batch, ShopUnknown):
                return batch
            count, last = count + len(batch), batch[-1]
        return count

    def resolve_many(self, query: UncertainQuery, *, resend: bool) -> ManyResolved | ShopUnknown:
        """Resolve all uncertain invitations of a shop or a reason: they have arrived, or are sent once more, at once.

        They are resolved in batches, each whole or not at all, so it is safe to repeat after it was broken off. One
        that is uncertain once more meanwhile is left alone.

        Raises: `StorageUnavailable`.
        """
        total, last = ManyResolved(), None
        while batch := self._list_uncertain(query, last):
            if isinstance(batch, ShopUnknown):
                return batch
            total, last = total.and_also(self._resolve_batch(batch, resend=resend)), batch[-1]
        return total

    def purge(self) -> Iterator[Erasure]:
        """Forget all addresses whose time is over, then have storage let go of what was deleted; yields each batch.

        Raises: `StorageUnavailable` if others are in storage's way; what was forgotten stays so.
        """
        while (batch := self.erase_expired()).erased:
            yield batch
        self._storage.compact()

    def reconcile(self) -> int:
        """Make all that an older copy of the database may send again `uncertain`, and let deliveries go on; how many.

        Nothing is done where deliveries are not paused. Safe to repeat after it was broken off.

        Raises: `ConfigurationError` if the hand-over mark is damaged; `StorageUnavailable`.
        """
        guard = self.delivery.config.restore_guard
        return reconcile.reconcile(self.delivery.transactions(), guard) if guard else 0

    def publish_keys(self) -> Sequence[SigningKey]:
        """The keys that verify a statement; they are made on first use, and otherwise storage is only read.

        Raises: `StorageUnavailable`.
        """
        return (self._published_keys() or self._current_keys()).published

    def check_ready(self) -> Condition:
        """How storage is, where it answers, has the schema of this release and holds a key ring.

        Raises: `StorageUnavailable`.
        """
        if self._storage.read(lambda store: store.sealed_key_ring()) is None:
            raise StorageUnavailable("there is no key ring")
        try:
            return self._storage.condition()
        except ConfigurationError as changed:  # another release has migrated it since we began
            raise StorageUnavailable(str(changed)) from changed

    def close(self) -> None:
        """Let go of storage and mail; idempotent."""
        self.delivery.config.mailer.close()
        self._storage.close()
