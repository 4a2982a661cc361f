"""Each call has an id of its own, whatever an endpoint calls it: told in the messages that the CLI sends (measured)."""

from __future__ import annotations

from typing import Any

from maverick_tui.agent.engine.claude.own_calls import OwnCalls

SAME = "call_0"


class Cli:
    """Says what the CLI says of calls; each method returns the id by which that is known to us then."""

    def __init__(self, calls: OwnCalls | None = None) -> None:
        self.calls = calls or OwnCalls()

    def begins(self) -> None:
        self.calls.name({"type": "stream_event", "event": {"type": "message_start"}, "parent_tool_use_id": None})

    def streams(self, tool: str = "Bash", ident: str = SAME) -> str:
        block = {"type": "tool_use", "id": ident, "name": tool, "input": {}}
        event = {"type": "content_block_start", "index": 0, "content_block": block}
        told = self.calls.name({"type": "stream_event", "event": event, "parent_tool_use_id": None})
        return str(told["event"]["content_block"]["id"])

    def calls_for(self, tool: str, about: str, of: str = "", parent: str | None = None, ident: str = SAME) -> str:
        block = {"type": "tool_use", "id": ident, "name": tool, "input": {"description": about}}
        return str(self._said("assistant", block, of, parent)["id"])

    def returns(
        self,
        of: str = "",
        parent: str | None = None,
        *,
        is_error: bool = False,
        ident: str = SAME,
        response: Any = None,
    ) -> str:
        block = {"type": "tool_result", "tool_use_id": ident, "content": "ok", "is_error": is_error}
        return str(self._said("user", block, of, parent, tool_use_result=response)["tool_use_id"])

    def _said(self, kind: str, block: dict[str, Any], of: str, parent: str | None, **more: Any) -> dict[str, Any]:
        told = {"type": kind, "message": {"content": [block]}, "parent_tool_use_id": parent, **more}
        said = self.calls.name({**told, "agent_id": of} if of else told)
        assert said["parent_tool_use_id"] == (self.parent if parent else None)
        blocks: list[dict[str, Any]] = said["message"]["content"]
        return blocks[0]

    parent: str | None = None
    """What the parent of a subagent's message is to be known by."""

    def hook(
        self,
        event: str,
        tool: str,
        about: str,
        of: str = "",
        hook: str = "hook_0",
        ident: str = SAME,
        response: Any = None,
    ) -> str:
        given = {"hook_event_name": event, "tool_name": tool, "tool_input": {"description": about}, "agent_id": of}
        given["tool_response"] = response
        request = {"subtype": "hook_callback", "callback_id": hook, "tool_use_id": ident}
        asked = self.calls.name(
            {"type": "control_request", "request": {**request, "input": {**given, "tool_use_id": ident}}}
        )
        assert asked["request"]["tool_use_id"] == asked["request"]["input"]["tool_use_id"]
        return str(asked["request"]["tool_use_id"])

    def asks(self, tool: str, about: str, of: str = "", ident: str = SAME) -> str:
        given = {"tool_name": tool, "input": {"description": about}, "agent_id": of, "tool_use_id": ident}
        return str(
            self.calls.name({"type": "control_request", "request": {"subtype": "can_use_tool", **given}})["request"][
                "tool_use_id"
            ]
        )

    def news(self, kind: str, task: str, **more: Any) -> str:
        told = {"type": "system", "subtype": kind, "task_id": task, "tool_use_id": SAME, **more}
        return str(self.calls.name(told)["tool_use_id"])


def test_answers_that_count_anew_make_a_call_each() -> None:
    cli, found = Cli(), list[set[str]]()
    for answer in range(3):
        cli.begins()
        about = f"answer {answer}"
        known = {cli.streams(), cli.calls_for("Bash", about), cli.hook("PreToolUse", "Bash", about)}
        known |= {cli.asks("Bash", about), cli.hook("PostToolUse", "Bash", about), cli.returns()}
        found.append(known)
    assert found == [{"call_0"}, {"call_0_2"}, {"call_0_3"}]


def test_two_of_one_id_in_one_answer_are_told_apart_by_what_they_are() -> None:
    cli = Cli()
    cli.begins()
    first, second = cli.streams(), cli.streams("Read")
    assert (first, second) == ("call_0", "call_0_2")
    assert (cli.calls_for("Bash", "one"), cli.calls_for("Read", "two")) == (first, second)
    for hook in ("hook_0", "hook_1"):  # the CLI asks each of them
        assert cli.hook("PreToolUse", "Read", "two", hook=hook) == second
        assert cli.hook("PreToolUse", "Bash", "one", hook=hook) == first
    assert (cli.asks("Read", "two"), cli.asks("Bash", "one")) == (second, first)
    assert cli.hook("PostToolUse", "Read", "two") == second
    assert (cli.returns(), cli.returns(is_error=True)) == (second, first), "the first was not allowed"


def test_what_ran_side_by_side_is_known_by_what_it_has_returned() -> None:
    cli = Cli()
    first, second = cli.calls_for("Read", "one"), cli.calls_for("Read", "two")
    for about in ("one", "two"):
        assert cli.hook("PostToolUse", "Read", about, response={"file": about}) == {"one": first, "two": second}[about]
    assert cli.returns(response={"file": "two"}) == second
    assert cli.returns(response={"file": "one"}) == first


def test_calls_of_subagents_are_known_by_who_makes_them() -> None:
    """Two subagents of one answer, whose own calls are called the same again; the agent goes on meanwhile."""
    cli = Cli()
    cli.begins()
    one, two = cli.calls_for("Agent", "one"), cli.calls_for("Agent", "two")
    assert cli.news("task_started", "b", description="two", subagent_type="x") == two
    assert cli.news("task_started", "a", description="one", subagent_type="x") == one
    assert (cli.returns(), cli.returns()) == (one, two)
    cli.begins()
    own = cli.calls_for("Read", "own")
    below = {}
    for task, cli.parent in (("a", one), ("b", two)):
        below[task] = cli.calls_for("Read", "in", of=task, parent=SAME)
    assert len({one, two, own, *below.values()}) == 5
    assert cli.hook("PreToolUse", "Read", "in", of="b") == below["b"]
    assert cli.asks("Read", "in", of="a") == below["a"]
    assert cli.returns() == own
    for task, cli.parent in (("a", one), ("b", two)):
        assert cli.returns(of=task, parent=SAME) == below[task]
    assert [cli.news("task_notification", task) for task in "ab"] == [one, two]


def test_a_call_without_an_end_is_none_of_the_next_answer() -> None:
    cli = Cli()
    cli.begins()
    assert (cli.streams(), cli.calls_for("Bash", "cut")) == ("call_0", "call_0")
    cli.begins()
    assert (cli.streams(), cli.hook("PreToolUse", "Bash", "cut"), cli.returns()) == ("call_0_2",) * 3
    assert cli.returns() == "call_0_2", "what comes late is of the last one"


def test_ids_that_are_used_once_stay_whatever_is_told_again() -> None:
    cli, one = Cli(), "toolu_1"
    assert cli.hook("PreToolUse", "Bash", "a", ident=one) == one
    assert cli.calls_for("Bash", "a", ident=one) == one
    assert {cli.hook("PreToolUse", "Bash", "b", ident=one), cli.asks("Bash", "a", ident=one)} == {one}
    assert cli.asks("Bash", "a", ident=one) == one, "asked once more of the same call"
    assert cli.returns(ident=one) == one
    assert cli.hook("PostToolUse", "Bash", "a", ident=one) == one
    cli.begins()
    assert {cli.hook("PreToolUse", "Bash", "a", ident=one), cli.returns(ident=one)} == {one}, "it comes late"
    assert cli.calls.name({"type": "system", "subtype": "status", "status": None})["subtype"] == "status"


def test_ids_of_others_are_taken() -> None:
    taken = {"call_0"}
    assert Cli(OwnCalls(taken)).streams() == "call_0_2"
    assert Cli(OwnCalls(taken)).streams() == "call_0_3"
