"""Add, verify and remove shops' hosts."""

from reviewinvite_core.usecases.domains.add import add_domain as add_domain
from reviewinvite_core.usecases.domains.list import list_domains as list_domains
from reviewinvite_core.usecases.domains.remove import remove_domain as remove_domain
