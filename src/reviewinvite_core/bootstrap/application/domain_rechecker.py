"""`app.domain_rechecker` for asyncio: the same checks, on a separate thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence

from reviewinvite_core.bootstrap.application.delivery import on_a_thread
from reviewinvite_core.bootstrap.argument_types import CheckedArguments
from reviewinvite_core.bootstrap.domain_recheck import DomainRechecker
from reviewinvite_core.bootstrap.findable_names import FindableNames
from reviewinvite_core.domain.actor import Acting
from reviewinvite_core.domain.domains import Rechecked
from reviewinvite_core.domain.errors import (
    DomainTaken,
    DomainUnknown,
    Invalid,
    KeyRefused,
    LimitReached,
    ShopInactive,
    ShopUnknown,
)
from reviewinvite_core.usecases.domains import DomainCheck


class AsyncDomainRechecker(FindableNames, CheckedArguments):
    """Check the hosts of shops beside an event loop; see `DomainRechecker`."""

    __slots__ = ("_rechecker",)

    def __init__(self, rechecker: DomainRechecker) -> None:
        """Do not call this; `AsyncApplication` does."""
        self._rechecker = rechecker

    async def check(
        self, acting: Acting, host: str | Invalid
    ) -> DomainCheck | ShopUnknown | DomainUnknown | DomainTaken | KeyRefused | ShopInactive | LimitReached | Invalid:
        """Check one host now; see `DomainRechecker.check`."""
        return await asyncio.to_thread(self._rechecker.check, acting, host)

    async def once(self, stop: threading.Event | None = None) -> Sequence[Rechecked]:
        """Check hosts until none is due; return each before and after its check. See `DomainRechecker.once`."""
        end = stop or threading.Event()
        return await on_a_thread(lambda: self._rechecker.once(end), end)

    async def continually(
        self,
        stop: threading.Event | None = None,
        *,
        on_change: Callable[[Rechecked], object] | None = None,
        on_trouble: Callable[[Exception], object] | None = None,
    ) -> None:
        """Check the hosts that are due until this is cancelled or `stop` is set; see `DomainRechecker.continually`.

        The callbacks are called on the thread that checks, not on the event loop.
        """
        end = stop or threading.Event()
        await on_a_thread(lambda: self._rechecker.continually(end, on_change=on_change, on_trouble=on_trouble), end)
