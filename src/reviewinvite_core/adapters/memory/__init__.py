"""Storage in memory, with transactions: for tests, trials and embedders who need no durability.

A real storage, not a mock: it passes the contract suite that the databases pass, rollback included.
"""

from reviewinvite_core.adapters.memory.storage import MemoryStorage

__all__ = ["MemoryStorage"]
