"""The capability `verification`: each scenario in features/verification is a test here."""

import pytest
from pytest_bdd import scenarios

pytestmark = pytest.mark.usefixtures("driver")

scenarios("verification")
