"""Rows reach the terminal without anything that steers it, whatever whoever made them was given."""

from __future__ import annotations

from maverick_tui.ui.lines import Line, LineView, RoleLooks
from maverick_tui.ui.widgets.painted import Painted
from tests.support.runs import Tape
from tests.ui.running import watching
from tests.ui.waiting import until
from tests.ui.widgets.host import Host

EVIL: Line = (
    ("a\x1b]0;PWN", "text"),
    ("ED\x07\u202e\r\n\tb\udc80", "accent"),
    ("\U0001f44d", "text"),
    ("\U0001f3fd", "text"),
)
SHOWN = "a␛]0;PWNED␇�␍  b�\U0001f44d\U0001f3fd"


async def test_rows_are_made_inert_where_they_are_painted() -> None:
    painted, lines = Painted(), LineView()
    app = Host(lambda: [painted, RoleLooks(lines)])
    async with app.run_test(size=(40, 10)) as pilot:
        painted.styles.height = 2
        painted.paint([EVIL])
        lines.show(lambda _: [EVIL])
        await pilot.pause()
        assert painted.render_line(0).text.rstrip() == SHOWN
        assert lines.render_line(0).text.rstrip() == SHOWN


async def test_notices_are_inert_whoever_gives_them_a_name() -> None:
    async with watching(Tape().connect().prompt("Go").done()) as (app, pilot):
        app.notify("is\x1b[31m done", title="a\x1b]0;x\x07\nb", markup=False)
        await until(pilot, lambda: bool(app._notifications))
        told = list(app._notifications)[-1]
        assert (told.title, told.message) == ("a␛]0;x␇ b", "is␛[31m done")
