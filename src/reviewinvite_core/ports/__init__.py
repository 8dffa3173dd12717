"""All ports: what the use cases require of the outside world, in domain terms; one module per concern.

Ports are shaped by the questions that use cases ask, not by database tables. The contract suites specify
in detail what an adapter must do: `reviewinvite_core.testing` has the mailer's, `tests/contracts` those of storage.
"""

from reviewinvite_core.ports.delivery import (
    Accepted as Accepted,
    AnswerLost as AnswerLost,
    DeliveryHosts as DeliveryHosts,
    HighWaterMarkStore as HighWaterMarkStore,
    HighWaterMarkUnwritten as HighWaterMarkUnwritten,
    Letter as Letter,
    Mailer as Mailer,
    Message as Message,
    Messages as Messages,
    NotRenderable as NotRenderable,
    Refused as Refused,
    RefusedForNow as RefusedForNow,
    RelayLog as RelayLog,
    Renderer as Renderer,
    ServiceLetter as ServiceLetter,
    ServiceRenderer as ServiceRenderer,
    Staged as Staged,
    Unreachable as Unreachable,
    Workers as Workers,
)
from reviewinvite_core.ports.invitations import (
    InvitationFigureLog as InvitationFigureLog,
    Invitations as Invitations,
    Reviews as Reviews,
    Suppressions as Suppressions,
)
from reviewinvite_core.ports.shops import (
    ActivityLog as ActivityLog,
    ApiKeys as ApiKeys,
    DailyCounters as DailyCounters,
    Domains as Domains,
    Members as Members,
    RateLimitLog as RateLimitLog,
    Sessions as Sessions,
    Shops as Shops,
    SigningKeys as SigningKeys,
    SignInLinks as SignInLinks,
)
from reviewinvite_core.ports.storage import (
    GLOBAL_LOCK as GLOBAL_LOCK,
    Batchable as Batchable,
    Condition as Condition,
    Connections as Connections,
    Done as Done,
    Executor as Executor,
    Failed as Failed,
    LockedUnit as LockedUnit,
    Outcome as Outcome,
    Storage as Storage,
    Store as Store,
    UnitOfWork as UnitOfWork,
)
from reviewinvite_core.ports.system import (
    Clock as Clock,
    DomainVerifier as DomainVerifier,
    Entropy as Entropy,
    NoTelemetry as NoTelemetry,
    PublicSuffixes as PublicSuffixes,
    SecretStore as SecretStore,
    Telemetry as Telemetry,
    Work as Work,
    WorkerPool as WorkerPool,
)
