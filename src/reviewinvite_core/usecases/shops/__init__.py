"""Add, list, show and change shops."""

from reviewinvite_core.usecases.shops.add import add_shop as add_shop
from reviewinvite_core.usecases.shops.approve_name import approve_name as approve_name
from reviewinvite_core.usecases.shops.list import list_shops as list_shops
from reviewinvite_core.usecases.shops.overview import show_overview as show_overview
from reviewinvite_core.usecases.shops.show import show_shop as show_shop
from reviewinvite_core.usecases.shops.snippet_secret import snippet_secret as snippet_secret
from reviewinvite_core.usecases.shops.update import set_shop as set_shop
from reviewinvite_core.usecases.shops.withdraw_name import withdraw_name as withdraw_name
