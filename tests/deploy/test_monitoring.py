"""The alert rules and the dashboard in `deploy/monitoring`: Prometheus accepts each of them, and its metrics exist."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families
from tests.deploy.prometheus import ask, get, prometheus, result_of
from tests.tools import require
from tests.waiting import TIMEOUT_SECONDS, wait_until

from reviewinvite_core import Settings, build
from reviewinvite_http import server
from reviewinvite_http.metrics.metrics import Metrics

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "deploy/monitoring"
PAGE = ROOT / "docs/how-to/monitor-the-service.md"
RUNBOOK = ROOT / "docs/how-to/act-on-an-alert.md"
TOKEN = "0123456789abcdef"
POOLED = "reviewinvite_database_connections"  # PostgreSQL only
METRIC = re.compile(r"\b(?:reviewinvite|process|python)_[a-z_]+")


def in_dashboard() -> list[str]:
    panels = json.loads((FOLDER / "grafana.json").read_text())["panels"]
    return [target["expr"] for panel in panels for target in panel["targets"]]


def in_rules() -> list[str]:
    """The expressions of the rules, as promtool would read them: one line each, or folded."""
    text = (FOLDER / "alerts.yml").read_text()
    found = re.findall(r"^ +expr: (?:>-\n((?: {10}.*\n)+)|(.*)\n)", text, re.MULTILINE)
    return [" ".join((folded or line).split()) for folded, line in found]


@pytest.fixture(scope="module")
def exposed() -> str:
    """What a service with a worker shows."""
    with serving() as address:
        return shown_at(address)


@contextmanager
def serving() -> Iterator[str]:
    metrics = Metrics(TOKEN)
    app = build(Settings(database_url="memory:", mail_url="recording:"), telemetry=metrics)
    try:
        with server.running(app, worker=True, metrics=metrics) as address:
            wait_until(lambda: "reviewinvite_due " in shown_at(address))
            yield address
    finally:
        app.close()


def shown_at(address: str) -> str:
    return get(address, "/metrics", {"Authorization": f"Bearer {TOKEN}"}).decode()


def names(exposed: str) -> set[str]:
    """All names that an expression may use."""
    families = list(text_string_to_metric_families(exposed))
    return {sample.name for family in families for sample in family.samples} | {POOLED}


def test_the_rules_alert_when_they_should_and_only_then() -> None:
    promtool = require("promtool", "it tests alert rules")
    for command in (["check", "rules", "alerts.yml"], ["test", "rules", "alerts_test.yml"]):
        done = subprocess.run([promtool, *command], cwd=FOLDER, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_each_rule_is_tested() -> None:
    rules = set(re.findall(r"- alert: (\w+)", (FOLDER / "alerts.yml").read_text()))
    tests = (FOLDER / "alerts_test.yml").read_text()
    fired = {each for each in rules if re.search(rf"alertname: {each}\n +exp_alerts:\n", tests)}
    assert fired == rules
    assert len(in_rules()) == len(rules)


def test_the_page_says_what_to_do_about_each_rule() -> None:
    rules = re.findall(r"- alert: (\w+)", (FOLDER / "alerts.yml").read_text())
    parts = re.findall(r"^## (Reviewinvite\w+)$", RUNBOOK.read_text(), re.MULTILINE)
    assert parts == rules
    links = re.findall(r"runbook: (.*)#(.*)", (FOLDER / "alerts.yml").read_text())
    assert links == [(str(RUNBOOK.relative_to(ROOT)), rule.lower()) for rule in rules]


def test_each_metric_of_rules_and_dashboard_exists(exposed: str) -> None:
    used = {name for expression in (*in_dashboard(), *in_rules()) for name in METRIC.findall(expression)}
    assert len(used) > 20
    assert used <= names(exposed)


def test_the_page_lists_each_metric_with_its_labels(exposed: str) -> None:
    listed = {
        name: set(re.findall(r"`(\w+)`", labels))
        for name, labels in re.findall(r"^\| `(reviewinvite_\w+)` \|([^|]*)\|", PAGE.read_text(), re.MULTILINE)
    }
    families = {
        family.name + ("_total" if family.type == "counter" else ""): {
            label for sample in family.samples for label in sample.labels if label != "le"
        }
        for family in text_string_to_metric_families(exposed)
        if family.name.startswith("reviewinvite_")
    }
    assert listed == families | {POOLED: {"state"}}


def test_no_label_names_a_shop_a_host_or_an_address(exposed: str) -> None:
    labels = {
        label
        for family in text_string_to_metric_families(exposed)
        for sample in family.samples
        if family.name.startswith("reviewinvite_")
        for label in sample.labels
    }
    assert labels == {
        *("source", "result", "limit", "percent", "of", "kind", "state"),
        *("route", "method", "status", "le", "version"),
    }


@pytest.mark.timeout(TIMEOUT_SECONDS * 2)
@pytest.mark.process
def test_prometheus_scrapes_the_service_and_evaluates_each_expression(tmp_path: Path) -> None:
    with serving() as address, prometheus(tmp_path, FOLDER / "alerts.yml", [address], token=TOKEN) as scraper:
        wait_until(lambda: result_of(scraper, "reviewinvite_worker_running"))
        for expression in (*in_dashboard(), *in_rules()):
            assert ask(scraper, expression)["status"] == "success", expression
        assert result_of(scraper, 'up{job="reviewinvite"}')[0]["value"][1] == "1"
        assert result_of(scraper, "max(reviewinvite_due)")[0]["value"][1] == "0"
