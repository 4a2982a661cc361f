"""Rows that are written at once are, cell by cell, what Textual would have painted: whatever happens, and whenever."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.terminal import Glass
from tests.terminal.application import (
    CTRL_B,
    CTRL_END,
    CTRL_F,
    CTRL_J,
    CTRL_O,
    CTRL_P,
    CTRL_U,
    DOWN,
    ENTER,
    ESCAPE,
    F1,
    F11,
    PAGE_UP,
    SIZE,
    SPACE,
    TAB,
    WHEEL_UP,
    prompt_of,
)
from tests.terminal.conftest import OURS_ALONE, WITH_KEY, Maverick
from tests.terminal.looking import WATCHED, WatchedApplication

pytestmark = [pytest.mark.slow, OURS_ALONE]

PANEL_AT = 60
"""From this column on there are scrollbars and figures, which move."""
MARKDOWN = """## What stands out, part {0}

The invoice rounds **once** at the end, the cart rounds *per line*; for `0.333` the difference is one cent.
日本語のテキスト and 한국어, emoji 🚀 and ✅, combining e\u0301, and a [link](https://example.com/a/long/path).

```python
def total(lines: Lines) -> Money:
    # 合計: every line is rounded, and that is the mistake
    return sum(round(line.price, 2) for line in lines)
```

| amount | rounded | 状態 |
|---|---|---|
| line | yes | 良い |
| total {0} | no, which is why the sum that a customer sees is not the one that is booked | - |

- `Cart.total()` rounds per line
- `Invoice.total()` rounds once
  1. nothing tests it
  2. > and nobody has noticed

"""
TODOS = [
    {"content": "look", "status": "in_progress", "activeForm": "Looking"},
    {"content": "see 見る", "status": "pending", "activeForm": "Seeing"},
]


def answer(part: int) -> dict[str, Any]:
    """Thoughts, Markdown and tools."""
    steps: list[Any] = [
        {"thinking": f"First thoughts, then part {part}. " * 6},
        MARKDOWN.format(part),
        {"tool": "Read", "input": {"file_path": str(Path("notes.txt").resolve())}},
        {"tool": "TodoWrite", "input": {"todos": TODOS}},
    ]
    return {"steps": steps, "pace": {"tokens_per_second": 70 if part > 2 else 400}}


def start(maverick: Maverick, agent: str, environment: Mapping[str, str] | None = None) -> WatchedApplication:
    """An answer that goes on for as long as anybody looks."""
    Path("notes.txt").write_text("a note 日本\n" * 5)
    scenes = [{"answers": [answer(part) for part in range(1, 400)]}]
    arguments = ("--agent", agent, "--prompt", "go on")
    app = maverick.seen_by(
        WatchedApplication, *arguments, scenes=scenes, is_ours=True, program=WATCHED, environment=environment or {}
    )
    app.see("part 2")
    return app


def is_following(glass: Glass) -> bool:
    return "▼" not in glass.text


@pytest.mark.explore
def test_while_an_answer_comes_in(maverick: Maverick, handyman: str) -> None:
    app = start(maverick, handyman)
    look_around(app)
    look_closer(app)
    resize(app)
    for _theme in ("light", "ansi"):
        app.send(F11)
        app.compare()
        scroll_away(app)
        app.send(CTRL_END)
        app.until(is_following)
    end(app)


@pytest.mark.explore
def test_without_colours(maverick: Maverick, handyman: str) -> None:
    app = start(maverick, handyman, {"NO_COLOR": "1"})
    app.compare()
    scroll_away(app)
    app.send(CTRL_END)
    app.until(is_following)
    end(app)


def look_around(app: WatchedApplication) -> None:
    """Type, scroll, select, and have something stand over the transcript."""
    app.send("typed 日本")
    app.until(lambda glass: prompt_of(glass) == "typed 日本")
    app.compare()
    app.send(CTRL_U)
    app.until(lambda glass: prompt_of(glass).startswith("Follow up"))
    scroll_away(app)
    app.drag((12, 4), (40, 7))
    app.compare(2)
    app.send(F1)
    app.see("Keys: Run")
    app.compare()
    app.send(ESCAPE)
    app.until(lambda glass: "Keys: Run" not in glass.text)
    app.compare()
    app.send(CTRL_END)
    app.until(is_following)
    for detail in ("full", "quiet", "normal"):
        app.send(CTRL_O)
        app.see(f"Detail: {detail}")
        app.compare()


def scroll_away(app: WatchedApplication) -> None:
    """Leave the end, with a key and with the mouse."""
    app.send(PAGE_UP)
    app.until(lambda glass: not is_following(glass))
    app.mouse(WHEEL_UP, 20, 10)
    app.compare()


def look_closer(app: WatchedApplication) -> None:
    """Open and close everything else."""
    app.send("one" + CTRL_J + "two")
    app.until(lambda glass: prompt_of(glass) == "two")
    app.compare()
    app.send(CTRL_U + "\x7f" + CTRL_U)
    app.until(lambda glass: prompt_of(glass).startswith("Follow up"))
    app.send(CTRL_B)
    app.until(lambda glass: "SAGE" not in glass.text)
    app.compare()
    app.send(CTRL_B)
    app.see("USAGE")
    app.send(CTRL_F + "rounds")
    app.until(lambda glass: "find  rounds" in glass.text and " of " in glass.text)
    app.compare()
    app.send(ENTER + ESCAPE)
    app.until(lambda glass: "find  rounds" not in glass.text)
    app.send(CTRL_P)
    app.see("Search for commands")
    app.compare()
    app.send(ESCAPE)
    app.until(lambda glass: "Search for commands" not in glass.text)
    app.send(TAB + "[[[" + ENTER)
    app.see("▶")
    app.compare()
    app.send(TAB + CTRL_END)
    app.until(lambda glass: "▶" not in glass.text and is_following(glass))
    app.compare()


def resize(app: WatchedApplication) -> None:
    """To the smallest and the largest, and back."""
    for size in ((20, 5), (120, 40), (80, 24), SIZE):
        app.resize(*size)
        app.compare()


def end(app: WatchedApplication) -> None:
    """Interrupt the answer. What is there then is what would be drawn from the beginning, too."""
    app.send(ESCAPE)
    app.see("interrupted")
    app.until(lambda glass: "Follow up" not in glass.text)
    app.compare()
    app.until(lambda glass: "Detail:" not in glass.text)
    app.compare_with_fresh(PANEL_AT)
    assert app.quit() == 0


@pytest.mark.explore  # `tests/ui/textual_private` compares such cells without a terminal
def test_the_picker(maverick: Maverick, handyman: str) -> None:
    app = maverick.seen_by(WatchedApplication, program=WATCHED, environment=WITH_KEY)
    app.see("Does what the script says.")
    app.compare()
    app.send(DOWN + DOWN)
    app.until(lambda glass: "▸ handyman" not in glass.text)
    app.compare()
    for _theme in ("light", "ansi", "dark"):
        app.send(F11)
        app.compare()
    for size in ((20, 5), (120, 40), (80, 24), SIZE):
        app.resize(*size)
        app.compare()
    app.send("handy")
    app.until(lambda glass: "▸ handyman" in glass.text and "explorer" not in glass.text)
    app.compare()
    app.send(F1)
    app.until(lambda glass: "Keys:" in glass.text)
    first = app.glass.text
    app.compare()
    assert app.look().text == first, "it stands still from its first frame"
    app.send(ESCAPE)
    app.until(lambda glass: "Keys:" not in glass.text)
    app.send(SPACE)
    app.compare()
    assert app.quit() == 0
