"""The capability `domains`: each scenario in features/domains is a test here."""

import pytest
from pytest_bdd import scenarios

pytestmark = pytest.mark.usefixtures("driver")

scenarios("domains")
