"""Messages answered through the scripted model, the executor and the MCP server."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest
from sqlmodel import Session, SQLModel, create_engine

from maverick_tui.executor import AgentConfig, CancelToken, ToolCall
from maverick_tui.executor.activity import Activity
from maverick_tui.offline.script import Answer, ScriptedUsage, ToolStep
from maverick_tui.offline.server import OfflineServer
from maverick_tui.tasks import AgentContext, AgentRunner, Chat, MCPToolServer, TaskStore, texts
from maverick_tui.tasks.database import SessionFactory
from maverick_tui.tasks.runner import MAX_TOOL_CALLS, TIMEOUT
from tests.support.model import as_script, call, say, scene, stall
from tests.support.sampling import sampled
from tests.tasks.support import Assistant, Stalling, assistant, said

DONE = say("Done, task 17 was handled by the add_task tool.")


def together(*calls: ToolStep) -> Answer:
    return Answer(steps=calls, usage=ScriptedUsage(input=10, output=5))


async def answered(factory: SessionFactory, tool: str, *titles: str, **arguments: Any) -> str:
    """The answer to a message that makes the model call this tool."""
    async with assistant(factory, [call(tool, **arguments), DONE]) as one:
        one.add(*titles)
        return (await one.say("please")).response


@pytest.mark.req("004-run", "004-run-steps", "004-fmt-created", "004-TC")
async def test_a_task_is_added(factory: SessionFactory) -> None:
    before = [said("user", "Hello"), said("assistant", "Hello! What is to be done?")]
    async with assistant(factory, [call("add_task", title="Buy milk", priority="High"), DONE]) as one:
        result = await one.say("Add buy milk", before)
        assert one.titles() == ["Buy milk"]
    assert result.success
    assert result.error is None
    assert result.response == "Got it! Added 'Buy milk' to your list. Anything else?"
    [record] = result.tool_calls
    assert record.tool_name == "add_task"
    assert record.parameters == {"title": "Buy milk", "priority": "High"}
    assert record.result["success"] is True
    assert record.result["data"] == {
        "id": 1,
        "title": "Buy milk",
        "notes": "",
        "priority": "High",
        "due": None,
        "tags": [],
        "completed": False,
    }
    assert record.duration_ms >= 0
    first, second = one.requests
    assert "to-do list" in first["system"][0]["text"]
    assert {tool["name"] for tool in first["tools"]} >= {"add_task", "list_tasks", "complete_task", "delete_task"}
    texts_sent = [block["text"] for message in first["messages"] for block in message["content"]]
    assert texts_sent == ["Hello", "Hello! What is to be done?", "Add buy milk"]
    [told] = second["messages"][-1]["content"]
    assert "Buy milk" in told["content"]
    assert '"id"' not in told["content"], "what a model is not told it cannot tell"


@pytest.mark.req("004-run")
async def test_with_sessions_of_the_callers_own(tmp_path: object) -> None:
    engine = create_engine(f"sqlite:///{tmp_path}/own.db")
    SQLModel.metadata.create_all(engine)

    def get_session() -> Session:
        return Session(engine)

    steps = [call("add_task", title="Tea"), call("complete_task", task="tea"), call("delete_task", task="tea"), DONE]
    async with assistant(get_session, steps) as one:
        result = await one.say("Add tea, it is done, delete it")
        assert [record.result["success"] for record in result.tool_calls] == [True, True, False]
        assert result.response.splitlines() == [
            "Got it! Added 'Tea' to your list. Anything else?",
            "Great! I've marked 'Tea' as complete.",
            "Do you really want to delete 'Tea'? Reply 'yes delete' to confirm.",
        ]
        assert (await one.say("yes delete")).response == "I've removed 'Tea' from your tasks."
        assert one.titles() == []
    engine.dispose()


@pytest.mark.req("004-fmt-list", "004-q-ids")
async def test_a_list_is_numbered_and_has_checkboxes(factory: SessionFactory) -> None:
    async with assistant(factory, [call("list_tasks", status="all"), DONE]) as one:
        one.store.add("somebody else", "Not yours")
        for number in range(3):
            one.store.add(one.user, f"Thing {'abc'[number]}", priority=["High", "Medium", "Low"][number])
        one.store.update(one.user, 3, due="2026-12-31")
        one.store.complete(one.user, 4)
        result = await one.say("What is there?")
    assert result.response == (
        "1. ☐ Thing a (high priority)\n2. ☐ Thing b (due December 31, 2026)\n3. ✓ Thing c (low priority)"
    )
    assert result.success


@pytest.mark.req("004-fmt-list", "004-limit-length")
async def test_a_long_list_says_how_many_more_there_are(factory: SessionFactory) -> None:
    async with assistant(factory, [call("list_tasks"), DONE]) as one:
        one.add(*(f"Write chapter {'i' * n} of the book" for n in range(1, 61)))
        result = await one.say("What is there?")
    assert len(result.response) <= 500
    lines = result.response.splitlines()
    assert re.fullmatch(r"…and \d+ more\.", lines[-1])
    assert int(lines[-1].split()[1]) + len(lines) - 1 == 60


async def test_an_empty_list_is_not_the_same_as_nothing_that_fits(factory: SessionFactory) -> None:
    assert await answered(factory, "list_tasks") == "Your list is empty."
    assert await answered(factory, "list_tasks", "Tea", tag="work") == "There are no such tasks in your list."


@pytest.mark.req("004-fmt-done")
async def test_a_task_is_completed(factory: SessionFactory) -> None:
    assert (
        await answered(factory, "complete_task", "Buy milk", task="milk")
        == "Great! I've marked 'Buy milk' as complete."
    )
    assert TaskStore(factory).count("alice", "completed") == 1


@pytest.mark.req("004-fmt-updated")
@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"priority": "High"}, "high priority"),
        ({"due": "2026-12-31"}, "the due date December 31, 2026"),
        ({"due": ""}, "no due date"),
        ({"title": "Buy oat milk"}, "the title 'Buy oat milk'"),
        ({"notes": "Two bottles", "tags": ["home", "food"]}, "new notes and the tags home and food"),
        ({"tags": list("abcdefg"), "priority": "Low"}, "low priority and the tags a, b, c, d, e and 2 more"),
    ],
)
async def test_a_task_is_updated(factory: SessionFactory, changes: dict[str, Any], told: str) -> None:
    response = await answered(factory, "update_task", "Buy milk", task="buy milk", **changes)
    assert response == f"Updated! 'Buy milk' now has {told}."


@pytest.mark.req("004-err-notfound", "004-err-friendly")
async def test_a_task_that_is_not_there(factory: SessionFactory) -> None:
    async with assistant(factory, [call("complete_task", task="dentist"), DONE]) as one:
        one.add("Buy milk")
        result = await one.say("The dentist is done")
    assert not result.success
    assert result.response == result.error == "I couldn't find a task about 'dentist' in your list."
    assert [record.tool_name for record in result.tool_calls] == ["complete_task"]


@pytest.mark.req("004-err-ambiguous", "004-err-friendly")
async def test_words_that_fit_several_tasks(factory: SessionFactory) -> None:
    async with assistant(factory, [call("complete_task", task="milk"), DONE]) as one:
        one.add("Buy milk", "Sell milk", "Tea")
        result = await one.say("Milk is done")
        assert one.store.count(one.user, "completed") == 0
    assert not result.success
    assert result.response == result.error
    assert result.response == "I found multiple tasks about 'milk'. Which one: 'Buy milk', 'Sell milk'?"


@pytest.mark.req("004-err-ambiguous", "004-limit-length")
async def test_the_question_which_one_is_whole_however_long_the_titles_are(factory: SessionFactory) -> None:
    titles = [f"{letter} milk {'x' * 190}" for letter in "abcdefgh"]
    response = await answered(factory, "complete_task", *titles, task="milk " + "x" * 150)
    assert len(response) <= 500
    assert response.endswith("…'?")
    assert response.count("…'") == 6


@pytest.mark.req("004-err-input", "004-err-friendly")
@pytest.mark.parametrize(
    ("tool", "arguments", "what"),
    sampled(
        [
            ("add_task", {}, "the title"),
            ("add_task", {"title": "   "}, "the title"),
            ("add_task", {"title": 17}, "the title"),
            ("add_task", {"title": "x" * 201}, "how to shorten the title"),
            ("add_task", {"title": "Tea", "due": "soon"}, "the due date"),
            ("add_task", {"title": "Tea", "priority": "urgent"}, "the priority"),
            ("add_task", {"title": "Tea", "tags": "home"}, "the tags"),
            ("add_task", {"title": "Tea", "notes": "x" * 4001}, "the notes"),
            ("complete_task", {}, "the task"),
            ("complete_task", {"task": " \n "}, "the task"),
            ("update_task", {"task": "milk"}, "what to change"),
            ("delete_all_tasks", {"which": "none"}, "which tasks"),
            ("no_such_tool", {"x": 1}, "what you would like to do"),
        ],
        3,
    ),
)
async def test_what_is_missing_is_asked_for(
    factory: SessionFactory, tool: str, arguments: dict[str, Any], what: str
) -> None:
    async with assistant(factory, [call(tool, **arguments), DONE]) as one:
        one.add("Buy milk")
        result = await one.say("please")
        assert one.titles() == ["Buy milk"]
    assert not result.success
    assert result.response == result.error == f"Could you provide more details about {what}?"
    assert [record.tool_name for record in result.tool_calls] == [tool]


@pytest.mark.req("004-err-input")
@pytest.mark.parametrize("message", ["", "  \n "])
async def test_a_message_without_words(factory: SessionFactory, message: str) -> None:
    async with assistant(factory, DONE) as one:
        result = await one.say(message)
    assert result.error == result.response == "Could you provide more details about what you would like to do?"
    assert one.requests == []


@pytest.mark.req("004-err-system", "004-err-friendly")
async def test_a_model_that_fails(factory: SessionFactory, caplog: pytest.LogCaptureFixture) -> None:
    async with assistant(factory, [say("never", fault={"kind": "http", "status": 400})]) as one:
        result = await one.say("Add tea")
    assert not result.success
    assert result.response == result.error == "I'm having a bit of trouble right now. Please try again."
    assert "400" in caplog.text or "scripted failure" in caplog.text, "why is for the log"


@pytest.mark.req("004-err-system")
async def test_without_credentials(factory: SessionFactory) -> None:
    runner = AgentRunner(factory, MCPToolServer(factory), config=AgentConfig())
    result = await runner.run(AgentContext("alice", "c"), "Add tea")
    assert result.response == result.error == texts.SYSTEM_ERROR


async def test_what_was_done_is_told_though_the_model_fails_afterwards(factory: SessionFactory) -> None:
    steps = [call("add_task", title="Tea"), say("never", fault={"kind": "http", "status": 400})]
    async with assistant(factory, steps) as one:
        result = await one.say("Add tea")
    assert not result.success
    assert result.response == result.error
    assert result.response.splitlines() == [
        "I couldn't finish that. This is what I did; the rest was not done.",
        "Got it! Added 'Tea' to your list. Anything else?",
    ]


async def test_what_could_not_be_done_is_told_beside_what_was(factory: SessionFactory) -> None:
    steps = [call("add_task", title="Tea"), call("complete_task", task="dentist"), DONE]
    async with assistant(factory, steps) as one:
        result = await one.say("Add tea, and the dentist is done")
    assert not result.success
    assert result.response == result.error
    assert result.response.splitlines() == [
        "I couldn't find a task about 'dentist' in your list.",
        "Got it! Added 'Tea' to your list. Anything else?",
    ]


async def test_a_failure_is_not_mended_by_a_call_of_the_same_turn(factory: SessionFactory) -> None:
    both = together(
        ToolStep(tool="complete_task", input={"task": "dentist"}),
        ToolStep(tool="complete_task", input={"task": "milk"}),
    )
    async with assistant(factory, [both, DONE]) as one:
        one.add("Buy milk")
        result = await one.say("The dentist and the milk are done")
    assert not result.success
    assert result.response.splitlines() == [
        "I couldn't find a task about 'dentist' in your list.",
        "Great! I've marked 'Buy milk' as complete.",
    ]


async def test_one_call_that_works_makes_up_for_one_failure_only(factory: SessionFactory) -> None:
    steps = [call("complete_task", task=words) for words in ("dentist", "doctor", "milk")]
    async with assistant(factory, [*steps, DONE]) as one:
        one.add("Buy milk")
        result = await one.say("The dentist, the doctor and the milk are done")
    assert not result.success
    assert "'dentist'" in result.response
    assert "'doctor'" not in result.response


@pytest.mark.parametrize("_again", range(3))
async def test_calls_of_one_turn_are_made_and_recorded_in_their_order(factory: SessionFactory, _again: int) -> None:
    names = [f"Tea {letter}" for letter in "abcde"]
    steps = [ToolStep(tool="add_task", input={"title": name}) for name in names]
    async with assistant(
        factory, [together(*steps, ToolStep(tool="complete_task", input={"task": "tea e"})), DONE]
    ) as one:
        result = await one.say("Add teas; the last one is done")
        assert [task.title for task in one.store.list(one.user).tasks] == names[:-1]
        assert one.store.count(one.user, "completed") == 1
    assert result.success
    assert [record.parameters.get("title") for record in result.tool_calls] == [*names, None]


@pytest.mark.req("004-limit-length", "004-err-friendly")
async def test_what_could_not_be_done_is_told_however_much_was(factory: SessionFactory) -> None:
    adds = [call("add_task", title=f"{number} {'y' * 190}") for number in range(5)]
    async with assistant(factory, [*adds, call("complete_task", task="dentist"), DONE]) as one:
        result = await one.say("Do it all")
    assert not result.success
    assert len(result.response) <= 500
    assert "I couldn't find a task about 'dentist' in your list." in result.response


@pytest.mark.req("004-limit-length")
async def test_a_long_change_beside_a_long_question_fits(factory: SessionFactory) -> None:
    changes: dict[str, Any] = {
        "title": "n" * 200,
        "notes": "x",
        "priority": "High",
        "due": "2026-09-30",
        "tags": ["g" * 50, "h" * 50],
    }
    steps = [call("update_task", task="b" * 200, **changes), call("delete_task", task="q" * 200), DONE]
    async with assistant(factory, steps) as one:
        one.add("b" * 200, "q" * 200)
        result = await one.say("Do both")
    assert len(result.response) <= 500
    assert result.response.endswith(texts.confirm_delete("q" * 200))


@pytest.mark.req("004-confirm-bulk")
async def test_changing_many_tasks_one_by_one_is_a_big_action_too(factory: SessionFactory) -> None:
    steps = [ToolStep(tool="complete_task", input={"task": f"job {letter}"}) for letter in "abcdefgh"]
    async with assistant(factory, [together(*steps), DONE]) as one:
        one.add(*(f"Job {letter}" for letter in "abcdefghi"))
        chat = Chat(one.runner, one.user)
        result = await chat.send("All but the last are done")
        assert result.response.startswith("Not changed yet: 'Job f', 'Job g' and 'Job h'.\n")
        assert result.response.endswith("That's a big action. Confirm with 'yes change them'.")
        assert one.store.count(one.user, "completed") == 5
        asked = len(one.requests)
        done = await chat.send("yes change them")
        assert len(one.requests) == asked, "no model has a say in it"
        assert [task.title for task in one.store.list(one.user).tasks] == ["Job i"]
    assert done.success
    assert [record.parameters for record in done.tool_calls] == [{"task": f"Job {letter}"} for letter in "fgh"]


async def test_no_question_is_asked_about_a_task_by_a_name_that_nobody_has_seen(factory: SessionFactory) -> None:
    adds = [ToolStep(tool="add_task", input={"title": f"{letter * 78}"}) for letter in "abcd"]
    renames = ToolStep(tool="update_task", input={"task": "Pay the taxes by May", "title": "test entry"})
    async with assistant(factory, [together(*adds, renames), call("delete_task", task="test entry"), DONE]) as one:
        one.add("Pay the taxes by May", "Tea")
        chat = Chat(one.runner, one.user)
        told = (await chat.send("Tidy up")).response
        assert "'Pay the taxes by May' has just become 'test entry'" in told
        assert "Updated! 'Pay the taxes by May' now has the title 'test entry'." in told
        await chat.send("yes delete")
        assert "test entry" in [task.title for task in one.store.list(one.user).tasks]


async def test_words_that_are_only_like_those_of_a_task_are_asked_about(factory: SessionFactory) -> None:
    async with assistant(factory, [call("complete_task", task="Marina"), DONE]) as one:
        one.add("Call Martina")
        result = await one.say("Marina is done")
        assert one.store.count(one.user, "completed") == 0
    assert result.error == "I couldn't find a task about 'Marina' in your list. Did you mean 'Call Martina'?", (
        "what is changed must be what was said"
    )


@pytest.mark.req("004-err-notfound")
@pytest.mark.parametrize(
    ("tool", "said_of_it"), [("complete_task", {}), ("update_task", {"priority": "High"}), ("delete_task", {})]
)
async def test_a_task_whose_title_is_a_part_of_what_was_said_is_left_alone(
    factory: SessionFactory, tool: str, said_of_it: dict[str, Any]
) -> None:
    query = "Call the bank about the loan"
    async with assistant(factory, [call(tool, task=query, **said_of_it), DONE]) as one:
        one.add("Call")
        result = await one.say(query)
        [task] = one.store.list(one.user).tasks
        assert (task.completed, task.priority) == (False, "Medium")
    assert result.error == f"I couldn't find a task about '{query}' in your list. Did you mean 'Call'?"


@pytest.mark.req("004-err-ambiguous")
async def test_a_title_that_others_begin_with_is_asked_about_and_then_taken(factory: SessionFactory) -> None:
    async with assistant(factory, [call("complete_task", task="Pay the rent"), DONE]) as one:
        one.add("Pay the rent", "Pay the rent for the garage")
        result = await one.say("I paid the rent")
        assert result.error == (
            "I found multiple tasks about 'Pay the rent'. Which one: 'Pay the rent', 'Pay the rent for the garage'?"
        )
        assert one.store.count(one.user, "completed") == 0
        assert (await one.say("Pay the rent")).response == "Great! I've marked 'Pay the rent' as complete."
        assert [task.title for task in one.store.list(one.user).tasks] == ["Pay the rent for the garage"]


@pytest.mark.req("004-err-ambiguous")
async def test_of_two_tasks_with_one_title_none_is_completed_unasked(factory: SessionFactory) -> None:
    script = [
        scene(call("complete_task", task="buy milk"), DONE, prompt="milk"),
        scene(call("complete_task", task="Buy milk (2)"), DONE, prompt="second"),
    ]
    async with assistant(factory, script) as one:
        one.add("Buy milk", "Buy milk")
        result = await one.say("I bought milk")
        assert result.error == "I found multiple tasks about 'buy milk'. Which one: 'Buy milk (1)', 'Buy milk (2)'?"
        assert (await one.say("The second")).success
        assert [task.id for task in one.store.list(one.user).tasks] == [1]


async def test_what_was_made_better_is_not_told(factory: SessionFactory) -> None:
    steps = [
        call("no_tool"),
        call("complete_task", task="dentist"),
        call("list_tasks"),
        call("complete_task", task="tea"),
    ]
    async with assistant(factory, [*steps, DONE]) as one:
        one.add("Tea")
        result = await one.say("Tea is done")
    assert result.success
    assert result.response == "Great! I've marked 'Tea' as complete."
    assert len(result.tool_calls) == 4


@pytest.mark.req("004-limit-time")
async def test_longer_than_the_limit_is_a_timeout_error(factory: SessionFactory) -> None:
    assert TIMEOUT == 30
    stalling = Stalling(ToolCall("c1", "add_task", {"title": "Tea"}))
    runner = AgentRunner(factory, MCPToolServer(factory), agent=stalling)
    with pytest.raises(TimeoutError) as raised:
        await runner.run(AgentContext("alice", "c"), "Add tea")
    assert stalling.waited_until >= TIMEOUT
    assert TaskStore(factory).count("alice", "open") == 1
    assert [record.tool_name for record in raised.value.tool_calls] == ["add_task"]  # type: ignore[attr-defined]


@pytest.mark.req("004-limit-tools")
async def test_one_call_after_the_other_ends_at_ten(factory: SessionFactory) -> None:
    async with assistant(factory, [call("add_task", title="Green tea") for _ in range(20)]) as one:
        result = await one.say("Add tea")
        assert len(one.titles()) == MAX_TOOL_CALLS == 10
    assert not result.success
    assert len(result.tool_calls) == 10
    assert len(result.response) <= 500
    assert result.response.startswith(f"{texts.UNFINISHED_AFTER}\nGot it! Added 'Green tea' to your list.")
    assert re.search(r"…and \d more\.$", result.response)


@pytest.mark.req("004-limit-tools")
async def test_many_calls_at_once_end_at_ten(factory: SessionFactory) -> None:
    many = together(*(ToolStep(tool="add_task", input={"title": f"Tea {number}"}) for number in range(25)))
    async with assistant(factory, [many, DONE]) as one:
        result = await one.say("Add teas")
        assert len(one.titles()) == 10
    assert len(result.tool_calls) == 10
    assert not result.success, "15 of the calls were not made"
    assert result.response.startswith(texts.UNFINISHED_AFTER)


@pytest.mark.req("004-limit-length", "004-fmt-created")
async def test_a_title_is_told_as_it_is(factory: SessionFactory) -> None:
    title = "Read " + "x" * 195
    assert await answered(factory, "add_task", title=title) == f"Got it! Added '{title}' to your list. Anything else?"


@pytest.mark.req("004-q-grammar")
async def test_a_title_of_several_lines_becomes_one_without_control_characters(factory: SessionFactory) -> None:
    response = await answered(factory, "add_task", title=" Buy\n\tmilk\x1b[2J\u202e\u2028now ")
    assert response == "Got it! Added 'Buy milk␛[2J� now' to your list. Anything else?"


async def test_template_marks_in_a_message_are_only_text(factory: SessionFactory) -> None:
    async with assistant(factory, say("Fine.")) as one:
        await one.say("What is ${today} and {name}?")
    assert one.requests[0]["messages"][-1]["content"][0]["text"] == "What is ${today} and {name}?"


@pytest.mark.req("004-stateless")
async def test_nothing_is_kept_between_two_runs(factory: SessionFactory) -> None:
    async with assistant(factory, say("Fine.")) as one:
        before = dict(vars(one.runner))
        await one.say("My name is Bob", [said("user", "secret"), said("assistant", "Yes.")])
        await one.say("What is my name?", [])
        assert vars(one.runner) == before
    sent = [block["text"] for message in one.requests[1]["messages"] for block in message["content"]]
    assert sent == ["What is my name?"]


@pytest.mark.req("004-stateless")
async def test_runs_at_the_same_time_do_not_mix(factory: SessionFactory) -> None:
    script = as_script([call("add_task", title="Tea"), DONE])
    async with OfflineServer(script) as server:
        many = [Assistant(factory, server, f"user {number}") for number in range(8)]
        runner = many[0].runner
        results = await asyncio.gather(*(runner.run(AgentContext(one.user, "c"), "Add tea") for one in many))
        assert all(len(result.tool_calls) == 1 and result.success for result in results)
        assert all(one.titles() == ["Tea"] for one in many)


@pytest.mark.req("004-run-steps")
async def test_only_the_last_messages_are_sent_beginning_with_the_user(factory: SessionFactory) -> None:
    history = [said("system", "Obey me."), *(said(("user", "assistant")[n % 2], f"message {n}") for n in range(41))]
    async with assistant(factory, say("Fine.")) as one:
        await one.say("And now?", history)
    messages = one.requests[0]["messages"]
    assert messages[0]["role"] == "user"
    assert [message["role"] for message in messages] == [("user", "assistant")[n % 2] for n in range(len(messages))]
    assert "Obey me." not in str(messages)
    assert len(messages) <= 21


async def test_it_can_be_watched_and_cancelled(factory: SessionFactory) -> None:
    cancel, events = CancelToken(), list[Activity]()
    async with assistant(factory, [say("One two three.", fault=stall(at="text"))]) as one:

        def watch(event: Activity) -> None:
            events.append(event)
            if event.type == "content_chunk":
                cancel.cancel("the user left")

        result = await one.runner.run(AgentContext("alice", "c"), "Hello", cancel=cancel, on_activity=watch)
    assert not result.success
    assert result.response == texts.SYSTEM_ERROR
    assert events[0].type == "turn_start"
