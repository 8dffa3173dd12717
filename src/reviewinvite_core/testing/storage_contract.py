"""What every storage has to keep; see `reviewinvite_core.testing` for how to run it on a storage of your own."""

from __future__ import annotations

from reviewinvite_core.testing.domains_contract import DomainsContract
from reviewinvite_core.testing.due_contract import DueContract
from reviewinvite_core.testing.erasure_contract import ErasureContract
from reviewinvite_core.testing.hosts_contract import HostsContract
from reviewinvite_core.testing.invitations_contract import InvitationsContract, OrdersContract
from reviewinvite_core.testing.limits_contract import DailyCountersContract, RateLimitLogContract
from reviewinvite_core.testing.reviews_contract import FiguresContract, ReviewsContract
from reviewinvite_core.testing.shops_contract import ApiKeysContract, KeyRingContract, ShopsContract
from reviewinvite_core.testing.signing_keys_contract import SigningKeysContract
from reviewinvite_core.testing.suppressions_contract import SuppressionsContract
from reviewinvite_core.testing.transactions_contract import TransactionsContract


class StorageContract(
    ShopsContract,
    ApiKeysContract,
    KeyRingContract,
    RateLimitLogContract,
    DailyCountersContract,
    DomainsContract,
    SigningKeysContract,
    OrdersContract,
    InvitationsContract,
    DueContract,
    ErasureContract,
    ReviewsContract,
    FiguresContract,
    SuppressionsContract,
    HostsContract,
    TransactionsContract,
):
    """Inherit it, and supply the fixture `storage`: a `ports.Storage`, new and empty for each test.

    Where your engine can roll a whole transaction back by itself, supply `lose_transaction` too: a callable that is
    given the open store inside a unit of work, and makes the engine do so (whether or not it raises). Where it
    cannot, leave it None, and the suite asserts instead that a batch which is broken off keeps nothing.
    """
