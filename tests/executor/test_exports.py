"""What users of the library import from one place."""

from __future__ import annotations

import maverick_tui.executor
from maverick_tui.exceptions import AgentError

WANTED = {
    *("Approve", "ExecutionStream", "LimitError", "RefusalError", "RequestLimits"),
    *("Thought", "ToolError", "ToolServers", "Verdict"),
}


def test_names_that_are_needed_to_use_it_are_there() -> None:
    assert set(maverick_tui.executor.__all__) >= WANTED
    for name in maverick_tui.executor.__all__:
        assert getattr(maverick_tui.executor, name) is not None
    for name in ("LimitError", "RefusalError", "ToolError"):
        assert issubclass(getattr(maverick_tui.executor, name), AgentError)
