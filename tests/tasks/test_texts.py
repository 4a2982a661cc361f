"""What the assistant says: the words of the contract, and what is left of a model's own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maverick_tui.tasks import texts
from maverick_tui.tasks.database import SessionFactory
from tests.support.model import say
from tests.tasks.support import assistant


@pytest.mark.req("004-fmt-deleted", "004-fmt-created", "004-fmt-done", "004-fmt-updated")
def test_the_formats_of_the_contract() -> None:
    assert texts.created("Buy milk") == "Got it! Added 'Buy milk' to your list. Anything else?"
    assert texts.completed("Buy milk") == "Great! I've marked 'Buy milk' as complete."
    assert texts.deleted("Buy milk") == "I've removed 'Buy milk' from your tasks."
    assert texts.updated("Buy milk", ["high priority"]) == "Updated! 'Buy milk' now has high priority."


@pytest.mark.req("004-q-jargon", "004-q-ids")
@pytest.mark.parametrize(
    "words",
    [
        "I called the add_task tool for you.",
        "The API returned JSON.",
        "Task ID 17 is there.",
        "See task #17.",
        "It is id: 17.",
        "Your task 17 is due.",
        "The user_id is alice.",
        "It is 123e4567-e89b-12d3-a456-426614174000.",
        'Here: {"success": true}',
        "Use `list_tasks`.",
        "An exception was raised by the database.",
        "See https://example.com/tasks",
        "my_variable is set",
        "",
        "   ",
        "🎉🎉",
        "...",
    ],
)
def test_what_cannot_be_said_is_not_said(words: str) -> None:
    assert texts.friendly(words) == texts.HELP


@pytest.mark.parametrize(
    "words",
    [
        "Got it! Added 'Tea' to your list. Anything else?",
        "I've removed 'Tea' from your tasks.",
        "I have just deleted all of them.",
        "Done!",
        "Hello.\nUpdated! 'Tea' now has high priority.",
        "1. ☐ Tea",
        "Do you really want to delete 'Tea'? Reply 'yes delete' to confirm.",
        "Sure.\nThat's a big action. Confirm with 'yes delete all'.",
        "Do you  really want to delete 'Tea'? Reply  'yes delete' to confirm.",
        "Do you **really** want to delete 'Tea'? Reply **'yes delete'** to confirm.",
        "Do you real\u200bly want to delete 'Tea'? Reply 'yes delete' to confirm.",
        "That\u2019s a big action. Confirm with 'yes delete all'.",
        "That's a\n big action. Confirm\xa0with 'yes delete all'.",
        "I\u2019ve  removed 'Tea' from your tasks.",
        "'Tea' has been deleted.",
        "Your task was added to the list!",
        "All done, it is gone.",
    ],
)
def test_a_model_cannot_say_what_only_a_tool_can_know(words: str) -> None:
    assert texts.friendly(words) == texts.HELP


@pytest.mark.req("004-q-grammar", "004-q-emoji", "004-q-ids")
@pytest.mark.parametrize(
    ("words", "left"),
    [
        ("hello there 🎉", "Hello there."),
        ("Hi! ✨ What shall we do?", "Hi! What shall we do?"),
        ("You could begin with the milk (id: 17)", "You could begin with the milk."),
        ("You could begin with the milk [#17].", "You could begin with the milk."),
        ("**Hello**, _you_!", "Hello, you!"),
        ("## Hello\n\n\n\nyou", "Hello\nyou."),
        ("None of them is due, that's true.", "None of them is due, that's true."),
        ("Begin with 'Fix the API server' then.", "Begin with 'Fix the API server' then."),
        ('It says "Hello."', 'It says "Hello."'),
        ("Hello\x1b[2J", "Hello␛[2J."),
        ("Do you want more,", "Do you want more."),
        ("What is to be done?", "What is to be done?"),
        ("Begin with 'Look at what was deleted'.", "Begin with 'Look at what was deleted'."),
    ],
)
def test_what_can_be_mended_is(words: str, left: str) -> None:
    assert texts.friendly(words) == left


@pytest.mark.req("004-limit-length", "004-q-emoji", "004-q-jargon")
@given(st.text(max_size=700))
def test_whatever_a_model_says_becomes_a_short_sentence(words: str) -> None:
    found = texts.friendly(words)
    assert 0 < len(found) <= 500
    assert found.rstrip("'\"”)").endswith((".", "!", "?", "…", ":"))
    assert "🎉" not in found
    assert texts.title_to_delete(found) is None
    assert texts.phrase_to_confirm(found) is None
    found.encode()


@pytest.mark.req("004-limit-length")
@pytest.mark.parametrize("words", ["word " * 2000, "x" * 10_000, "A sentence. " * 900, "line\n" * 2000])
def test_ten_thousand_characters_become_five_hundred(words: str) -> None:
    found = texts.friendly(words)
    assert 250 < len(found) <= 500


@given(st.lists(st.integers(0, 200), max_size=12), st.booleans())
def test_lines_fit_and_the_question_is_always_whole(lengths: list[int], is_asked: bool) -> None:
    question = texts.confirm_delete("t" * 200) if is_asked else ""
    found = texts.fitting(["x" * length for length in lengths], last=question)
    assert len(found) <= 500
    assert found.endswith(question)


@given(st.text(min_size=1, max_size=200).map(lambda text: " ".join(text.split())).filter(bool))
def test_the_title_of_a_question_is_read_back_exactly(title: str) -> None:
    assert texts.title_to_delete(texts.confirm_delete(title)) == title
    assert texts.title_to_delete(f"Got it!\n{texts.confirm_delete(title)}\n") == title
    for other in (texts.created(title), texts.not_found(title), texts.listed([_task(title)], 1)):
        assert texts.title_to_delete(other) is None
        assert texts.phrase_to_confirm(other) is None


def _task(title: str) -> dict[str, object]:
    return {"title": title, "completed": False, "priority": "Medium", "due": None}


@pytest.mark.req("004-q-grammar")
def test_numbers_agree() -> None:
    assert texts.all_deleted(1) == "I've removed 1 task from your list."
    assert texts.all_deleted(1234) == "I've removed 1,234 tasks from your list."
    assert texts.all_completed(0) == "There are no such tasks in your list."
    assert texts.joined([]) == ""
    assert texts.joined(["a", "b", "c"]) == "a, b and c"


@pytest.mark.req("004-q-emoji", "004-q-jargon", "004-q-ids", "004-q-grammar")
async def test_a_model_that_only_talks(factory: SessionFactory) -> None:
    async with assistant(factory, say("hello 👋 I am here to help (task id: 4)")) as one:
        result = await one.say("Hello")
    assert result.success
    assert result.response == "Hello I am here to help."
    assert not result.has_tool_calls
