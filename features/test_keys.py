"""The capability `keys`: each scenario in features/keys is a test here."""

import pytest
from pytest_bdd import scenarios

pytestmark = pytest.mark.usefixtures("driver")

scenarios("keys")
