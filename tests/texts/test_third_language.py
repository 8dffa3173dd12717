"""A language is added by adding a catalogue: every e-mail, page, badge and sentence then speaks it. ADR-37."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import write_po
from tests.texts import demo
from tests.texts.dashboard import WRITTEN
from tools.catalogues import CATALOGUES, SOURCE, TEMPLATE, faults_of, read

ROOT = Path(__file__).parents[2]
LANGUAGE = "pl"  # it has three plural forms
LEFTWARD = "ar"  # it is written from right to left
OPENING, CLOSING = "\u27e6", "\u27e7"
DAY = "2 marca 2026"
NOT_TRANSLATED = {
    DAY,
    *WRITTEN,
    *demo.WRITTEN,
    *("CODE", "SENTENCE", "errors"),
    "English",
    "Nederlands",
    "العربية",
    "TEXT OF THE CUSTOMER",
    "UNSAVED TEXT",
    "NAME OF THE CUSTOMER",
    "REPLY OF THE SHOP",
    "NAME OF THE SHOP",
    "CONTACT@OPERATOR.EXAMPLE",
    "OPERATOR",
    "reviews.example",
    "SHOP.EXAMPLE",
    "https://REVIEWS.EXAMPLE/R/TOKEN",
    "https://REVIEWS.EXAMPLE/U/TOKEN",
    "reviewinvite verify https://REVIEWS.EXAMPLE/v1/verify/SITE",
}
ON_PAGES_IN_DUTCH_AND_ENGLISH_ONLY = re.compile(
    r"(This page does not exist$|The link may be|That is too long|What you sent is larger|Something went wrong$"
    r"|That was our fault|Temporarily unavailable$|The service is not available at|That did not work"
    r"|Open the link again|What you wrote has not|Send again|To the home page$)"
)


class Seen(HTMLParser):
    """What a person reads or hears of a page: its text, and the attributes that have words."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.language: str | None = None
        self._skipped = 0
        self._initials = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self._initials = (given.get("class") or "").startswith(("avatar", "initial"))
        self._skipped += tag in {"style", "script"}
        if tag == "html":
            self.language = given["lang"]
        self.texts += [given[name] or "" for name in ("aria-label", "data-left", "title", "alt") if name in given]

    def handle_endtag(self, tag: str) -> None:
        self._initials = False
        self._skipped -= tag in {"style", "script"}

    def handle_data(self, data: str) -> None:
        if not self._skipped and not self._initials:
            self.texts.append(data)


def bracketed(template: Catalog, language: str) -> Catalog:
    """Return a catalogue whose every sentence is the English one in brackets, with the number of its plural form."""
    catalog = Catalog(locale=language, fuzzy=False)
    for message in template:
        if message.id:
            catalog.add(message.id, translated(message, catalog.num_plurals), context=message.context)
    return catalog


def translated(message: Message, num_plurals: int) -> str | tuple[str, ...]:
    if isinstance(message.id, str):
        return f"{OPENING}{message.id}{CLOSING}"
    singular, plural = message.id
    return tuple(f"{OPENING}{form}: {plural if form else singular}{CLOSING}" for form in range(num_plurals))


@pytest.fixture(scope="module")
def catalogue() -> Catalog:
    return bracketed(read(CATALOGUES / TEMPLATE), LANGUAGE)


@pytest.fixture(scope="module")
def said_in(interpreter: str, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Mapping[str, str]]:
    """Everything in two more languages, as said by a copy of the packages that has their catalogues."""
    copied = tmp_path_factory.mktemp("packages")
    shutil.copytree(SOURCE, copied, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    template = read(CATALOGUES / TEMPLATE)
    for language in (LANGUAGE, LEFTWARD):
        added = copied / "reviewinvite_core" / "locale" / language / "LC_MESSAGES" / "reviewinvite.po"
        added.parent.mkdir(parents=True)
        with added.open("wb") as file:
            write_po(file, bracketed(template, language))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (copied, ROOT)))}
    command = [interpreter, "-m", "tests.texts.every_text", LANGUAGE, LEFTWARD]
    printed = subprocess.run(command, cwd=copied, env=environment, capture_output=True, text=True, check=False)
    assert printed.returncode == 0, printed.stderr
    told: Mapping[str, Mapping[str, str]] = json.loads(printed.stdout)
    return told


@pytest.fixture(scope="module")
def said(said_in: Mapping[str, Mapping[str, str]]) -> Mapping[str, str]:
    return said_in[LANGUAGE]


def outside_of_brackets(text: str) -> str:
    """Return what is not translated; brackets are nested where a sentence is part of another."""
    while (without := re.sub(f"{OPENING}[^{OPENING}{CLOSING}]*{CLOSING}", " ", text)) != text:
        text = without
    return text


def untranslated(texts: list[str]) -> set[str]:
    """Return the words that are neither in brackets nor written by people."""
    rest = outside_of_brackets(" ".join(texts))
    for each in sorted(NOT_TRANSLATED, key=len, reverse=True):
        rest = rest.replace(each, " ")
    return set(re.findall(r"[^\W\d_]+", rest))


def test_every_e_mail_page_and_badge_speaks_it(said: Mapping[str, str]) -> None:
    for name, content in said.items():
        if content.lstrip().startswith("<"):
            page = Seen(content)
            assert page.language == LANGUAGE, name
            texts = page.texts
        else:
            texts = [content]
        if not name.endswith(", mean"):
            assert OPENING in "".join(texts), name
        assert untranslated(texts) == set(), name


def test_every_sentence_is_said_somewhere(said: Mapping[str, str], catalogue: Catalog) -> None:
    everything = html.unescape("\n".join(said.values()))
    missing = []
    for message in catalogue:
        source = message.id if isinstance(message.id, str) else message.id[0]
        if source and not ON_PAGES_IN_DUTCH_AND_ENGLISH_ONLY.match(source):
            form = message.string if isinstance(message.string, str) else (message.string or ("",))[0]
            wanted = re.sub(r"%\\\([a-z_]+\\\)s", ".*?", re.escape(form))
            if not re.search(wanted, everything, re.DOTALL):
                missing.append(form)
    assert missing == []


def test_it_counts_as_it_counts_itself(said: Mapping[str, str]) -> None:
    counts = {count: said[f"badge, trusted, {count} reviews, count"] for count in (1, 3, 1235)}
    assert counts == {
        1: f"{OPENING}0: 1 review{CLOSING}",
        3: f"{OPENING}1: 3 reviews{CLOSING}",
        1235: f"{OPENING}2: 1\u00a0235 reviews{CLOSING}",
    }


def test_dates_and_numbers_are_written_in_its_way(said: Mapping[str, str]) -> None:
    assert said["badge, trusted, 3 reviews, mean"] == "4,0"
    page = said["public page, many reviews"]
    assert f'<time datetime="2026-03-02">{DAY}</time>' in page
    assert "<strong>4,51</strong>" in page


def test_the_other_pages_lead_to_it_by_its_own_name(said: Mapping[str, str]) -> None:
    links = re.findall(r'<a href="\?language=(\w+)" lang="\1" hreflang="\1">(\w+)</a>', said["unsubscribe page, asked"])
    assert links == [("nl", "Nederlands"), ("en", "English"), (LEFTWARD, "العربية")]
    alternates = re.findall(r'<link rel="alternate" hreflang="(\w+)"', said["public page, many reviews"])
    assert alternates == ["nl", "en", LEFTWARD, LANGUAGE]


def test_a_refused_language_is_told_of_it(said: Mapping[str, str]) -> None:
    sentence = said["API, unknown_language"]
    assert sentence == f"{OPENING}The field 'FIELD' must be 'nl', 'en', 'ar' lub 'pl'.{CLOSING}"


def test_what_is_written_from_right_to_left_is_laid_out_so(said_in: Mapping[str, Mapping[str, str]]) -> None:
    for name, content in said_in[LEFTWARD].items():
        if content.lstrip().startswith("<"):
            assert f'<html lang="{LEFTWARD}" dir="rtl">' in content, name
    assert "text-align:right;" in said_in[LEFTWARD]["e-mail, text/html"]
    assert "rtl" not in said_in[LANGUAGE]["e-mail, text/html"]


def test_such_a_catalogue_is_complete(catalogue: Catalog) -> None:
    assert sorted(faults_of(catalogue, read(CATALOGUES / TEMPLATE))) == []


def test_it_is_not_here(interpreter: str) -> None:
    """Without the catalogue the language is not known."""
    command = [interpreter, "-m", "tests.texts.every_text", LANGUAGE]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert f"'{LANGUAGE}' is not a valid Language" in printed.stderr
