"""The values that calls take and return, beside those at the root: records, pages, refusals, and what fields contain.

docs/stability.md says for how long they are promised.
"""

from reviewinvite_core.domain import permissions as permissions
from reviewinvite_core.domain.activity import Action as Action, ActivityQuery as ActivityQuery
from reviewinvite_core.domain.actor import ActorKind as ActorKind, ActorRef as ActorRef
from reviewinvite_core.domain.api_key import ApiKey as ApiKey, Operator as Operator
from reviewinvite_core.domain.badge import (
    BadgeChanges as BadgeChanges,
    BadgeLook as BadgeLook,
    Size as Size,
    Theme as Theme,
)
from reviewinvite_core.domain.bookmarks import Bookmark as Bookmark
from reviewinvite_core.domain.client_address import TrustedProxies as TrustedProxies
from reviewinvite_core.domain.domains import (
    Domain as Domain,
    FailureReason as FailureReason,
    ProofWay as ProofWay,
    Rechecked as Rechecked,
    VerificationResult as VerificationResult,
    VerificationStatus as VerificationStatus,
)
from reviewinvite_core.domain.email_address import EmailAddress as EmailAddress
from reviewinvite_core.domain.errors import ClockJumped as ClockJumped, Problem as Problem
from reviewinvite_core.domain.handovers import Pause as Pause
from reviewinvite_core.domain.imprint import Imprint as Imprint
from reviewinvite_core.domain.invitations import Change as Change, Invitation as Invitation, NotRetried as NotRetried
from reviewinvite_core.domain.limits import Crossing as Crossing
from reviewinvite_core.domain.notices import MailItem as MailItem, Notice as Notice, NoticeKind as NoticeKind
from reviewinvite_core.domain.orders import OrderResult as OrderResult
from reviewinvite_core.domain.origins import HostName as HostName
from reviewinvite_core.domain.overview import (
    Checklist as Checklist,
    DayCount as DayCount,
    Trouble as Trouble,
    TroubleCode as TroubleCode,
    Week as Week,
)
from reviewinvite_core.domain.permissions import Permission as Permission
from reviewinvite_core.domain.provenance import Source as Source
from reviewinvite_core.domain.refusals import (
    AddressErased as AddressErased,
    AlreadyCompromised as AlreadyCompromised,
    ChangedMeanwhile as ChangedMeanwhile,
    DomainTaken as DomainTaken,
    DomainUnknown as DomainUnknown,
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
    ReviewStateConflict as ReviewStateConflict,
    ReviewUnknown as ReviewUnknown,
    RoleRefused as RoleRefused,
    ShopExists as ShopExists,
    ShopInactive as ShopInactive,
    ShopUnknown as ShopUnknown,
    SignatureRefused as SignatureRefused,
    SignatureUnseen as SignatureUnseen,
    SigningKeyUnknown as SigningKeyUnknown,
    SignInTooOld as SignInTooOld,
    SnippetOff as SnippetOff,
    TooLate as TooLate,
    TrustMarkStateConflict as TrustMarkStateConflict,
)
from reviewinvite_core.domain.refused import RefusalKind as RefusalKind
from reviewinvite_core.domain.reviews import (
    Act as Act,
    HideReason as HideReason,
    Party as Party,
    Reply as Reply,
    Review as Review,
    ReviewChange as ReviewChange,
)
from reviewinvite_core.domain.scores import NO_REVIEWS as NO_REVIEWS, Distribution as Distribution, Score as Score
from reviewinvite_core.domain.shop import Shop as Shop
from reviewinvite_core.domain.sign_in import Session as Session, SignInSecret as SignInSecret
from reviewinvite_core.domain.signed_in import (
    MemberIdentity as MemberIdentity,
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
from reviewinvite_core.domain.trust_mark import Status as Status, TrustMark as TrustMark
from reviewinvite_core.domain.verifying import Flaw as Flaw
from reviewinvite_core.domain.views import CountMode as CountMode
from reviewinvite_core.usecases.api_keys import NewKey as NewKey
from reviewinvite_core.usecases.badges import (
    Badge as Badge,
    BadgeHidden as BadgeHidden,
    BadgeShown as BadgeShown,
    DayOfViews as DayOfViews,
    WhyHidden as WhyHidden,
)
from reviewinvite_core.usecases.delivery.backlog import Backlog as Backlog
from reviewinvite_core.usecases.delivery.retry import ManyRetried as ManyRetried
from reviewinvite_core.usecases.delivery.worker import Progress as Progress
from reviewinvite_core.usecases.domains import DomainCheck as DomainCheck
from reviewinvite_core.usecases.invitations.change import ManyResolved as ManyResolved, UncertainQuery as UncertainQuery
from reviewinvite_core.usecases.invitations.read import (
    InvitationPage as InvitationPage,
    InvitationRecord as InvitationRecord,
)
from reviewinvite_core.usecases.members.change import AddedMember as AddedMember, MemberLink as MemberLink
from reviewinvite_core.usecases.members.read import (
    ActivityPage as ActivityPage,
    ActivityRecord as ActivityRecord,
    MemberRecord as MemberRecord,
)
from reviewinvite_core.usecases.orders.snippet import Acknowledged as Acknowledged, DayOfSnippets as DayOfSnippets
from reviewinvite_core.usecases.privacy.change import Erasure as Erasure
from reviewinvite_core.usecases.privacy.read import (
    HeldAddress as HeldAddress,
    HeldMember as HeldMember,
    HeldSession as HeldSession,
    Subscription as Subscription,
    SuppressionRecord as SuppressionRecord,
)
from reviewinvite_core.usecases.reviews.link import (
    LinkClosed as LinkClosed,
    LinkState as LinkState,
    ReviewLink as ReviewLink,
)
from reviewinvite_core.usecases.reviews.read import (
    MerchantReviews as MerchantReviews,
    ReviewFilter as ReviewFilter,
    ReviewPage as ReviewPage,
    ReviewRecord as ReviewRecord,
    ShopReviews as ShopReviews,
)
from reviewinvite_core.usecases.shops import Overview as Overview, SnippetSecret as SnippetSecret
from reviewinvite_core.usecases.sign_in.links import NewSession as NewSession, SignInOffer as SignInOffer
from reviewinvite_core.usecases.signing_keys import KeySet as KeySet
from reviewinvite_core.usecases.trust_marks import Form as Form, Verified as Verified
