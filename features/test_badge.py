"""The capability `badge`: each scenario in features/badge is a test here."""

import pytest
from pytest_bdd import scenarios

pytestmark = pytest.mark.usefixtures("driver")

scenarios("badge")
