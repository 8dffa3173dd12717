"""Settings -> Application: the only place where parts are wired together.

Adapters are imported where they are chosen, so that the front door stays light.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial

from reviewinvite_core.adapters.worker_pool import ThreadPool
from reviewinvite_core.bootstrap import adapter_factory as parts
from reviewinvite_core.bootstrap import key_ring
from reviewinvite_core.bootstrap.application import Application
from reviewinvite_core.bootstrap.delivery import Delivery
from reviewinvite_core.bootstrap.domain_recheck import DomainRechecker
from reviewinvite_core.bootstrap.settings import Settings
from reviewinvite_core.bootstrap.use_case import UseCase
from reviewinvite_core.domain.client_address import TrustedProxies
from reviewinvite_core.domain.limits import DAY, DailyQuota, Limit
from reviewinvite_core.domain.views import ViewLimits
from reviewinvite_core.ports import (
    Clock,
    DomainVerifier,
    Entropy,
    HighWaterMarkStore,
    Mailer,
    PublicSuffixes,
    Storage,
    Store,
    WorkerPool,
)
from reviewinvite_core.usecases.api_keys import authenticate
from reviewinvite_core.usecases.api_keys import manage as manage_keys
from reviewinvite_core.usecases.api_keys import merchant_api as serve_merchant
from reviewinvite_core.usecases.badges import configure as manage_badges
from reviewinvite_core.usecases.badges import count_views as count_view
from reviewinvite_core.usecases.badges import show as show_badge
from reviewinvite_core.usecases.context import Policies, UnitContext
from reviewinvite_core.usecases.delivery.attempt import DeliveryConfig, DeliveryResult
from reviewinvite_core.usecases.delivery.clock_guard import ClockGuard
from reviewinvite_core.usecases.delivery.restore_guard import RestoreGuard
from reviewinvite_core.usecases.domains import manage as manage_domains
from reviewinvite_core.usecases.invitations import manage as manage_invitations
from reviewinvite_core.usecases.invitations import merchant as manage_own_invitations
from reviewinvite_core.usecases.orders import receive as receive_order
from reviewinvite_core.usecases.orders import report as report_order
from reviewinvite_core.usecases.orders import report_from_snippet as report_snippet
from reviewinvite_core.usecases.privacy import erase as erase_addresses
from reviewinvite_core.usecases.privacy import export as export_address
from reviewinvite_core.usecases.privacy import suppress as manage_suppressions
from reviewinvite_core.usecases.privacy import unsubscribe
from reviewinvite_core.usecases.reviews import browse as list_reviews
from reviewinvite_core.usecases.reviews import moderate as manage_reviews
from reviewinvite_core.usecases.reviews import recount
from reviewinvite_core.usecases.reviews import reply as answer_review
from reviewinvite_core.usecases.reviews import store as keep_review
from reviewinvite_core.usecases.reviews import write as write_review
from reviewinvite_core.usecases.shops import manage as manage_shops
from reviewinvite_core.usecases.signing_keys import manage as keep_signing_keys
from reviewinvite_core.usecases.trust_marks import manage as manage_trust_marks
from reviewinvite_core.usecases.trust_marks import verify as verify_trust_mark


def policies_from(settings: Settings) -> Policies:
    """The figures that are promised under these settings."""
    return Policies(
        orders_per_minute=Limit(settings.orders_per_minute),
        reads_per_minute=Limit(settings.reads_per_minute),
        snippets_per_minute=Limit(settings.snippets_per_minute),
        snippets_per_day=DailyQuota(settings.snippets_per_day),
        snippets_per_recipient=Limit(settings.snippets_per_recipient, DAY),
        views_per_day=ViewLimits(
            free=DailyQuota(settings.views_per_day_free), member=DailyQuota(settings.views_per_day_member)
        ),
        domain_recheck=timedelta(hours=settings.domain_recheck_hours),
        review_link=timedelta(days=settings.review_link_days),
        lease=timedelta(seconds=settings.lease_seconds),
        retention=timedelta(days=settings.retention_days),
    )


def build(
    settings: Settings,
    *,
    clock: Clock | None = None,
    entropy: Entropy | None = None,
    storage: Storage | None = None,
    mailer: Mailer | None = None,
    mark: HighWaterMarkStore | None = None,
    domain_proof: DomainVerifier | None = None,
    public_suffixes: PublicSuffixes | None = None,
    crew: Callable[[], WorkerPool[DeliveryResult]] | None = None,
    pace: Callable[[], float] | None = None,
) -> Application:
    """The application as set; what is given beside the settings takes the place of what they name.

    A new SQLite database is set up, with a secret and a hand-over mark of its own in files beside it. Storage that is
    given has the mark that is given, or the one that `handover_mark` names, or none. `crew` makes the hands that
    deliver. A `clock` that is given is believed at once, unless there is a `pace` to hold it against, in seconds.

    Raises: `ConfigurationError` (a setting, secret or schema that cannot be), `StorageUnavailable`.
    """
    from reviewinvite_core.adapters import system
    from reviewinvite_core.adapters.domain_verification import AnyOfVerifier
    from reviewinvite_core.adapters.mail.render import TemplateRenderer
    from reviewinvite_core.adapters.public_suffixes import ListedSuffixes

    machine = system.SystemClock()
    entropy = entropy or system.SystemEntropy()
    mailer = mailer or parts.open_mailer(settings.mail_url)
    key_ring.require_shared_secret(settings)
    if mark is None and (storage is None or settings.handover_mark):
        mark = parts.open_mark(settings, entropy)
    storage = storage or parts.open_storage(settings.database_url)
    try:
        ring = key_ring.open_key_ring(storage, settings, entropy, mark)
    except BaseException:
        storage.close()
        raise
    policies = policies_from(settings)

    def work_on(store: Store) -> UnitContext:
        now = clock.now() if clock else store.now() or machine.now()
        return UnitContext(store=store, now=now, entropy=entropy, ring=ring, policies=policies)

    delivery = Delivery(
        office=DeliveryConfig(
            renderer=TemplateRenderer(settings.mail_from),
            mailer=mailer,
            base_url=settings.base_url.rstrip("/"),
            clock=clock or machine,
            lease=policies.lease,
            watch=RestoreGuard(mark=mark, one_host=storage.one_host) if mark else None,
        ),
        storage=storage,
        work_on=work_on,
        new_crew=crew or partial(ThreadPool, settings.mail_connections),
        grace_seconds=settings.shutdown_seconds,
        clock=ClockGuard(pace or time.monotonic) if pace or not clock else None,
    )

    return Application(
        authenticate=UseCase(authenticate.authenticate, work_on, storage.read),
        act_for=UseCase(authenticate.act_for, work_on, storage.read),
        receive_order=UseCase(
            receive_order.receive_order, work_on, storage.run, receive_order.locks, receive_order.receive_orders
        ),
        report_order=UseCase(
            report_order.report_order, work_on, storage.run, report_order.locks, report_order.report_orders
        ),
        report_snippet=UseCase(
            report_snippet.report_snippet,
            work_on,
            storage.run,
            report_snippet.locks,
            report_snippet.report_snippets,
            report_snippet.shared_locks,
        ),
        import_orders=UseCase(report_order.import_orders, work_on, storage.run, report_order.import_locks),
        add_shop=UseCase(manage_shops.add_shop, work_on, storage.run),
        list_shops=UseCase(manage_shops.list_shops, work_on, storage.read),
        show_shop=UseCase(manage_shops.show_shop, work_on, storage.read),
        set_shop=UseCase(manage_shops.set_shop, work_on, storage.run),
        set_badge=UseCase(manage_badges.set_badge, work_on, storage.run),
        show_badge=UseCase(
            show_badge.show_badge, work_on, storage.run, show_badge.locks, show_badge.show_badges, show_badge.locks
        ),
        verify_trust_mark=UseCase(
            verify_trust_mark.verify_trust_mark,
            work_on,
            storage.run,
            verify_trust_mark.locks,
            verify_trust_mark.verify_trust_marks,
            verify_trust_mark.locks,
        ),
        show_views=UseCase(count_view.show_views, work_on, storage.read),
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
        show_review_link=UseCase(write_review.show_review_link, work_on, storage.read),
        note_opened_link=UseCase(write_review.note_opened_link, work_on, storage.run, write_review.note_locks),
        write_review=UseCase(write_review.write_review, work_on, storage.run, write_review.write_locks),
        withdraw_review=UseCase(write_review.withdraw_review, work_on, storage.run, write_review.write_locks),
        show_shop_reviews=UseCase(list_reviews.show_shop_reviews, work_on, storage.read),
        list_merchant_reviews=UseCase(list_reviews.list_merchant_reviews, work_on, storage.read),
        answer_review=UseCase(answer_review.answer_review, work_on, storage.run, keep_review.locks),
        list_merchant_invitations=UseCase(manage_own_invitations.list_merchant_invitations, work_on, storage.read),
        get_merchant_invitation=UseCase(manage_own_invitations.get_merchant_invitation, work_on, storage.read),
        cancel_merchant_invitation=UseCase(
            manage_own_invitations.cancel_merchant_invitation, work_on, storage.run, manage_own_invitations.locks
        ),
        serve_reviews=UseCase(serve_merchant.serve_reviews, work_on, storage.run, serve_merchant.read_locks),
        serve_invitations=UseCase(serve_merchant.serve_invitations, work_on, storage.run, serve_merchant.read_locks),
        serve_invitation=UseCase(serve_merchant.serve_invitation, work_on, storage.run, serve_merchant.read_locks),
        receive_reply=UseCase(serve_merchant.receive_reply, work_on, storage.run, serve_merchant.reply_locks),
        receive_cancellation=UseCase(
            serve_merchant.receive_cancellation, work_on, storage.run, serve_merchant.cancellation_locks
        ),
        recount_reviews=UseCase(recount.recount, work_on, storage.run, keep_review.sweep_locks),
        list_reviews=UseCase(manage_reviews.list_reviews, work_on, storage.read),
        show_review=UseCase(manage_reviews.show_review, work_on, storage.read),
        hide_review=UseCase(manage_reviews.hide_review, work_on, storage.run, keep_review.locks),
        show_review_again=UseCase(manage_reviews.show_review_again, work_on, storage.run, keep_review.locks),
        add_suppression=UseCase(manage_suppressions.add_suppression, work_on, storage.run),
        list_suppressions=UseCase(manage_suppressions.list_suppressions, work_on, storage.read),
        remove_suppression=UseCase(manage_suppressions.remove_suppression, work_on, storage.run),
        erase_address=UseCase(erase_addresses.erase_address, work_on, storage.run, keep_review.sweep_locks),
        erase_expired=UseCase(erase_addresses.erase_expired, work_on, storage.run),
        export_address=UseCase(export_address.export_address, work_on, storage.read),
        grant_trust_mark=UseCase(manage_trust_marks.grant_trust_mark, work_on, storage.run),
        revoke_trust_mark=UseCase(manage_trust_marks.revoke_trust_mark, work_on, storage.run),
        list_signing_keys=UseCase(keep_signing_keys.list_keys, work_on, storage.read),
        rotate_signing_keys=UseCase(keep_signing_keys.rotate, work_on, storage.run),
        rotate_signing_keys_now=UseCase(keep_signing_keys.rotate_now, work_on, storage.run),
        revoke_signing_key=UseCase(keep_signing_keys.revoke_key, work_on, storage.run),
        published_keys=UseCase(keep_signing_keys.published_keys, work_on, storage.read),
        current_keys=UseCase(keep_signing_keys.current_keys, work_on, storage.run),
        proxies=TrustedProxies.parse(settings.trusted_proxies),
        list_domains=UseCase(manage_domains.list_domains, work_on, storage.read),
        remove_domain=UseCase(manage_domains.remove_domain, work_on, storage.run),
        add_domain=UseCase(manage_domains.add_domain, work_on, storage.run),
        public_suffixes=public_suffixes or ListedSuffixes(),
        delivery=delivery,
        domain_rechecker=DomainRechecker(
            proof=domain_proof or AnyOfVerifier(),
            perform=delivery.performing(storage.run),
            clock=ClockGuard(pace or time.monotonic) if pace or not clock else None,
        ),
        widget_url=settings.widget_url.rstrip("/"),
        storage=storage,
    )
