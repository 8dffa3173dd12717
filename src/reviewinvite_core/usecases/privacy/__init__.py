"""Suppress, export and erase addresses."""

from reviewinvite_core.usecases.privacy.add_suppression import add_suppression as add_suppression
from reviewinvite_core.usecases.privacy.dead_mailbox import expire_suppressions as expire_suppressions
from reviewinvite_core.usecases.privacy.erase import erase_address as erase_address, erase_expired as erase_expired
from reviewinvite_core.usecases.privacy.export import export_address as export_address
from reviewinvite_core.usecases.privacy.list_suppressions import list_suppressions as list_suppressions
from reviewinvite_core.usecases.privacy.remove_suppression import remove_suppression as remove_suppression
from reviewinvite_core.usecases.privacy.resubscribe import resubscribe as resubscribe
from reviewinvite_core.usecases.privacy.show_subscription import show_subscription as show_subscription
from reviewinvite_core.usecases.privacy.unsubscribe import unsubscribe as unsubscribe
