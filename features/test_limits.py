"""The capability `limits`: each scenario in features/limits is a test here."""

import pytest
from pytest_bdd import scenarios

pytestmark = pytest.mark.usefixtures("driver")

scenarios("limits")
