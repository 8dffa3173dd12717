"""The programs of the guide to signing make signatures that the service accepts: each is run as it is printed."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from tests.cli.markup import Markup
from tests.tools import require, unavailable

from reviewinvite_core.domain.snippets import new_secret
from reviewinvite_core.testing.builders import CountingEntropy
from reviewinvite_core.values import SnippetSignature

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "sign-the-snippet.md").read_text(encoding="utf-8")
SITE = "example-shop"
SECRET = new_secret(CountingEntropy(7).draw(32))
SECONDS = 120
LIQUIDJS = "liquidjs@10.30.1"

ORDERS = [
    ("anna@example.com", "1001"),
    ("anna@example.com", ""),
    ("anna@bücher.example", "2026-0193"),
    ("Anna+tag@xn--bcher-kva.example", "#1001 é 🧀"),
    ("o'brien&co@example.com", '"10<01>"'),
    (" anna@example.com ", " 1001 "),
]
each_order = pytest.mark.parametrize(("email", "number"), ORDERS)

Signer: TypeAlias = Callable[[str, str], str]


def program(heading: str, language: str) -> str:
    """Return the program below a heading."""
    part = re.split(rf"^### {re.escape(heading)}$", PAGE, flags=re.MULTILINE)[1].partition("\n##")[0]
    (text,) = re.findall(rf"^```{language}\n(.*?)^```$", part, re.DOTALL | re.MULTILINE)
    return str(text)


def run(command: list[str]) -> str:
    environment = {**os.environ, "REVIEWS_SNIPPET_SECRET": SECRET, "PYTHONUTF8": "1"}
    ended = subprocess.run(command, env=environment, capture_output=True, timeout=SECONDS, check=True)
    return ended.stdout.decode("utf-8")


def is_accepted(html: str, email: str, number: str) -> bool:
    """Return whether a page with this tag sends the order with a signature that the service accepts."""
    ((name, attributes),) = Markup(html).tags
    assert (name, attributes["data-email"], attributes["data-order-number"]) == ("script", email, number)
    signature = SnippetSignature(
        value=str(attributes["data-signature"]), site_id=SITE, email=email, order_number=number
    )
    return signature.is_keyed_with(SECRET) and not signature.is_keyed_with(SECRET + "x")


@each_order
@pytest.mark.parametrize(
    ("tool", "heading", "language"), [("php", "PHP", "php"), ("python", "Python", "python"), ("node", "Node.js", "js")]
)
def test_a_program_signs_an_order(
    tmp_path: Path, interpreter: str, tool: str, heading: str, language: str, email: str, number: str
) -> None:
    file = tmp_path / f"tag.{language}"
    file.write_text(program(heading, language), encoding="utf-8")
    found = interpreter if tool == "python" else require(tool, "its example needs it")
    order = [email, number] if number else [email]
    assert is_accepted(run([found, str(file), *order]), email, number)


@pytest.fixture(scope="module")
def liquid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an interpreter of Liquid, from npm, that has the filter."""
    folder = tmp_path_factory.mktemp("liquid")
    npm = require("npm", "it gets an interpreter of Liquid")
    got = subprocess.run([npm, "pack", LIQUIDJS], cwd=folder, capture_output=True, timeout=SECONDS, check=False)
    if got.returncode:
        unavailable("npm", f"it cannot get {LIQUIDJS}")
    (archive,) = folder.glob("*.tgz")
    subprocess.run(["tar", "xzf", archive.name], cwd=folder, timeout=SECONDS, check=True)
    return folder / "package"


@pytest.mark.full
def test_the_template_signs_each_order(liquid: Path, tmp_path: Path) -> None:
    """As liquidjs runs it; Shopify's own interpreter is not to be had."""
    node = require("node", "it runs the interpreter")
    orders = [{"email": email, "order_number": number, "snippet_secret": SECRET} for email, number in ORDERS]
    script = tmp_path / "render.js"
    interpreter, template = json.dumps(str(liquid / "dist" / "liquid.node.js")), json.dumps(program("Liquid", "liquid"))
    script.write_text(
        f"const {{ Liquid }} = require({interpreter});\n"
        f"for (const order of {json.dumps(orders)})\n"
        f"  console.log(JSON.stringify(new Liquid().parseAndRenderSync({template}, order)));\n",
        encoding="utf-8",
    )
    rendered = [json.loads(line) for line in run([node, str(script)]).splitlines()]
    assert [is_accepted(html, *order) for html, order in zip(rendered, ORDERS, strict=True)] == [True] * len(ORDERS)
