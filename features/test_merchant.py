"""The capability `merchant`: each scenario in features/merchant is a test here."""

import pytest
from pytest_bdd import scenarios

pytestmark = pytest.mark.usefixtures("driver")

scenarios("merchant")
