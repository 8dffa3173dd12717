"""The capability `dashboard`: each scenario in features/dashboard is a test here."""

import pytest
from pytest_bdd import scenarios

pytestmark = pytest.mark.usefixtures("driver")

scenarios("dashboard")
