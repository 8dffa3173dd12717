"""What a shop's overview says: its weeks, the steps of setting up, and troubles with stable codes. ADR-58."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from enum import StrEnum

import attrs

from reviewinvite_core.domain.domains import Domain, VerificationStatus
from reviewinvite_core.domain.invitation_figures import ANY_WEEK, WEEK, InvitationFigures, week_of
from reviewinvite_core.domain.invitation_states import State
from reviewinvite_core.domain.scores import Distribution
from reviewinvite_core.domain.shop import Shop

WEEKS = 52
NEAR_PERCENT = 90
REJECTED_WEEKS = 4
REJECTED_PERCENT = 5
MOST_HOSTS = 3
FEWEST_REJECTED = 5
"""Fewer rejected invitations than this are no trouble: one mistyped address of ten would be."""


@attrs.frozen(kw_only=True)
class Week:
    """One ISO week of a shop, in UTC: invitations sent, and the published reviews first written then, by rating."""

    monday: date
    sent: int
    reviews: Distribution

    @property
    def mean(self) -> str | None:
        """Mean rating of the week's reviews with two decimals; None without reviews."""
        return self.reviews.score.mean


@attrs.frozen(kw_only=True)
class Checklist:
    """Steps of setting up a shop, and whether each is done; orders may be reported by browsers, without a key.

    `domains_waiting` is the number of domains that were added and are not verified.
    """

    key_made: bool
    order_reported: bool
    domain_verified: bool
    badge_seen: bool
    domains_waiting: int = 0

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to do: who reports orders needs no key any more."""
        return self.order_reported and self.domain_verified and self.badge_seen


class TroubleCode(StrEnum):
    """What is wrong with a shop; the codes are stable."""

    INACTIVE = "inactive"
    NO_VERIFIED_DOMAIN = "no_verified_domain"
    DOMAIN_LOST = "domain_lost"
    DOMAIN_MISSING = "domain_missing"
    VIEWS_NEAR_LIMIT = "views_near_limit"
    SNIPPETS_NEAR_CEILING = "snippets_near_ceiling"
    UNCERTAIN_INVITATIONS = "uncertain_invitations"
    REJECTED_SHARE = "rejected_share"
    NAME_WAITING = "name_waiting"


@attrs.frozen(kw_only=True)
class Trouble:
    """Something that a merchant should know or mend; `host`, `name`, `counted`, `limit`: whichever the code has.

    `no_verified_domain` is about `counted` hosts, of which `hosts` has the first.
    """

    code: TroubleCode
    host: str | None = None
    hosts: Sequence[str] = ()
    name: str | None = None
    counted: int | None = None
    limit: int | None = None


@attrs.frozen(kw_only=True)
class DayCount:
    """How much of a limit was used today (UTC); `limit` None means no limit."""

    counted: int
    limit: int | None

    @property
    def is_near(self) -> bool:
        """Whether at least 90 per cent of the limit is used."""
        return self.limit is not None and self.counted * 100 >= self.limit * NEAR_PERCENT


def first_week(today: date) -> date:
    """Return the Monday of the first of the 52 weeks that end with this one.

    >>> first_week(date(2026, 11, 22))
    datetime.date(2025, 11, 24)
    """
    return week_of(today) - (WEEKS - 1) * WEEK


def weeks_until(today: date, figures: InvitationFigures, reviews: Mapping[date, Distribution]) -> Sequence[Week]:
    """Return the 52 weeks that end with this one, oldest first; `reviews` are by the Monday of their week."""
    mondays = [first_week(today) + number * WEEK for number in range(WEEKS)]
    return [
        Week(monday=each, sent=figures.get((State.SENT, each), 0), reviews=reviews.get(each, Distribution()))
        for each in mondays
    ]


def troubles(
    shop: Shop,
    domains: Sequence[Domain],
    *,
    views: DayCount,
    snippets: DayCount,
    figures: InvitationFigures,
    today: date,
) -> Iterator[Trouble]:
    """Yield what is wrong with a shop, most pressing first."""
    if not shop.active:
        yield Trouble(code=TroubleCode.INACTIVE)
    for domain in domains:
        if domain.status is VerificationStatus.LOST:
            yield Trouble(code=TroubleCode.DOMAIN_LOST, host=domain.host.text)
        elif domain.status is VerificationStatus.MISSING:
            yield Trouble(code=TroubleCode.DOMAIN_MISSING, host=domain.host.text)
    if domains and all(each.status is VerificationStatus.UNPROVED for each in domains):
        hosts = [each.host.text for each in domains]
        yield Trouble(
            code=TroubleCode.NO_VERIFIED_DOMAIN, host=hosts[0], hosts=tuple(hosts[:MOST_HOSTS]), counted=len(hosts)
        )
    if views.is_near:
        yield Trouble(code=TroubleCode.VIEWS_NEAR_LIMIT, counted=views.counted, limit=views.limit)
    if snippets.is_near:
        yield Trouble(code=TroubleCode.SNIPPETS_NEAR_CEILING, counted=snippets.counted, limit=snippets.limit)
    if uncertain := figures.get((State.UNCERTAIN, ANY_WEEK), 0):
        yield Trouble(code=TroubleCode.UNCERTAIN_INVITATIONS, counted=uncertain)
    yield from _rejected(figures, today)
    if shop.requested_name:
        yield Trouble(code=TroubleCode.NAME_WAITING, name=shop.requested_name)


def _rejected(figures: InvitationFigures, today: date) -> Iterator[Trouble]:
    """Yield the trouble that too many invitations of the last four weeks were rejected."""
    since = week_of(today) - (REJECTED_WEEKS - 1) * WEEK
    sent, rejected = (
        sum(number for (reached, week), number in figures.items() if reached is state and week >= since)
        for state in (State.SENT, State.REJECTED)
    )
    if rejected >= FEWEST_REJECTED and rejected * 100 >= (sent + rejected) * REJECTED_PERCENT:
        yield Trouble(code=TroubleCode.REJECTED_SHARE, counted=rejected, limit=sent + rejected)
