"""AlwaysScreen: a rule that allows calls for good is written once it has been seen."""

from __future__ import annotations

from maverick_tui.ui.dialogs.always import AlwaysScreen
from tests.ui.dialogs.host import PENDING, asked
from tests.ui.waiting import until

LONG = f"Bash(make test {'--and-more ' * 20}--end)"


async def test_a_rule_is_written_once_all_of_it_was_on_the_screen() -> None:
    rules = AlwaysScreen(["Bash(make:*)", LONG], "rules.toml", "a", None)
    async with asked(rules, (60, 10)) as (app, pilot):
        await pilot.press("down")
        await until(pilot, lambda: rules._wanted.rule == LONG, "the other one is offered")
        await pilot.press("enter")
        assert app.answer is PENDING
        shown = app.text
        for _ in range(10):
            await pilot.press("pagedown")
            shown += app.text
        assert "--end)" in shown
        await until(pilot, lambda: rules.is_armed, "it may be written now")
        await pilot.press("enter")
        await until(pilot, lambda: app.answer is not PENDING, "it is written")
        assert app.answer == (LONG, True)
