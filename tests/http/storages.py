"""Which files of tests run on every storage, and why the others need one only; a file in neither list is an error."""

from __future__ import annotations

import pytest

EVERY = ("memory", "sqlite", "postgres")
LASTING = ("sqlite", "postgres")

STORAGES_OF = {
    "service": EVERY,
    "database_url": EVERY,
    "deployment": LASTING,  # real processes, and what they have in memory nobody else sees
}
"""The fixtures through which a file's tests run on each storage."""

ON_EVERY_STORAGE = {
    "test_client.py",
    "test_concurrency.py",
    "test_delivery.py",
    "test_merchant.py",
    "test_merchant_pages.py",
    "test_merchant_shops.py",
    "test_orders.py",
    "test_paused.py",
    "test_readiness.py",
    "test_review.py",
    "test_rotated_secret.py",
    "test_shop_page.py",
    "test_shop_reviews.py",
    "test_snippet.py",
    "test_snippet_concurrency.py",
    "test_unsubscribe.py",
    "test_views.py",
}

ON_ONE_STORAGE = {
    "test_badge_script.py": "the text of a script; no storage at all",
    "test_edge.py": "threads and event loops",
    "test_endpoints.py": "which addresses are answered in which way",
    "test_errors.py": "the table of errors; no storage at all",
    "test_kills.py": "the life of processes; on PostgreSQL in test_postgres_processes.py",
    "test_openapi.py": "what requests and answers look like",
    "test_postgres_processes.py": "PostgreSQL: several processes, broken connections, a killed server",
    "test_postgres_silence.py": "PostgreSQL: a server that does not answer",
    "test_public_keys.py": "what answers look like; the keys themselves are tested on every storage in the use cases",
    "test_purge_while_serving.py": "SQLite: what its files hold",
    "test_readers.py": "threads",
    "test_shop_pages.py": "what is drawn of what was read; no storage at all",
    "test_shared_looks.py": "threads and event loops",
    "test_server.py": "sockets, and the life of processes",
    "test_shutdown.py": "the life of processes",
    "test_slow_clients.py": "connections",
    "test_snippet_script.py": "a script; storage is not asked",
    "test_snippet_pages.py": "what pages can read of an answer",
    "test_storage_faults.py": "SQLite: a file that is away, locked, damaged or full",
    "test_verify.py": "what requests and answers look like; what is counted, in test_views.py",
    "test_whole_answers.py": "how answers are written",
    "test_widget.py": "what requests and answers look like; what is counted, in test_views.py",
    "test_wire.py": "bytes; no storage at all",
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run the tests of these files once on each storage."""
    file = metafunc.definition.path.name
    if file not in ON_EVERY_STORAGE:
        assert file in ON_ONE_STORAGE, f"say in {__name__} on which storages {file} has to run"
        return
    for fixture, storages in STORAGES_OF.items():
        if fixture in metafunc.fixturenames:
            metafunc.parametrize(fixture, storages, indirect=True, scope="module" if fixture == "service" else None)
