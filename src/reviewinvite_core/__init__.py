"""Review invitations as a library: one order, exactly one e-mail.

This is the front door: what is named here is public and kept; all else may change.
"""

from reviewinvite_core.adapters.group_commit import GroupCommit
from reviewinvite_core.adapters.sql.copy import CopyReport, Difference
from reviewinvite_core.compose import Application, build
from reviewinvite_core.databases import (
    Restored,
    backup_database,
    check_database,
    copy_database,
    migrate_database,
    restore_database,
)
from reviewinvite_core.domain.api_key import ApiKey, Caller, SecretKey
from reviewinvite_core.domain.email_address import EmailAddress
from reviewinvite_core.domain.errors import (
    AddressErased,
    ClockJumped,
    ConfigurationError,
    DatabaseInUse,
    Invalid,
    InvitationUnknown,
    KeyRefused,
    KeyUnknown,
    LimitReached,
    NotSuppressed,
    NotUncertain,
    OptedOut,
    Problem,
    Refusal,
    ShopExists,
    ShopInactive,
    ShopUnknown,
    StorageUnavailable,
    TooLate,
)
from reviewinvite_core.domain.handovers import DeliveryPaused, Pause
from reviewinvite_core.domain.invitations import Change, Invitation, Reason, State
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.orders import OrderReport
from reviewinvite_core.domain.shop import NewShop, Shop, ShopChanges, SiteId
from reviewinvite_core.domain.suppressions import Origin, Reach, Suppression
from reviewinvite_core.domain.timing import Delay
from reviewinvite_core.ports import Condition, Connections, Done, Failed, MarkUnwritten, Outcome
from reviewinvite_core.settings import Settings, unknown_variables
from reviewinvite_core.usecases.deliver_continually import Progress
from reviewinvite_core.usecases.erase_addresses import Erasure
from reviewinvite_core.usecases.export_address import HeldAddress
from reviewinvite_core.usecases.manage_invitations import InvitationQuery, InvitationRecord
from reviewinvite_core.usecases.manage_keys import NewKey
from reviewinvite_core.usecases.manage_suppressions import SuppressionRecord
from reviewinvite_core.usecases.report_order import Reported
from reviewinvite_core.usecases.unsubscribe import Subscription
from reviewinvite_core.version import __version__

__all__ = [
    # an application
    "Application",
    "GroupCommit",
    "Settings",
    "backup_database",
    "build",
    "check_database",
    "copy_database",
    "migrate_database",
    "restore_database",
    "unknown_variables",
    # what goes in
    "Caller",
    "Delay",
    "EmailAddress",
    "InvitationQuery",
    "Language",
    "NewShop",
    "OrderReport",
    "Origin",
    "Reach",
    "Restored",
    "SecretKey",
    "ShopChanges",
    "SiteId",
    # what comes out
    "ApiKey",
    "Change",
    "Condition",
    "Connections",
    "CopyReport",
    "Difference",
    "Done",
    "Erasure",
    "Failed",
    "HeldAddress",
    "Invitation",
    "InvitationRecord",
    "NewKey",
    "MarkUnwritten",
    "Outcome",
    "Pause",
    "Progress",
    "Reason",
    "Reported",
    "Shop",
    "State",
    "Subscription",
    "Suppression",
    "SuppressionRecord",
    # what is refused
    "AddressErased",
    "Invalid",
    "InvitationUnknown",
    "KeyRefused",
    "KeyUnknown",
    "LimitReached",
    "NotSuppressed",
    "NotUncertain",
    "OptedOut",
    "Problem",
    "Refusal",
    "ShopExists",
    "ShopInactive",
    "ShopUnknown",
    "TooLate",
    # what can fail
    "ClockJumped",
    "ConfigurationError",
    "DatabaseInUse",
    "DeliveryPaused",
    "StorageUnavailable",
    "__version__",
]
