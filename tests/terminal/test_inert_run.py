"""Whatever a model, a tool or an endpoint says in a run: the terminal gets nothing of it that it would obey."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from maverick_tui import paths
from tests.support.terminal import Glass
from tests.terminal.application import (
    CTRL_N,
    CTRL_X,
    CTRL_Y,
    ENTER,
    ESCAPE,
    F8,
    PAGE_DOWN,
    TAB,
    UP,
    Application,
    pasted,
    prompt_of,
)
from tests.terminal.conftest import Maverick
from tests.terminal.hostile import CLICKS, EVERYTHING, STEERING, assert_inert, shown

pytestmark = pytest.mark.slow

SIZE = (150, 45)
MOST_BELLS = 5
"""One rings for each of two questions, and at the end of each of three turns if it has taken long."""
BODY_WIDTH, BODY_HEIGHT = 110, 38
GENERAL = {"subagent_type": "general-purpose", "run_in_background": False}
"""In the background its end would be a prompt of the CLI's own, which may come at any time."""
FILE = "e\x1b]0;PWNED\x07vil\u202e.txt"
MARKDOWN = f"""Answer {EVERYTHING}

# Heading {STEERING["title"]} [text](https://x.example/{STEERING["link"]}) <b>{STEERING["clear"]}</b>

```py{STEERING["title"]}
Code {STEERING["clear"]} {STEERING["colour"]}
```

| Cell {STEERING["title"]} | {CLICKS} |
|---|---|
| {STEERING["eight-bit"]} | {STEERING["control"]} |
"""
SHOWN = [
    *(
        f"{place} {shown('title')}"
        for place in ("Prompt", "Thought", "Answer", "Output", "Line one", "Todo", "Sub", "Report", "Written", "Partly")
    ),
    "Heading ␛]0;PWNED␇",
    "Code ␛[2J␛[777;777H",
    "Cell ␛]0;PWNED␇",
    "Edited ␛]0;PWNED␇",
    "e␛]0;PWNED␇vil\ufffd.txt",
    "outside ␛]0;PWNED␇",
    CLICKS,
]


def say(*steps: Any, **more: Any) -> dict[str, Any]:
    return {"steps": list(steps), **more}


def tool(name: str, **arguments: Any) -> dict[str, Any]:
    return {"tool": name, "input": arguments}


def scenes(outside: Path) -> list[dict[str, Any]]:
    path = str(Path(FILE).resolve())
    todos = [{"content": f"Todo {EVERYTHING}", "status": "pending", "activeForm": f"Doing {EVERYTHING}"}]
    question = {"question": f"Question {EVERYTHING}?", "header": EVERYTHING[:12], "multiSelect": False}
    options = [{"label": f"{number} {EVERYTHING}", "description": EVERYTHING} for number in (1, 2)]
    work = [
        say({"thinking": f"Thought {EVERYTHING}"}, MARKDOWN, tool("Bash", command="cat output.txt")),
        say(tool("Read", file_path=path), tool("TodoWrite", todos=todos)),
        say(tool("Edit", file_path=path, old_string="line two", new_string=f"Edited {STEERING['title']}")),
        say(tool("Agent", description=f"Sub {EVERYTHING}", prompt="subtask", **GENERAL)),
        say(tool("Write", file_path=f"{outside} {STEERING['title']}", content=f"Written {EVERYTHING}")),
        say(tool("AskUserQuestion", questions=[{**question, "options": options}])),
        say("All done."),
    ]
    refusal = {"kind": "http", "status": 400, "type": EVERYTHING, "message": f"No {EVERYTHING}"}
    return [
        {"when": {"prompt": "subtask"}, "answers": [say({"thinking": EVERYTHING}, f"Report {EVERYTHING}")]},
        {"when": {"prompt": "refuse"}, "answers": [say(fault=refusal)]},
        {
            "when": {"prompt": "break"},
            "answers": [say(f"Partly {EVERYTHING}", fault={"kind": "malformed", "at": "text"})],
        },
        {"answers": work},
    ]


@pytest.mark.parametrize(
    ("environment", "theme"),
    [
        pytest.param({}, "maverick-dark", id="true-colours"),
        pytest.param(
            {"TERM": "xterm", "COLORTERM": "", "NO_COLOR": "1"},
            "maverick-ansi",
            id="ansi-without-colours",
            marks=pytest.mark.explore,
        ),
    ],
)
def test_nothing_in_a_run_steers_the_terminal(
    maverick: Maverick, handyman: str, environment: dict[str, str], theme: str, tmp_path: Path
) -> None:
    # A command that is harmless to look at, and whose output is not.
    Path("output.txt").write_text(f"Output {EVERYTHING}".replace("\x00", ""))
    Path(FILE).write_text(f"Line one {EVERYTHING}\nline two\n")
    state = paths.user_state()
    state.mkdir(parents=True)
    (state / "interface.json").write_text(json.dumps({"theme": theme, "verbosity": "full", "other": EVERYTHING}))
    played = scenes(tmp_path / "outside")
    app = maverick("--agent", handyman, scenes=played, is_ours=True, size=SIZE, environment=environment)
    app.see("ready")
    app.send(pasted(f"Prompt {EVERYTHING}".replace("\x1b", "␛")))
    app.until(lambda glass: "│ Prompt " in glass.text)
    app.until_pressed(ENTER, lambda glass: "programs read differently" in glass.text)
    app.until_pressed(CTRL_Y, lambda glass: "outside ␛]0;PWNED␇" in glass.text and "wants permission" in glass.text)
    app.until_pressed(CTRL_X, lambda glass: "Question title" in glass.text)
    app.see("Your answer, or the number of an option")  # the call is shown before it asks; until then it is a prompt
    app.send("1")
    app.until(lambda glass: prompt_of(glass) == "1")
    read_on(app)  # what has not been on the screen as a whole cannot be answered
    app.until_pressed(ENTER, lambda glass: "All done." in glass.text)  # once more does no harm
    for prompt, banner in (("break", "╭ ✘ The stream broke"), ("refuse", "No title ␛]0;PWNED␇")):
        app.type_line(prompt)
        app.see(banner)
        app.see("F5 retry the prompt")
        app.send(F8)
        app.see("WHAT TO DO")
        app.send(ESCAPE)
        app.until(lambda glass: "WHAT TO DO" not in glass.text)
    page_through(app)
    text = app.output.text
    assert [piece for piece in SHOWN if piece not in text] == []
    app.send(TAB)
    app.until_pressed(UP, lambda glass: f"│ Prompt {shown('title')}" in glass.text)
    app.send(CTRL_N)
    app.see("Does what the script says.")
    assert app.quit() == 0
    assert_inert(app.written)
    assert app.output.copied == []
    assert app.output.bells <= MOST_BELLS


def page_through(app: Application) -> None:
    """Look at the whole transcript, page by page."""
    app.send(TAB + "g")
    app.see("▌ Prompt")
    read_on(app)


def read_on(app: Application) -> None:
    """To the end, page by page."""
    while "▼" in app.glass.text:
        page = body(app.glass)
        app.send(PAGE_DOWN)
        app.until(partial(is_further, page))


def is_further(page: list[str], glass: Glass) -> bool:
    return body(glass) != page or "▼" not in glass.text


def body(glass: Glass) -> list[str]:
    return [row[:BODY_WIDTH] for row in glass.rows[1:BODY_HEIGHT]]
