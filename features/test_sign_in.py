"""The capability `sign_in`: each scenario in features/sign_in is a test here."""

import pytest
from pytest_bdd import scenarios

pytestmark = pytest.mark.usefixtures("driver")

scenarios("sign_in")
