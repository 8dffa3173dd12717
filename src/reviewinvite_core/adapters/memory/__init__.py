"""Storage in memory with transactions, for tests, trials and embedders who do not need durability.

It is a real storage, not a mock: it passes the same contract suite as the databases, including rollback.
"""
