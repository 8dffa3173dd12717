"""How parameters are divided between `nox` and `nox -s full`."""

from __future__ import annotations

import pytest
from tests.budgets import in_full, others_in_full


def test_values_that_represent_no_rule_are_in_the_full_run() -> None:
    assert others_in_full(["a", "b", "c"], "b") == [in_full("a"), "b", in_full("c")]


@pytest.mark.parametrize("representatives", [(), ("z",), ("a", "z")])
def test_a_parameter_without_its_representatives_is_refused(representatives: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="representative"):
        others_in_full(["a", "b"], *representatives)
