"""The capability `reviewing`: each scenario in features/reviewing is a test here."""

import pytest
from pytest_bdd import scenarios

pytestmark = pytest.mark.usefixtures("driver")

scenarios("reviewing")
