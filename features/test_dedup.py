"""The capability `dedup`: each scenario in features/dedup is a test here."""

import pytest
from pytest_bdd import scenarios

pytestmark = pytest.mark.usefixtures("driver")

scenarios("dedup")
