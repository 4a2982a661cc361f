"""Reads journals for the index: what a run was, its turns, its words, and where in the file they are.

Lines are read as they are, without making events of them: there may be millions. What a later scan needs to go on
where this one has stopped is `Scan.carried`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from math import isfinite
from pathlib import PurePath
from typing import Any

from maverick_tui.events.kinds import NewerSchemaError, require_schema
from maverick_tui.events.typed import number as number_of
from maverick_tui.history.spending import Spending
from maverick_tui.journal.lines import BATCH, LATE_TEXT, line_from_json
from maverick_tui.journal.reading import Damage
from maverick_tui.runs.tool_text import WRITING_TOOLS

PLACE_EVERY = 1_000
"""Events after which a place is noted from which the journal can be read, if no turn has begun meanwhile."""
SHORT = 2_000
"""Characters of a prompt or an answer that stand in the list of turns."""
_MOST_COUNTED = 1 << 48
_TEXT_KINDS = {"text": "answer", "thinking": "thinking"}
DAMAGE = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What comes of reading a line that no journal of ours has."""


@dataclass(slots=True)
class Summary:
    """What a run is, as far as its journal tells."""

    agent: str = ""
    first_prompt: str = ""
    told_name: str = ""
    told_name_at: float = 0.0
    folder: str = ""
    repository: str = ""
    branch: str = ""
    engine: str = ""
    model: str = ""
    started_at: float = 0.0
    last_at: float = 0.0
    ended_at: float | None = None
    outcome: str = "ended"
    """What it came to, as far as it has come: `done`, `failed`, `interrupted`, or just `ended`."""
    turns: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: float | None = None
    is_estimate: bool = False
    events: int = 0
    problem: str = ""
    forked_from: str = ""
    """The run that it goes on from by itself: what it has of that is listed and found there."""
    forked_turn: int = 0
    worked: float = 0.0
    """Seconds that its turns have taken, without the one that is open."""
    working_since: float | None = None
    """When the turn that is open has begun."""
    cut: str = ""
    """What has ended it before its time, if anything did: too little time, a limit, or somebody elsewhere."""
    waiting: str = "[]"
    """Prompts that were never sent, as JSON."""
    asks: int = 0
    """How many questions wait for an answer."""
    unreported: int = 0
    """Tokens that the open answer has written, by its characters: they count once nothing more can come of it."""


@dataclass(slots=True)
class Turn:
    """One turn, in short; `number` is the event that it begins with, `offset` the byte of its line."""

    turn: int
    number: int
    offset: int
    started_at: float
    origin: str
    prompt: str
    answer: str = ""
    ended_at: float | None = None
    outcome: str = ""
    failure: str = ""
    calls: int = 0
    tokens: int = 0
    cost_usd: float | None = None
    is_estimate: bool = False
    request: str = ""
    """The first answer of the model in it, by its id: a session that Claude Code has copied has it, too."""
    model: str = ""
    """Which model gave that."""


@dataclass(slots=True)
class _Block:
    number: int
    kind: str
    is_own: bool
    whole: list[str] = field(default_factory=list)
    held: dict[str, str] = field(default_factory=dict)
    """Pieces at its end that may hold a secret yet, as far as they are known, by their number."""

    @property
    def text(self) -> str:
        return "".join((*self.whole, *self.held.values()))


class Scan:
    """Takes the lines of one journal, from its beginning or from where another scan has stopped."""

    def __init__(self, summary: Summary | None = None, carried: str = "") -> None:
        carry: dict[str, Any] = json.loads(carried) if carried else {}
        self.summary = summary or Summary()
        self.offset: int = carry.get("offset", 0)
        """Bytes that were understood."""
        self.number: int = carry.get("number", 0)
        """The number of the next event."""
        self.began_at = self.number
        """The number of the first event of this scan: what is told of those before replaces what was told."""
        self.texts: list[tuple[int, str, str]] = []
        """What was said and done: the number of the event, what it is, and the text."""
        self.turns: dict[int, Turn] = {}
        """By the number of their first event."""
        self.places: list[tuple[int, int]] = []
        """Events from which on the journal can be read, and at which byte they are."""
        self.files: set[str] = set()
        """What was written to."""
        self.conversations: set[str] = set()
        """What the CLI calls its sessions for this run: they are not listed once more."""
        self._blocks = {int(name): _Block(**block) for name, block in carry.get("blocks", {}).items()}
        self._turn = Turn(**carry["turn"]) if carry.get("turn") else None
        self._spending = Spending.from_json(carry.get("spending"))
        self._held: dict[str, tuple[int, int]] = carry.get("held", {})
        """Pieces that are not whole yet, by their number: their block, and how many characters of them are known."""
        self._writing: dict[str, str] = carry.get("writing", {})
        self._last_place: int = carry.get("place", 0)
        self._is_inheriting: bool = carry.get("inheriting", False)
        self._is_scripted: bool = carry.get("scripted", False)
        self._waiting: dict[str, tuple[int, str]] = carry.get("waiting", {})
        """Prompts that were queued and have not begun: the number of the event, and the text."""
        self._dropped: dict[str, tuple[int, str]] = carry.get("dropped", {})
        """Those that were dropped last: with the end of the run they were never sent."""
        self._asked: dict[str, None] = dict.fromkeys(carry.get("asked", ()))
        """Questions that wait for an answer."""
        self._damage = Damage(*carry.get("damage", ()))
        self._missing: int = carry.get("missing", 0)
        """Bytes of lines that could not be read since the last event: as many events may be missing."""
        self.is_newer = False
        """Whether a newer version has written it."""
        self._before_loss: str | None = carry.get("before_loss")
        """What the run had come to before the way to the model was lost."""
        self._told: dict[str, Callable[[dict[str, Any]], None]] = {
            "run_started": self._run_started,
            "agent_loaded": self._agent_loaded,
            "model_named": self._model_named,
            "run_named": self._run_named,
            "connect_failed": self._connect_failed,
            "connected": self._connected,
            "run_forked": self._run_forked,
            "run_ended": self._run_ended,
            "noticed": self._noticed,
            "prompt_queued": self._prompt_queued,
            "prompt_dropped": self._prompt_dropped,
            "turn_started": self._turn_started,
            "prompt_sent": self._prompt_sent,
            "prompt_steered": self._prompt_steered,
            "turn_ended": self._turn_ended,
            "block_started": self._block_started,
            "block_ended": self._block_ended,
            "reply_restarted": self._reply_restarted,
            "tool_called": self._tool_called,
            "tool_finished": self._tool_finished,
            "usage_reported": self._usage_reported,
            "permission_asked": self._permission_asked,
            "permission_settled": self._permission_settled,
        }

    @property
    def carried(self) -> str:
        """What a later scan has to know to go on here."""
        return json.dumps(
            {
                "offset": self.offset,
                "number": self.number,
                "blocks": {block: asdict(value) for block, value in self._blocks.items()},
                "turn": asdict(self._turn) if self._turn else None,
                "spending": self._spending.to_json(),
                "held": self._held,
                "writing": self._writing,
                "place": self._last_place,
                "waiting": self._waiting,
                "dropped": self._dropped,
                "asked": [*self._asked],
                "damage": (self._damage.lines, self._damage.first),
                "missing": self._missing,
                "before_loss": self._before_loss,
                "inheriting": self._is_inheriting,
                "scripted": self._is_scripted,
            },
            separators=(",", ":"),
        )

    def take(self, lines: Iterable[bytes]) -> None:
        """Take further lines, up to one that is torn; one that no journal of ours has is left out, and told of."""
        for line in lines:
            if not line.endswith(b"\n"):
                break
            try:
                self._take(line_from_json(line))
            except NewerSchemaError as error:
                self.summary.problem, self.is_newer = str(error), True
                break
            except DAMAGE as error:
                self._missing += len(line)
                self._damage.add(self.number, error)
            self.offset += len(line)
        if self._damage.lines and not self.is_newer:
            self.summary.problem = f"It is {self._damage.words}"
        self._finish()

    def _take(self, data: dict[str, Any]) -> None:
        kind = data["type"]
        require_schema(data)
        if kind == LATE_TEXT:
            self._complete(data["seqs"], data["text"])
            return
        if data["seq"] != self.number:
            if not self.number < data["seq"] <= self.number + self._missing:
                raise ValueError(f"Event {data['seq']} comes where {self.number} was expected.")
            self.number = data["seq"]
        self._missing = 0
        if kind == BATCH:
            self._grow(data)
            return
        if not self._blocks and self.number - self._last_place >= PLACE_EVERY:
            self._note_place()
        data["at"] = at = number_of(data["at"])
        if self._is_inheriting and kind != "run_forked":
            self.number += 1
            return
        if self._dropped and kind not in ("prompt_dropped", "run_ended"):
            self._dropped = {}
        # A run at rest may be closed hours later, with all others, which says nothing of when it was at work.
        is_closed = kind == "run_ended" and self.summary.turns > 0 and self.summary.working_since is None
        if (tell := self._told.get(kind)) is not None:
            tell(data)
        if at > self.summary.last_at and isfinite(at) and not is_closed:
            self.summary.last_at = at
        self.number += 1

    def _note_place(self) -> None:
        self._last_place = self.number
        self.places.append((self.number, self.offset))

    def _finish(self) -> None:
        """Tell what is still open, too: it may never be closed."""
        for block in self._blocks.values():
            self._say_block(block)
        if self._turn is not None:
            self.turns[self._turn.number] = self._turn
        self.texts += ((number, "prompt", text) for number, text in self._waiting.values())
        self.summary.waiting = json.dumps([text[:SHORT] for _, text in self._waiting.values()])
        self.summary.events = self.number
        used = self._spending.usage
        self.summary.input_tokens, self.summary.output_tokens = _count(used.input_tokens), _count(used.output_tokens)
        self.summary.cache_read_tokens = _count(used.cache_read_tokens)
        self.summary.cache_write_tokens = _count(used.cache_write_tokens)
        self.summary.unreported = _count(self._spending.written.tokens)
        cost = None if self._is_scripted else used.cost_usd  # nobody has paid for what a script says
        self.summary.cost_usd, self.summary.is_estimate = cost, self._spending.has_estimate and cost is not None

    def _say(self, kind: str, text: str) -> None:
        if text:
            self.texts.append((self.number, kind, text))

    # -- the run ------------------------------------------------------------------------------------------------------

    def _run_started(self, data: dict[str, Any]) -> None:
        self.summary.agent = data["agent"]
        self.summary.started_at = self.summary.last_at = data["at"] if isfinite(data["at"]) else 0.0
        self.summary.forked_from, self.summary.forked_turn = data.get("forked_from", ""), data.get("forked_turn", 0)
        self._is_inheriting = bool(self.summary.forked_from)
        self._note_place()

    def _run_forked(self, data: dict[str, Any]) -> None:
        self._is_inheriting = False
        self.summary.started_at = data["at"] if isfinite(data["at"]) else 0.0
        self._note_place()

    def _agent_loaded(self, data: dict[str, Any]) -> None:
        told = self.summary
        told.agent, told.folder, told.branch = data["agent"], data["cwd"], data.get("branch", "")
        told.repository, told.engine = data.get("repository", ""), data.get("engine", "")
        told.model = told.model or data.get("model", "")
        self._is_scripted = bool(data.get("is_offline"))

    def _model_named(self, data: dict[str, Any]) -> None:
        self.summary.model = data["model"] or self.summary.model
        if session := data.get("session_id"):
            self.conversations.add(session)

    def _run_named(self, data: dict[str, Any]) -> None:
        self.summary.told_name, self.summary.told_name_at = data["name"], data["at"]

    def _connect_failed(self, data: dict[str, Any]) -> None:
        if self._before_loss is None:
            self._before_loss = self.summary.outcome
        self.summary.outcome = "failed"
        self._say("failure", _failure(data))

    def _connected(self, data: dict[str, Any]) -> None:
        if self._before_loss is not None:
            self.summary.outcome, self._before_loss = self._before_loss, None

    def _noticed(self, data: dict[str, Any]) -> None:
        if data["kind"] not in ("timeout", "limit", "ended"):
            return
        self.summary.cut = data["text"][:SHORT]
        if data["kind"] != "ended" and not self.summary.turns:
            self.summary.outcome = "failed"  # else its turn says what came of it
            self._say("failure", data["text"])

    def _run_ended(self, data: dict[str, Any]) -> None:
        self.summary.ended_at = data["at"]
        if (began := self.summary.working_since) is not None:
            self._worked(data["at"] - began)
        self._waiting |= self._dropped
        if data.get("reason", "") not in ("", "closed", "cancelled"):
            self.summary.outcome = "failed"

    def _worked(self, seconds: float) -> None:
        self.summary.working_since = None
        if isfinite(seconds):
            self.summary.worked += max(0.0, seconds)

    # -- turns --------------------------------------------------------------------------------------------------------

    def _prompt_queued(self, data: dict[str, Any]) -> None:
        """A run that has not connected yet, or never did, was asked this all the same."""
        self.summary.first_prompt = self.summary.first_prompt or data["text"][:SHORT]
        self._no_longer_waits(data["prompt_id"])
        self._waiting[data["prompt_id"]] = self.number, data["text"]

    def _prompt_dropped(self, data: dict[str, Any]) -> None:
        if (dropped := self._no_longer_waits(data["prompt_id"])) is not None:
            self._dropped[data["prompt_id"]] = dropped

    def _no_longer_waits(self, prompt_id: str) -> tuple[int, str] | None:
        """What it was; it is not found as a prompt that waits any more."""
        if (waited := self._waiting.pop(prompt_id, None)) is not None and waited[0] < self.began_at:
            self.texts.append((waited[0], "prompt", ""))
        return waited

    def _turn_started(self, data: dict[str, Any]) -> None:
        self._note_place()
        self._spending.turn_started()
        self._held = {}
        text, origin = data.get("text", ""), data.get("origin", "person")
        self._turn = Turn(data["turn"], self.number, self.offset, data["at"], origin, text[:SHORT])
        self.summary.turns += 1
        self.summary.working_since = data["at"] if isfinite(data["at"]) else None
        self.summary.cut = ""
        self.summary.ended_at, self.summary.outcome = None, "interrupted"  # unless something else comes of it
        self._before_loss = None
        self._no_longer_waits(data.get("prompt_id", ""))
        if origin == "person" and not self.summary.first_prompt:
            self.summary.first_prompt = text[:SHORT]
        self._say("prompt", text)

    def _prompt_steered(self, data: dict[str, Any]) -> None:
        self._say("prompt", data["text"])

    def _prompt_sent(self, data: dict[str, Any]) -> None:
        self._say("prompt", data["text"])
        if self._turn is not None and self._turn.origin == "person" and not self._turn.prompt:  # the author's own
            self._turn.prompt = data["text"][:SHORT]
            self.summary.first_prompt = self.summary.first_prompt or self._turn.prompt

    def _turn_ended(self, data: dict[str, Any]) -> None:
        self._close_blocks()
        used, is_estimate = self._spending.turn_ended(data)
        self.summary.outcome = data["outcome"]
        self._worked(_count(used.duration_ms) / 1000)
        if self._turn is not None:
            turn, self._turn = self._turn, None
            turn.model = turn.model or self.summary.model
            turn.ended_at, turn.outcome, turn.failure = data["at"], data["outcome"], _failure(data)[:SHORT]
            turn.tokens, turn.cost_usd = _count(used.total), None if self._is_scripted else used.cost_usd
            turn.is_estimate = is_estimate and turn.cost_usd is not None
            self.turns[turn.number] = turn
        self._say("failure", _failure(data))

    # -- what the model and its tools do ------------------------------------------------------------------------------

    def _block_started(self, data: dict[str, Any]) -> None:
        self._spending.written.block_started(data["block"], data.get("parent", ""))
        if (kind := _TEXT_KINDS.get(data["kind"])) is not None:
            self._close_block(data["block"])
            self._blocks[data["block"]] = _Block(self.number, kind, not data.get("parent"))

    def _grow(self, data: dict[str, Any]) -> None:
        name, texts, at = data["block"], data["text"], number_of(data["at"])
        whole = data.get("whole", len(texts))
        self._spending.written.grew(name, len("".join(texts)))
        block = self._blocks.get(name)
        if block is not None:
            block.whole += texts[:whole]
        for number, text in enumerate(texts[whole:], self.number + whole):
            self._held[str(number)] = name, len(text)
            if block is not None:
                block.held[str(number)] = text
        self.number += len(texts)
        self.summary.last_at = max(self.summary.last_at, at)

    def _complete(self, numbers: list[int], texts: list[str]) -> None:
        for number, text in zip(map(str, numbers), texts, strict=True):
            if (held := self._held.pop(number, None)) is not None:
                self._spending.written.grew(held[0], len(text) - held[1])
            for block in self._blocks.values():
                if number in block.held:
                    del block.held[number]
                    block.whole.append(text)

    def _block_ended(self, data: dict[str, Any]) -> None:
        self._spending.written.block_ended(data["block"])
        self._close_block(data["block"])

    def _reply_restarted(self, data: dict[str, Any]) -> None:
        self._spending.written.break_off()
        self._close_blocks()

    def _close_blocks(self) -> None:
        for block in list(self._blocks):
            self._close_block(block)

    def _close_block(self, number: int) -> None:
        if (block := self._blocks.pop(number, None)) is not None:
            self._say_block(block)

    def _say_block(self, block: _Block) -> None:
        if text := block.text:
            self.texts.append((block.number, block.kind, text))
            if block.is_own and block.kind == "answer" and self._turn is not None:
                self._turn.answer = text[:SHORT]

    def _tool_called(self, data: dict[str, Any]) -> None:
        name, arguments = data["name"], data["arguments"]
        if self._turn is not None:
            self._turn.calls += 1
        self._say("input", f"{name} {' '.join(_words(arguments))}")
        path = arguments.get(WRITING_TOOLS.get(name, ""))
        if isinstance(path, str) and path:
            self._writing[data["call"]] = path

    def _tool_finished(self, data: dict[str, Any]) -> None:
        self._say("output", data["output"] if isinstance(data["output"], str) else json.dumps(data["output"]))
        path = self._writing.pop(data["call"], None)
        if path is not None and not data.get("is_error"):
            folder = PurePath(self.summary.folder)
            self.files.add(str(PurePath(path).relative_to(folder)) if PurePath(path).is_relative_to(folder) else path)

    def _permission_asked(self, data: dict[str, Any]) -> None:
        self._asked[data["request"]] = None
        self.summary.asks = len(self._asked)

    def _permission_settled(self, data: dict[str, Any]) -> None:
        self._asked.pop(data["request"], None)
        self.summary.asks = len(self._asked)

    def _usage_reported(self, data: dict[str, Any]) -> None:
        self._spending.reported(data)
        if self._turn is not None and not self._turn.request:
            self._turn.request, self._turn.model = data["message"], self.summary.model


def _failure(data: dict[str, Any]) -> str:
    failure = data.get("failure")
    return f"{failure['error']}: {failure['message']}" if failure else ""


def _count(number: int) -> int:
    """A number that fits into a column: what others report may be anything."""
    return number if 0 <= number < _MOST_COUNTED else 0


def _words(value: Any) -> Iterable[str]:
    """All texts in a tool's arguments; their names are the tool's and say nothing about the call."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _words(item)
    elif isinstance(value, list):
        for item in value:
            yield from _words(item)
    elif value is not None and not isinstance(value, bool):
        yield str(value)
