"""Runs of other processes in the picker: those that need somebody on top, and what happened while nobody looked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from maverick_tui.host.lines import HostHello
from maverick_tui.host.live import LiveRun
from maverick_tui.host.places import make_runtime_folder
from maverick_tui.runs.digest import Digest
from maverick_tui.ui.picker import agents_pane
from maverick_tui.ui.picker.elsewhere import live_item, read_elsewhere
from maverick_tui.ui.picker.items import Item
from maverick_tui.ui.picker.screen import PickerScreen
from tests.support.runs import BEGAN
from tests.ui.picker.host import BROAD, Host, opened, write_agent
from tests.ui.waiting import until

NOW = BEGAN + 3_600
AWAY = Digest(
    NOW - 754,
    turns=3,
    failures=1,
    files=9,
    file_names=tuple(f"/work/shop/{name}.py" for name in "abcdefgh"),
    tokens=18_420,
    cost_usd=0.21,
)


def live(run_id: str, phase: str, title: str = "Fix the cart", *, away: Digest | None = None, **state: Any) -> LiveRun:
    told = {"phase": phase, "agent": "reviewer", "folder": "/work/shop", "first_prompt": title, **state}
    told["away"] = away.to_json() if away is not None else None
    host = HostHello(run_id, "reviewer", 1, "1", 1, 9, BEGAN)
    return LiveRun(run_id, told, BEGAN, has_host=True, host=host)


class Others:
    """What lives in other processes, as long as the test says so."""

    def __init__(self, *runs: LiveRun) -> None:
        self.runs = list(runs)

    async def __call__(self) -> Sequence[Item]:
        return [live_item(run, NOW) for run in self.runs]


@pytest.fixture(autouse=True)
def _looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agents_pane, "LOOK_EVERY", 0.02)


def keys_of(app: Host) -> list[str]:
    return [row.item.key for row in app.list.rows if row.item is not None]


async def test_they_come_first_those_that_need_somebody_on_top_and_what_is_highlighted_stays() -> None:
    write_agent("alpha")
    others = Others()
    async with opened(elsewhere=others) as (app, pilot):
        await until(pilot, lambda: app.picker._agents._has_looked, "it has looked")
        before = app.highlighted
        others.runs = [live("1", "working"), live("2", "asks", asks=["Bash"])]
        await until(pilot, lambda: "run:2" in keys_of(app), "they are listed")
        assert keys_of(app)[:2] == ["run:2", "run:1"]
        assert app.highlighted == before
        await pilot.press("home", "down")
        others.runs = [live("3", "failed"), live("1", "done"), live("2", "working")]
        await until(pilot, lambda: "run:3" in keys_of(app), "one more is listed")
        assert keys_of(app)[:3] == ["run:3", "run:1", "run:2"]
        assert app.list.item is not None
        assert (app.list.item.run_id, app.list.item.marks[0][0]) == ("1", "✔ done")
        await pilot.press("delete", "enter")
        await until(pilot, lambda: app.intents(PickerScreen.RunChosen), "it was chosen")
        assert app.intents(PickerScreen.RunChosen)[0].run_id == "1"
        assert not app.intents(PickerScreen.CloseRequested)
        others.runs = []
        await until(pilot, lambda: not any(key.startswith("run:") for key in keys_of(app)), "they are gone")


async def test_who_comes_back_to_one_that_needs_somebody_is_taken_to_it() -> None:
    write_agent("alpha")
    async with opened(elsewhere=Others(live("1", "working"), live("2", "asks", asks=["Bash"]))) as (app, pilot):
        await until(pilot, lambda: app.list.item is not None and app.list.item.run_id == "2", "it is highlighted")


async def test_who_comes_back_to_those_that_need_nobody_is_left_where_agents_are() -> None:
    write_agent("alpha")
    async with opened(elsewhere=Others(live("1", "working"))) as (app, pilot):
        await until(pilot, lambda: "run:1" in keys_of(app), "it is listed")
        assert app.list.item is not None
        assert not app.list.item.run_id


async def test_beside_the_list_stands_what_happened_while_nobody_looked() -> None:
    others = Others(live("1", "asks", asks=["Bash"], away=AWAY, turns=12, cost_usd=1.42, model="claude-sonnet-4-5"))
    async with opened(BROAD, elsewhere=others) as (app, pilot):
        await until(pilot, lambda: "run:1" in keys_of(app))
        await pilot.press("home")
        await until(pilot, lambda: "WHILE YOU WERE AWAY" in app.text)
        for words in ("12 min", "⚑ needs you", "Bash", "sonnet 4.5", "12 turns", "$1.42", "1 question waits for you",
                      "1 time", "$0.210", "18,420 tokens", "h.py", "and 3 more"):  # fmt: skip
            assert words in app.text, words
        others.runs = [live("1", "working", away=Digest(NOW - 40))]
        await until(pilot, lambda: "nothing has happened" in app.text, "nothing has")
        others.runs = [live("1", "queued")]
        await until(pilot, lambda: "‖ waits for its turn" in app.text)
        others.runs = [live("1", "working", read_by=["pts/3"])]
        await until(pilot, lambda: "read on" in app.text)
        assert "WHILE YOU WERE AWAY" not in app.text


async def test_what_hosts_say_is_only_text() -> None:
    evil = "\x1b[2J[red]\u202eno\nway"
    run = live("1", "asks", evil, asks=[evil], away=AWAY._replace(file_names=(evil,)), read_by=[evil], model=evil)
    silent = LiveRun("2", {}, None, has_host=True)
    async with opened(BROAD, elsewhere=Others(run, silent)) as (app, pilot):
        await until(pilot, lambda: "run:1" in keys_of(app))
        await pilot.press("home")
        await until(pilot, lambda: "WHILE YOU WERE AWAY" in app.text)
        assert not {"\x1b", "\u202e"} & set(app.text)
        assert "? does not answer" in app.text


async def test_without_hosts_nothing_is_asked_and_one_that_is_known_is_left_out() -> None:
    assert await read_elsewhere((), NOW) == []
    (make_runtime_folder() / "7f3a00c0ffee.sock").touch()
    assert await read_elsewhere({"7f3a00c0ffee"}, NOW) == []
    assert await read_elsewhere((), NOW) == [], "its host is gone"
    make_runtime_folder().chmod(0o755)
    assert await read_elsewhere((), NOW) == [], "that folder is not ours alone"
