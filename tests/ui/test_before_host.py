"""What a host hears of a run that could not begin at first: what is wanted by then, and not all that was ever said."""

from __future__ import annotations

import pytest

from maverick_tui.runs import commands
from maverick_tui.runs.commands import Command, SendPrompt
from maverick_tui.ui.before_host import Wishes

A, B, C = (SendPrompt(name.lower(), f"Do {name}") for name in "ABC")
FIRST, LAST = commands.SetMode("default"), commands.SetMode("plan")


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        ([A, B, commands.DropPrompt("a")], [B]),
        ([A, B, commands.EditPrompt("a", "Do it gently")], [SendPrompt("a", "Do it gently"), B]),
        ([A, B, commands.MovePrompt("b", -1)], [B, A]),
        ([A, B, C, commands.SteerPrompt("c")], [C, A, B]),
        ([FIRST, A, LAST], [LAST, A]),
        (
            [A, commands.SetModel("opus"), commands.NameRun("mine")],
            [commands.SetModel("opus"), commands.NameRun("mine"), A],
        ),
        ([A, commands.Reconnect(), commands.RunShell("s1", "rm x"), commands.WaitOn()], [A]),
        ([A, commands.ClearConversation(), B], [A, commands.ClearConversation(), B]),
        ([A, commands.Interrupt(), commands.ReleasePrompts()], [commands.ReleasePrompts(), A]),
        ([commands.DropPrompt("past"), A], [commands.DropPrompt("past"), A]),
        ([commands.CloseRun(), A], [A, commands.CloseRun()]),
    ],
)
def test_a_host_hears_what_is_wanted_by_then(said: list[Command], heard: list[Command]) -> None:
    wishes = Wishes()
    for command in said:
        wishes.take(command)
    assert wishes.summed_up() == heard
    assert not wishes.held


def test_what_a_person_holds_is_not_sent() -> None:
    wishes = Wishes()
    for command in (A, B, commands.Interrupt(), C, commands.DropPrompt("b")):
        wishes.take(command)
    assert wishes.summed_up() == [C]
    assert wishes.held == ["Do A"]
