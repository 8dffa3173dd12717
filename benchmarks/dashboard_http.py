"""Each page of the dashboard with many invitations and reviews of its shop stored, against the same with few."""

from __future__ import annotations

import http.client
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from datetime import timedelta
from functools import partial
from urllib.parse import urlsplit

import attrs

from benchmarks.growth import SITE, Shop, change_stored, few_and_many, shop_with
from benchmarks.measure import Claim, Group, Row, Sizes, at_most, compared, in_turns
from benchmarks.stored_reviews import YEARS
from reviewinvite_core import NewMember, Role, Settings, accepted
from reviewinvite_core.domain.identifiers import uuid7
from reviewinvite_core.testing.builders import NOON
from reviewinvite_http.server import running

REQUESTS = 10
WAITING = 60  # invitations that still wait: the oldest, which are the last that a search from the newest would find

PAGES: Mapping[str, str] = {
    "overview": "/",
    "reviews": "/reviews",
    "reviews-rating": "/reviews?rating=3",
    "reviews-hidden": "/reviews?state=hidden",
    "reviews-withdrawn": "/reviews?state=withdrawn&rating=2",
    "reviews-old": "/reviews?before={old_review}",
    "review": "/reviews/{review}",
    "invitations": "/invitations",
    "invitations-scheduled": "/invitations?state=scheduled",
    "invitations-sent": "/invitations?state=sent",
    "invitations-rejected": "/invitations?state=rejected",
    "invitations-order": "/invitations?order=1",
    "invitations-old": "/invitations?before={old_invitation}",
    "invitation": "/invitations/{invitation}",
    "integrations": "/integrations",
    "settings": "/settings",
    "members": "/members",
    "activity": "/activity",
}
"""Pages below `/dashboard/<site_id>`, by the name of their row."""

_SPREAD = [
    """
    UPDATE invitations SET state = 'sent', reason = 'accepted',
        changed_at = reported_at - reported_at / 100000 % 1825 * 86400000000
    WHERE CAST(order_number AS BIGINT) >= :waiting
    """,
    """
    UPDATE invitations SET state = 'cancelled', reason = 'cancelled'
    WHERE state = 'sent' AND CAST(order_number AS BIGINT) % 50 = 0
    """,
    "UPDATE reviews SET state = 'hidden', hidden_for = 'spam' WHERE written_at % 50 = 0",
]


def _claims(engine: str) -> Mapping[str, Claim]:
    return {
        name: Claim(
            key=f"dashboard-{engine.lower()}-{name}",
            what=f"`GET /dashboard/<site_id>{path}`, {engine}, many stored",
            against="the same with few stored",
            unit="ms",
            goal=at_most(1.3),
        )
        for name, path in PAGES.items()
    }


CLAIMS = {engine: _claims(engine) for engine in ("SQLite", "PostgreSQL")}


@attrs.frozen
class Member:
    """An owner who is signed in, over one connection to a server in this process."""

    connection: http.client.HTTPConnection
    cookie: str
    paths: Mapping[str, str]

    def read(self, name: str) -> float:
        """Milliseconds for each of some requests for the page with this name, over a new connection."""
        self.connection.close()  # the server ends one that was idle, while the other side was filled or measured
        self.connection.connect()
        begin = time.perf_counter()
        for _ in range(REQUESTS):
            self.page(self.paths[name])
        return (time.perf_counter() - begin) * 1000 / REQUESTS

    def page(self, path: str) -> str:
        """Return a page, which must be there."""
        self.connection.request("GET", path, headers={"Cookie": self.cookie})
        answer = self.connection.getresponse()
        body = answer.read().decode()
        assert answer.status == 200, (path, answer.status)
        return body


@contextmanager
def _member_of(shop: Shop) -> Iterator[Member]:
    """Serve a shop's database, and yield an owner who has just signed in."""
    added = accepted(shop.app.members.add(SITE, NewMember(email="owner@example.com", role=Role.OWNER)))
    session = shop.app.sign_in.use_link(str(added.link).rpartition("/")[2], "")
    assert session
    cookie, root = f"session={session.secret.text}", f"/dashboard/{SITE}"
    with (
        running(shop.app, worker=False) as address,
        closing(http.client.HTTPConnection(urlsplit(address).netloc)) as connection,
    ):
        reader = Member(connection, cookie, {})
        ids = {
            "review": _first_id(reader, f"{root}/reviews"),
            "invitation": _first_id(reader, f"{root}/invitations"),
            "old_review": uuid7(NOON - timedelta(days=365 * (YEARS - 1)), bytes(10)),
            "old_invitation": uuid7(NOON + timedelta(seconds=10), bytes(10)),
        }
        yield attrs.evolve(reader, paths={name: root + path.format(**ids) for name, path in PAGES.items()})


def _first_id(reader: Member, path: str) -> str:
    """Return the id of the first item of a list."""
    found = re.search(rf'href="{path}/([0-9a-f-]{{36}})"', reader.page(path))
    assert found, path
    return found[1]


def _spread(shop: Shop, settings: Settings) -> None:
    """Let most invitations have been sent, and some reviews be hidden; doing all that takes hours by use cases."""
    change_stored(settings, [statement.replace(":waiting", str(WAITING)) for statement in _SPREAD])
    assert shop.app.invitations.recount() == [SITE]
    assert shop.app.reviews.recount() == [SITE]


def _measured(engine: str, sizes: Sizes) -> Iterator[Row]:
    with ExitStack() as stack:
        few, many = stack.enter_context(few_and_many(engine))
        members = {}
        for name, settings, stored in (("many", many, sizes.many), ("few", few, sizes.few)):
            shop = stack.enter_context(shop_with(stored, settings))
            _spread(shop, settings)
            members[name] = stack.enter_context(_member_of(shop))
        for page in PAGES:
            for member in members.values():
                member.read(page)  # once for nothing: both then have their statements prepared
            figures = in_turns(
                {name: partial(member.read, page) for name, member in members.items()}, sizes.repetitions + 2
            )
            yield compared(CLAIMS[engine][page], figures["many"], figures["few"])


SQLITE = Group(tuple(CLAIMS["SQLite"].values()), partial(_measured, "SQLite"))
POSTGRES = Group(tuple(CLAIMS["PostgreSQL"].values()), partial(_measured, "PostgreSQL"))
