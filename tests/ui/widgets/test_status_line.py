"""StatusLine on a screen."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from maverick_tui.events import kinds as ev
from maverick_tui.runs.store import RunStore
from maverick_tui.ui.widgets.status_line import StatusLine, cut_middle
from tests.runs.story import NETWORK, OPEN, ask, asked, began, call, end, told
from tests.ui.widgets.host import Host


class Listening(Host):
    def __init__(self, store: RunStore) -> None:
        super().__init__(lambda: [StatusLine(store)])


async def shown(store: RunStore, now: float, width: int = 80, unseen: int | None = None) -> str:
    app = Listening(store)
    async with app.run_test(size=(width, 3)) as pilot:
        line = app.query_one(StatusLine)
        if unseen is not None:
            line.set_unseen(unseen)
        line.refresh_status(now)
        await pilot.pause()
        return app.drawn()[0].strip()


@pytest.mark.parametrize(
    ("store", "now", "text"),
    [
        (told(*OPEN), 5.0, "○ ready  waiting for your prompt"),
        (asked(call("Bash", {"command": "pytest -q"}, at=3.0), began()), 15.5, "● running  Bash  pytest -q  12 s"),
        (asked(call("Bash"), ask(at=4.0)), 8.0, "⚑ waiting for you  Bash  4.0 s"),
        (asked(end()), 99.0, "✔ done  8.0 s  $0.050"),
        (asked(end("failed", failure=NETWORK)), 99.0, "✘ failed  StreamingError: network  8.0 s  $0.050"),
    ],
)
async def test_it_says_glyph_word_and_detail(store: RunStore, now: float, text: str) -> None:
    assert await shown(store, now) == text


async def test_what_waits_stands_at_the_right() -> None:
    store = asked(ev.PromptQueued(2, "a", "x"), ev.PromptQueued(2, "b", "y"))
    assert (await shown(store, 2.0)).endswith("  2 queued")
    assert (await shown(store, 2.0, unseen=14)).endswith("  2 queued   ▼ 14 new lines")
    store.apply(ev.PromptsHeld(2, ("a",)))
    assert (await shown(store, 2.0)).endswith("  1 queued  1 held")
    assert (await shown(asked(), 2.0, unseen=1)).endswith("▼ 1 new line")
    assert (await shown(asked(), 2.0, unseen=0)).endswith("▼ to the end")


async def test_a_long_detail_is_cut_in_the_middle_and_keeps_its_clock() -> None:
    store = asked(call("Bash", {"command": "make " + "very " * 40 + "long"}, at=3.0), began())
    text = await shown(store, 15.5, width=60, unseen=3)
    assert text.startswith("● running  Bash  make very")
    assert "…" in text
    assert "long  12 s" in text
    assert text.endswith("▼ 3 new lines")


@pytest.mark.parametrize("width", [30, 20, 12, 4])
async def test_where_it_is_narrow_the_truth_stays(width: int) -> None:
    store = asked(call("Bash", {"command": "x" * 200}), began(), ev.PromptQueued(2, "a", "x"))
    text = await shown(store, 15.5, width=width, unseen=1234)
    assert text.startswith("● running"[: width - 3])
    assert cell_len(text) <= width - 2


async def test_a_clock_moves_twice_a_second_and_a_phase_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    store = asked(at=1.0)
    app = Listening(store)
    async with app.run_test(size=(80, 3)) as pilot:
        line = app.query_one(StatusLine)
        line.refresh_status(3.0)
        await pilot.pause()
        laid_out = app.layouts
        drawn: list[object] = []
        monkeypatch.setattr(line, "refresh", lambda *regions, **_: drawn.append(regions))
        for hundredth in range(49):
            line.refresh_status(3.0 + hundredth / 100)
        assert drawn == []
        line.refresh_status(3.5)
        assert len(drawn) == 1
        store.apply(ev.BlockStarted(3.6, 1, "text"))
        line.refresh_status(3.6)
        assert len(drawn) == 2
        assert line.text.startswith("● writing  0.0 s")
        assert app.layouts == laid_out


async def test_a_click_on_the_hint_goes_to_the_end_and_one_elsewhere_does_not() -> None:
    app = Listening(asked())
    async with app.run_test(size=(80, 3)) as pilot:
        line = app.query_one(StatusLine)
        line.refresh_status(2.0)
        await pilot.click(StatusLine, offset=(78, 0))
        assert app.acted == [], "it follows already"
        line.set_unseen(14)
        await pilot.click(StatusLine, offset=(2, 0))
        assert app.acted == []
        await pilot.click(StatusLine, offset=(75, 0))
        assert app.acted == ["follow"]


@pytest.mark.parametrize(
    ("text", "width", "cut"),
    [
        ("short", 5, "short"),
        ("0123456789", 7, "012…789"),
        ("0123456789", 4, "012…"),
        ("日本語日本語日本語", 9, "日本…本語"),
        ("x" * 99, 60, "x" * 35 + "…" + "x" * 24),
        ("0123456789", 0, ""),
    ],
)
def test_cutting_in_the_middle(text: str, width: int, cut: str) -> None:
    assert cut_middle(text, width) == cut
    assert cell_len(cut) <= max(width, 0)
