"""The capability `secret`: each scenario in features/secret is a test here."""

import pytest
from pytest_bdd import scenarios

pytestmark = pytest.mark.usefixtures("driver")

scenarios("secret")
