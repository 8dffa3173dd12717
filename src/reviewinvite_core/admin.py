"""What operators do to an installation: migrate, check, back up, restore and copy it, and change its secret."""

from reviewinvite_core.adapters.sql.copy.copy import CopyReport as CopyReport, Difference as Difference
from reviewinvite_core.adapters.sql.integrity import DatabaseStatistics as DatabaseStatistics
from reviewinvite_core.bootstrap.key_ring import (
    is_secret_changing as is_secret_changing,
    is_secret_weak as is_secret_weak,
)
from reviewinvite_core.bootstrap.settings import unknown_variables as unknown_variables
from reviewinvite_core.domain.errors import (
    DatabaseDamaged as DatabaseDamaged,
    DatabaseInUse as DatabaseInUse,
    DatabaseMissing as DatabaseMissing,
    RotationIncomplete as RotationIncomplete,
    SecretBusy as SecretBusy,
    SecretChanged as SecretChanged,
)
from reviewinvite_core.domain.refusals import StandbyTooNew as StandbyTooNew
from reviewinvite_core.maintenance.database import (
    Restored as Restored,
    backup_database as backup_database,
    check_database as check_database,
    copy_database as copy_database,
    database_statistics as database_statistics,
    migrate_database as migrate_database,
    restore_database as restore_database,
)
from reviewinvite_core.maintenance.secret import rotate_secret as rotate_secret
from reviewinvite_core.usecases.secret import RotationRecovery as RotationRecovery, SecretRotation as SecretRotation
