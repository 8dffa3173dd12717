"""The capability `scheduling`: each scenario in features/scheduling is a test here."""

import pytest
from pytest_bdd import scenarios

pytestmark = pytest.mark.usefixtures("driver")

scenarios("scheduling")
