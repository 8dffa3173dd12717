"""Contract tests for every storage; see `reviewinvite_core.testing` for how to run it on your own."""

from __future__ import annotations

from reviewinvite_core.testing.activity_contract import ActivityContract
from reviewinvite_core.testing.batches_contract import BatchesContract
from reviewinvite_core.testing.contacts_contract import ContactsContract
from reviewinvite_core.testing.domains_contract import DomainsContract
from reviewinvite_core.testing.due_contract import DueContract
from reviewinvite_core.testing.erasure_contract import ErasureContract
from reviewinvite_core.testing.hosts_contract import HostsContract
from reviewinvite_core.testing.invitation_figures_contract import InvitationFiguresContract
from reviewinvite_core.testing.invitations_contract import InvitationsContract, OrdersContract
from reviewinvite_core.testing.limits_contract import (
    DailyCountersContract,
    RateLimitLogContract,
    SnippetReportsContract,
)
from reviewinvite_core.testing.members_contract import MembersContract
from reviewinvite_core.testing.messages_contract import MessagesContract
from reviewinvite_core.testing.relay_contract import RelayContract
from reviewinvite_core.testing.reviews_contract import FiguresContract, ReviewsContract
from reviewinvite_core.testing.shops_contract import ApiKeysContract, KeyRingContract, ShopsContract
from reviewinvite_core.testing.sign_in_contract import SessionsContract, SignInLinksContract
from reviewinvite_core.testing.signing_keys_contract import SigningKeysContract
from reviewinvite_core.testing.suppressions_contract import SuppressionsContract
from reviewinvite_core.testing.transactions_contract import TransactionsContract
from reviewinvite_core.testing.workers_contract import WorkersContract


class StorageContract(
    ShopsContract,
    ApiKeysContract,
    KeyRingContract,
    MembersContract,
    SignInLinksContract,
    SessionsContract,
    ActivityContract,
    RateLimitLogContract,
    DailyCountersContract,
    SnippetReportsContract,
    DomainsContract,
    SigningKeysContract,
    OrdersContract,
    InvitationsContract,
    BatchesContract,
    DueContract,
    ErasureContract,
    ContactsContract,
    ReviewsContract,
    FiguresContract,
    InvitationFiguresContract,
    SuppressionsContract,
    MessagesContract,
    HostsContract,
    RelayContract,
    WorkersContract,
    TransactionsContract,
):
    """Suite for a storage. Supply the fixture `storage`: a `ports.Storage`, new and empty for each test.

    If your engine can roll back a whole transaction by itself, supply `lose_transaction` too. It is a callable that
    gets the open store inside a unit of work and makes the engine roll back, whether or not it raises. Otherwise leave
    it None: the suite then asserts that an interrupted batch stores nothing.
    """
