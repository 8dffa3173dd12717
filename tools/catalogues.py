"""Keep the catalogues of texts as the code needs them: `python -m tools.catalogues update`, or `check`.

`update` extracts the sentences from code and templates into the template of the catalogues (`reviewinvite.pot`), and
brings every catalogue up to date: new sentences come in untranslated, those that are gone go. `check` changes nothing;
it tells what `update` would change, what is not translated, and what a translation has lost of its sentence.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

SOURCE = Path(__file__).parents[1] / "src"
CATALOGUES = SOURCE / "reviewinvite_core" / "locale"
TEMPLATE = "reviewinvite.pot"
SOURCE_LANGUAGE = "en"

_METHODS = [("**/locale/**", "ignore"), ("**.py", "python"), ("**.html", "jinja2"), ("**.txt", "jinja2")]
_OPTIONS = {"**.html": (jinja := {"trimmed": "true", "newstyle_gettext": "true", "silent": "false"}), "**.txt": jinja}
_KEYWORDS = {"gettext": None, "gettext_noop": None, "ngettext": (1, 2), "pgettext": ((1, "c"), 2), "_": None}
_COMMENTS = ["Translators:"]
_PLACEHOLDER = re.compile(r"%\([a-z_]+\)s")
_TAG = re.compile(r"<[^>]+>")


def extracted(source: Path = SOURCE) -> Catalog:
    """Return the template: every sentence in code and templates, in the order of their files."""
    template = Catalog(fuzzy=False)
    for file, _, message, comments, context in extract_from_dir(
        source, _METHODS, _OPTIONS, _KEYWORDS, _COMMENTS, strip_comment_tags=True
    ):
        template.add(message, None, [(file, 0)], auto_comments=comments, context=context)
    return template


def faults_of(translated: Catalog, template: Catalog) -> Iterator[str]:
    """Yield what is missing in a catalogue, or does not fit the sentence that it translates."""
    wanted = {_key(each): each for each in template if each.id}
    present = {_key(each): each for each in translated if each.id}
    yield from (f"missing: {_start(wanted[key])}" for key in wanted.keys() - present.keys())
    yield from (f"not in the code: {_start(present[key])}" for key in present.keys() - wanted.keys())
    yield from (f"obsolete: {_start(each)}" for each in translated.obsolete.values())
    for key in wanted.keys() & present.keys():
        yield from (f"{fault}: {_start(present[key])}" for fault in _faults_of(present[key], translated.num_plurals))


def _faults_of(message: Message, num_plurals: int) -> Iterator[str]:
    sources, translations = _forms(message.id), _forms(message.string)
    if message.fuzzy:
        yield "fuzzy"
    if len(translations) != (num_plurals if message.pluralizable else 1) or not all(translations):
        yield "not translated"
        return
    # One form may say "one" where another has the number, and which forms there are depends on the language.
    allowed = [_parts(each) for each in sources]
    if any(_parts(each) not in allowed for each in translations):
        yield "its placeholders or tags differ"
    if any(each[:1].isspace() or each[-1:].isspace() for each in translations):
        yield "it begins or ends with a blank"


def _forms(text: object) -> list[str]:
    return [str(each) for each in text] if isinstance(text, (tuple, list)) else [str(text or "")]


def _parts(text: str) -> tuple[list[str], list[str]]:
    return sorted(_PLACEHOLDER.findall(text)), sorted(_TAG.findall(text))


def _key(message: Message) -> tuple[object, object]:
    return message.context, message.id if isinstance(message.id, str) else tuple(message.id)


def _start(message: Message) -> str:
    return _forms(message.id)[0][:60]


def catalogues(folder: Path = CATALOGUES) -> Iterator[tuple[str, Path]]:
    """Yield the tag of each language that has a catalogue, and the catalogue."""
    for file in sorted(folder.glob("*/LC_MESSAGES/reviewinvite.po")):
        yield file.parts[-3], file


def read(file: Path) -> Catalog:
    """Read a catalogue or the template."""
    with file.open("rb") as opened:
        return read_po(opened, abort_invalid=True)


def faults(folder: Path = CATALOGUES, template: Catalog | None = None) -> Iterator[str]:
    """Yield all that is wrong in a folder of catalogues. The source language's holds nothing but its header."""
    template = template or extracted()
    if _written(read(folder / TEMPLATE)) != _written(template):
        yield f"{TEMPLATE} is not what is extracted: python -m tools.catalogues update"
    for tag, file in catalogues(folder):
        of = Catalog() if tag == SOURCE_LANGUAGE else template
        yield from (f"{tag}: {fault}" for fault in faults_of(read(file), of))


def update(folder: Path = CATALOGUES) -> None:
    """Write the template, and bring the catalogues up to date."""
    template = extracted()
    _write(folder / TEMPLATE, template)
    for tag, file in catalogues(folder):
        translated = read(file)
        if tag != SOURCE_LANGUAGE:
            translated.update(template, no_fuzzy_matching=True, update_header_comment=False)
            translated.obsolete.clear()
        _write(file, translated)


def _write(file: Path, catalog: Catalog) -> None:
    """Write a catalogue, and keep the header of the file: Babel's would have the time, which no text depends on."""
    header, _, _ = file.read_text(encoding="utf-8").partition("\n\n")
    file.write_text(f"{header}\n\n{_written(catalog)}".rstrip() + "\n", encoding="utf-8")


def _written(catalog: Catalog) -> str:
    """Return what a catalogue says, as it is written, without its header."""
    content = BytesIO()
    write_po(content, catalog, width=100, include_lineno=False, omit_header=True)
    return content.getvalue().decode()


def main(arguments: list[str] | None = None) -> int:
    """Run one of the two commands; `check` returns 1 if it finds something."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["update", "check"])
    if parser.parse_args(arguments).command == "update":
        update()
        return 0
    found = sorted(faults())
    sys.stderr.writelines(f"{each}\n" for each in found)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
