"""Data of earlier editions opens: migrated, it answers as when it was made, and works on. What it holds: tests/data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import attrs
import pytest
from tests.data.answers import ask, go_on
from tests.data.contents import Given
from tests.data.editions import DATABASE, Edition, copied_sqlite
from tests.data.installation import Installation
from tests.data.make import asked
from tests.postgres import durable

from reviewinvite_core import OPERATOR, InvitationQuery, Settings, State, accepted
from reviewinvite_core.admin import backup_database, check_database, copy_database, migrate_database, restore_database
from reviewinvite_core.domain.orders import number_for_customers


def require_same_answers(settings: Settings, edition: Edition) -> None:
    """Raise unless everything that was recorded is answered as it was; a later release may know more questions.

    A review link shows fewer order numbers than it did.
    """
    links = {
        token: {**link, "orderNumber": number_for_customers(link["orderNumber"])}
        for token, link in edition.answers["reviewLinks"].items()
    }
    recorded = {**edition.answers, "reviewLinks": links}
    require_record(asked(settings, edition.at, ask, edition.given), recorded)


def require_record(now: dict[str, Any], recorded: dict[str, Any]) -> None:
    for question, answer in recorded.items():
        assert now[question] == answer, question


def test_what_is_recorded_holds_something_of_everything(edition: Edition) -> None:
    assert all(answer for question, answer in edition.answers.items() if question != "paused")
    assert {each["state"] for each in edition.answers["invitations"].values()} >= {
        *("scheduled", "claimed", "handing_over", "sent", "uncertain"),
        *("rejected", "cancelled", "suppressed", "expired"),
    }
    assert {each["state"] for each in edition.answers["reviews"].values()} >= {"published", "hidden", "withdrawn"}
    assert all(each["duplicate"] for each in edition.afterwards["repeated"].values())
    assert edition.afterwards["sent"]
    assert edition.afterwards["reviewed"]


def test_migrated_data_answers_as_it_did(migrated: Settings, edition: Edition) -> None:
    require_same_answers(migrated, edition)


def test_migrated_data_works_on(migrated: Settings, edition: Edition) -> None:
    require_record(asked(migrated, edition.at, go_on, edition.given), edition.afterwards)


def test_migrated_data_is_sound_and_stays_so(migrated: Settings, edition: Edition) -> None:
    with durable(migrated.database_url):
        assert check_database(migrated) == []
        asked(migrated, edition.at, go_on, edition.given)
        assert check_database(migrated) == []


def test_what_an_edition_has_rejected_is_of_no_epoch_and_not_tried_again(migrated: Settings, edition: Edition) -> None:
    def retry(installation: Installation, _: Given) -> dict[str, Any]:
        query = InvitationQuery(state=State.REJECTED, limit=1000)
        rejected = [
            each.invitation for each in accepted(installation.app.invitations.list(OPERATOR, query)).invitations
        ]
        tried = installation.app.invitations.retry([each.invite_id for each in rejected])
        epoch = installation.app._storage.read(lambda store: store.relay.state().epoch)
        return {"epochs": [each.epoch for each in rejected], "scheduled": list(tried.scheduled), "drawn": epoch}

    answer = asked(migrated, edition.at, retry, edition.given)
    assert (set(answer["epochs"]), answer["scheduled"]) == ({None}, [])
    assert answer["drawn"] > 0


def test_migrating_once_more_applies_nothing(migrated: Settings) -> None:
    assert migrate_database(migrated) == []


def test_migrated_data_can_be_copied_to_a_file(migrated: Settings, edition: Edition, tmp_path: Path) -> None:
    target = f"sqlite:///{tmp_path / 'target.db'}"
    assert copy_database(migrated.database_url, target).is_good
    require_same_answers(attrs.evolve(migrated, database_url=target), edition)


def test_migrated_data_can_be_copied_to_a_server(edition: Edition, tmp_path: Path, postgres_url: str) -> None:
    settings = copied_sqlite(edition.folder, tmp_path)
    migrate_database(settings)
    assert copy_database(settings.database_url, postgres_url).is_good
    require_same_answers(attrs.evolve(settings, database_url=postgres_url), edition)


@pytest.fixture
def migrated_file(edition: Edition, tmp_path: Path) -> Settings:
    """A copy of the SQLite database, migrated."""
    settings = copied_sqlite(edition.folder, tmp_path)
    migrate_database(settings)
    return settings


def test_migrated_data_can_be_backed_up_and_restored(migrated_file: Settings, edition: Edition, tmp_path: Path) -> None:
    backup_database(migrated_file, tmp_path / "backup.db")
    restored = restore_database(migrated_file, tmp_path / "backup.db")
    assert restored.not_carried_as is None
    require_same_answers(migrated_file, edition)


def test_a_backup_of_the_edition_can_be_restored_and_migrated(
    migrated_file: Settings, edition: Edition, tmp_path: Path
) -> None:
    backup = tmp_path / "backup.db"
    backup.write_bytes((edition.folder / DATABASE).read_bytes())
    (tmp_path / DATABASE).unlink()
    restore_database(migrated_file, backup)
    migrate_database(migrated_file)
    require_same_answers(migrated_file, edition)
