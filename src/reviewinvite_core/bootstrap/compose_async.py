"""Build an application for asyncio from its settings."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import ParamSpec

from reviewinvite_core.application.application import Application
from reviewinvite_core.application.async_application import AsyncApplication
from reviewinvite_core.bootstrap.compose import build

P = ParamSpec("P")


def _for_asyncio(build: Callable[P, Application]) -> Callable[P, AbstractAsyncContextManager[AsyncApplication]]:
    """Return `build` for asyncio: its parameters stand in one place."""

    @asynccontextmanager
    async def build_async(*args: P.args, **kwargs: P.kwargs) -> AsyncIterator[AsyncApplication]:
        """Build the application for asyncio; on leaving the block, finish what was submitted and close the application.

        Arguments replace the adapters that the settings name; see `build`.

        Raises: `ConfigurationError`, `StorageUnavailable`.
        """
        app = await asyncio.to_thread(build, *args, **kwargs)
        try:
            async with AsyncApplication(app) as made:
                yield made
        finally:
            await asyncio.to_thread(app.close)

    shown = inspect.signature(build).replace(return_annotation="AsyncIterator[AsyncApplication]")
    vars(build_async).update(__signature__=shown)
    return build_async


build_async = _for_asyncio(build)
