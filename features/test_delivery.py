"""The capability `delivery`: each scenario in features/delivery is a test here."""

import pytest
from pytest_bdd import scenarios

pytestmark = pytest.mark.usefixtures("driver")

scenarios("delivery")
