"""Add, list and change shops."""

from reviewinvite_core.usecases.shops.add import add_shop as add_shop
from reviewinvite_core.usecases.shops.list import list_shops as list_shops
from reviewinvite_core.usecases.shops.show import show_shop as show_shop
from reviewinvite_core.usecases.shops.update import set_shop as set_shop
