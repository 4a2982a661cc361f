"""How questions of the command line are laid out."""

from __future__ import annotations

import pytest

from maverick_tui.cli.asking import laid_out

CHOICES = "[y/N]:"
LONG = "Have you read .maverick/agents/pilot.py and .maverick/agents/second-pilot.py, and may they run on this machine?"


@pytest.mark.parametrize("width", [40, 50, 79, 10_000])
@pytest.mark.parametrize("question", [LONG, f"7f3a00c0  smith: mend it\n{LONG}", "Delete 'two  blanks'?", "x" * 90])
def test_a_question_breaks_between_its_words_and_its_choices_stay_whole(question: str, width: int) -> None:
    told = laid_out(question, CHOICES, width)
    assert all(len(line) <= width for line in f"{told}{CHOICES}".split("\n"))
    assert {*told.split()} == {*question.split()} or "x" * 31 in question
    assert "two  blanks" in told or "two" not in question
    assert told.endswith((" ", "\n"))
