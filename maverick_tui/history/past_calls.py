"""The calls of all kept runs, and which of them a rule would have been about: so that one can be tried out."""

from __future__ import annotations

import json
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.agent.permissions.rules import path_of
from maverick_tui.agent.permissions.standing import Standing, StandingRule
from maverick_tui.agent.tools import BUILTIN_TOOLS
from maverick_tui.git.programs import programs_named, started_by_settings
from maverick_tui.journal.folders import JOURNAL, kept_journals

log = logging.getLogger(__name__)

_KINDS = (b'"agent_loaded"', b'"tool_called"', b'"permission_settled"')
_FINISHED = re.compile(rb'.{0,20}"type": ?"tool_finished".{0,60}?"call": ?"([^"\\]{1,200})"')


class PastCall(NamedTuple):
    """A call that an agent has made, where it worked, and what a person said to it, if anybody was asked."""

    agent: str
    cwd: str
    tool: str
    arguments: dict[str, Any]
    answer: str = ""

    @property
    def text(self) -> str:
        """What was called: `git log -p`, `src/a.py`."""
        return str(self.arguments.get("command") or self.arguments.get("url") or path_of(self.arguments) or self.tool)


@dataclass(frozen=True, slots=True)
class Tried:
    """What a rule would have been about: calls with how often they were made, and how often a person denied them."""

    calls: dict[str, int]
    denied: dict[str, int]
    looked_at: int

    @property
    def count(self) -> int:
        """How many calls there were."""
        return sum(self.calls.values())


def past_calls() -> Iterator[PastCall]:
    """All calls of all kept runs. What cannot be read of a journal is passed over."""
    for _, folder, _ in kept_journals():
        yield from _calls_of(Path(folder) / JOURNAL)


def _calls_of(journal: Path) -> Iterator[PastCall]:
    agent = cwd = ""
    calls, answers, finished = dict[str, PastCall](), dict[str, str](), set[str]()
    try:
        with journal.open("rb") as lines:
            for line in lines:
                # A journal is mostly text as it came; that is not read at all.
                if found := _FINISHED.match(line):
                    finished.add(found[1].decode())
                if not any(kind in line[:60] for kind in _KINDS):
                    continue
                match _read(line):
                    case {"type": "agent_loaded", "agent": str(agent), "cwd": str(cwd)}:
                        pass
                    case {"type": "tool_called", "call": str(call), "name": str(tool), "arguments": dict(arguments)}:
                        calls[call] = PastCall(agent, cwd, tool, arguments)
                    case {"type": "permission_settled", "call": str(call), "decision": str(decision)} as event:
                        if not event.get("by_rule"):
                            answers[call] = decision
    except OSError:
        return
    # What nobody has decided yet is not past.
    past = ((call, one) for call, one in calls.items() if call in finished or call in answers)
    yield from (one._replace(answer=answers.get(call, "")) for call, one in past)


def _read(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def try_out(rule: StandingRule) -> Tried:
    """Which of all past calls a rule would have been about, by the same judge that it is for."""
    standing = Standing((rule,))
    git_programs, git_starts = cache(programs_named), cache(started_by_settings)  # which are those of today anyway

    @cache
    def judge_in(cwd: str) -> Judge:
        return Judge(
            sorted({*BUILTIN_TOOLS, rule.tool.name}),
            Path(cwd),
            person=True,
            git_programs=git_programs,
            git_starts=git_starts,
            standing=lambda: standing,
        )

    calls, denied, looked_at = Counter[str](), Counter[str](), 0
    known = dict[str, bool]()
    for call in past_calls():
        looked_at += 1
        if rule.agent not in ("", call.agent) or not call.cwd:
            continue
        key = json.dumps([call.cwd, call.tool, call.arguments], sort_keys=True)
        if key not in known:
            known[key] = _is_decided_by(rule, judge_in, call)
        if known[key]:
            calls[call.text] += 1
            denied[call.text] += call.answer == "deny"
    return Tried(dict(calls.most_common()), dict(+denied), looked_at)


def _is_decided_by(rule: StandingRule, judge_in: Callable[[str], Judge], call: PastCall) -> bool:
    try:
        found = judge_in(call.cwd).judge(call.tool, call.arguments, mode="default")
        return found.rule is rule and found.decision == rule.effect
    except Exception:  # as `judged` has it; a model may write anything, and a rule must be writable all the same
        log.exception("A past call of %s could not be judged", call.tool)
        return False
