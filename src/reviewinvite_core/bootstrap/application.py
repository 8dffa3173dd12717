"""All that the service does, as one record of use cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs

from reviewinvite_core.adapters.group_commit import GroupCommit
from reviewinvite_core.bootstrap.delivery import Delivery
from reviewinvite_core.bootstrap.domain_recheck import DomainRechecker
from reviewinvite_core.bootstrap.use_case import UseCase
from reviewinvite_core.domain.api_key import ApiKey, Caller, SecretKey
from reviewinvite_core.domain.badge import BadgeChanges
from reviewinvite_core.domain.bookmarks import Bookmark
from reviewinvite_core.domain.client_address import ClientAddress, TrustedProxies
from reviewinvite_core.domain.domains import Domain
from reviewinvite_core.domain.errors import (
    AddressErased,
    ConfigurationError,
    DomainTaken,
    DomainUnknown,
    Invalid,
    InvitationUnknown,
    KeyRefused,
    KeyUnknown,
    NotSuppressed,
    NotUncertain,
    OptedOut,
    ReviewStateConflict,
    ReviewUnknown,
    ShopExists,
    ShopInactive,
    ShopUnknown,
    StorageUnavailable,
    TooLate,
)
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.orders import OrderReport, SnippetReport
from reviewinvite_core.domain.origins import HostName
from reviewinvite_core.domain.reviews import HideReason, NewReply, ReviewDraft
from reviewinvite_core.domain.shop import NewShop, Shop, ShopChanges
from reviewinvite_core.domain.signing import SigningKey
from reviewinvite_core.domain.suppressions import Reach, SuppressedBy
from reviewinvite_core.domain.views import CountMode
from reviewinvite_core.ports import (
    Condition,
    Executor,
    PublicSuffixes,
    Storage,
)
from reviewinvite_core.usecases.api_keys.manage import NewKey
from reviewinvite_core.usecases.api_keys.merchant_api import (
    CancellationAnswer,
    MerchantReviewQuery,
    ReplyAnswer,
    RequestRejected,
)
from reviewinvite_core.usecases.badges.count_views import DayOfViews
from reviewinvite_core.usecases.badges.show import BadgeAnswer
from reviewinvite_core.usecases.delivery import reconcile
from reviewinvite_core.usecases.domains import manage as manage_domains
from reviewinvite_core.usecases.domains.manage import DomainCheck
from reviewinvite_core.usecases.invitations.manage import InvitationQuery, InvitationRecord
from reviewinvite_core.usecases.invitations.merchant import MerchantInvitationQuery, MerchantInvitations
from reviewinvite_core.usecases.orders.receive import OrderAnswer
from reviewinvite_core.usecases.orders.report import Reported
from reviewinvite_core.usecases.orders.report_from_snippet import SnippetAnswer
from reviewinvite_core.usecases.privacy.erase import Erasure
from reviewinvite_core.usecases.privacy.export import HeldAddress
from reviewinvite_core.usecases.privacy.suppress import SuppressionRecord
from reviewinvite_core.usecases.privacy.unsubscribe import Subscription
from reviewinvite_core.usecases.reviews.browse import MerchantReviews, ShopReviews
from reviewinvite_core.usecases.reviews.moderate import ReviewQuery, ReviewRecord
from reviewinvite_core.usecases.reviews.write import LinkClosed, ReviewLink
from reviewinvite_core.usecases.signing_keys.manage import KeySet, Rotated, Withdrawn
from reviewinvite_core.usecases.trust_marks.manage import Marked
from reviewinvite_core.usecases.trust_marks.verify import Form, VerifyAnswer


@attrs.frozen(kw_only=True)
class Application:
    """All that the service does; each field is a use case. Safe to call from many threads. Close it when done."""

    authenticate: UseCase[[str], Caller | KeyRefused]
    act_for: UseCase[[str], Caller | ShopUnknown]
    receive_order: UseCase[[SecretKey, OrderReport | Invalid], OrderAnswer]
    report_order: UseCase[[Caller, OrderReport], Reported | ShopInactive]
    report_snippet: UseCase[[ClientAddress, str | None, SnippetReport | Invalid], SnippetAnswer]
    import_orders: UseCase[[Caller, Sequence[OrderReport]], Sequence[Reported | ShopInactive]]
    add_shop: UseCase[[NewShop], Shop | ShopExists]
    list_shops: UseCase[[], Sequence[Shop]]
    show_shop: UseCase[[str], Shop | ShopUnknown]
    set_shop: UseCase[[str, ShopChanges], Shop | ShopUnknown]
    show_badge: UseCase[[str, str | None, CountMode], BadgeAnswer]
    verify_trust_mark: UseCase[[str, Form, CountMode], VerifyAnswer]
    set_badge: UseCase[[str, BadgeChanges], Shop | ShopUnknown]
    show_views: UseCase[[str], DayOfViews | ShopUnknown]
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
    show_review_link: UseCase[[str], ReviewLink | None]
    note_opened_link: UseCase[[str], bool]
    write_review: UseCase[[str, ReviewDraft], ReviewLink | LinkClosed | None]
    withdraw_review: UseCase[[str], ReviewLink | LinkClosed | None]
    show_shop_reviews: UseCase[[str, Bookmark | None], ShopReviews | ShopUnknown]
    list_merchant_reviews: UseCase[[Caller, Bookmark, int], MerchantReviews]
    answer_review: UseCase[[Caller, str, NewReply], ReviewRecord | ReviewUnknown | ReviewStateConflict | ShopInactive]
    list_merchant_invitations: UseCase[[Caller, MerchantInvitationQuery], MerchantInvitations]
    get_merchant_invitation: UseCase[[Caller, str], InvitationRecord | InvitationUnknown]
    cancel_merchant_invitation: UseCase[[Caller, str], InvitationRecord | InvitationUnknown | TooLate | ShopInactive]
    serve_reviews: UseCase[[SecretKey, MerchantReviewQuery | Invalid], MerchantReviews | RequestRejected]
    serve_invitations: UseCase[[SecretKey, MerchantInvitationQuery | Invalid], MerchantInvitations | RequestRejected]
    serve_invitation: UseCase[[SecretKey, str], InvitationRecord | InvitationUnknown | RequestRejected]
    receive_reply: UseCase[[SecretKey, str, NewReply | Invalid], ReplyAnswer]
    receive_cancellation: UseCase[[SecretKey, str, Invalid | None], CancellationAnswer]
    recount_reviews: UseCase[[], Sequence[str]]
    list_reviews: UseCase[[ReviewQuery], Sequence[ReviewRecord] | ShopUnknown]
    show_review: UseCase[[str], ReviewRecord | ReviewUnknown]
    hide_review: UseCase[[str, HideReason], ReviewRecord | ReviewUnknown | ReviewStateConflict]
    show_review_again: UseCase[[str], ReviewRecord | ReviewUnknown | ReviewStateConflict]
    add_suppression: UseCase[[str, str | None], SuppressionRecord | ShopUnknown]
    list_suppressions: UseCase[[int], Sequence[SuppressionRecord]]
    remove_suppression: UseCase[
        [str, str | None, SuppressedBy], SuppressionRecord | ShopUnknown | NotSuppressed | OptedOut
    ]
    erase_address: UseCase[..., Erasure]
    erase_expired: UseCase[[], Erasure]
    export_address: UseCase[[str], HeldAddress]
    grant_trust_mark: UseCase[[str], Marked]
    revoke_trust_mark: UseCase[[str], Marked]
    list_signing_keys: UseCase[[], Sequence[SigningKey]]
    rotate_signing_keys: UseCase[[], Rotated]
    rotate_signing_keys_now: UseCase[[], KeySet]
    revoke_signing_key: UseCase[[str], Withdrawn]
    proxies: TrustedProxies
    list_domains: UseCase[[str], Sequence[Domain] | ShopUnknown]
    remove_domain: UseCase[[str, str], Domain | ShopUnknown | DomainUnknown]
    delivery: Delivery
    _published_keys: UseCase[[], KeySet | None]
    _current_keys: UseCase[[], KeySet]
    domain_rechecker: DomainRechecker
    _add_domain: UseCase[[str, HostName, bool], Domain | ShopUnknown | DomainTaken]
    _public_suffixes: PublicSuffixes
    widget_url: str  # without a slash at its end, as `base_url`
    _storage: Storage

    @property
    def base_url(self) -> str:
        """The address at which the world reaches the service, without a slash at its end. Spec: §8, Settings."""
        return self.delivery.office.base_url

    def group_commit(self, *, place: Executor | None = None) -> GroupCommit:
        """The writing side that lets many concurrent units of work share a commit (ADR-3). Close it before this."""
        storage = self._storage
        at = place if storage.units_only_compute else None
        return GroupCommit(storage, place=at, writers=storage.batches_at_once)

    def add_domain(self, site_id: str, host: str, assume_verified: bool = False) -> Domain | ShopUnknown | DomainTaken:
        """Note that a shop says a host is its own, or that the operator vouches for it; gives what stands.

        Raises: `Invalid` for what is no host, or a public suffix; `StorageUnavailable`.
        """
        return self._add_domain(site_id, manage_domains.own_host(host, self._public_suffixes), assume_verified)

    def check_domain(self, site_id: str, host: str) -> DomainCheck | ShopUnknown | DomainUnknown | DomainTaken:
        """Look for a host's proof now, and note what was found; takes up to 10 seconds.

        Raises: `Invalid` for what is no host; `StorageUnavailable`.
        """
        return self.domain_rechecker.check(site_id, host)

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
        self.delivery.office.mailer.close()
        self._storage.close()
