"""Which call of the model is which: endpoints other than Anthropic's may call several the same, as counted by answer.

The CLI knows calls by the endpoint's ids alone, and runs two of one id all the same (measured). So whatever it says of
calls gets an id of ours where it comes in, and nothing above takes two for one. Nothing goes back to it by such an id:
hooks and questions are answered by their request, and what is stopped is a task.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from maverick_tui.events.background import SUBAGENTS
from maverick_tui.executor.model.messages import distinct_id

_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")
_HAVE_ENDED = {"PostToolUse": False, "PostToolUseFailure": True}
"""The hooks behind a call, and whether it has failed then."""
_TASK = "task_started"


class _Call:
    """A call without a result, and in which ways the CLI has told of it: in each of them once."""

    __slots__ = ("arguments", "has_failed", "id", "response", "tool", "ways")

    def __init__(self, ident: str, tool: str) -> None:
        self.id, self.tool = ident, tool
        self.arguments: Any = None
        self.has_failed: bool | None = None
        self.response: Any = None
        """What the tool has returned, as the hook behind it was told."""
        self.ways: set[str] = set()


class OwnCalls:
    """Gives each call of a session an id that no other one has: the endpoint's, if that was the first.

    `taken` are the ids that others have had before, or have beside it; new ones are put there.
    """

    def __init__(self, taken: set[str] | None = None) -> None:
        self._taken = set[str]() if taken is None else taken
        self._open: dict[tuple[str, str], list[_Call]] = {}
        """By the agent that makes them, which is "" unless it is a subagent, and the endpoint's id; in their order."""
        self._last: dict[str, str] = {}
        """What we have called the last call of each of the endpoint's ids."""
        self._tasks: dict[str, str] = {}
        """The calls that have started tasks. A subagent is known by the id of its task."""

    def name(self, message: dict[str, Any]) -> dict[str, Any]:
        """What the CLI has said, with our ids in the place of the endpoint's."""
        kind, parent = message.get("type"), message.get("parent_tool_use_id")
        agent = str(message.get("agent_id") or (self._agent_of(parent) if parent else ""))
        if kind == "control_request":
            self._name_asked(_mapping(message.get("request")))
        elif kind == "stream_event":
            self._name_streamed(_mapping(message.get("event")), agent)
        elif kind in ("assistant", "user"):
            for block in _blocks_of(message):
                self._name_block(block, agent, message.get("tool_use_result"))
        elif isinstance(message.get("tool_use_id"), str):
            message["tool_use_id"] = self._of_news(message, message["tool_use_id"])
        if isinstance(parent, str):
            message["parent_tool_use_id"] = self._tasks.get(agent) or self._last.get(parent, parent)
        return message

    def begin_answer(self, agent: str = "") -> None:
        """The model answers anew: whatever it has called before has its result, or will have none."""
        for key in [key for key in self._open if key[0] == agent]:
            del self._open[key]

    def _agent_of(self, parent: str) -> str:
        """The subagent that a call has started, where a CLI does not say whose a message is."""
        own = self._last.get(parent, parent)
        return next((task for task, call in self._tasks.items() if call == own), own)

    def _name_asked(self, request: dict[str, Any]) -> None:
        """A hook about a call, or a question; some hooks are about none."""
        is_question = request.get("subtype") == "can_use_tool"
        given = request if is_question else _mapping(request.get("input"))
        if not isinstance(theirs := given.get("tool_use_id"), str):
            return
        agent, event = str(given.get("agent_id") or ""), str(given.get("hook_event_name") or "")
        has_failed = _HAVE_ENDED.get(event)
        known = self._open.get((agent, theirs), [])
        if known or (has_failed is None and theirs not in self._last):
            arguments = given.get("input" if is_question else "tool_input")
            way = f"{event} {request.get('callback_id')}"
            call = self._told(agent, theirs, way, str(given.get("tool_name") or ""), arguments, known)
            if has_failed is not None:
                call.has_failed, call.response = has_failed, given.get("tool_response")
            own = call.id
        else:  # of an answer that was given up: a call is told before it is asked about (measured)
            own = self._last.get(theirs, theirs)
        request["tool_use_id"] = given["tool_use_id"] = own

    def _name_streamed(self, event: dict[str, Any], agent: str) -> None:
        if event.get("type") == "message_start":
            self.begin_answer(agent)
        block = event.get("content_block")
        if event.get("type") == "content_block_start" and isinstance(block, dict) and block.get("type") in _CALLS:
            block["id"] = self._told(agent, str(block.get("id") or ""), "streamed", str(block.get("name") or "")).id

    def _name_block(self, block: dict[str, Any], agent: str, response: Any) -> None:
        if block.get("type") in _CALLS:
            theirs, arguments = str(block.get("id") or ""), block.get("input")
            call = self._told(agent, theirs, "whole", str(block.get("name") or ""), arguments)
            block["id"], call.arguments = call.id, arguments
        elif isinstance(block.get("tool_use_id"), str):
            block["tool_use_id"] = self._ended(agent, block["tool_use_id"], bool(block.get("is_error")), response)

    def _told(
        self, agent: str, theirs: str, way: str, tool: str, arguments: Any = None, known: list[_Call] | None = None
    ) -> _Call:
        """The call that is told of in this way: the first that was not, by its tool and arguments if there are more.

        One that all were told of in that way already is another one, unless it must be one of those that are `known`.
        """
        calls = self._open.setdefault((agent, theirs), [])
        fits = [call for call in calls if way not in call.ways] or known or []
        if len(fits) > 1:
            fits = sorted(fits, key=lambda call: (call.tool != tool, call.arguments != arguments))
        call = fits[0] if fits else self._begun(theirs, tool)
        if not fits:
            calls.append(call)
        call.ways.add(way)
        return call

    def _begun(self, theirs: str, tool: str) -> _Call:
        own = self._last[theirs] = distinct_id(theirs, self._taken)
        self._taken.add(own)
        return _Call(own, tool)

    def _ended(self, agent: str, theirs: str, is_error: bool, response: Any) -> str:
        """The call that a result is of: by how it has ended and what it has returned, as far as a hook was told that.
        Calls that ran side by side may be told in another order than the hooks behind them (measured).
        """
        if not (calls := self._open.get((agent, theirs))):
            return self._last.get(theirs, theirs)
        call = calls[0]
        if len(calls) > 1:
            likely = sorted(calls, key=lambda call: (call.has_failed is not is_error, call.has_failed is not None))
            call = min(likely, key=lambda call: (call.has_failed is not is_error, call.response != response))
        calls.remove(call)
        if not calls:
            del self._open[agent, theirs]
        return call.id

    def _of_news(self, message: Mapping[str, Any], theirs: str) -> str:
        """The call that news of a task are about, or of how far it has come."""
        task = str(message.get("task_id") or "")
        if message.get("subtype") == _TASK and (call := self._starter(message, theirs)) is not None:
            call.ways.add(_TASK)
            self._tasks[task] = call.id
        return self._tasks.get(task) or self._last.get(theirs, theirs)

    def _starter(self, message: Mapping[str, Any], theirs: str) -> _Call | None:
        is_subagent, about = "subagent_type" in message, message.get("description")
        calls = (call for (_, known_as), some in self._open.items() if known_as == theirs for call in some)
        return min(
            (call for call in calls if _TASK not in call.ways),
            key=lambda call: (
                (call.tool in SUBAGENTS) != is_subagent,
                _mapping(call.arguments).get("description") != about,
            ),
            default=None,
        )


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _blocks_of(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    content = _mapping(message.get("message")).get("content")
    return (block for block in content if isinstance(block, dict)) if isinstance(content, list) else iter(())
