"""Two members send the same form at the same moment: one change is made, the other is refused. Spec: §10.4."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from tests.http.dashboard import signed_in
from tests.http.service import Service
from tests.waiting import run_concurrently

from reviewinvite_core import NewMember, NewShop, Role, accepted

ROUNDS = 5
INVITATIONS = {"delay_days": "1", "frequency_days": "0"}
FORMS: Mapping[str, tuple[str, str, tuple[Mapping[str, str], Mapping[str, str]]]] = {
    "settings": ("settings", "settings", ({"language": "en", **INVITATIONS}, {"language": "nl", **INVITATIONS})),
    "badge": (
        "integrations",
        "integrations/badge",
        ({"theme": "dark", "size": "small"}, {"theme": "light", "size": "large"}),
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
