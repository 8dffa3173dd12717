"""Review invitations as a library: one order, one e-mail.

docs/stability.md says what is public, and for how long: the names in `__all__`, among others. Each is imported on first
use, so a new one goes into both lists below: the imports, for type checkers, and `_NAMES`.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from reviewinvite_core.version import __version__ as __version__

if TYPE_CHECKING:
    from reviewinvite_core.adapters.json_converter import (
        REVIEW as REVIEW,
        NoFields as NoFields,
        accept as accept,
        as_field as as_field,
        decode_object as decode_object,
        json_converter as json_converter,
        json_name as json_name,
        shape as shape,
        structure_body as structure_body,
        structure_fields as structure_fields,
    )
    from reviewinvite_core.adapters.sql.copy.copy import CopyReport as CopyReport, Difference as Difference
    from reviewinvite_core.adapters.sql.integrity import DatabaseStatistics as DatabaseStatistics
    from reviewinvite_core.bootstrap.adapter_factory import machine_time as machine_time
    from reviewinvite_core.bootstrap.application import Application as Application
    from reviewinvite_core.bootstrap.application.async_application import AsyncApplication as AsyncApplication
    from reviewinvite_core.bootstrap.compose import build as build
    from reviewinvite_core.bootstrap.compose_async import build_async as build_async
    from reviewinvite_core.bootstrap.key_ring import (
        is_secret_changing as is_secret_changing,
        is_secret_weak as is_secret_weak,
        rotate_secret as rotate_secret,
    )
    from reviewinvite_core.bootstrap.maintenance import (
        Restored as Restored,
        backup_database as backup_database,
        check_database as check_database,
        copy_database as copy_database,
        database_statistics as database_statistics,
        migrate_database as migrate_database,
        restore_database as restore_database,
    )
    from reviewinvite_core.bootstrap.settings import Settings as Settings, unknown_variables as unknown_variables
    from reviewinvite_core.domain.activity import Action as Action, ActivityQuery as ActivityQuery
    from reviewinvite_core.domain.actor import Acting as Acting, Actor as Actor, ActorKind as ActorKind
    from reviewinvite_core.domain.api_key import (
        OPERATOR as OPERATOR,
        ApiKey as ApiKey,
        Caller as Caller,
        Credential as Credential,
        Operator as Operator,
        SecretKey as SecretKey,
    )
    from reviewinvite_core.domain.badge import (
        BadgeChanges as BadgeChanges,
        BadgeLook as BadgeLook,
        Size as Size,
        Theme as Theme,
    )
    from reviewinvite_core.domain.bookmarks import Bookmark as Bookmark
    from reviewinvite_core.domain.client_address import ClientAddress as ClientAddress, TrustedProxies as TrustedProxies
    from reviewinvite_core.domain.domains import (
        Domain as Domain,
        FailureReason as FailureReason,
        ProofWay as ProofWay,
        Rechecked as Rechecked,
        VerificationResult as VerificationResult,
        VerificationStatus as VerificationStatus,
    )
    from reviewinvite_core.domain.email_address import EmailAddress as EmailAddress
    from reviewinvite_core.domain.errors import (
        AddressErased as AddressErased,
        AlreadyCompromised as AlreadyCompromised,
        ApplicationClosed as ApplicationClosed,
        ChangedMeanwhile as ChangedMeanwhile,
        ClockJumped as ClockJumped,
        ConfigurationError as ConfigurationError,
        DatabaseDamaged as DatabaseDamaged,
        DatabaseInUse as DatabaseInUse,
        DatabaseMissing as DatabaseMissing,
        DomainTaken as DomainTaken,
        DomainUnknown as DomainUnknown,
        Invalid as Invalid,
        InvitationUnknown as InvitationUnknown,
        KeyExists as KeyExists,
        KeyRefused as KeyRefused,
        KeyUnknown as KeyUnknown,
        LastOwner as LastOwner,
        LimitReached as LimitReached,
        MemberExists as MemberExists,
        MemberUnknown as MemberUnknown,
        NoNameWaiting as NoNameWaiting,
        NotSuppressed as NotSuppressed,
        NotUncertain as NotUncertain,
        OptedOut as OptedOut,
        OriginForeign as OriginForeign,
        Problem as Problem,
        Refusal as Refusal,
        ReviewStateConflict as ReviewStateConflict,
        ReviewUnknown as ReviewUnknown,
        RoleRefused as RoleRefused,
        RotationIncomplete as RotationIncomplete,
        SecretBusy as SecretBusy,
        SecretChanged as SecretChanged,
        ShopExists as ShopExists,
        ShopInactive as ShopInactive,
        ShopUnknown as ShopUnknown,
        SignatureRefused as SignatureRefused,
        SignatureUnseen as SignatureUnseen,
        SigningKeyUnknown as SigningKeyUnknown,
        SignInTooOld as SignInTooOld,
        SnippetOff as SnippetOff,
        StandbyTooNew as StandbyTooNew,
        StorageUnavailable as StorageUnavailable,
        TooLate as TooLate,
        TrustMarkStateConflict as TrustMarkStateConflict,
        UsedAfterFork as UsedAfterFork,
    )
    from reviewinvite_core.domain.handovers import DeliveryPaused as DeliveryPaused, Pause as Pause
    from reviewinvite_core.domain.imprint import Imprint as Imprint
    from reviewinvite_core.domain.invitation_states import Reason as Reason, State as State
    from reviewinvite_core.domain.invitations import (
        Change as Change,
        Invitation as Invitation,
        NotRetried as NotRetried,
    )
    from reviewinvite_core.domain.language import Language as Language
    from reviewinvite_core.domain.limits import Crossing as Crossing
    from reviewinvite_core.domain.members import NewMember as NewMember, Role as Role
    from reviewinvite_core.domain.messages import (
        MailItem as MailItem,
        MessageKind as MessageKind,
        ServiceMessage as ServiceMessage,
    )
    from reviewinvite_core.domain.orders import (
        OrderReport as OrderReport,
        OrderResult as OrderResult,
        Reported as Reported,
        SnippetReport as SnippetReport,
    )
    from reviewinvite_core.domain.origins import HostName as HostName
    from reviewinvite_core.domain.overview import (
        Checklist as Checklist,
        DayCount as DayCount,
        Trouble as Trouble,
        TroubleCode as TroubleCode,
        Week as Week,
    )
    from reviewinvite_core.domain.provenance import Source as Source
    from reviewinvite_core.domain.refused import Refused as Refused, accepted as accepted
    from reviewinvite_core.domain.reviews import (
        Act as Act,
        HideReason as HideReason,
        NewReply as NewReply,
        Party as Party,
        Reply as Reply,
        Review as Review,
        ReviewChange as ReviewChange,
        ReviewDraft as ReviewDraft,
        ReviewState as ReviewState,
    )
    from reviewinvite_core.domain.scores import NO_REVIEWS as NO_REVIEWS, Distribution as Distribution, Score as Score
    from reviewinvite_core.domain.shop import (
        NewShop as NewShop,
        Shop as Shop,
        ShopChanges as ShopChanges,
        SiteId as SiteId,
    )
    from reviewinvite_core.domain.sign_in import Session as Session, SignInSecret as SignInSecret
    from reviewinvite_core.domain.signed_in import (
        MemberIdentity as MemberIdentity,
        Permission as Permission,
        ShopAccess as ShopAccess,
        SignedIn as SignedIn,
    )
    from reviewinvite_core.domain.signed_statements import SignedStatement as SignedStatement
    from reviewinvite_core.domain.signing import KeyState as KeyState, SigningKey as SigningKey
    from reviewinvite_core.domain.snippets import SnippetMode as SnippetMode, SnippetSignature as SnippetSignature
    from reviewinvite_core.domain.statements import Statement as Statement
    from reviewinvite_core.domain.suppressions import (
        Reach as Reach,
        SuppressedBy as SuppressedBy,
        Suppression as Suppression,
    )
    from reviewinvite_core.domain.timing import Delay as Delay
    from reviewinvite_core.domain.trust_mark import Status as Status, TrustMark as TrustMark
    from reviewinvite_core.domain.verifying import (
        Flaw as Flaw,
        StatementRefused as StatementRefused,
        verify_statement as verify_statement,
    )
    from reviewinvite_core.domain.views import CountMode as CountMode
    from reviewinvite_core.execution import GroupCommit as GroupCommit
    from reviewinvite_core.ports import (
        Condition as Condition,
        Connections as Connections,
        Done as Done,
        Failed as Failed,
        HighWaterMarkUnwritten as HighWaterMarkUnwritten,
        NoTelemetry as NoTelemetry,
        Outcome as Outcome,
        Telemetry as Telemetry,
    )
    from reviewinvite_core.usecases.api_keys.create import NewKey as NewKey
    from reviewinvite_core.usecases.badges.show import (
        Badge as Badge,
        BadgeHidden as BadgeHidden,
        BadgeShown as BadgeShown,
        WhyHidden as WhyHidden,
    )
    from reviewinvite_core.usecases.badges.show_views import DayOfViews as DayOfViews
    from reviewinvite_core.usecases.delivery.backlog import Backlog as Backlog
    from reviewinvite_core.usecases.delivery.retry import ManyRetried as ManyRetried
    from reviewinvite_core.usecases.delivery.worker import Progress as Progress
    from reviewinvite_core.usecases.domains.check import DomainCheck as DomainCheck
    from reviewinvite_core.usecases.invitations.list import (
        InvitationPage as InvitationPage,
        InvitationQuery as InvitationQuery,
    )
    from reviewinvite_core.usecases.invitations.records import InvitationRecord as InvitationRecord
    from reviewinvite_core.usecases.invitations.resolve_many import (
        ManyResolved as ManyResolved,
        UncertainQuery as UncertainQuery,
    )
    from reviewinvite_core.usecases.members.add import AddedMember as AddedMember
    from reviewinvite_core.usecases.members.link import MemberLink as MemberLink
    from reviewinvite_core.usecases.members.list_activity import (
        ActivityPage as ActivityPage,
        ActivityRecord as ActivityRecord,
    )
    from reviewinvite_core.usecases.members.records import MemberRecord as MemberRecord
    from reviewinvite_core.usecases.orders.report_from_snippet import Acknowledged as Acknowledged
    from reviewinvite_core.usecases.orders.show_snippets import DayOfSnippets as DayOfSnippets
    from reviewinvite_core.usecases.privacy.erase import Erasure as Erasure
    from reviewinvite_core.usecases.privacy.export import (
        HeldAddress as HeldAddress,
        HeldMember as HeldMember,
        HeldSession as HeldSession,
    )
    from reviewinvite_core.usecases.privacy.subscription import Subscription as Subscription
    from reviewinvite_core.usecases.privacy.suppression_records import SuppressionRecord as SuppressionRecord
    from reviewinvite_core.usecases.reviews.browse import ReviewFilter as ReviewFilter, ReviewPage as ReviewPage
    from reviewinvite_core.usecases.reviews.link import (
        LinkClosed as LinkClosed,
        LinkState as LinkState,
        ReviewLink as ReviewLink,
    )
    from reviewinvite_core.usecases.reviews.list import ReviewQuery as ReviewQuery
    from reviewinvite_core.usecases.reviews.list_changes import (
        MerchantReviewQuery as MerchantReviewQuery,
        MerchantReviews as MerchantReviews,
    )
    from reviewinvite_core.usecases.reviews.records import ReviewRecord as ReviewRecord
    from reviewinvite_core.usecases.reviews.show_public import ShopReviews as ShopReviews
    from reviewinvite_core.usecases.secret.rotate import (
        RotationRecovery as RotationRecovery,
        SecretRotation as SecretRotation,
    )
    from reviewinvite_core.usecases.shops.overview import Overview as Overview
    from reviewinvite_core.usecases.shops.snippet_secret import SnippetSecret as SnippetSecret
    from reviewinvite_core.usecases.sign_in.show_link import SignInOffer as SignInOffer
    from reviewinvite_core.usecases.sign_in.use_link import NewSession as NewSession
    from reviewinvite_core.usecases.signing_keys.key_set import KeySet as KeySet
    from reviewinvite_core.usecases.trust_marks.verify import Form as Form, Verified as Verified
else:
    # the same names, for `__getattr__`
    _NAMES = {
        "adapters.json_converter": (
            "REVIEW NoFields accept as_field decode_object json_converter json_name shape structure_body "
            "structure_fields"
        ),
        "adapters.sql.copy.copy": "CopyReport Difference",
        "adapters.sql.integrity": "DatabaseStatistics",
        "bootstrap.adapter_factory": "machine_time",
        "bootstrap.application": "Application",
        "bootstrap.application.async_application": "AsyncApplication",
        "bootstrap.compose": "build",
        "bootstrap.compose_async": "build_async",
        "bootstrap.key_ring": "is_secret_changing is_secret_weak rotate_secret",
        "bootstrap.maintenance": (
            "Restored backup_database check_database copy_database database_statistics migrate_database "
            "restore_database"
        ),
        "bootstrap.settings": "Settings unknown_variables",
        "domain.activity": "Action ActivityQuery",
        "domain.actor": "Acting Actor ActorKind",
        "domain.api_key": "OPERATOR ApiKey Caller Credential Operator SecretKey",
        "domain.badge": "BadgeChanges BadgeLook Size Theme",
        "domain.bookmarks": "Bookmark",
        "domain.client_address": "ClientAddress TrustedProxies",
        "domain.domains": "Domain FailureReason ProofWay Rechecked VerificationResult VerificationStatus",
        "domain.email_address": "EmailAddress",
        "domain.errors": (
            "AddressErased AlreadyCompromised ApplicationClosed ChangedMeanwhile ClockJumped ConfigurationError "
            "DatabaseDamaged DatabaseInUse DatabaseMissing DomainTaken DomainUnknown Invalid InvitationUnknown "
            "KeyRefused KeyExists KeyUnknown LastOwner LimitReached MemberExists MemberUnknown NoNameWaiting "
            "NotSuppressed NotUncertain OptedOut OriginForeign Problem Refusal ReviewStateConflict ReviewUnknown "
            "RoleRefused RotationIncomplete SecretBusy SecretChanged ShopExists ShopInactive ShopUnknown SignInTooOld "
            "SignatureRefused SignatureUnseen SigningKeyUnknown SnippetOff StandbyTooNew StorageUnavailable TooLate "
            "TrustMarkStateConflict UsedAfterFork"
        ),
        "domain.handovers": "DeliveryPaused Pause",
        "domain.imprint": "Imprint",
        "domain.invitation_states": "Reason State",
        "domain.invitations": "Change Invitation NotRetried",
        "domain.language": "Language",
        "domain.limits": "Crossing",
        "domain.members": "NewMember Role",
        "domain.messages": "MailItem MessageKind ServiceMessage",
        "domain.orders": "OrderReport OrderResult Reported SnippetReport",
        "domain.origins": "HostName",
        "domain.overview": "Checklist DayCount Trouble TroubleCode Week",
        "domain.provenance": "Source",
        "domain.refused": "Refused accepted",
        "domain.reviews": "Act HideReason NewReply Party Reply Review ReviewChange ReviewDraft ReviewState",
        "domain.scores": "NO_REVIEWS Distribution Score",
        "domain.shop": "NewShop Shop ShopChanges SiteId",
        "domain.sign_in": "Session SignInSecret",
        "domain.signed_in": "MemberIdentity Permission ShopAccess SignedIn",
        "domain.signed_statements": "SignedStatement",
        "domain.signing": "KeyState SigningKey",
        "domain.snippets": "SnippetMode SnippetSignature",
        "domain.statements": "Statement",
        "domain.suppressions": "Reach SuppressedBy Suppression",
        "domain.timing": "Delay",
        "domain.trust_mark": "Status TrustMark",
        "domain.verifying": "Flaw StatementRefused verify_statement",
        "domain.views": "CountMode",
        "execution": "GroupCommit",
        "ports": "Condition Connections Done Failed HighWaterMarkUnwritten NoTelemetry Outcome Telemetry",
        "usecases.api_keys.create": "NewKey",
        "usecases.badges.show": "Badge BadgeHidden BadgeShown WhyHidden",
        "usecases.badges.show_views": "DayOfViews",
        "usecases.delivery.backlog": "Backlog",
        "usecases.delivery.retry": "ManyRetried",
        "usecases.delivery.worker": "Progress",
        "usecases.domains.check": "DomainCheck",
        "usecases.invitations.list": "InvitationPage InvitationQuery",
        "usecases.invitations.records": "InvitationRecord",
        "usecases.invitations.resolve_many": "ManyResolved UncertainQuery",
        "usecases.members.add": "AddedMember",
        "usecases.members.link": "MemberLink",
        "usecases.members.list_activity": "ActivityPage ActivityRecord",
        "usecases.members.records": "MemberRecord",
        "usecases.orders.report_from_snippet": "Acknowledged",
        "usecases.orders.show_snippets": "DayOfSnippets",
        "usecases.privacy.erase": "Erasure",
        "usecases.privacy.export": "HeldAddress HeldMember HeldSession",
        "usecases.privacy.subscription": "Subscription",
        "usecases.privacy.suppression_records": "SuppressionRecord",
        "usecases.reviews.browse": "ReviewFilter ReviewPage",
        "usecases.reviews.link": "LinkClosed LinkState ReviewLink",
        "usecases.reviews.list": "ReviewQuery",
        "usecases.reviews.list_changes": "MerchantReviewQuery MerchantReviews",
        "usecases.reviews.records": "ReviewRecord",
        "usecases.reviews.show_public": "ShopReviews",
        "usecases.shops.overview": "Overview",
        "usecases.shops.snippet_secret": "SnippetSecret",
        "usecases.secret.rotate": "RotationRecovery SecretRotation",
        "usecases.sign_in.show_link": "SignInOffer",
        "usecases.sign_in.use_link": "NewSession",
        "usecases.signing_keys.key_set": "KeySet",
        "usecases.trust_marks.verify": "Form Verified",
    }

    # helpers of our own HTTP API and command line, which may import nothing else of the core
    _NOT_PUBLIC = {"REVIEW", "NoFields", "accept", "as_field", "json_name", "machine_time", "shape", "structure_body"}

    _MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}

    __all__ = sorted(_MODULES.keys() - _NOT_PUBLIC)

    def __dir__():
        """Return the exported names, including those that are not imported yet."""
        return [*__all__, "__version__"]

    def __getattr__(name):
        """Import a name on first use: a program that only verifies statements starts without the whole service."""
        if name not in _MODULES:
            message = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(message)
        value = globals()[name] = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
        return value
