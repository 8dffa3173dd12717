"""The capability `messages`: each scenario in features/messages is a test here."""

import pytest
from pytest_bdd import scenarios

pytestmark = pytest.mark.usefixtures("driver")

scenarios("messages")
