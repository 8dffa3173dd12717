"""Report orders from a shop's server or from one of its pages."""

from reviewinvite_core.usecases.orders.import_many import import_orders as import_orders
from reviewinvite_core.usecases.orders.report import report_order as report_order
from reviewinvite_core.usecases.orders.report_from_snippet import report_snippet as report_snippet
from reviewinvite_core.usecases.orders.show_snippets import show_snippets as show_snippets
