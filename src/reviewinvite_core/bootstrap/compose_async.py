"""Build an application for asyncio from its settings."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from reviewinvite_core.application.async_application import AsyncApplication
from reviewinvite_core.bootstrap.compose import build
from reviewinvite_core.bootstrap.settings import Settings
from reviewinvite_core.ports import (
    Clock,
    DomainVerifier,
    Entropy,
    HighWaterMarkStore,
    Mailer,
    PublicSuffixes,
    Storage,
    Telemetry,
    WorkerPool,
)
from reviewinvite_core.usecases.delivery.attempt import DeliveryResult


@asynccontextmanager
async def build_async(
    settings: Settings,
    *,
    clock: Clock | None = None,
    entropy: Entropy | None = None,
    storage: Storage | None = None,
    mailer: Mailer | None = None,
    high_water_mark: HighWaterMarkStore | None = None,
    domain_verifier: DomainVerifier | None = None,
    public_suffixes: PublicSuffixes | None = None,
    worker_pool: Callable[[], WorkerPool[DeliveryResult]] | None = None,
    monotonic: Callable[[], float] | None = None,
    create_database: bool = True,
    telemetry: Telemetry | None = None,
) -> AsyncIterator[AsyncApplication]:
    """Build the application for asyncio; on leaving the block, finish what was submitted and close the application.

    Arguments replace the adapters that the settings name; see `build`.

    Raises: `ConfigurationError`, `StorageUnavailable`.
    """
    app = await asyncio.to_thread(
        build,
        settings,
        clock=clock,
        entropy=entropy,
        storage=storage,
        mailer=mailer,
        high_water_mark=high_water_mark,
        domain_verifier=domain_verifier,
        public_suffixes=public_suffixes,
        worker_pool=worker_pool,
        monotonic=monotonic,
        create_database=create_database,
        telemetry=telemetry,
    )
    try:
        async with AsyncApplication(app) as made:
            yield made
    finally:
        await asyncio.to_thread(app.close)
