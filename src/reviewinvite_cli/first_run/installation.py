"""Make an installation: database, secret, shop, key and owner; whatever is interrupted leaves no new file behind."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from reviewinvite_core import Application, Settings


_SUGGESTED = """
# One IP address may use up all of a shop's badge views of a day. With a percentage, it may use that part of them:
# views_per_client_percent = 25
"""


@attrs.frozen(kw_only=True)
class MadeInstallation:
    """What was made; None for what was there before."""

    key_id: str | None
    key: str | None = attrs.field(repr=False)
    link: str | None = attrs.field(repr=False)


@contextmanager
def undone_unless_finished(file: Path, settings: Settings) -> Iterator[None]:
    """Remove the files that the block has created if it does not end well; files from before stay."""
    new = [path for path in _files(file, settings) if not path.exists()]
    try:
        yield
    except BaseException:  # Ctrl-C too
        for path in new:
            with suppress(OSError):
                path.unlink()
        raise


def fill(application: Application, site_id: str, name: str, owner: str) -> MadeInstallation:
    """Create the shop, its key and its owner, unless an earlier run did."""
    from reviewinvite_cli.errors import unwrap
    from reviewinvite_core import NewMember, NewShop
    from reviewinvite_core.values import MemberExists, ShopExists

    shop = application.shops.add(NewShop(site_id=site_id, name=name))
    if not isinstance(shop, ShopExists):
        unwrap(shop)
    has_key = bool(unwrap(application.api_keys.list(site_id)))
    key = None if has_key else unwrap(application.api_keys.create(site_id, "init"))
    added = application.members.add(site_id, NewMember(email=owner, role="owner"))
    member = None if isinstance(added, MemberExists) else unwrap(added)
    return MadeInstallation(
        key_id=key.api_key.key_id if key else None,
        key=key.secret.text if key else None,
        link=member.link if member else None,
    )


def write_settings(file: Path, values: Mapping[str, str], *, is_secret: bool) -> None:
    """Create the settings file, readable by its owner only if it holds a password; suggest a share of views in it.

    Raises: `FileExistsError`, `OSError`.
    """
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in values.items()]
    descriptor = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600 if is_secret else 0o644)
    with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
        opened.write("".join(lines) + _SUGGESTED)
        opened.flush()
        os.fsync(opened.fileno())


def _files(file: Path, settings: Settings) -> Iterator[Path]:
    from reviewinvite_core.bootstrap.adapter_factory import is_postgres, sqlite_path

    yield file
    if settings.secret_file:
        yield settings.secret_file
    if settings.database_url == "memory:" or is_postgres(settings.database_url):
        return
    database = sqlite_path(settings.database_url)
    if not database.exists():
        yield from (database.with_name(f"{database.name}{end}") for end in ("", "-wal", "-shm", ".secret", ".mark"))
