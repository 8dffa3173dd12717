"""Living documentation: `--living=FOLDER` records what each scenario did, for the pages that tools.website makes of it.

Each scenario runs on one driver, over HTTP if it exists there. What is recorded of a step are the requests and answers,
the commands and what they print, and the e-mails. Keys, tokens and folders are masked before anything is written.
"""

from __future__ import annotations

import email
import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from email import policy
from pathlib import Path
from typing import Any

import attrs
import pytest
from features.drivers.base import Driver
from features.drivers.cli import CliDriver, CommandResult
from features.drivers.http import HttpDriver
from pytest_bdd.parser import Feature, Scenario, Step

REQUEST_HEADERS = ("authorization", "content-type", "accept", "origin", "referer", "x-forwarded-for", "if-none-match")
ANSWER_HEADERS = ("content-type", "content-language", "location", "retry-after", "cache-control", "link")
HTML = "text/html"

_MASKS = (
    (re.compile(r"rvi_\w+"), "rvi_…"),
    (re.compile(r"(?:(?<=/[ru]/)|(?<=/sign-in/))[\w-]{24,}"), "TOKEN"),
    (re.compile(r'(?:(?<=csrf_token=)|(?<=name="csrf_token" value="))\w+'), "TOKEN"),
)


def one_driver(drivers: Sequence[str]) -> list[str]:
    """Return the driver on which a scenario is recorded."""
    over_http = [each for each in drivers if each.startswith("http")]
    if over_http and "library-memory" in drivers:  # any storage will do, so take the quickest one
        return ["http-memory"]
    return (over_http or list(drivers))[:1]


class Recorder:
    """A pytest plugin that writes a file for each scenario."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._steps: list[dict[str, Any]] = []
        self._events: list[dict[str, Any]] = []
        self._failed = False
        self._mails = 0
        self._mask: Callable[[str], str] = str

    def pytest_bdd_before_scenario(self, request: pytest.FixtureRequest) -> None:
        """Begin a record, and watch the driver."""
        driver = request.getfixturevalue("driver")
        self._steps, self._events, self._failed, self._mails = [], [], False, 0
        self._mask = masker(driver.folder)
        if isinstance(driver, HttpDriver):
            self._watch_requests(driver)
        if isinstance(driver, CliDriver):
            self._watch_commands(driver)

    def pytest_bdd_after_step(self, request: pytest.FixtureRequest, step: Step) -> None:
        """Record a step that passed."""
        self._record(request.getfixturevalue("driver"), step, passed=True)

    def pytest_bdd_step_error(self, request: pytest.FixtureRequest, step: Step) -> None:
        """Record the step that failed."""
        self._failed = True
        self._record(request.getfixturevalue("driver"), step, passed=False)

    def pytest_bdd_after_scenario(self, request: pytest.FixtureRequest, feature: Feature, scenario: Scenario) -> None:
        """Write the record."""
        record = {
            "feature": feature.filename,
            "rule": scenario.rule.name if scenario.rule else "",
            "scenario": scenario.name,
            "line": scenario.line_number,
            "driver": request.node.callspec.params["driver"],
            "passed": not self._failed,
            "steps": self._steps,
        }
        name = hashlib.sha256(request.node.nodeid.encode()).hexdigest()[:24]
        (self._folder / f"{name}.json").write_text(json.dumps(record, ensure_ascii=False), encoding="utf-8")

    def _record(self, driver: Driver | CliDriver, step: Step, *, passed: bool) -> None:
        if isinstance(driver, Driver):
            new = driver.mailer.messages[self._mails :]
            self._mails += len(new)
            self._events += [{"kind": "e-mail", **self._mail_of(message.content)} for message in new]
        text = {"keyword": step.keyword, "text": step.name, "docstring": step.docstring, "table": _rows(step)}
        self._steps.append({**text, "passed": passed, "events": self._events})
        self._events = []

    def _mail_of(self, content: bytes) -> Mapping[str, str]:
        message = email.message_from_bytes(content, policy=policy.default)
        body = message.get_body(("html",))
        html = str(body.get_content()) if isinstance(body, email.message.EmailMessage) else ""
        return {"to": str(message["To"]), "subject": str(message["Subject"]), "html": self._mask(html)}

    def _watch_requests(self, driver: HttpDriver) -> None:
        exchange = driver._exchange

        def watched(
            method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
        ) -> tuple[int, dict[str, str], str]:
            status, named, text = exchange(method, path, body, headers)
            asked = {name.lower(): value for name, value in (headers or {}).items()}
            self._events.append(
                {
                    "kind": "exchange",
                    "request": self._mask(f"{method} {path}"),
                    "headers": self._chosen(asked, REQUEST_HEADERS),
                    "body": self._mask((body or b"").decode("utf-8", "replace")),
                    "status": status,
                    "answerHeaders": self._chosen(named, ANSWER_HEADERS),
                    "answer": self._mask(text),
                }
            )
            return status, named, text

        vars(driver)["_exchange"] = watched

    def _watch_commands(self, driver: CliDriver) -> None:
        run = driver.run

        def watched(line: str, **settings: object) -> CommandResult:
            result = run(line, **settings)
            printed = {name: self._mask(text) for name, text in attrs.asdict(result).items() if name != "exit_code"}
            self._events.append({"kind": "command", "line": self._mask(line), "code": result.exit_code, **printed})
            return result

        vars(driver)["run"] = watched

    def _chosen(self, headers: Mapping[str, str], names: Sequence[str]) -> Mapping[str, str]:
        return {name: self._mask(headers[name]) for name in names if name in headers}


def _rows(step: Step) -> list[list[str]]:
    """Return the table below a step, row by row."""
    return [[cell.value for cell in row.cells] for row in step.datatable.rows] if step.datatable else []


def masker(folder: Path) -> Callable[[str], str]:
    """Return what hides keys, tokens and the scenario's folder in a text."""

    def mask(text: str) -> str:
        text = text.replace(str(folder), "/srv")
        for pattern, shown in _MASKS:
            text = pattern.sub(shown, text)
        return text

    return mask
