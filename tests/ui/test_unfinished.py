"""What the application brings to an end once it is up."""

from __future__ import annotations

import sys

import pytest

from tests.support.orphans import noted, survivor
from tests.support.processes import marked
from tests.ui.running import FedApp
from tests.ui.waiting import until


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of environments")
async def test_processes_that_a_killed_maverick_has_left_are_ended(mark: str, caplog: pytest.LogCaptureFixture) -> None:
    left = survivor(noted())
    async with FedApp(None).run_test() as pilot:
        await until(pilot, lambda: "had left behind was ended: sleep" in caplog.text, "it was told")
    assert left not in marked(mark)
