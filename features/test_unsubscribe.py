"""The capability `unsubscribe`: each scenario in features/unsubscribe is a test here."""

import pytest
from pytest_bdd import scenarios

pytestmark = pytest.mark.usefixtures("driver")

scenarios("unsubscribe")
