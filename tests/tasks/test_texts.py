"""What the assistant says: the words of the contract."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maverick_tui.tasks import texts


@pytest.mark.req("004-fmt-deleted", "004-fmt-created", "004-fmt-done", "004-fmt-updated")
def test_the_formats_of_the_contract() -> None:
    assert texts.created("Buy milk") == "Got it! Added 'Buy milk' to your list. Anything else?"
    assert texts.completed("Buy milk") == "Great! I've marked 'Buy milk' as complete."
    assert texts.deleted("Buy milk") == "I've removed 'Buy milk' from your tasks."
    assert texts.updated("Buy milk", ["high priority"]) == "Updated! 'Buy milk' now has high priority."


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
