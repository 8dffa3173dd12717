"""Write the features as pages: each rule with its last result, and what each step sent, got, printed or showed.

The records come from `pytest features --living=FOLDER`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import Any, TypeAlias

Record: TypeAlias = Mapping[str, Any]

FEATURES = Path(__file__).parents[2] / "features"
MOST_CHARACTERS = 3_000  # of an answer that is shown
HTML = "text/html"
DRIVERS = {"library": "through the library", "http": "over HTTP", "cli": "on the command line"}


def write_features(records: Path, folder: Path) -> Mapping[str, str]:
    """Write a page for each feature, and a list; return the HTML of each picture that they show, by its file."""
    by_feature: dict[str, list[Record]] = defaultdict(list)
    for file in sorted(records.glob("*.json")):
        record = json.loads(file.read_text(encoding="utf-8"))
        by_feature[record["feature"]].append(record)
    pictures: dict[str, str] = {}
    listed: dict[str, list[str]] = defaultdict(list)
    for path in sorted(FEATURES.rglob("*.feature")):
        name = path.relative_to(FEATURES)
        found = [record for feature, each in by_feature.items() if feature.endswith(str(name)) for record in each]
        page = folder / name.with_suffix(".md")
        page.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text(encoding="utf-8")
        page.write_text("\n".join(_page(text, found, pictures)) + "\n", encoding="utf-8")
        listed[name.parts[0]].append(
            f"| [{_title(text)}]({name.with_suffix('.md').as_posix()}) | {len(_rules(text))} | {_count(found)} |"
        )
    (folder / "index.md").write_text("\n".join(_index(listed)) + "\n", encoding="utf-8")
    return pictures


def _index(listed: Mapping[str, Sequence[str]]) -> Iterator[str]:
    yield from ["# Features", "", "What the service promises, as scenarios that ran when this site was built.", ""]
    for capability, rows in listed.items():
        yield from [f"## {capability.replace('_', ' ').capitalize()}", ""]
        yield from ["| feature | rules | scenarios |", "|---|---:|---|", *rows, ""]
        yield from ["```{toctree}", ":hidden:", ":glob:", f"{capability}/*", "```", ""]


def _page(text: str, records: Sequence[Record], pictures: dict[str, str]) -> Iterator[str]:
    description = text.partition("Feature:")[2].partition("\n")[2]
    description = re.split(r"\n\s*(?:Background:|# Spec:|Rule:)", description)[0]
    yield from [f"# {_title(text)}", "", *(line.strip() for line in description.splitlines()), ""]
    for rule, source in _rules(text).items():
        found = sorted(
            (each for each in records if each["rule"] == rule), key=lambda each: (each["line"], each["scenario"])
        )
        yield from [f"## {_escaped(rule)}", "", f"{_count(found)}. {_linked(source)}", ""]
        for record in found:
            yield from _scenario(record, pictures)


def _scenario(record: Record, pictures: dict[str, str]) -> Iterator[str]:
    way = DRIVERS[record["driver"].partition("-")[0]]
    result = "passed" if record["passed"] else "**failed**"
    yield from [f"### {_escaped(record['scenario'])}", "", f"{result.capitalize()}, {way}.", ""]
    yield from ["```````{raw} html", '<ul class="steps">']
    for step in record["steps"]:
        yield from _step(step)
    yield from ["</ul>", "```````", ""]
    for alternative, html in _shown(record):
        name = f"{hashlib.sha256(html.encode()).hexdigest()[:16]}.png"
        pictures[name] = html
        yield from [f"![{alternative}](/features/pictures/{name})", ""]


def _step(step: Mapping[str, Any]) -> Iterator[str]:
    kind = "passed" if step["passed"] else "failed"
    yield f'<li class="{kind}"><b>{escape(step["keyword"].strip())}</b> {escape(step["text"])}'
    if step["docstring"]:
        yield f"<pre>{escape(step['docstring'])}</pre>"
    if step["table"]:
        rows = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in step["table"])
        yield f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"
    for event in step["events"]:
        yield from _event(event)
    yield "</li>"


def _event(event: Mapping[str, Any]) -> Iterator[str]:
    if event["kind"] == "exchange":
        yield f"<details><summary><code>{escape(event['request'])}</code>: {event['status']}</summary>"
        asked = [event["request"], *_header_lines(event["headers"]), "", event["body"]]
        answer = [str(event["status"]), *_header_lines(event["answerHeaders"]), "", _body(event)]
        yield from (f"<pre>{escape(chr(10).join(lines).strip())}</pre>" for lines in (asked, answer))
    elif event["kind"] == "command":
        yield f"<details><summary><code>{escape(event['line'])}</code>: {event['code']}</summary>"
        yield f"<pre>{escape((event['stdout'] + event['stderr']).strip())}</pre>"
    else:
        yield f"<details><summary>E-mail to {escape(event['to'])}</summary><pre>{escape(event['subject'])}</pre>"
    yield "</details>"


def _header_lines(headers: Mapping[str, str]) -> list[str]:
    return [f"{name}: {value}" for name, value in headers.items()]


def _body(event: Mapping[str, Any]) -> str:
    text = str(event["answer"])
    if _is_page(event):
        return "(a page)"
    with suppress(ValueError):
        text = json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}\n..."


def _is_page(event: Mapping[str, Any]) -> bool:
    return event["kind"] == "exchange" and str(event["answerHeaders"].get("content-type")).startswith(HTML)


def _shown(record: Record) -> Iterator[tuple[str, str]]:
    """Yield what a picture is taken of: the last page, and the last e-mail if the scenario is about e-mails."""
    events = [event for step in record["steps"] for event in step["events"]]
    pages = [event["answer"] for event in events if _is_page(event) and event["answer"]]
    if pages:
        yield "The page", pages[-1]
    mails = [event["html"] for event in events if event["kind"] == "e-mail"]
    if mails and any("e-mail" in step["text"] and step["keyword"].strip() != "Given" for step in record["steps"]):
        yield "The e-mail", mails[-1]


def _title(text: str) -> str:
    found = re.search(r"^Feature: (.*)$", text, re.MULTILINE)
    assert found is not None  # noqa: S101 - the features' own tests hold it
    return _escaped(found[1].strip())


def _rules(text: str) -> Mapping[str, str]:
    """Return each rule, with the sections of the specification that it comes from."""
    found = re.findall(r"^\s*# Spec: (.*)\n\s*(?:@.*\n\s*)*Rule: (.*)$", text, re.MULTILINE)
    return {rule.strip(): source.strip() for source, rule in found}


def _count(records: Sequence[Record]) -> str:
    failed = sum(not record["passed"] for record in records)
    scenarios = f"{len(records)} scenario{'' if len(records) == 1 else 's'}"
    return f"**{failed} of {scenarios} failed**" if failed else f"{scenarios} passed"


def _linked(source: str) -> str:
    return f"[Specification](/specification.md), {_escaped(source)}."


def _escaped(text: str) -> str:
    return re.sub(r"([\\`*_<>\[\]{}#|$])", r"\\\1", text)
