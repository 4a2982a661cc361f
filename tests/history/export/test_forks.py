"""A fork in every format: what it has of another run is marked as that, and counts nothing."""

from __future__ import annotations

import json

import pytest

from maverick_tui.cli.printer import Printer
from maverick_tui.events import kinds as ev
from maverick_tui.history.export.formats import Format, pieces
from maverick_tui.history.export.heading import moment
from maverick_tui.history.export.kept import open_kept
from maverick_tui.runs.forking import fork_of
from tests.history.kept import AT, begun, ended, keep, turn

FORK = "f0f0f0f0f0f0"


@pytest.mark.parametrize("form", [Format.MD, Format.HTML, Format.CAST])
def test_what_is_of_another_run_is_marked_and_has_no_figures(form: Format) -> None:
    past = fork_of([*begun(), *turn(), *turn(2, "Dig", "Deep.")], 1, FORK, at=AT + 100).past
    keep(FORK, [*past.events, *begun(at=AT + 100)[1:], *turn(2, "Fly", "High.", AT + 100), *ended(AT + 100)])
    text = "".join(pieces(open_kept(FORK), form, lambda stream, width, _: Printer(stream, width, is_recorded=True)))
    if form is Format.CAST:
        text = "".join(json.loads(line)[2] for line in text.splitlines()[1:])
    places = [text.index(words) for words in ("I see.", "Forked from 7f3a00c0ffee after turn 1", "High.")]
    assert places == sorted(places)
    assert "Deep." not in text
    assert text.count("tokens in") == 1, "its own turn alone has figures"
    if form is not Format.CAST:
        assert moment(AT + 100) in text, "it began when it was forked"


def test_the_events_are_all_there() -> None:
    past = fork_of([*begun(), *turn()], 1, FORK, at=AT + 100).past
    keep(FORK, [*past.events, ev.RunEnded(AT + 101)])
    kinds = [json.loads(line)["type"] for line in "".join(pieces(open_kept(FORK), Format.JSONL, None)).splitlines()]
    assert kinds[0] == "run_started"
    assert kinds[-2:] == ["run_forked", "run_ended"]
