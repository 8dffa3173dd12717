"""The catalogues are complete, and what checks them finds each way in which one is not. ADR-37."""

from __future__ import annotations

import subprocess
import zipfile
from collections.abc import Callable
from gettext import GNUTranslations
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from tools.catalogues import CATALOGUES, TEMPLATE, catalogues, extracted, faults, faults_of, main, read, update

from reviewinvite_core import Language
from reviewinvite_core.texts.catalogue import texts_in

ROOT = Path(__file__).parents[2]
SENTENCE = 'Hello <b>%(name)s</b>, see <a href="%(url)s">this</a>.'
COUNTED = ("one review", "%(shown)s reviews")


def template() -> Catalog:
    catalog = Catalog(fuzzy=False)
    catalog.add(SENTENCE)
    catalog.add(COUNTED)
    catalog.add("good", context="stars")
    return catalog


def complete() -> Catalog:
    catalog = Catalog(locale="nl", fuzzy=False)
    catalog.add(SENTENCE, 'Dag <b>%(name)s</b>, zie <a href="%(url)s">dit</a>.')
    catalog.add(COUNTED, ("één beoordeling", "%(shown)s beoordelingen"))
    catalog.add("good", "goed", context="stars")
    return catalog


@pytest.fixture(scope="module")
def said() -> Catalog:
    """What code and templates say now."""
    return extracted()


def test_the_catalogues_are_complete() -> None:
    assert main(["check"]) == 0


def test_every_language_has_a_catalogue_and_every_catalogue_is_a_language() -> None:
    assert {tag for tag, _ in catalogues()} == {str(language) for language in Language}


def test_a_complete_catalogue_has_no_faults() -> None:
    assert list(faults_of(complete(), template())) == []


def without_a_sentence(catalog: Catalog) -> None:
    catalog.delete(SENTENCE)


def with_one_too_many(catalog: Catalog) -> None:
    catalog.add("Goodbye.", "Dag.")


def with_an_obsolete_one(catalog: Catalog) -> None:
    catalog.add("Goodbye.", "Dag.")
    catalog.update(template())


def with_a_fuzzy_one(catalog: Catalog) -> None:
    catalog[SENTENCE].flags.add("fuzzy")


def with_an_empty_one(catalog: Catalog) -> None:
    catalog[SENTENCE].string = ""


def with_a_plural_form_that_is_missing(catalog: Catalog) -> None:
    catalog[COUNTED[0]].string = ("één beoordeling", "")


def with_too_few_plural_forms(catalog: Catalog) -> None:
    catalog[COUNTED[0]].string = ("één beoordeling",)


def with_another_context(catalog: Catalog) -> None:
    catalog.delete("good", context="stars")
    catalog.add("good", "goed", context="weather")


def with_another_placeholder(catalog: Catalog) -> None:
    catalog[SENTENCE].string = 'Dag <b>%(naam)s</b>, zie <a href="%(url)s">dit</a>.'


def with_a_placeholder_less(catalog: Catalog) -> None:
    catalog[COUNTED[0]].string = ("één beoordeling", "veel %(beoordelingen)s")


def with_a_tag_less(catalog: Catalog) -> None:
    catalog[SENTENCE].string = 'Dag %(name)s, zie <a href="%(url)s">dit</a>.'


def with_another_attribute(catalog: Catalog) -> None:
    catalog[SENTENCE].string = 'Dag <b>%(name)s</b>, zie <a href="%(url)s" onclick="x">dit</a>.'


def with_a_blank_at_its_end(catalog: Catalog) -> None:
    catalog[SENTENCE].string = f"{catalog[SENTENCE].string} "


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (without_a_sentence, "missing: Hello"),
        (with_one_too_many, "not in the code: Goodbye."),
        (with_an_obsolete_one, "obsolete: Goodbye."),
        (with_a_fuzzy_one, "fuzzy: Hello"),
        (with_an_empty_one, "not translated: Hello"),
        (with_a_plural_form_that_is_missing, "not translated: one review"),
        (with_too_few_plural_forms, "not translated: one review"),
        (with_another_context, "missing: good"),
        (with_another_placeholder, "its placeholders or tags differ: Hello"),
        (with_a_placeholder_less, "its placeholders or tags differ: one review"),
        (with_a_tag_less, "its placeholders or tags differ: Hello"),
        (with_another_attribute, "its placeholders or tags differ: Hello"),
        (with_a_blank_at_its_end, "it begins or ends with a blank: Hello"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_each_fault_is_found(spoil: Callable[[Catalog], None], fault: str) -> None:
    catalog = complete()
    spoil(catalog)
    assert [each for each in faults_of(catalog, template()) if each.startswith(fault)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the template and the catalogues as they are."""
    for file in (CATALOGUES / TEMPLATE, *(file for _, file in catalogues())):
        copied = tmp_path / file.relative_to(CATALOGUES)
        copied.parent.mkdir(parents=True, exist_ok=True)
        copied.write_bytes(file.read_bytes())
    return tmp_path


def test_what_is_up_to_date_is_not_changed(folder: Path) -> None:
    before = {file: file.read_bytes() for file in folder.rglob("*.po*")}
    update(folder)
    assert {file: file.read_bytes() for file in folder.rglob("*.po*")} == before


def test_a_sentence_that_changed_is_found_and_comes_in_untranslated(folder: Path, said: Catalog) -> None:
    for file in folder.rglob("*.po*"):
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace('msgid "How was your order?"', 'msgid "How was it?"'), encoding="utf-8")
    found = sorted(faults(folder, said))
    assert [each.partition(": ")[0] for each in found] == ["nl", "nl", f"{TEMPLATE} is not what is extracted"]
    update(folder)
    assert list(faults(folder, said)) == ["nl: not translated: How was your order?"]
    assert "How was it?" not in (folder / "nl" / "LC_MESSAGES" / "reviewinvite.po").read_text(encoding="utf-8")


def test_the_source_language_repeats_nothing(folder: Path, said: Catalog) -> None:
    english = folder / "en" / "LC_MESSAGES" / "reviewinvite.po"
    with english.open("a", encoding="utf-8") as file:
        file.write('\nmsgid "How was your order?"\nmsgstr "How was it?"\n')
    assert list(faults(folder, said)) == ["en: not in the code: How was your order?"]


def test_code_and_templates_are_both_extracted(tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text(
        'texts.gettext("one")\ntexts.ngettext("a", "%(shown)s b", n)\ngettext_noop("two")\n', encoding="utf-8"
    )
    (tmp_path / "page.html").write_text(
        '{% trans %}\n  three\n  lines\n{% endtrans %}{{ pgettext("stars", "good") }}', encoding="utf-8"
    )
    found = [(each.context, each.id) for each in extracted(tmp_path) if each.id]
    assert found == [
        (None, "one"),
        (None, ("a", "%(shown)s b")),
        (None, "two"),
        (None, "three lines"),
        ("stars", "good"),
    ]


@pytest.fixture(scope="module")
def wheel(interpreter: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [interpreter, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


def test_a_wheel_has_compiled_catalogues_alone(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        names = [name for name in opened.namelist() if "/locale/" in name]
        assert names == [f"reviewinvite_core/locale/{tag}/LC_MESSAGES/reviewinvite.mo" for tag, _ in catalogues()]
        for name, (tag, _) in zip(names, catalogues(), strict=True):
            with opened.open(name) as file:
                compiled = GNUTranslations(file)
            assert compiled.info()["language"] == texts_in(Language(tag)).translations.info()["language"]
            assert compiled.gettext("How was your order?") == texts_in(Language(tag)).gettext("How was your order?")


def test_an_installed_wheel_speaks_every_language(interpreter: str, wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(tmp_path)
    program = (
        "import sys, reviewinvite_core\n"
        "from reviewinvite_core import Language\n"
        "from reviewinvite_core.texts.catalogue import texts_in\n"
        "print(reviewinvite_core.__file__)\n"
        "for language in Language: print(language, texts_in(language).gettext('How was your order?'))\n"
        "assert not [name for name in sys.modules if name.startswith('babel')], 'compiled ones need no compiler'\n"
    )
    run = [interpreter, "-c", program]
    told = subprocess.run(
        run, env={"PYTHONPATH": str(tmp_path)}, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    file, *sentences = told.stdout.splitlines()
    assert file.startswith(str(tmp_path))
    assert sentences == ["nl Hoe was uw bestelling?", "en How was your order?"]


def test_the_committed_template_is_read_as_it_was_extracted(said: Catalog) -> None:
    assert {str(each.id) for each in read(CATALOGUES / TEMPLATE)} == {str(each.id) for each in said}
