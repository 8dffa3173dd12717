"""Two members send the same form at the same moment: one change is made, the other is refused. Spec: §10.4."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from tests.http.dashboard import signed_in, words
from tests.http.service import Answer, Service
from tests.shop_with_reviews import written
from tests.waiting import run_concurrently

from reviewinvite_core import OPERATOR, NewMember, NewShop, Role, accepted

ROUNDS = 5
INVITATIONS = {"delay_days": "1", "frequency_days": "0"}
BADGE = {"badge_language": ""}
FORMS: Mapping[str, tuple[str, str, tuple[Mapping[str, str], Mapping[str, str]]]] = {
    "settings": ("settings", "settings", ({"language": "en", **INVITATIONS}, {"language": "nl", **INVITATIONS})),
    "badge": (
        "integrations",
        "integrations/badge",
        ({"theme": "dark", "size": "small", **BADGE}, {"theme": "light", "size": "large", **BADGE}),
    ),
    "role": ("members", "members/{member}/role", ({"role": "owner"}, {"role": "staff"})),
}
"""The page, the address of its form, and what is sent in turn."""


@pytest.mark.parametrize("form", FORMS)
def test_one_of_two_forms_sent_at_once_is_refused(service: Service, form: str) -> None:
    site = f"at-once-{form}"
    service.app.shops.add(NewShop(site_id=site, name="De Molen"))
    new = NewMember(email=f"staff@{site}.example", role=Role.STAFF)
    member_id = accepted(service.app.members.add(site, new)).member.member_id
    owners = [signed_in(service, site, f"{name}@{site}.example") for name in ("anna", "bert")]
    section, path, turns = FORMS[form]
    page, action = f"/dashboard/{site}/{section}", f"/dashboard/{site}/{path.format(member=member_id)}"
    for number in range(ROUNDS):
        fields = {**turns[number % 2], "version": owners[0].version(page, action)}

        def send(visitor: int, fields: dict[str, str] = fields) -> int:
            return owners[visitor].post(action, fields).status

        assert sorted(run_concurrently(2, send)) == [303, 409]


def test_of_two_members_who_reply_at_once_the_second_is_told_and_shown_both_replies(service: Service) -> None:
    site = "at-once-reply"
    service.app.shops.add(NewShop(site_id=site, name="De Molen"))
    review_id = written(service.app, site).review_id
    page = f"/dashboard/{site}/reviews/{review_id}"
    members = [signed_in(service, site, f"{name}@{site}.example", Role.STAFF) for name in ("anna", "bert")]
    for number in range(ROUNDS):
        version = members[0].version(page, f"{page}/reply")
        members[1].get(page)
        texts = [f"Thanks, {number}, from {name}" for name in ("Anna", "Bert")]

        def send(visitor: int, version: str = version, texts: Sequence[str] = texts) -> Answer:
            return members[visitor].post(f"{page}/reply", {"text": texts[visitor], "version": version})

        answers = run_concurrently(2, send)
        assert sorted(each.status for each in answers) == [303, 409]
        first, second = sorted((0, 1), key=lambda visitor: answers[visitor].status)
        stored = accepted(service.app.reviews.show(OPERATOR, review_id)).review.reply
        assert stored
        assert stored.text == texts[first]
        assert all(text in words(answers[second]) for text in texts)
