"""Contract tests for every storage: memory, SQLite and PostgreSQL."""

from __future__ import annotations

from tests.contracts.activity import ActivityContract
from tests.contracts.batches import BatchesContract
from tests.contracts.contacts import ContactsContract
from tests.contracts.domains import DomainsContract
from tests.contracts.due import DueContract
from tests.contracts.erasure import ErasureContract
from tests.contracts.hosts import HostsContract
from tests.contracts.invitation_figures import InvitationFiguresContract
from tests.contracts.invitations import InvitationsContract, OrdersContract
from tests.contracts.limits import DailyCountersContract, RateLimitLogContract, SnippetReportsContract
from tests.contracts.members import MembersContract
from tests.contracts.messages import MessagesContract
from tests.contracts.relay import RelayContract
from tests.contracts.reviews import FiguresContract, ReviewsContract
from tests.contracts.shops import ApiKeysContract, KeyRingContract, ShopsContract
from tests.contracts.sign_in import SessionsContract, SignInLinksContract
from tests.contracts.signing_keys import SigningKeysContract
from tests.contracts.suppressions import SuppressionsContract
from tests.contracts.transactions import TransactionsContract
from tests.contracts.workers import WorkersContract


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
