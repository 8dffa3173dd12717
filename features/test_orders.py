"""The capability `orders`: each scenario in features/orders is a test here."""

import pytest
from pytest_bdd import scenarios

pytestmark = pytest.mark.usefixtures("driver")

scenarios("orders")
