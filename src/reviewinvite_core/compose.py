"""Settings -> Application: the only place where parts are wired together.

Adapters are imported where they are chosen, so that the front door stays light.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Concatenate, Generic, ParamSpec, Protocol, TypeVar
from urllib.parse import parse_qs, unquote, urlsplit

import attrs

from reviewinvite_core.adapters.group_commit import GroupCommit
from reviewinvite_core.domain.api_key import ApiKey, Caller, SecretKey
from reviewinvite_core.domain.errors import (
    ConfigurationError,
    Invalid,
    InvitationUnknown,
    KeyRefused,
    KeyUnknown,
    SecretMissing,
    ShopExists,
    ShopInactive,
    ShopUnknown,
    StorageUnavailable,
    TooLate,
)
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.limits import Limit
from reviewinvite_core.domain.orders import OrderReport
from reviewinvite_core.domain.sealing import KEY_BYTES, NONCE_BYTES, KeyRing, Secret
from reviewinvite_core.domain.shop import NewShop, Shop, ShopChanges
from reviewinvite_core.ports import Clock, Entropy, Mailer, Place, Storage, Store, Unit
from reviewinvite_core.settings import Settings
from reviewinvite_core.usecases import (
    authenticate,
    deliver_continually,
    manage_invitations,
    manage_keys,
    manage_shops,
    receive_order,
    report_order,
)
from reviewinvite_core.usecases.deliver_continually import Stop
from reviewinvite_core.usecases.deliver_due import PostOffice
from reviewinvite_core.usecases.manage_invitations import InvitationQuery, InvitationRecord
from reviewinvite_core.usecases.manage_keys import NewKey
from reviewinvite_core.usecases.receive_order import OrderAnswer
from reviewinvite_core.usecases.report_order import Reported
from reviewinvite_core.usecases.work import Perform, Promises, Work

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


class Runner(Protocol):
    """Runs a unit of work and returns when it is durable: a storage's `run`, or a group commit's."""

    def __call__(self, unit: Unit[T], /) -> T:
        """What the unit returns."""
        ...


@attrs.frozen
class UseCase(Generic[P, R]):
    """A use case, ready to call: in a transaction of its own, durable when it returns."""

    _body: Callable[Concatenate[Work, P], R]
    _work_on: Callable[[Store], Work]
    _run: Runner

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """What the use case gives.

        Raises: `Invalid` for a value that cannot be, `StorageUnavailable`; with nothing kept.
        """
        return self._run(self.unit(*args, **kwargs))

    def unit(self, *args: P.args, **kwargs: P.kwargs) -> Unit[R]:
        """The same as a unit of work, to be submitted to a group commit."""
        body, work_on = self._body, self._work_on
        return lambda store: body(work_on(store), *args, **kwargs)


@attrs.frozen(kw_only=True)
class Application:
    """All that the service does; each field is a use case. Safe to call from many threads. Close it when done."""

    authenticate: UseCase[[str], Caller | KeyRefused]
    act_for: UseCase[[str], Caller | ShopUnknown]
    receive_order: UseCase[[SecretKey, OrderReport | Invalid], OrderAnswer]
    report_order: UseCase[[Caller, OrderReport], Reported | ShopInactive]
    import_orders: UseCase[[Caller, Sequence[OrderReport]], Sequence[Reported | ShopInactive]]
    add_shop: UseCase[[NewShop], Shop | ShopExists]
    list_shops: UseCase[[], Sequence[Shop]]
    show_shop: UseCase[[str], Shop | ShopUnknown]
    set_shop: UseCase[[str, ShopChanges], Shop | ShopUnknown]
    create_key: UseCase[[str, str], NewKey | ShopUnknown]
    list_keys: UseCase[[str], Sequence[ApiKey] | ShopUnknown]
    revoke_key: UseCase[[str], ApiKey | KeyUnknown]
    list_invitations: UseCase[[InvitationQuery], Sequence[InvitationRecord] | ShopUnknown]
    show_invitation: UseCase[[str], InvitationRecord | InvitationUnknown]
    cancel_invitation: UseCase[[str], Invitation | InvitationUnknown | TooLate]
    delivery: Delivery
    _storage: Storage

    def group_commit(self, *, place: Place | None = None) -> GroupCommit:
        """A new writer that lets many concurrent units of work share a commit (ADR-3). Close it before this."""
        return GroupCommit(self._storage, place=place)

    def check_ready(self) -> None:
        """Nothing, where storage answers and holds a key ring.

        Raises: `StorageUnavailable`.
        """
        if self._storage.read(lambda store: store.sealed_key_ring()) is None:
            raise StorageUnavailable("there is no key ring")

    def close(self) -> None:
        """Let go of storage and mail; idempotent."""
        self.delivery.office.mailer.close()
        self._storage.close()


@attrs.frozen(kw_only=True)
class Delivery:
    """The ways to run deliveries: the same code for an embedder, `worker` and `serve`."""

    office: PostOffice
    _work_on: Callable[[Store], Work]
    _run: Runner

    def once(self, stop: Stop | None = None) -> Iterator[Invitation]:
        """Deliver until nothing is due, or `stop` is set; yields each invitation as it was left.

        Raises: `StorageUnavailable`.
        """
        perform = self._perform_through(self._run)
        if stop is None:
            return deliver_continually.deliver_once(perform, self.office)
        return deliver_continually.deliver_once(perform, self.office, stopping=stop.is_set)

    def continually(
        self,
        stop: Stop,
        *,
        on_change: Callable[[Invitation], None] | None = None,
        on_trouble: Callable[[StorageUnavailable], None] | None = None,
        through: Runner | None = None,
    ) -> None:
        """Deliver until `stop` is set; its commits are shared with others where `through` is a group commit's.

        What happens is logged, unless `on_change` and `on_trouble` are given to be told instead.
        """
        from reviewinvite_core.adapters import log

        deliver_continually.deliver_continually(
            self._perform_through(through or self._run),
            self.office,
            stop,
            on_change=on_change or log.note_change,
            on_trouble=on_trouble or log.note_trouble,
        )

    def _perform_through(self, run: Runner) -> Perform:
        work_on = self._work_on

        def perform(step: Callable[[Work], T]) -> T:
            return run(lambda store: step(work_on(store)))

        return perform


def build(
    settings: Settings,
    *,
    clock: Clock | None = None,
    entropy: Entropy | None = None,
    storage: Storage | None = None,
    mailer: Mailer | None = None,
) -> Application:
    """The application as set; what is given beside the settings takes the place of what they name.

    A new SQLite database is set up, with a secret of its own in a file beside it.

    Raises: `ConfigurationError` (a setting, secret or schema that cannot be), `StorageUnavailable`.
    """
    from reviewinvite_core.adapters import system
    from reviewinvite_core.adapters.mail.render import TemplateRenderer

    clock = clock or system.SystemClock()
    entropy = entropy or system.SystemEntropy()
    mailer = mailer or open_mailer(settings.mail_url)
    storage = storage or open_storage(settings.database_url)
    try:
        ring = _key_ring(storage, settings, entropy)
    except BaseException:
        storage.close()
        raise
    promises = Promises(
        orders_per_minute=Limit(settings.orders_per_minute),
        lease=timedelta(seconds=settings.lease_seconds),
    )

    def work_on(store: Store) -> Work:
        return Work(store=store, now=clock.now(), entropy=entropy, ring=ring, promises=promises)

    return Application(
        authenticate=UseCase(authenticate.authenticate, work_on, storage.read),
        act_for=UseCase(authenticate.act_for, work_on, storage.read),
        receive_order=UseCase(receive_order.receive_order, work_on, storage.run),
        report_order=UseCase(report_order.report_order, work_on, storage.run),
        import_orders=UseCase(report_order.import_orders, work_on, storage.run),
        add_shop=UseCase(manage_shops.add_shop, work_on, storage.run),
        list_shops=UseCase(manage_shops.list_shops, work_on, storage.read),
        show_shop=UseCase(manage_shops.show_shop, work_on, storage.read),
        set_shop=UseCase(manage_shops.set_shop, work_on, storage.run),
        create_key=UseCase(manage_keys.create_key, work_on, storage.run),
        list_keys=UseCase(manage_keys.list_keys, work_on, storage.read),
        revoke_key=UseCase(manage_keys.revoke_key, work_on, storage.run),
        list_invitations=UseCase(manage_invitations.list_invitations, work_on, storage.read),
        show_invitation=UseCase(manage_invitations.show_invitation, work_on, storage.read),
        cancel_invitation=UseCase(manage_invitations.cancel_invitation, work_on, storage.run),
        delivery=Delivery(
            office=PostOffice(
                renderer=TemplateRenderer(settings.mail_from),
                mailer=mailer,
                base_url=settings.base_url.rstrip("/"),
            ),
            work_on=work_on,
            run=storage.run,
        ),
        storage=storage,
    )


def open_storage(database_url: str) -> Storage:
    """The storage that the URL names: `sqlite:///relative`, `sqlite:////absolute` or `memory:`.

    Raises: `ConfigurationError`, `StorageUnavailable`.
    """
    if database_url == "memory:":
        from reviewinvite_core.adapters.memory import MemoryStorage

        return MemoryStorage()
    from reviewinvite_core.adapters.sql.sqlite import SqliteStorage

    return SqliteStorage(sqlite_path(database_url))


def migrate_database(settings: Settings) -> Sequence[str]:
    """Bring the database to this release's schema, making it if there is none; the migrations applied.

    Raises: `ConfigurationError`, `StorageUnavailable`.
    """
    if settings.database_url == "memory:":
        return []
    from reviewinvite_core.adapters.sql.sqlite import migrate

    return migrate(sqlite_path(settings.database_url))


def check_database(settings: Settings) -> Sequence[str]:
    """What is wrong with the database, in words; nothing where it is sound and the secret opens it.

    Raises: `ConfigurationError`, `StorageUnavailable`.
    """
    from reviewinvite_core.adapters.system import SystemEntropy

    storage = open_storage(settings.database_url)
    try:
        problems = storage.problems()
        if not problems:
            _key_ring(storage, settings, SystemEntropy())
        return problems
    finally:
        storage.close()


def sqlite_path(database_url: str) -> Path:
    """The file that a `sqlite:///` URL names.

    Raises: `ConfigurationError` for any other URL.
    """
    scheme, separator, path = database_url.partition(":///")
    if scheme != "sqlite" or not separator or not path:
        raise ConfigurationError("database_url must be sqlite:///FILE or memory:")
    return Path(path)


def open_mailer(mail_url: str) -> Mailer:
    """The mailer that the URL names: `outbox:DIRECTORY`, `smtp://`, `smtps://` or `recording:`.

    Raises: `ConfigurationError`.
    """
    if mail_url == "recording:":
        from reviewinvite_core.adapters.mail.recording import RecordingMailer

        return RecordingMailer()
    scheme, _, rest = mail_url.partition(":")
    if scheme == "outbox" and rest:
        from reviewinvite_core.adapters.mail.outbox import OutboxMailer

        return OutboxMailer(Path(rest))
    if scheme in {"smtp", "smtps"}:
        return _open_smtp(mail_url)
    raise ConfigurationError("mail_url must be outbox:DIRECTORY, smtp://HOST:PORT or smtps://HOST:PORT")


def _open_smtp(mail_url: str) -> Mailer:
    from reviewinvite_core.adapters.mail.smtp import SmtpMailer, SmtpServer

    try:
        url = urlsplit(mail_url)
        port = url.port or (465 if url.scheme == "smtps" else 25)
        options = parse_qs(url.query, strict_parsing=True) if url.query else {}
    except ValueError:
        raise ConfigurationError("mail_url is not a URL that can be read") from None
    if not url.hostname or options not in ({}, {"starttls": ["required"]}):
        raise ConfigurationError("mail_url must name a host; the one option is ?starttls=required")
    if not unquote((url.username or "") + (url.password or "")).isascii():
        raise ConfigurationError("the user and password in mail_url must be ASCII, as SMTP's AUTH has them")
    server = SmtpServer(
        host=url.hostname,
        port=port,
        user=unquote(url.username) if url.username is not None else None,
        password=unquote(url.password) if url.password is not None else None,
        implicit_tls=url.scheme == "smtps",
        starttls_required=bool(options),
    )
    return SmtpMailer(server)


def _key_ring(storage: Storage, settings: Settings, entropy: Entropy) -> KeyRing:
    """The key ring in storage, opened with the secret; made in a new database.

    Raises: `SecretMissing`, `SecretWrong`, `ConfigurationError`.
    """
    secret = _given_secret(settings)
    sealed = storage.read(lambda store: store.sealed_key_ring())
    if sealed is None:
        secret = secret or _new_secret(settings, entropy)
        made = KeyRing.make(entropy.draw(4 * KEY_BYTES)).sealed(secret, entropy.draw(NONCE_BYTES))
        storage.run(lambda store: store.keep_key_ring(made) if store.sealed_key_ring() is None else None)
        sealed = storage.read(lambda store: store.sealed_key_ring())
    if secret is None:
        message = f"this database has a secret: give it as secret or secret_file (looked for {_secret_path(settings)})"
        raise SecretMissing(message)
    return KeyRing.opened(sealed or b"", secret)


def _given_secret(settings: Settings) -> Secret | None:
    from reviewinvite_core.adapters.secret_file import read_secret

    if settings.secret is not None:
        return Secret.parse(settings.secret)
    path = _secret_path(settings)
    secret = read_secret(path) if path else None
    if secret is None and settings.secret_file:
        message = f"there is no secret in {settings.secret_file}"
        raise SecretMissing(message)
    return secret


def _new_secret(settings: Settings, entropy: Entropy) -> Secret:
    from reviewinvite_core.adapters.secret_file import make_secret

    path = _secret_path(settings)
    return make_secret(path, entropy.draw(KEY_BYTES)) if path else Secret(entropy.draw(KEY_BYTES).hex())


def _secret_path(settings: Settings) -> Path | None:
    """Where the secret is, if it is in a file; storage in memory takes a new one each time."""
    if settings.secret_file:
        return settings.secret_file
    if settings.database_url == "memory:":
        return None
    database = sqlite_path(settings.database_url)
    return database.with_name(database.name + ".secret")
