"""What is left of a model's own words: nothing that only a tool can know."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maverick_tui.tasks import texts
from maverick_tui.tasks.database import SessionFactory
from maverick_tui.tasks.talk import friendly
from tests.support.cases import each
from tests.support.model import say
from tests.tasks.support import assistant

HEARD = "Buy milk, 'Fix the API server' and 'Look at what was deleted', which is true: \"Hello.\" None of them [2J"
"""What the conversation was about."""


@pytest.mark.req("004-q-jargon", "004-q-ids")
@each(
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
    assert friendly(words) == texts.HELP


@each(
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
        "Task complete!",
        "Consider it handled.",
        "'Tea' is off your list.",
        "It's history.",
        "I took care of that.",
        "Poof. One less thing to worry about.",
        "I'll delete that.",
        "Your list is empty.",
        "You have nothing to do.",
        "Ich habe 'Tea' gelöscht.",
        "Aufgabe erledigt.",
        "He eliminado la tarea.",
        "C'est fait.",
        "已删除。",
        "Задача удалена.",
        "Your next appointment is the one in row seventeen.",
        "You have 3 tasks.",
        "The 42nd entry is due.",
        "A KeyError came up.",
        "sqlalchemy.exc.OperationalError, sorry",
        "NoneType is not what I like.",
        "'All tasks were deleted'",
    ],
)
def test_a_model_cannot_say_what_only_a_tool_can_know(words: str) -> None:
    assert friendly(words) == texts.HELP


@each(
    "words",
    [
        "Your list is clear.",
        "There are no tasks.",
        "No tasks today.",
        "No tasks are due today.",
        "One task is due on Friday.",
        "You could begin with the one due on Friday.",
        "Sure, it's in your list.",
        "Sure! It's there.",
        "Yes, it is.",
        "It is.",
        "It is not.",
        "No.",
        "Sure!",
        "Milk is in.",
        "Milk's on your list.",
        "'Milk' is high priority.",
        "You have milk.",
        "One thing: your list is clear.",
        "Your list is clear, what would you like to add?",
        "What would you like to do, your list is clear?",
        "Your list is clear?",
        "I can help, no tasks today.",
        "I would say your list is clear.",
        "I can tell you there are still tasks.",
        "Your tasks: milk, one more.",
    ],
)
def test_how_things_stand_is_not_said_in_the_words_of_talking(words: str) -> None:
    assert friendly(words, "is 'milk' in my list, and milk's price? What do I have") == texts.HELP


@pytest.mark.req("004-q-grammar", "004-q-emoji", "004-q-ids")
@each(
    ("words", "left"),
    [
        ("hello there 🎉", "Hello there."),
        ("Hi! ✨ What shall we do?", "Hi! What shall we do?"),
        ("You could begin with the milk (id: 17)", "You could begin with the milk."),
        ("You could begin with the milk [#17].", "You could begin with the milk."),
        ("**Hello**, _you_!", "Hello, you!"),
        ("## Hello\n\n\n\nyou", "Hello\nyou."),
        ("I like them, that's true.", "I like them, that's true."),
        ("Begin with 'Fix the API server' then.", "Begin with 'Fix the API server' then."),
        ('It says "Hello."', 'It says "Hello."'),
        ("Hello\x1b[2J", "Hello␛[2J."),
        ("Do you want more,", "Do you want more."),
        ("What is to be done?", "What is to be done?"),
        ("Begin with 'Look at what was deleted'.", "Begin with 'Look at what was deleted'."),
    ],
)
def test_what_can_be_mended_is(words: str, left: str) -> None:
    assert friendly(words, HEARD) == left


@pytest.mark.req("004-limit-length", "004-q-emoji", "004-q-jargon")
@given(st.text(max_size=700))
def test_whatever_a_model_says_becomes_a_short_sentence(words: str) -> None:
    found = friendly(words)
    assert 0 < len(found) <= 500
    assert found.rstrip("'\"”)").endswith((".", "!", "?", "…", ":"))
    assert "🎉" not in found
    assert texts.title_to_delete(found) is None
    assert texts.phrase_to_confirm(found) is None
    found.encode()


@pytest.mark.req("004-limit-length")
@pytest.mark.parametrize("words", ["word ", "Here I am. ", "well, you\n"])
def test_ten_thousand_characters_become_five_hundred(words: str) -> None:
    found = friendly(words * 2000)
    assert 250 < len(found) <= 500


@each(
    "words",
    [
        "Hello! How can I help you today?",
        "Hi there! I'm your to-do assistant. What would you like to do?",
        "You're welcome! Is there anything else I can help with?",
        "Sure, what should I call the task?",
        "Which task would you like me to delete?",
        "I'm sorry, I can't do that; I can only help with your tasks.",
        "When is it due, and what priority should it be?",
        "I didn't quite catch that. Could you rephrase?",
        "Good morning! I'm happy to help.",
        "I'd be happy to help with your list.",
        "I can add, list, complete, update and delete tasks.",
        "Would you like to add, list or delete a task?",
        "Which one is it: the first, or the next?",
        "Is it due today or on Friday?",
        "That's great! What's next?",
        "You can tell me what you want to do; I'm here to help.",
    ],
)
def test_talking_is_let_through_as_it_is(words: str) -> None:
    assert friendly(words) == words


@pytest.mark.parametrize(
    ("words", "heard", "is_said"),
    [
        ("Hello Ada!", "I am Ada.", True),
        ("Hello Ada!", "I am Bob.", False),
        ("Would you like me to add 'Feed the cat'?", "The cat is hungry: feed the cat", True),
        ("Would you like me to add 'Feed the dog'?", "The cat is hungry: feed the cat", False),
        ("It is at 5.", "My train is at 5.", True),
        ("The tea was deleted.", "Was the tea deleted?", False),
    ],
)
def test_what_was_heard_may_be_said(words: str, heard: str, is_said: bool) -> None:
    assert (friendly(words, heard) == words) is is_said


@pytest.mark.req("004-q-emoji", "004-q-jargon", "004-q-ids", "004-q-grammar")
async def test_a_model_that_only_talks(factory: SessionFactory) -> None:
    async with assistant(factory, say("hello 👋 I am here to help (task id: 4)")) as one:
        result = await one.say("Hello")
    assert result.success
    assert result.response == "Hello I am here to help."
    assert not result.has_tool_calls
