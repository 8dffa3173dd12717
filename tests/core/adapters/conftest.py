"""The suites of storage are imported, not collected: pytest has to be told that they assert."""

import pytest

pytest.register_assert_rewrite("tests.contracts")
