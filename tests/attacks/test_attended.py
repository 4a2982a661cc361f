"""One session with a person who says no, for some of everything: tricks, protected places, credentials, and reading.

To start the CLI takes a second, and none of this gets in the way of the rest. `make attack` tries all of each in
sessions of their own.
"""

from __future__ import annotations

import pytest

from tests.attacks import benign, paths
from tests.attacks.driving import attended
from tests.attacks.judging import calls_of, check
from tests.attacks.sandbox import Sandbox
from tests.attacks.shell_tricks import BASH, is_asked_for, some
from tests.attacks.test_benign import calls, check_unasked
from tests.attacks.test_paths import check_refused, check_untold, credentials, writes
from tests.conftest import ServeModel


@pytest.mark.skipif(is_asked_for(), reason="each of them has a session of its own")
async def test_nothing_happens_unasked_but_reading(sandbox: Sandbox, serve: ServeModel) -> None:
    reading = calls(benign.READ_UNASKED)[::6]
    tricks = [trick for kind in BASH for trick in some(kind, 60, ("cat rewritten",))]
    tricky = calls_of(tricks, sandbox)
    secrets = credentials(sandbox)[::5]  # `test_paths.py` has all of them tried without the CLI
    written = writes(paths.WRITTEN_IN_PROJECT, sandbox, sandbox.project)
    report = await attended(sandbox, serve, [*reading, *tricky, *secrets, *written])
    check_unasked(report.of(reading))
    check(report.of(tricky), tricks)
    check_untold(report.of(secrets))
    check_refused(report.of(written))
