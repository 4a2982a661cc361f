"""Work that is waited for, whatever signal comes."""

from __future__ import annotations

import os
import signal
import time

import pytest

from maverick_tui.threads import to_the_end


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU])
def test_no_signal_cuts_it_short(number: signal.Signals) -> None:
    steps: list[str] = []

    def work() -> str:
        for _ in range(3):
            os.kill(os.getpid(), number)
            time.sleep(0.05)  # time to be interrupted in
            steps.append("done")
        return "all"

    before = signal.getsignal(number)
    if number == signal.SIGINT:
        assert to_the_end(work) == "all"
    else:
        with pytest.raises(SystemExit) as ended:
            to_the_end(work)
        assert ended.value.code == 128 + number
    assert steps == ["done"] * 3
    assert signal.getsignal(number) is before
