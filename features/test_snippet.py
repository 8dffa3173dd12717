"""The capability `snippet`: each scenario in features/snippet is a test here."""

import pytest
from pytest_bdd import scenarios

pytestmark = pytest.mark.usefixtures("driver")

scenarios("snippet")
