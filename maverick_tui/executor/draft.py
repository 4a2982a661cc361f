"""Draft: what an execution has for an output so far, and whether the model is to correct it."""

from __future__ import annotations

from typing import Any

from maverick_tui.executor.output import Parsed
from maverick_tui.executor.plan import Plan


class Draft:
    """The last words of the model, what was read in them, and what a tool has handed in to end the execution."""

    def __init__(self, plan: Plan, *, repairs: int = 0) -> None:
        self._plan = plan
        self.repairs = repairs
        self.content = ""
        self.parsed: Parsed | None = None
        self.handed_in: tuple[Any] | None = None
        self.is_final = False

    @property
    def output(self) -> Any:
        """What is handed out: the value that fits the schema, what a tool has handed in, or the text."""
        if self._plan.reader is not None:
            return self.parsed.value if self.parsed is not None and self.is_final else None
        if self.handed_in is not None:
            return self.handed_in[0]
        return self.content if self.is_final else None

    def complaint(self, handed_in: tuple[Any] | None = None, *, is_last_turn: bool) -> str:
        """Read it; what the model is to be told of it, as often as that is wanted. Empty if it is done."""
        reader, config = self._plan.reader, self._plan.definition.output
        if reader is None or config is None:
            return ""
        self.parsed = reader.read(self.content) if handed_in is None else reader.check(handed_in[0])
        if not self.parsed.errors or self.repairs >= config.repair_turns or is_last_turn:
            return ""
        self.repairs += 1
        return reader.complaint(self.parsed.errors)
