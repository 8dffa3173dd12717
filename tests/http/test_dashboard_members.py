"""`/dashboard/<site_id>/members`: who may act for a shop. Spec: §10.1, §10.6."""

from __future__ import annotations

import csv
import re
from datetime import timedelta

import pytest
from tests.http.dashboard import Visitor, signed_in, words
from tests.http.page_parser import Page
from tests.http.service import Answer, Service

from reviewinvite_core import Role, accepted


def members(owner: Visitor, site: str) -> dict[str, Role]:
    """Return the role of each member, by the part of the address that tests name."""
    return {each.email.partition("-")[0]: each.role for each in accepted(owner.service.app.members.list(site))}


def id_of(owner: Visitor, site: str, name: str) -> str:
    found = [each for each in accepted(owner.service.app.members.list(site)) if each.email.startswith(f"{name}-")]
    return found[0].member_id


def add(owner: Visitor, site: str, email: str, role: str = "staff") -> Answer:
    return owner.post(f"/dashboard/{site}/members", {"email": email, "role": role})


def remove(owner: Visitor, site: str, name: str) -> Answer:
    action = f"/dashboard/{site}/members/{id_of(owner, site, name)}/remove"
    return owner.post(action, {"version": owner.version(action, action)})


def set_role(owner: Visitor, site: str, name: str, role: str) -> Answer:
    action = f"/dashboard/{site}/members/{id_of(owner, site, name)}/role"
    version = owner.version(f"/dashboard/{site}/members", action)
    return owner.post(action, {"role": role, "version": version})


def test_who_is_a_member_is_not_added_again(owner: Visitor, site: str) -> None:
    add(owner, site, f"new-{site}@example.com")
    answer = add(owner, site, f"NEW-{site}@example.com")
    assert answer.status == 409
    assert "al teamlid" in words(answer)
    assert len(members(owner, site)) == 2


def test_who_is_added_too_often_comes_back_with_the_time_to_try_again(owner: Visitor, site: str) -> None:
    for _ in range(5):
        assert add(owner, site, f"new-{site}@example.com").status == 303
        remove(owner, site, "new")
    owner.service.clock.advance(timedelta(seconds=1))
    answer = add(owner, site, f"new-{site}@example.com", "staff")
    assert (answer.status, answer.headers["Retry-After"]) == (429, "3599")
    [told] = re.findall(r"opnieuw proberen vanaf \d+ mrt 2026, (\d\d:\d\d) UTC", words(answer))
    now = owner.service.clock.now()
    refused_for = now.replace(hour=int(told[:2]), minute=int(told[3:]), second=0, microsecond=0) - now
    assert timedelta(seconds=3598) < refused_for < timedelta(seconds=3599 + 60)
    (field,) = [each for each in Page(answer.body).all("input") if each["name"] == "email"]
    assert field["value"] == f"new-{site}@example.com"
    assert members(owner, site) == {"owner": Role.OWNER}


@pytest.mark.parametrize("email", ["", "nobody", "a@b\nBcc: c@d"])
def test_what_is_no_address_comes_back(owner: Visitor, site: str, email: str) -> None:
    answer = add(owner, site, email)
    assert answer.status == 422
    assert [each["value"] for each in Page(answer.body).all("input") if each["name"] == "email"] == [email]
    assert len(members(owner, site)) == 1


@pytest.mark.parametrize("role", ["", "boss", "Owner", "owner "])
def test_what_is_no_role_changes_nobody(service: Service, owner: Visitor, site: str, role: str) -> None:
    signed_in(service, site, f"other-{site}@example.com")
    added = add(owner, site, f"new-{site}@example.com", role)
    changed = set_role(owner, site, "other", role)
    for answer in (added, changed):
        assert (answer.status, "Kies een rol: eigenaar of medewerker." in words(answer)) == (422, True)
    (field,) = [each for each in Page(added.body).all("input") if each["name"] == "email"]
    assert field["value"] == f"new-{site}@example.com"
    assert members(owner, site) == {"owner": Role.OWNER, "other": Role.OWNER}


def test_the_second_who_changes_a_role_is_told(service: Service, owner: Visitor, site: str) -> None:
    signed_in(service, site, f"other-{site}@example.com")
    action = f"/dashboard/{site}/members/{id_of(owner, site, 'other')}/role"
    version = owner.version(f"/dashboard/{site}/members", action)
    assert set_role(owner, site, "other", "staff").status == 303
    for late in (action, action.replace("/role", "/remove")):
        answer = owner.post(late, {"role": "staff", "version": version})
        assert answer.status == 409
        assert "Iemand anders heeft dit teamlid gewijzigd" in words(answer)
    assert members(owner, site) == {"owner": Role.OWNER, "other": Role.STAFF}


def test_a_members_sign_in_is_shown(owner: Visitor, site: str) -> None:
    add(owner, site, f"new-{site}@example.com")
    text = words(owner.get(f"/dashboard/{site}/members"))
    assert "heeft nog niet ingelogd" in text
    assert "2 mrt 2026" in text


def test_the_export_has_the_members_as_the_page_does_and_no_formula(owner: Visitor, site: str) -> None:
    add(owner, site, f"=new-{site}@example.com")
    answer = owner.get(f"/dashboard/{site}/members.csv")
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{site}-members.csv"'
    exported = list(csv.DictReader(answer.body.decode("utf-8-sig").splitlines()))
    assert sorted((each["email"], each["role"], each["signed_in_at"][:10]) for each in exported) == [
        (f"'=new-{site}@example.com", "staff", ""),
        (f"owner-of-{site}@example.com", "owner", "2026-03-02"),
    ]
