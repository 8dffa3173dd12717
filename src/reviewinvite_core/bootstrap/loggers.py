"""The library's loggers, for the transports."""

from reviewinvite_core.adapters.loggers import REQUEST_ID as REQUEST_ID, ROOT as ROOT, get_logger as get_logger
from reviewinvite_core.domain.text import escape_controls as escape_controls
