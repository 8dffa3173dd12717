"""The secret is changed while processes serve: those that run and those that are started later agree in everything."""

from __future__ import annotations

import attrs
from tests.http.service import SITE, Deployment, an_order, http_request, report
from tests.links import token_of
from tests.waiting import wait_until

from reviewinvite_core.domain.links import Purpose


def change_secret(deployment: Deployment) -> None:
    """As an operator does it: where the secret is in a file of ours, or in the environment."""
    if deployment.settings.secret is None:
        deployment.command.ok("secret", "rotate", "--yes")
        return
    file = deployment.folder / "new-secret"
    deployment.command.ok("secret", "rotate", "--yes", "--new-secret-file", str(file))
    new = file.read_text().strip()
    deployment.command.variables["REVIEWINVITE_SECRET"] = new
    deployment.settings = attrs.evolve(deployment.settings, secret=new)


def test_processes_of_before_and_after_agree_in_orders_links_and_keys(deployment: Deployment) -> None:
    old = deployment.serve("--no-worker")
    first = report(old.address, deployment.key, an_order(orderNumber="1"))
    assert first.status == 201
    with deployment.library() as app:
        unsubscribe = token_of(app, first.json["inviteId"])
        review = token_of(app, first.json["inviteId"], Purpose.REVIEW)
    keys = http_request(old.address, "GET", "/v1/badge/public-keys").json

    change_secret(deployment)

    new = deployment.serve("--no-worker")
    by_old = report(old.address, deployment.key, an_order(orderNumber="2")).json
    by_new = report(new.address, deployment.key, an_order(orderNumber="3")).json
    for process in (old, new):
        for number, reported in (("1", first.json), ("2", by_old), ("3", by_new)):
            again = report(process.address, deployment.key, an_order(orderNumber=number))
            assert (again.status, again.json["inviteId"]) == (200, reported["inviteId"])
        assert http_request(process.address, "GET", f"/u/{unsubscribe}").status == 200
        assert http_request(process.address, "GET", f"/r/{review}").status == 200
        assert http_request(process.address, "GET", "/v1/badge/public-keys").json == keys
        signed = http_request(process.address, "GET", f"/v1/verify/{SITE}").json
        assert signed["signature"]["keyId"] in {key["kid"] for key in keys["keys"]}
        assert http_request(process.address, "GET", "/readyz").status == 200
    assert len(deployment.records()) == 3


def test_an_address_reported_before_or_by_an_old_process_is_written_to_by_a_new_one(deployment: Deployment) -> None:
    old = deployment.serve("--no-worker")
    before = report(old.address, deployment.key, an_order("before@example.com", delayDays=0)).json["inviteId"]
    change_secret(deployment)
    after = report(old.address, deployment.key, an_order("after@example.com", delayDays=0)).json["inviteId"]
    deployment.command.ok("worker", "--once")
    sent = deployment.outbox / "new"
    wait_until(lambda: len(list(sent.iterdir())) == 2)
    mail = "".join(file.read_text() for file in sent.iterdir())
    for words in ("before@example.com", "after@example.com", before, after):
        assert words in mail
    assert {record.invitation.state.value for record in deployment.records()} == {"sent"}
    assert old.popen.poll() is None


def test_an_opt_out_through_one_process_counts_in_the_other(deployment: Deployment) -> None:
    old = deployment.serve("--no-worker")
    reported = report(old.address, deployment.key, an_order(orderNumber="1")).json["inviteId"]
    change_secret(deployment)
    new = deployment.serve("--no-worker")
    with deployment.library() as app:
        token = token_of(app, reported)
    form = b"List-Unsubscribe=One-Click"
    answer = http_request(new.address, "POST", f"/u/{token}", form, Content_Type="application/x-www-form-urlencoded")
    assert answer.status == 200
    assert report(old.address, deployment.key, an_order(orderNumber="2")).status == 201
    assert {record.invitation.state.value for record in deployment.records()} == {"suppressed"}
