"""Rereading: what the CLI reads again by itself, without asking a hook, and what of that it is denied.

Before each request it looks at files that were written, edited or printed, and tells the model what has changed in
them; once it has summed a conversation up it adds those that were read, too (both measured). Meanwhile one may have
become a link to a key, or a rule may be about it. So they are judged anew before that, and what would not be read
unasked now is denied to the CLI by a setting, which it heeds there, with links followed. Its own tools then refuse such
a file before they ask, for writing as well; so what was only read is denied for a summary alone, or where it leads
elsewhere by now: else a refusal of the tools might tell what is there.

There is no hook before the request that follows on a call which the CLI refuses by itself, and a command in the
background, or a subagent's, may put links there at any time. So the files are also looked after while the CLI is at
work.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from maverick_tui.agent.engine.claude.memory_files import as_pattern, memory_files
from maverick_tui.agent.permissions.always_asked import SHELLS
from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.agent.permissions.rules import path_of
from maverick_tui.agent.permissions.shell import mentions
from maverick_tui.agent.permissions.standing import Standing
from maverick_tui.agent.tools import EDIT_TOOLS
from maverick_tui.bounded import from_json
from maverick_tui.real_paths import as_named, real_path
from maverick_tui.threads import in_thread

log = logging.getLogger(__name__)

LOOKS_EVERY = 0.1
"""Seconds between two looks at the files while the CLI is at work."""
_TIMES_AS_LONG = 10
"""How much longer than a look the time between two is at least: there may be thousands of files."""
QUIET_AFTER = 30.0
"""Seconds after which a CLI that says nothing is not at work: it rests, or waits for a call, whose end is told."""
_WORDS_END = re.compile(r"[\s\"'`;|&<>()=]+")
_SIGNS = str.maketrans(dict.fromkeys("\\*?[]{}()! ", "?"))
"""Signs of patterns and rules in a name; one that stands for any character stands for them."""

_ALL = frozenset({"/**"})


class _Circumstances(NamedTuple):
    """Where a file is, which rules there are, and where keys are: as long as these stay, so does what is said of it."""

    real: str
    standing: Standing
    keys: object


class _Verdict(NamedTuple):
    """Whether a file may be read, in which circumstances."""

    then: _Circumstances
    is_denied: bool


class Rereading:
    """Knows the files of one session; `write` sends a line to the CLI, and without it there may be no summary.

    `resumed` is the session that this one goes on with: the CLI remembers its files as well.
    """

    def __init__(
        self, judge: Judge, write: Callable[[str], Awaitable[None]] | None = None, resumed: str | None = None
    ) -> None:
        self._judge = judge
        self.write = write
        self._resumed = resumed
        self._files: dict[str, _Verdict | None] = {}
        self._let_in: set[str] | None = None
        """Memory files among them that are there by their own names; None before these were looked for."""
        self._began: dict[str, str] = {}
        """Where each of them led when it was first heard of."""
        self._watched: set[str] = set()
        """Those of them in which the CLI looks for changes."""
        self._denied: frozenset[str] = frozenset()
        """What the CLI was told last."""
        self._in_turn = asyncio.Lock()
        """Hooks of calls that ran side by side come at once: what was judged later is told later."""
        self._summed_up: set[str] = set()
        """The agents whose conversations are being summed up: "" is the one that is asked."""
        self._settled: list[str] = []
        """The files that were known at the last request or summary: a call that is about to write another one must not
        find it denied."""
        self._looking: asyncio.Task[None] | None = None
        self._quiet_at = 0.0

    async def note(self, tool: str, arguments: Mapping[str, Any], here: str | None) -> None:
        """A call is not refused: the CLI may remember its files, and watch those that are not only read."""
        for path, leads_to in await in_thread(_files_of, tool, arguments, here or ""):
            self._note(path, leads_to, tool)

    def _note(self, path: str, leads_to: str, tool: str) -> None:
        self._began.setdefault(path, leads_to)  # before another thread goes by the files
        self._files.setdefault(path)
        if tool != "Read":
            self._watched.add(path)

    async def before_request(self, given: Any, _call: str | None, _context: Any) -> dict[str, Any]:
        """The model is about to be asked, as far as is known: deny what the CLI must not read by itself."""
        if isinstance(given, dict) and isinstance(
            called := given.get("tool_input"), dict
        ):  # as a person has changed it
            await self.note(str(given.get("tool_name")), called, given.get("cwd"))
        self._summed_up.discard(_agent_of(given))  # it goes on
        async with self._in_turn:
            await self._tell(await _or_all(self._judged_anew, given))
        return {}

    async def before_summary(self, given: Any, _call: str | None, _context: Any) -> dict[str, Any]:
        """The same of all files before a summary; where it cannot be said to the CLI, there is none."""
        self._summed_up.add(agent := _agent_of(given))
        async with self._in_turn:
            denied = await _or_all(self._judged_anew, given)
            if denied and self.write is None:
                self._summed_up.discard(agent)
                return {"decision": "block", "reason": f"{min(denied)} would be read again, and may not be."}
            await self._tell(denied)
        return {}

    def speaks(self) -> None:
        """The CLI has said something, so that it may be at work: look after its files for a while."""
        self._quiet_at = asyncio.get_running_loop().time() + QUIET_AFTER
        if self._files and self.write is not None and (self._looking is None or self._looking.done()):
            self._looking = asyncio.create_task(self._look(), name="maverick-rereading")

    async def close(self) -> None:
        """The CLI is gone."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait({self._looking})

    async def _look(self) -> None:
        now = asyncio.get_running_loop().time
        while (began := now()) < self._quiet_at:
            try:
                async with self._in_turn:
                    await self._tell(await _or_all(self._denied_of, self._settled))
            except Exception:  # the CLI is gone, and its session says so
                log.debug("The files could not be denied to the CLI", exc_info=True)
                return
            await asyncio.sleep(max(LOOKS_EVERY, _TIMES_AS_LONG * (now() - began)))

    def _note_earlier(self, given: Any) -> None:
        """Take note of the files of what was before this session, until all of it was read once."""
        told = given.get("transcript_path") if isinstance(given, dict) else None
        if not self._resumed or not isinstance(told, str):
            return
        from maverick_tui.journal.claude_sessions import session_file

        beside = Path(told).with_name(f"{self._resumed}.jsonl")  # that of a fork in another folder is elsewhere
        earlier = (Path(told), beside if beside.exists() else session_file(self._resumed) or beside)
        for path, leads_to, tool in (item for conversation in earlier for item in _files_told(conversation)):
            self._note(path, leads_to, tool)
        self._resumed = None

    def _note_memory(self) -> None:
        """Take note of the files that the CLI has taken in by itself, or may: it does so again after a summary."""
        if self._let_in is None:
            found = memory_files(self._judge)
            self._let_in = {one.path for one in found if one.is_let_in}
            for one in found:
                self._note(one.path, real_path(one.path), "")

    def _judged_anew(self, given: Any) -> frozenset[str]:
        """Where those of the files are that may not be read unasked now, by their names and by their links."""
        self._note_earlier(given)
        self._note_memory()
        self._settled = list(self._files)
        return self._denied_of(self._settled)

    def _denied_of(self, paths: Iterable[str]) -> frozenset[str]:
        standing, keys, denied = self._judge.standing, self._judge.keys, set[str]()
        for path in paths:
            real = real_path(path)
            is_due = self._summed_up or path in self._watched or real != self._began[path]
            if is_due and self._is_denied(path, _Circumstances(real, standing, keys)):
                denied |= {path, real}
        return frozenset(denied)

    def _is_denied(self, path: str, now: _Circumstances) -> bool:
        known = self._files[path]
        if known is not None and known.then == now:
            return known.is_denied
        try:
            is_let_in = now.real == path and path in (self._let_in or ())
            is_denied = not self._judge.may_be_reread(path, is_let_in=is_let_in)
        except Exception:  # what cannot be judged is not read
            log.exception("Whether a file may be read again could not be judged")
            is_denied = True
        self._files[path] = _Verdict(now, is_denied)
        return is_denied

    async def _tell(self, denied: frozenset[str]) -> None:
        if denied == self._denied or self.write is None:
            return
        rules = [f"Read(/{place if denied is _ALL else place.translate(_SIGNS)})" for place in sorted(denied)]
        settings: dict[str, Any] = {"permissions": {"deny": rules}}
        if self._judge.takes_memory:
            settings["claudeMdExcludes"] = sorted(denied if denied is _ALL else map(as_pattern, denied))
        request = {"subtype": "apply_flag_settings", "settings": settings}
        said = {"type": "control_request", "request_id": f"rereading-{uuid4().hex}", "request": request}
        await self.write(f"{json.dumps(said)}\n")
        self._denied = denied


async def _or_all(denied_of: Callable[[Any], frozenset[str]], about: Any) -> frozenset[str]:
    """What is denied; all there is if that cannot be told: the CLI goes on without its hooks if they fail, and heeds
    none that would have it stop after a call that has failed (measured).
    """
    try:
        return await in_thread(denied_of, about)
    except Exception:
        log.exception("Which files may be read again could not be told")
        return _ALL


def _agent_of(given: Any) -> str:
    """Whose hook it is: "" is the agent that was asked, all others are its subagents."""
    return str(given.get("agent_id") or "") if isinstance(given, dict) else ""


def _files_of(tool: str, arguments: Mapping[str, Any], here: str) -> list[tuple[str, str]]:
    """The files that the CLI may remember by a call, as absolute paths, and where they lead."""
    named: Iterable[str] = ()
    if tool in EDIT_TOOLS | {"Read"} and (path := path_of(arguments)):
        named = [absolute(path, here)]
    elif tool in SHELLS:
        command = str(arguments.get("command") or "")
        try:
            words = mentions(command)
        except Exception:  # whatever it is, it stays in the conversation, which must be read to its end
            log.exception("What a command names could not be told")
            words = None
        words = {*_WORDS_END.split(command)} if words is None else words  # too many for all that they may mean
        named = filter(os.path.isfile, (absolute(word, here) for word in words))
    return [(path, real_path(path)) for path in named]


def absolute(path: str, here: str) -> str:
    """Where a path leads for the CLI, which takes each `..` back before it follows links."""
    name = as_named(path.replace("\0", ""))
    return os.path.abspath(os.path.join(here, os.path.expanduser(name)))  # noqa: PTH100, PTH111, PTH118


def _files_told(conversation: Path) -> Iterator[tuple[str, str, str]]:
    """The same of all calls in Claude Code's own file of a session, with their tools; nothing if there is none."""
    try:
        lines = conversation.read_bytes().splitlines()
    except FileNotFoundError:
        return
    for line in lines:
        if b'"tool_use"' not in line:
            continue
        try:
            told = from_json(line)
            blocks = [block for block in told["message"]["content"] if block["type"] == "tool_use"]
            calls = [(str(block["name"]), dict(block["input"]), str(told.get("cwd") or "")) for block in blocks]
        except (ValueError, TypeError, KeyError):  # not as it is written today
            continue
        for tool, arguments, here in calls:
            yield from ((path, leads_to, tool) for path, leads_to in _files_of(tool, arguments, here))
