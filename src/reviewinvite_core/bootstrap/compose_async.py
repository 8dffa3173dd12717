"""Build an application for asyncio from its settings."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from reviewinvite_core.bootstrap.application.async_application import AsyncApplication
from reviewinvite_core.bootstrap.compose import build
from reviewinvite_core.bootstrap.settings import Settings


@asynccontextmanager
async def build_async(settings: Settings) -> AsyncIterator[AsyncApplication]:
    """Build the application for asyncio; on leaving the block, finish what was submitted and close the application.

    To replace adapters, wrap an application of your own: `AsyncApplication(build(settings, ...))`.

    Raises: `ConfigurationError`, `StorageUnavailable`.
    """
    app = await asyncio.to_thread(build, settings)
    try:
        async with AsyncApplication(app) as made:
            yield made
    finally:
        await asyncio.to_thread(app.close)
