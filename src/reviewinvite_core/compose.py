"""Settings -> Application: the only place where parts are wired together.

Adapters are imported where they are chosen, so that the front door stays light.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from functools import partial
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

import attrs

from reviewinvite_core import parts
from reviewinvite_core.adapters.crew import ThreadCrew
from reviewinvite_core.adapters.group_commit import GroupCommit
from reviewinvite_core.delivery import Delivery, Runner
from reviewinvite_core.domain.api_key import ApiKey, Caller, SecretKey
from reviewinvite_core.domain.errors import (
    AddressErased,
    ConfigurationError,
    Invalid,
    InvitationUnknown,
    KeyRefused,
    KeyUnknown,
    NotSuppressed,
    NotUncertain,
    OptedOut,
    ShopExists,
    ShopInactive,
    ShopUnknown,
    StorageUnavailable,
    TooLate,
)
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.limits import Limit
from reviewinvite_core.domain.orders import OrderReport
from reviewinvite_core.domain.shop import NewShop, Shop, ShopChanges
from reviewinvite_core.domain.suppressions import Origin, Reach
from reviewinvite_core.ports import (
    Clock,
    Condition,
    Crew,
    Entropy,
    HandoverMark,
    Joint,
    Locking,
    Mailer,
    Place,
    Storage,
    Store,
    Unit,
)
from reviewinvite_core.settings import Settings
from reviewinvite_core.usecases import (
    authenticate,
    erase_addresses,
    export_address,
    manage_invitations,
    manage_keys,
    manage_shops,
    manage_suppressions,
    receive_order,
    reconcile,
    report_order,
    unsubscribe,
)
from reviewinvite_core.usecases.believe_clock import ClockBelief
from reviewinvite_core.usecases.check_mark import Watch
from reviewinvite_core.usecases.erase_addresses import Erasure
from reviewinvite_core.usecases.export_address import HeldAddress
from reviewinvite_core.usecases.hand_over import Left, PostOffice
from reviewinvite_core.usecases.manage_invitations import InvitationQuery, InvitationRecord
from reviewinvite_core.usecases.manage_keys import NewKey
from reviewinvite_core.usecases.manage_suppressions import SuppressionRecord
from reviewinvite_core.usecases.receive_order import OrderAnswer
from reviewinvite_core.usecases.report_order import Reported
from reviewinvite_core.usecases.unsubscribe import Subscription
from reviewinvite_core.usecases.work import Promises, Work

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


@attrs.frozen
class UseCase(Generic[P, R]):
    """A use case, ready to call: in a transaction of its own, durable when it returns."""

    _body: Callable[Concatenate[Work, P], R]
    _work_on: Callable[[Store], Work]
    _run: Runner
    _locks: Callable[P, frozenset[int]] | None = None
    _together: Callable[[Work, Sequence[Any]], Sequence[R]] | None = None

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """What the use case gives.

        Raises: `Invalid` for a value that cannot be, `StorageUnavailable`; with nothing kept (see `Storage.run`).
        """
        return self._run(self.unit(*args, **kwargs))

    def unit(self, *args: P.args, **kwargs: P.kwargs) -> Unit[R]:
        """The same as a unit of work, to be submitted to a group commit."""
        body, work_on = self._body, self._work_on

        def unit(store: Store) -> R:
            return body(work_on(store), *args, **kwargs)

        if self._locks is None:
            return unit
        joint = None if self._together is None or kwargs else Joint(self._run_together, args)
        return Locking(unit, self._locks(*args, **kwargs), joint)

    def _run_together(self, store: Store, asked: Sequence[Any]) -> Sequence[R]:
        assert self._together is not None  # noqa: S101 - for the type checker: only then is there a joint
        return self._together(self._work_on(store), asked)


@attrs.frozen(kw_only=True)
class Application:
    """All that the service does; each field is a use case. Safe to call from many threads. Close it when done."""

    authenticate: UseCase[[str], Caller | KeyRefused]
    act_for: UseCase[[str], Caller | ShopUnknown]
    receive_order: UseCase[[SecretKey, OrderReport | Invalid], OrderAnswer]
    report_order: UseCase[[Caller, OrderReport], Reported | ShopInactive]
    import_orders: UseCase[[Caller, Sequence[OrderReport]], Sequence[Reported | ShopInactive]]
    add_shop: UseCase[[NewShop], Shop | ShopExists]
    list_shops: UseCase[[], Sequence[Shop]]
    show_shop: UseCase[[str], Shop | ShopUnknown]
    set_shop: UseCase[[str, ShopChanges], Shop | ShopUnknown]
    create_key: UseCase[[str, str], NewKey | ShopUnknown]
    list_keys: UseCase[[str], Sequence[ApiKey] | ShopUnknown]
    revoke_key: UseCase[[str], ApiKey | KeyUnknown]
    list_invitations: UseCase[[InvitationQuery], Sequence[InvitationRecord] | ShopUnknown]
    show_invitation: UseCase[[str], InvitationRecord | InvitationUnknown]
    cancel_invitation: UseCase[[str], Invitation | InvitationUnknown | TooLate]
    send_invitation_now: UseCase[[str], Invitation | InvitationUnknown | TooLate]
    resolve_as_sent: UseCase[[str], Invitation | InvitationUnknown | NotUncertain]
    resolve_by_resending: UseCase[[str], Invitation | InvitationUnknown | NotUncertain | AddressErased]
    show_subscription: UseCase[[str], Subscription | None]
    unsubscribe: UseCase[[str, Reach], Subscription | None]
    add_suppression: UseCase[[str, str | None], SuppressionRecord | ShopUnknown]
    list_suppressions: UseCase[[int], Sequence[SuppressionRecord]]
    remove_suppression: UseCase[[str, str | None, Origin], SuppressionRecord | ShopUnknown | NotSuppressed | OptedOut]
    erase_address: UseCase[[str], Erasure]
    erase_expired: UseCase[[], Erasure]
    export_address: UseCase[[str], HeldAddress]
    delivery: Delivery
    _storage: Storage

    def group_commit(self, *, place: Place | None = None) -> GroupCommit:
        """The writing side that lets many concurrent units of work share a commit (ADR-3). Close it before this."""
        storage = self._storage
        at = place if storage.units_only_compute else None
        return GroupCommit(storage, place=at, writers=storage.batches_at_once)

    def purge(self) -> Iterator[Erasure]:
        """Forget all addresses whose time is over, then have storage let go of what was deleted; yields each batch.

        Raises: `StorageUnavailable` where others are in storage's way; what was forgotten stays so.
        """
        while (batch := self.erase_expired()).erased:
            yield batch
        self._storage.compact()

    def reconcile(self) -> int:
        """Make all that an older copy of the database may send again `uncertain`, and let deliveries go on; how many.

        Nothing is done where deliveries are not paused. Safe to repeat after it was broken off.

        Raises: `ConfigurationError` where the hand-over mark is damaged; `StorageUnavailable`.
        """
        watch = self.delivery.office.watch
        return reconcile.reconcile(self.delivery.performing(self._storage.run), watch) if watch else 0

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
        self.delivery.office.mailer.close()
        self._storage.close()


def build(
    settings: Settings,
    *,
    clock: Clock | None = None,
    entropy: Entropy | None = None,
    storage: Storage | None = None,
    mailer: Mailer | None = None,
    mark: HandoverMark | None = None,
    crew: Callable[[], Crew[Left]] | None = None,
    pace: Callable[[], float] | None = None,
) -> Application:
    """The application as set; what is given beside the settings takes the place of what they name.

    A new SQLite database is set up, with a secret and a hand-over mark of its own in files beside it. Storage that is
    given has the mark that is given, or the one that `handover_mark` names, or none. `crew` makes the hands that
    deliver. A `clock` that is given is believed at once, unless there is a `pace` to hold it against, in seconds.

    Raises: `ConfigurationError` (a setting, secret or schema that cannot be), `StorageUnavailable`.
    """
    from reviewinvite_core.adapters import system
    from reviewinvite_core.adapters.mail.render import TemplateRenderer

    machine = system.SystemClock()
    entropy = entropy or system.SystemEntropy()
    mailer = mailer or parts.open_mailer(settings.mail_url)
    parts.require_shared_secret(settings)
    if mark is None and (storage is None or settings.handover_mark):
        mark = parts.open_mark(settings, entropy)
    storage = storage or parts.open_storage(settings.database_url)
    try:
        ring = parts.open_key_ring(storage, settings, entropy, mark)
    except BaseException:
        storage.close()
        raise
    promises = Promises(
        orders_per_minute=Limit(settings.orders_per_minute),
        lease=timedelta(seconds=settings.lease_seconds),
        retention=timedelta(days=settings.retention_days),
    )

    def work_on(store: Store) -> Work:
        now = clock.now() if clock else store.now() or machine.now()
        return Work(store=store, now=now, entropy=entropy, ring=ring, promises=promises)

    return Application(
        authenticate=UseCase(authenticate.authenticate, work_on, storage.read),
        act_for=UseCase(authenticate.act_for, work_on, storage.read),
        receive_order=UseCase(
            receive_order.receive_order, work_on, storage.run, receive_order.locks, receive_order.receive_orders
        ),
        report_order=UseCase(
            report_order.report_order, work_on, storage.run, report_order.locks, report_order.report_orders
        ),
        import_orders=UseCase(report_order.import_orders, work_on, storage.run, report_order.import_locks),
        add_shop=UseCase(manage_shops.add_shop, work_on, storage.run),
        list_shops=UseCase(manage_shops.list_shops, work_on, storage.read),
        show_shop=UseCase(manage_shops.show_shop, work_on, storage.read),
        set_shop=UseCase(manage_shops.set_shop, work_on, storage.run),
        create_key=UseCase(manage_keys.create_key, work_on, storage.run),
        list_keys=UseCase(manage_keys.list_keys, work_on, storage.read),
        revoke_key=UseCase(manage_keys.revoke_key, work_on, storage.run),
        list_invitations=UseCase(manage_invitations.list_invitations, work_on, storage.read),
        show_invitation=UseCase(manage_invitations.show_invitation, work_on, storage.read),
        cancel_invitation=UseCase(manage_invitations.cancel_invitation, work_on, storage.run, manage_invitations.locks),
        send_invitation_now=UseCase(
            manage_invitations.send_invitation_now, work_on, storage.run, manage_invitations.locks
        ),
        resolve_as_sent=UseCase(manage_invitations.resolve_as_sent, work_on, storage.run, manage_invitations.locks),
        resolve_by_resending=UseCase(
            manage_invitations.resolve_by_resending, work_on, storage.run, manage_invitations.locks
        ),
        show_subscription=UseCase(unsubscribe.show_subscription, work_on, storage.read),
        unsubscribe=UseCase(unsubscribe.unsubscribe, work_on, storage.run, unsubscribe.locks),
        add_suppression=UseCase(manage_suppressions.add_suppression, work_on, storage.run),
        list_suppressions=UseCase(manage_suppressions.list_suppressions, work_on, storage.read),
        remove_suppression=UseCase(manage_suppressions.remove_suppression, work_on, storage.run),
        erase_address=UseCase(erase_addresses.erase_address, work_on, storage.run),
        erase_expired=UseCase(erase_addresses.erase_expired, work_on, storage.run),
        export_address=UseCase(export_address.export_address, work_on, storage.read),
        delivery=Delivery(
            office=PostOffice(
                renderer=TemplateRenderer(settings.mail_from),
                mailer=mailer,
                base_url=settings.base_url.rstrip("/"),
                clock=clock or machine,
                lease=promises.lease,
                watch=Watch(mark=mark, one_host=storage.one_host) if mark else None,
            ),
            storage=storage,
            work_on=work_on,
            new_crew=crew or partial(ThreadCrew, settings.mail_connections),
            grace_seconds=settings.shutdown_seconds,
            clock=ClockBelief(pace or time.monotonic) if pace or not clock else None,
        ),
        storage=storage,
    )
