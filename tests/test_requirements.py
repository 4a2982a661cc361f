"""The table of requirements against the tests that claim to prove its rows."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def test_every_row_has_a_test_and_no_test_names_an_unknown_row() -> None:
    script = Path(__file__).with_name("requirements.py")
    # A process of its own, so that it sees all tests even when only some were asked for.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    report = subprocess.run(
        [sys.executable, script, "--require", "000", "001", "002", "003", "004"],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        cwd=script.parent.parent,
    )
    assert report.returncode == 0, report.stdout + report.stderr
