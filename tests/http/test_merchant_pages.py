"""Cursors: who goes on from the last page misses nothing and sees nothing twice, whatever is written meanwhile."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tests.http.merchant import an_invitation, request_as, write
from tests.http.service import SECRET
from tests.links import token_of

from reviewinvite_core import Application, NewReply, ReviewDraft, Settings, accepted, build
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_core.values import HideReason
from reviewinvite_http import server


def pages(address: str, key: str, path: str, **query: object) -> Iterator[dict[str, Any]]:
    """The pages of a list, until there are no more."""
    more = True
    cursor: dict[str, object] = {}
    while more:
        answer = request_as(address, key, "GET", path, **query, **cursor)
        assert answer.status == 200, answer
        yield answer.json
        cursor = {"cursor": answer.json["cursor"]}
        more = answer.json.get("more", answer.json["cursor"] is not None)


def test_a_copy_that_is_kept_by_the_cursor_ends_up_as_the_shop_s_reviews_are(database_url: str) -> None:
    """Four threads write, change, hide, answer and withdraw at random, by the real clock, while another reads on."""
    settings = Settings(
        database_url=database_url, mail_url="recording:", secret=SECRET, orders_per_minute=0, reads_per_minute=0
    )
    app = build(settings)
    site = "busy"
    try:
        app.shops.add(a_shop(site))
        key = accepted(app.api_keys.create(site, "tests")).secret.text
        with server.running(app, worker=False) as address:
            copy = follow(app, site, address, key)
            wanted = [review for page in pages(address, key, "/v1/reviews", limit=7) for review in page["reviews"]]
    finally:
        app.close()
    assert len(wanted) == 40
    assert copy == {review["reviewId"]: review for review in wanted}


def follow(app: Application, site: str, address: str, key: str) -> dict[str, dict[str, Any]]:
    """What a shop has that took over every page's changes, from the first to the last; nothing came twice."""
    invitations = [an_invitation(app, site, str(number)) for number in range(40)]
    writers = [threading.Thread(target=write_at_random, args=(app, site, invitations, writer)) for writer in range(4)]
    for writer in writers:
        writer.start()
    copy: dict[str, dict[str, Any]] = {}
    seen: set[tuple[str, str]] = set()
    query: dict[str, object] = {"limit": 5}
    more = True
    while more:
        working = any(writer.is_alive() for writer in writers)  # first: what is written after the page counts still
        page = request_as(address, key, "GET", "/v1/reviews", **query).json
        copy |= {review["reviewId"]: review for review in page["reviews"]}
        changes = {(review["reviewId"], json.dumps(review)) for review in page["reviews"]}
        assert not changes & seen
        seen |= changes
        query = {"limit": 5, "cursor": page["cursor"]}
        more = working or page["more"]
    return copy


def write_at_random(app: Application, site: str, invitations: Sequence[str], first: int) -> None:
    """By each fourth invitation a review, and then three of four other things, in the same order in every run."""
    chance = random.Random(first)  # noqa: S311
    caller = accepted(app.shops.act_for(site))
    for invite_id in invitations[first::4]:
        review_id = write(app, invite_id, chance.randint(1, 5), text="een")
        acts: list[Callable[[], object]] = [
            lambda: app.reviews.write(*draft(app, invite_id, chance)),  # noqa: B023 - called before the next one
            lambda: app.reviews.hide(review_id, HideReason.OTHER),  # noqa: B023
            lambda: app.reviews.reply(caller, review_id, NewReply(text=f"Dank u {chance.random()}")),  # noqa: B023
            lambda: app.reviews.withdraw(token_of(app, invite_id, Purpose.REVIEW)),  # noqa: B023
        ]
        for act in chance.sample(acts, 3):
            act()


def draft(app: Application, invite_id: str, chance: random.Random) -> tuple[str, ReviewDraft]:
    return token_of(app, invite_id, Purpose.REVIEW), ReviewDraft(rating=chance.randint(1, 5), text=f"{chance.random()}")
