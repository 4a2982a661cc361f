"""DetailsScreen: everything about a failure, inert, and to be copied."""

from __future__ import annotations

import pytest

from maverick_tui.events.kinds import Failure
from maverick_tui.ui.overlays import MOST_SHOWN, DetailsScreen, sections
from tests.ui.widgets.host import Host

FAILURE = Failure(
    "MalformedResponseError",
    "invalid",
    "The answer cannot be read: [red]it ends[/] in the middle.",
    "Try again.",
    ("JSONDecodeError: Unterminated string", "OSError: closed"),
    raw_response='{"text": "half \x1b]0;evil\x07',
    stderr="Error: aborted\n\tat makeRequest",
    status=502,
    exit_code=-9,
    is_retryable=True,
    retry_at=0.0,
)


def test_every_field_has_its_place() -> None:
    found = dict(sections(FAILURE))
    assert list(found) == ["what", "what to do", "why", "facts", "raw response", "the CLI's last words"]
    assert found["why"] == "1. JSONDecodeError: Unterminated string\n2. OSError: closed"
    assert found["raw response"] == '{"text": "half ␛]0;evil␇'
    facts = found["facts"].splitlines()
    assert facts[:3] == ["HTTP status    502", "exit code      -9 (signal 9)", "worth a retry  yes"]
    assert facts[3].startswith("not before     19")


def test_what_is_not_known_is_not_there() -> None:
    found = dict(sections(Failure("ProcessError", "agent", "It died.", exit_code=1)))
    assert found == {"what": "It died.", "facts": "exit code      1\nworth a retry  not as it is"}
    assert "1e+300" in dict(sections(Failure("E", "k", "x", retry_at=1e300)))["facts"]


def test_keys_are_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "very-secret-value")
    found = dict(sections(Failure("E", "k", "x", stderr="Authorization: Bearer very-secret-value")))
    assert "very-secret-value" not in found["the CLI's last words"]


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_it_shows_all_of_it_and_copies_it(size: tuple[int, int]) -> None:
    app = Host(list)
    async with app.run_test(size=size) as pilot:
        screen = DetailsScreen(FAILURE)
        await app.push_screen(screen)
        await pilot.pause()
        drawn = "\n".join(app.drawn())
        assert "✘ MalformedResponseError: invalid" in drawn
        assert "[red]it ends[/]" in drawn, "text is no markup"
        assert "\x1b" not in screen.view.text
        await pilot.press("y")
        await pilot.pause()
        copied = app.clipboard
        assert copied.startswith("MalformedResponseError: invalid\n\nWHAT\nThe answer cannot be read")
        assert copied.endswith("THE CLI'S LAST WORDS\nError: aborted\n\tat makeRequest")
        await pilot.press("escape")
        await pilot.pause()
        assert app.screen is not screen


async def test_a_huge_response_is_cut_on_the_screen_and_whole_in_the_copy() -> None:
    app = Host(list)
    huge = Failure("E", "k", "x", raw_response="y" * (MOST_SHOWN + 1234))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = DetailsScreen(huge)
        await app.push_screen(screen)
        await pilot.pause()
        assert screen.view.text.endswith("… 1,234 characters more: y copies them")
        await pilot.press("end")
        await pilot.pause()
        assert screen.view.top == screen.view.last_top > 0
        await pilot.press("g")
        await pilot.pause()
        assert screen.view.top == 0
        await pilot.press("y")
        assert app.clipboard.count("y") >= MOST_SHOWN + 1234
        await pilot.press("q")
        await pilot.pause()
        assert app.screen is not screen


async def test_the_keys_of_the_foot_are_those_of_the_person() -> None:
    app = Host(list)
    async with app.run_test(size=(80, 24)) as pilot:
        app.set_keymap({"details.copy": "f3", "overlay.close": "f10"})
        await app.push_screen(DetailsScreen(FAILURE))
        await pilot.pause()
        drawn = "\n".join(app.drawn())
        assert "f3 copy everything" in drawn
        assert "f10 close" in drawn
