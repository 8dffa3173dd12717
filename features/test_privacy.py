"""The capability `privacy`: each scenario in features/privacy is a test here."""

import pytest
from pytest_bdd import scenarios

pytestmark = pytest.mark.usefixtures("driver")

scenarios("privacy")
