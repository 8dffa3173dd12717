"""All ports: what the use cases require of the outside world, in domain terms; one module per concern.

Ports are shaped by the questions that use cases ask, not by database tables. The contract suites in
`reviewinvite_core.testing` specify in detail what an adapter must do.
"""

from reviewinvite_core.ports.activity import ActivityLog as ActivityLog
from reviewinvite_core.ports.api_keys import ApiKeys as ApiKeys
from reviewinvite_core.ports.delivery import (
    Deliveries as Deliveries,
    DeliveryHosts as DeliveryHosts,
    HighWaterMarkStore as HighWaterMarkStore,
    HighWaterMarkUnwritten as HighWaterMarkUnwritten,
    RelayLog as RelayLog,
    StopSignal as StopSignal,
    Workers as Workers,
)
from reviewinvite_core.ports.domain_verification import (
    DomainVerifier as DomainVerifier,
    PublicSuffixes as PublicSuffixes,
)
from reviewinvite_core.ports.domains import Domains as Domains
from reviewinvite_core.ports.invitation_figures import InvitationFigureLog as InvitationFigureLog
from reviewinvite_core.ports.invitations import Invitations as Invitations
from reviewinvite_core.ports.limits import DailyCounters as DailyCounters, RateLimitLog as RateLimitLog
from reviewinvite_core.ports.mail import (
    Accepted as Accepted,
    AnswerLost as AnswerLost,
    Letter as Letter,
    Mailer as Mailer,
    Message as Message,
    NoticeLetter as NoticeLetter,
    NoticeRenderer as NoticeRenderer,
    NotRenderable as NotRenderable,
    RefusedForNow as RefusedForNow,
    Rejected as Rejected,
    Renderer as Renderer,
    Staged as Staged,
    Unreachable as Unreachable,
)
from reviewinvite_core.ports.members import Members as Members
from reviewinvite_core.ports.notices import Notices as Notices
from reviewinvite_core.ports.privacy import Suppressions as Suppressions
from reviewinvite_core.ports.reviews import Reviews as Reviews
from reviewinvite_core.ports.secret import SecretStore as SecretStore
from reviewinvite_core.ports.shops import Shops as Shops
from reviewinvite_core.ports.sign_in import Sessions as Sessions, SignInLinks as SignInLinks
from reviewinvite_core.ports.signing_keys import SigningKeys as SigningKeys
from reviewinvite_core.ports.storage import Condition as Condition, Connections as Connections, Storage as Storage
from reviewinvite_core.ports.store import Store as Store
from reviewinvite_core.ports.system import Clock as Clock, Entropy as Entropy
from reviewinvite_core.ports.telemetry import NoTelemetry as NoTelemetry, Telemetry as Telemetry
from reviewinvite_core.ports.transactions import (
    GLOBAL_LOCK as GLOBAL_LOCK,
    Batchable as Batchable,
    Done as Done,
    Executor as Executor,
    Failed as Failed,
    LockedUnit as LockedUnit,
    Outcome as Outcome,
    UnitOfWork as UnitOfWork,
)
from reviewinvite_core.ports.worker_pool import Work as Work, WorkerPool as WorkerPool
