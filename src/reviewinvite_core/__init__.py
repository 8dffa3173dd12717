"""Review invitations as a library: one order, one e-mail.

Begin with `build(Settings(...))`, which returns an `Application`, or with `build_async` for asyncio. `help(app)` lists
its capabilities. `values` has the other types that calls take and return, `admin` what operators do to an installation,
`ports` what can be replaced, and `testing` what tests are made of.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from reviewinvite_core.version import __version__ as __version__

if TYPE_CHECKING:
    from reviewinvite_core.application.application import Application as Application
    from reviewinvite_core.application.async_application import AsyncApplication as AsyncApplication
    from reviewinvite_core.bootstrap.compose import build as build
    from reviewinvite_core.bootstrap.compose_async import build_async as build_async
    from reviewinvite_core.bootstrap.settings import Settings as Settings
    from reviewinvite_core.domain.api_key import (
        OPERATOR as OPERATOR,
        Actor as Actor,
        Credential as Credential,
        SecretKey as SecretKey,
    )
    from reviewinvite_core.domain.client_address import ClientAddress as ClientAddress
    from reviewinvite_core.domain.errors import (
        ApplicationClosed as ApplicationClosed,
        ConfigurationError as ConfigurationError,
        Invalid as Invalid,
        StorageUnavailable as StorageUnavailable,
        UsedAfterFork as UsedAfterFork,
    )
    from reviewinvite_core.domain.handovers import DeliveryPaused as DeliveryPaused
    from reviewinvite_core.domain.invitation_states import Reason as Reason, State as State
    from reviewinvite_core.domain.language import Language as Language
    from reviewinvite_core.domain.members import NewMember as NewMember, Role as Role
    from reviewinvite_core.domain.orders import (
        OrderReport as OrderReport,
        Reported as Reported,
        SnippetReport as SnippetReport,
    )
    from reviewinvite_core.domain.refused import Refusal as Refusal, Refused as Refused, accepted as accepted
    from reviewinvite_core.domain.reviews import (
        NewReply as NewReply,
        ReviewDraft as ReviewDraft,
        ReviewState as ReviewState,
    )
    from reviewinvite_core.domain.shop import NewShop as NewShop, ShopChanges as ShopChanges, SiteId as SiteId
    from reviewinvite_core.domain.timing import Delay as Delay
    from reviewinvite_core.domain.verifying import (
        StatementRefused as StatementRefused,
        verify_statement as verify_statement,
    )
    from reviewinvite_core.execution import GroupCommit as GroupCommit
    from reviewinvite_core.usecases.invitations.read import InvitationQuery as InvitationQuery
    from reviewinvite_core.usecases.reviews.read import (
        MerchantReviewQuery as MerchantReviewQuery,
        ReviewQuery as ReviewQuery,
    )
else:
    # the same names, imported on first use: a program that only verifies statements starts without the whole service
    _NAMES = {
        "application.application": "Application",
        "application.async_application": "AsyncApplication",
        "bootstrap.compose": "build",
        "bootstrap.compose_async": "build_async",
        "bootstrap.settings": "Settings",
        "domain.api_key": "Actor Credential OPERATOR SecretKey",
        "domain.client_address": "ClientAddress",
        "domain.errors": "ApplicationClosed ConfigurationError Invalid StorageUnavailable UsedAfterFork",
        "domain.handovers": "DeliveryPaused",
        "domain.invitation_states": "Reason State",
        "domain.language": "Language",
        "domain.members": "NewMember Role",
        "domain.orders": "OrderReport Reported SnippetReport",
        "domain.refused": "Refusal Refused accepted",
        "domain.reviews": "NewReply ReviewDraft ReviewState",
        "domain.shop": "NewShop ShopChanges SiteId",
        "domain.timing": "Delay",
        "domain.verifying": "StatementRefused verify_statement",
        "execution": "GroupCommit",
        "usecases.invitations.read": "InvitationQuery",
        "usecases.reviews.read": "MerchantReviewQuery ReviewQuery",
    }
    _MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}
    __all__ = sorted(_MODULES)

    def __dir__():
        """Return the public names, including those that are not imported yet."""
        return [*__all__, "__version__"]

    def __getattr__(name):
        """Import a name on first use."""
        if name not in _MODULES:
            message = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(message)
        value = globals()[name] = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
        return value
