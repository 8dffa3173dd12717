"""`/dashboard/<site_id>/`: what remains to be done, the shop's year in figures, and what is wrong. Spec: §10.5."""

from __future__ import annotations

from datetime import date, datetime, time
from functools import partial
from typing import Any

from litestar import Response, route
from litestar.di import NamedDependency

from reviewinvite_core import Actor, Role, State, accepted
from reviewinvite_core.domain.embedding import BadgeEmbed
from reviewinvite_core.domain.origins import HostName
from reviewinvite_core.texts import Texts, texts_in
from reviewinvite_core.values import Week, permissions
from reviewinvite_http.context import ServerContext
from reviewinvite_http.dashboard.dependencies import needs
from reviewinvite_http.dashboard.invitations.handlers import STATES
from reviewinvite_http.dashboard.overview.chart import ChartTexts, rating_chart
from reviewinvite_http.dashboard.page import dashboard_page
from reviewinvite_http.dashboard.visit import Visit
from reviewinvite_http.requests import READ

ENDS = (State.SENT, State.UNCERTAIN, State.REJECTED, State.SUPPRESSED, State.CANCELLED, State.EXPIRED)
"""States in which the page counts invitations, in its order."""


@route("/{site_id:str}", http_method=READ, opt=needs(permissions.SEE_OVERVIEW))
async def overview_page(
    server: NamedDependency[ServerContext], visit: NamedDependency[Visit], acting: NamedDependency[Actor]
) -> Response[Any]:
    """Show the overview of the shop."""
    shown = accepted(await server.app.shops.overview(acting))
    texts = texts_in(visit.language)
    return dashboard_page(
        visit,
        "overview",
        shown=shown,
        chart=rating_chart(shown.weeks, chart_texts(texts)),
        shown_host=lambda host: HostName(host).shown,
        week_name=partial(week_name, texts),
        badge_tag=BadgeEmbed(shown.shop.site_id, server.app.widget_url).tag,
        short_day=lambda monday: texts.short_day(datetime.combine(monday, time())),
        states={state.value: texts.gettext(STATES[state]) for state in ENDS},
        is_owner=visit.shop is not None and visit.shop.role is Role.OWNER,
    )


def chart_texts(texts: Texts) -> ChartTexts:
    """Return the texts of the chart in a language."""
    return ChartTexts(
        title=texts.gettext("Average rating by week"),
        description=texts.gettext(
            "A line shows the average rating, from 1 to 5, in each of the last 52 weeks. Bars below it show the number "
            "of reviews. The table below has the same figures."
        ),
        week=partial(_in_words, texts),
        month=lambda day: str(texts.formats.months["format"]["abbreviated"][day.month]).rstrip("."),
        rating=texts.decimal,
        count=texts.number,
    )


def week_name(texts: Texts, monday: date) -> str:
    """Return the day on which a week begins, as a language writes it."""
    return texts.day(datetime.combine(monday, time()))


def _in_words(texts: Texts, week: Week) -> str:
    count, begins = week.reviews.score.count, week_name(texts, week.monday)
    if week.mean is None:
        return texts.gettext("Week of %(day)s: no reviews", day=begins)
    return texts.ngettext(
        "Week of %(day)s: %(mean)s from %(number)s review",
        "Week of %(day)s: %(mean)s from %(number)s reviews",
        count,
        day=begins,
        mean=texts.decimal(week.mean),
        number=texts.number(count),
    )


HANDLERS = (overview_page,)
