"""The capability `languages`: each scenario in features/languages is a test here."""

import pytest
from pytest_bdd import scenarios

pytestmark = pytest.mark.usefixtures("driver")

scenarios("languages")
