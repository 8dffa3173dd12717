"""A server in the process of the test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.http.service import SECRET, Service

from reviewinvite_core import Settings, build
from reviewinvite_core.ports import DomainVerifier, Mailer, Storage
from reviewinvite_core.testing.builders import ManualClock
from reviewinvite_core.values import Domain, FailureReason, ProofWay, VerificationResult
from reviewinvite_http import server
from reviewinvite_http.connection import BoundedConnection


class NothingPublished:
    """A DNS in which nobody has published a proof, so that no test asks the real one. Implements `DomainVerifier`."""

    def verify(self, _: Domain) -> VerificationResult:
        absences = ((ProofWay.DNS, FailureReason.NO_RECORD), (ProofWay.WELL_KNOWN, FailureReason.NO_HOST))
        return VerificationResult(found=None, absences=absences)


@contextmanager
def serving(
    *,
    clock: ManualClock | None = None,
    storage: Storage | None = None,
    mailer: Mailer | None = None,
    domain_verifier: DomainVerifier | None = None,
    connection: type[BoundedConnection] = BoundedConnection,
    unread_seconds: float = server.UNREAD_SECONDS,
    shutdown_seconds: int = 5,
    **settings: Any,
) -> Iterator[Service]:
    """Serve from this process, without a worker; in memory and with a clock of its own unless told otherwise."""
    clock = clock or ManualClock()
    given = {"database_url": "memory:", "mail_url": "recording:", "secret": SECRET, **settings}
    app = build(
        Settings(**given),
        clock=clock,
        storage=storage,
        mailer=mailer,
        domain_verifier=domain_verifier or NothingPublished(),
    )
    try:
        with server.running(
            app, worker=False, shutdown_seconds=shutdown_seconds, unread_seconds=unread_seconds, connection=connection
        ) as address:
            yield Service(address=address, app=app, clock=clock)
    finally:
        app.close()
