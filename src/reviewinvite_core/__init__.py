"""Review invitations as a library: one order, exactly one e-mail.

This is the front door: what is named here is public and kept; all else may change.
"""

from reviewinvite_core.adapters.group_commit import GroupCommit
from reviewinvite_core.adapters.sql.copy.copy import CopyReport, Difference
from reviewinvite_core.bootstrap.adapter_factory import machine_time
from reviewinvite_core.bootstrap.application import Application
from reviewinvite_core.bootstrap.compose import build
from reviewinvite_core.bootstrap.key_ring import is_secret_changing, rotate_secret
from reviewinvite_core.bootstrap.maintenance import (
    Restored,
    backup_database,
    check_database,
    copy_database,
    migrate_database,
    restore_database,
)
from reviewinvite_core.bootstrap.settings import Settings, unknown_variables
from reviewinvite_core.bootstrap.use_case import UseCase
from reviewinvite_core.domain.api_key import ApiKey, Caller, SecretKey
from reviewinvite_core.domain.badge import BadgeChanges, BadgeLook, Size, Theme
from reviewinvite_core.domain.bookmarks import Bookmark
from reviewinvite_core.domain.client_address import ClientAddress, TrustedProxies
from reviewinvite_core.domain.domains import (
    Domain,
    FailureReason,
    ProofWay,
    Rechecked,
    VerificationResult,
    VerificationStatus,
)
from reviewinvite_core.domain.email_address import EmailAddress
from reviewinvite_core.domain.errors import (
    AddressErased,
    AlreadyCompromised,
    ClockJumped,
    ConfigurationError,
    DatabaseInUse,
    DomainTaken,
    DomainUnknown,
    Invalid,
    InvitationUnknown,
    KeyRefused,
    KeyUnknown,
    LimitReached,
    NotSuppressed,
    NotUncertain,
    OptedOut,
    OriginForeign,
    Problem,
    Refusal,
    ReviewStateConflict,
    ReviewUnknown,
    SecretBusy,
    SecretChanged,
    SecretUnsettled,
    ShopExists,
    ShopInactive,
    ShopUnknown,
    SigningKeyUnknown,
    StandbyTooNew,
    StorageUnavailable,
    TooLate,
    TrustMarkStateConflict,
)
from reviewinvite_core.domain.handovers import DeliveryPaused, Pause
from reviewinvite_core.domain.invitations import Change, Invitation, Reason, State
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.orders import OrderReport, SnippetReport
from reviewinvite_core.domain.origins import HostName
from reviewinvite_core.domain.reviews import (
    Act,
    HideReason,
    NewReply,
    Party,
    Reply,
    Review,
    ReviewChange,
    ReviewDraft,
    ReviewState,
)
from reviewinvite_core.domain.scores import NO_REVIEWS, Distribution, Score
from reviewinvite_core.domain.shop import NewShop, Shop, ShopChanges, SiteId
from reviewinvite_core.domain.signed_statements import SignedStatement
from reviewinvite_core.domain.signing import KeyState, SigningKey
from reviewinvite_core.domain.statements import Statement
from reviewinvite_core.domain.suppressions import Reach, SuppressedBy, Suppression
from reviewinvite_core.domain.timing import Delay
from reviewinvite_core.domain.trust_mark import Status, TrustMark
from reviewinvite_core.domain.verifying import Flaw, StatementRefused, verify_statement
from reviewinvite_core.domain.views import CountMode, Crossing
from reviewinvite_core.ports import Condition, Connections, Done, Failed, HighWaterMarkUnwritten, Outcome
from reviewinvite_core.usecases.api_keys.manage import NewKey
from reviewinvite_core.usecases.api_keys.merchant_api import MerchantReviewQuery
from reviewinvite_core.usecases.badges.count_views import DayOfViews
from reviewinvite_core.usecases.badges.show import Badge, BadgeHidden, BadgeShown, WhyHidden
from reviewinvite_core.usecases.delivery.worker import Progress
from reviewinvite_core.usecases.domains.manage import DomainCheck
from reviewinvite_core.usecases.invitations.manage import InvitationQuery, InvitationRecord
from reviewinvite_core.usecases.invitations.merchant import MerchantInvitationQuery, MerchantInvitations
from reviewinvite_core.usecases.orders.report import Reported
from reviewinvite_core.usecases.orders.report_from_snippet import Acknowledged
from reviewinvite_core.usecases.privacy.erase import Erasure
from reviewinvite_core.usecases.privacy.export import HeldAddress
from reviewinvite_core.usecases.privacy.suppress import SuppressionRecord
from reviewinvite_core.usecases.privacy.unsubscribe import Subscription
from reviewinvite_core.usecases.reviews.browse import MerchantReviews, ShopReviews
from reviewinvite_core.usecases.reviews.moderate import ReviewQuery, ReviewRecord
from reviewinvite_core.usecases.reviews.write import LinkClosed, LinkState, ReviewLink
from reviewinvite_core.usecases.secret.rotate import SecretRotation, Settled
from reviewinvite_core.usecases.signing_keys.manage import KeySet
from reviewinvite_core.usecases.trust_marks.verify import Form, Verified
from reviewinvite_core.version import __version__

__all__ = [
    # an application
    "Application",
    "GroupCommit",
    "Settings",
    "UseCase",
    "backup_database",
    "build",
    "check_database",
    "copy_database",
    "is_secret_changing",
    "machine_time",
    "migrate_database",
    "restore_database",
    "rotate_secret",
    "unknown_variables",
    "verify_statement",
    # what goes in
    "BadgeChanges",
    "Bookmark",
    "Caller",
    "ClientAddress",
    "Delay",
    "EmailAddress",
    "Form",
    "HostName",
    "InvitationQuery",
    "MerchantInvitationQuery",
    "Language",
    "CountMode",
    "HideReason",
    "NewReply",
    "NewShop",
    "OrderReport",
    "Reach",
    "Restored",
    "ReviewDraft",
    "ReviewQuery",
    "MerchantReviewQuery",
    "SecretKey",
    "ShopChanges",
    "SiteId",
    "Size",
    "SnippetReport",
    "SuppressedBy",
    "Theme",
    "TrustedProxies",
    # what comes out
    "Acknowledged",
    "FailureReason",
    "Act",
    "ApiKey",
    "Badge",
    "BadgeHidden",
    "BadgeLook",
    "BadgeShown",
    "Change",
    "Condition",
    "Connections",
    "CopyReport",
    "Crossing",
    "DayOfViews",
    "Difference",
    "Distribution",
    "Domain",
    "DomainCheck",
    "Done",
    "Erasure",
    "Failed",
    "Flaw",
    "HeldAddress",
    "Invitation",
    "InvitationRecord",
    "KeySet",
    "KeyState",
    "VerificationResult",
    "LinkClosed",
    "LinkState",
    "NO_REVIEWS",
    "NewKey",
    "HighWaterMarkUnwritten",
    "Outcome",
    "MerchantInvitations",
    "MerchantReviews",
    "Party",
    "Pause",
    "Progress",
    "ProofWay",
    "Reason",
    "Rechecked",
    "Reply",
    "Reported",
    "Review",
    "ReviewChange",
    "ReviewLink",
    "ReviewRecord",
    "ReviewState",
    "Score",
    "SecretRotation",
    "Settled",
    "Shop",
    "ShopReviews",
    "VerificationStatus",
    "SignedStatement",
    "SigningKey",
    "State",
    "Statement",
    "StatementRefused",
    "Status",
    "Subscription",
    "Suppression",
    "SuppressionRecord",
    "TrustMark",
    "Verified",
    "WhyHidden",
    # what is refused
    "AddressErased",
    "AlreadyCompromised",
    "DomainTaken",
    "DomainUnknown",
    "Invalid",
    "InvitationUnknown",
    "KeyRefused",
    "KeyUnknown",
    "LimitReached",
    "TrustMarkStateConflict",
    "NotSuppressed",
    "NotUncertain",
    "OptedOut",
    "OriginForeign",
    "Problem",
    "Refusal",
    "ReviewStateConflict",
    "ReviewUnknown",
    "ShopExists",
    "ShopInactive",
    "ShopUnknown",
    "SigningKeyUnknown",
    "StandbyTooNew",
    "TooLate",
    # what can fail
    "ClockJumped",
    "ConfigurationError",
    "DatabaseInUse",
    "DeliveryPaused",
    "SecretBusy",
    "SecretChanged",
    "SecretUnsettled",
    "StorageUnavailable",
    "__version__",
]
