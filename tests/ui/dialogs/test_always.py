"""AlwaysScreen: a rule that allows calls for good is written once it has been seen."""

from __future__ import annotations

import threading

from maverick_tui.ui.dialogs.always import AlwaysScreen
from maverick_tui.ui.rule_trial import RuleTrial
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


class SlowTrial(RuleTrial):
    """Looks through many calls."""

    def __init__(self) -> None:
        super().__init__(".")
        self.is_done = threading.Event()

    def try_out(self, rule: str, agent: str) -> str:
        """What it says of any rule, in its time."""
        self.is_done.wait()
        return f"{rule} for {agent}: many calls"


async def test_what_is_typed_before_the_past_calls_are_told_writes_no_rule() -> None:
    trial = SlowTrial()
    rules = AlwaysScreen(["Bash(make:*)"], "rules.toml", "a", trial)
    async with asked(rules) as (app, pilot):
        await until(pilot, lambda: "Looking through" in app.text and rules.is_armed, "nothing is typed")
        rules.armed_after = 60
        trial.is_done.set()
        await until(pilot, lambda: "many calls" in app.text, "what it would have allowed")
        await pilot.press("enter")
        assert app.answer is PENDING
