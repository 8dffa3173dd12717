"""Questions to the DNS, bounded in time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import dns.exception
import dns.name
import dns.resolver

LEAST_SECONDS = 0.01


class NoAnswer(Exception):
    """Nobody could tell whether there is such a record: no server answered, or none made sense."""


def system_resolver() -> dns.resolver.Resolver:
    """The resolver that this machine is set up with, at this moment."""
    return dns.resolver.Resolver()


def ask(new_resolver: Callable[[], dns.resolver.Resolver], name: str, kind: str, seconds: float) -> Sequence[Any]:
    """The records of this kind at this name; none where a server said that there are none.

    Raises: `NoAnswer`, at the latest after so many seconds.
    """
    try:
        answer = new_resolver().resolve(
            dns.name.from_text(name), kind, search=False, lifetime=max(LEAST_SECONDS, seconds)
        )
    except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
        return []
    except (dns.exception.DNSException, OSError, ValueError) as error:  # the last two for what no server should send
        raise NoAnswer from error
    return list(answer)
