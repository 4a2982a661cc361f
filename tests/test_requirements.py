"""The table of requirements against the tests that claim to prove its rows."""

from __future__ import annotations

import pytest

from tests import requirements


def test_every_row_has_a_test_and_no_test_names_an_unknown_row(capsys: pytest.CaptureFixture[str]) -> None:
    code = requirements.main(["--require", "000", "001", "002", "003", "004"])
    assert code == 0, capsys.readouterr()
