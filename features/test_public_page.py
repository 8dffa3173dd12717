"""The capability `public_page`: each scenario in features/public_page is a test here."""

import pytest
from pytest_bdd import scenarios

pytestmark = pytest.mark.usefixtures("driver")

scenarios("public_page")
