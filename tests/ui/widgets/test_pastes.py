"""Texts that nobody has typed here are prompts, and no commands of the person's own."""

from __future__ import annotations

from maverick_tui.ui.run.prompting import is_shell
from maverick_tui.ui.run.slash_commands import slash_command
from maverick_tui.ui.widgets.pastes import as_prompt, still_prompt, typed
from tests.support.cases import each


@each("before", ["", "\n", "\r", "\r\n", "\n\r\n", "\u2028", "\u2029\n", "\u200b", "\ufeff\r", "\x00\u2028"])
def test_no_prompt_that_comes_back_is_a_command_whatever_whoever_wrote_it_puts_before_it(before: str) -> None:
    comes_back = typed(still_prompt(f"{before}!touch PWNED"))
    assert "!touch PWNED" in comes_back
    assert not is_shell(comes_back)
    assert not is_shell(typed(as_prompt(f"{before}!touch PWNED\nand more")))
    assert slash_command(typed(still_prompt(f"{before}/export md PWNED"))) is None


def test_what_was_a_command_among_the_prompts_is_one_again() -> None:
    assert slash_command(still_prompt("/compact The sums matter")) == ("compact", "The sums matter")


@each("text", ["/compact-evil words", "/compact/etc", "/compacted", "/compact.md"])
def test_what_only_begins_like_that_command_is_none(text: str) -> None:
    assert still_prompt(text) == f" {text}"
