"""The capability `overview`: each scenario in features/overview is a test here."""

import pytest
from pytest_bdd import scenarios

pytestmark = pytest.mark.usefixtures("driver")

scenarios("overview")
