"""DNS queries with a time limit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import dns.exception
import dns.name
import dns.resolver

LEAST_SECONDS = 0.01


class NoAnswer(Exception):
    """It is unknown whether the record exists: no server gave a usable answer."""


def system_resolver() -> dns.resolver.Resolver:
    """Return a resolver with this machine's current configuration."""
    return dns.resolver.Resolver()


def ask(new_resolver: Callable[[], dns.resolver.Resolver], name: str, kind: str, seconds: float) -> Sequence[Any]:
    """Return the records of this kind at this name; empty if a server answered that there are none.

    Raises: `NoAnswer`, after `seconds` at the latest.
    """
    try:
        answer = new_resolver().resolve(
            dns.name.from_text(name), kind, search=False, lifetime=max(LEAST_SECONDS, seconds)
        )
    except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
        return []
    except (dns.exception.DNSException, OSError, ValueError) as error:  # the last two for malformed answers
        raise NoAnswer from error
    return list(answer)
