"""The scripted runs that the snapshots show: one small shop, and what agents do in it."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

from maverick_tui.events import kinds as ev
from maverick_tui.host.lines import HostHello
from maverick_tui.host.live import LiveRun
from maverick_tui.host.state import LiveState
from maverick_tui.ui.picker.elsewhere import live_item
from maverick_tui.ui.picker.items import Item
from tests.support.runs import Tape
from tests.ui.snapshots.story import FOLDER

ASKED = "15 tea bags get a discount of 1.48 instead of 1.49. Find out why, and fix it."

REPORT = """\
**Done**: discounts are rounded to the *nearest* cent, halves up.

## What was wrong

`Money.percent` divided with `//`, which always rounds down. Its docstring has promised the nearest cent all along, \
so the code was wrong and not the test.

1. `shop/money.py:33` adds half a cent before it divides
2. the cart and the receipt stay as they are
   - their tests pass unchanged

```python
def percent(self, rate: int) -> Money:
    \"\"\"A part of it, to the nearest cent.\"\"\"
    return Money((self.cents * rate + 50) // 100)
```

| amount   | decided in        | rounded |
|----------|-------------------|---------|
| subtotal | `shop/cart.py:26` | never   |
| discount | `shop/cart.py:31` | **yes** |
| total    | `shop/cart.py:75` | never   |

> Coupons call it, too: they are rounded the same way now.
"""

MONEY = f"{FOLDER}/shop/money.py"
EDIT = {
    "file_path": MONEY,
    "old_string": "        # whole cents\n        return Money(self.cents * rate // 100)",
    "new_string": "        # whole cents, halves up\n        return Money((self.cents * rate + 50) // 100)",
}
PATCH = {
    "structuredPatch": [
        {
            "oldStart": 30,
            "oldLines": 5,
            "newStart": 30,
            "newLines": 5,
            "lines": [
                "     def percent(self, rate: int) -> Money:",
                '         """A part of it, to the nearest cent."""',
                "-        # whole cents",
                "-        return Money(self.cents * rate // 100)",
                "+        # whole cents, halves up",
                "+        return Money((self.cents * rate + 50) // 100)",
                " ",
            ],
        }
    ]
}
TESTS = {"command": "python3 -m unittest -q", "description": "Run all tests"}
FAILING = (
    "Exit code 1\nFAIL: test_bulk (tests.test_cart.CartTest)\nAssertionError: 1.48 != 1.49\n\n"
    "Ran 14 tests in 0.003s\n\nFAILED (failures=1)"
)


def todos(done: int) -> dict[str, Any]:
    """A list of four, of which some are done."""
    texts = ("Reproduce the failure", "Find where the cent gets lost", "Fix the cause", "Run all tests")
    states = ["completed"] * done + ["in_progress"] + ["pending"] * 4
    return {"todos": [{"content": text, "status": state} for text, state in zip(texts, states, strict=False)]}


def begun(agent: str = "implementer", **started: Any) -> Tape:
    """A run that is ready for its first prompt."""
    return Tape(agent, FOLDER, **started).connect()


def asked(agent: str = "implementer", **started: Any) -> Tape:
    """A run with a prompt, and nothing else yet."""
    return begun(agent, **started).prompt(ASKED)


def reproduced() -> Tape:
    """The first half of the work: it was seen to fail, and the cause is found."""
    tape = asked().use(2_140, 96, 9_800)
    tape.think("One cent is missing from a discount of 1.485. That smells of rounding.\nFirst I want to see it fail.")
    tape.wait(1.2).say("I reproduce it before I touch anything.")
    tape.tool("TodoWrite", todos(0), "ok")
    tape.tool("Bash", {"command": "git status --short"}, "")
    tape.answer(tape.call("Bash", TESTS, seconds=2.6), FAILING, is_error=True)
    tape.use(3_020, 210, 12_400).wait(0.8)
    tape.say("Reproduced: `1.48 != 1.49`, and nothing else fails. I look at what computes the part.")
    tape.tool("Read", {"file_path": MONEY}, "".join(f"{n:>6}\t…\n" for n in range(1, 42)))
    tape.tool("Grep", {"pattern": r"\.percent\("}, "shop/cart.py:31\nshop/coupons.py:30")
    return tape.tool("TodoWrite", todos(2), "ok")


def repaired() -> Tape:
    """All of the work but the last word."""
    tape = reproduced().use(3_900, 340, 15_000)
    tape.say("The cause is in `Money.percent`, which rounds down where it promises the nearest cent.")
    tape.tool("Edit", EDIT, "ok", detail=PATCH).tool("TodoWrite", todos(3), "ok")
    return tape


def done() -> Tape:
    """The whole work."""
    tape = repaired()
    tape.tool("Bash", TESTS, "Ran 14 tests in 0.002s\n\nOK").use(4_400, 420, 18_200).wait(0.5)
    used: dict[str, Any] = {
        "input_tokens": 14_660,
        "output_tokens": 1_068,
        "cache_read_tokens": 63_400,
        "cache_write_tokens": 4_800,
    }
    return tape.say(REPORT).tool("TodoWrite", todos(4), "ok").done(duration_ms=21_400, cost_usd=0.0874, **used)


def tools_in_every_end() -> Tape:
    """Calls that are done, failed, denied and cut."""
    tape = asked("release")
    tape.say("I look around first.")
    tape.tool("Glob", {"pattern": "shop/**/*.py"}, "shop/cart.py\nshop/coupons.py\nshop/money.py")
    tape.tool("mcp__tracker__find_issue", {"query": "discount", "state": "open"}, "Found 2 issues.\n#41\n#44")
    tape.tool("WebFetch", {"url": "https://example.com/rounding"}, "Request failed with status 503", is_error=True)
    tape.answer(tape.call("Bash", TESTS, seconds=74), FAILING, is_error=True)
    tape.ask("Bash", {"command": "git push --force origin main"}).decide("deny", "never force a push to main")
    tape.answer("call-5", "The user does not want this: never force a push to main", is_error=True)
    tape.ask("Bash", {"command": "git push origin discount"}).decide("run").answer("call-6", "To github.com:shop/shop")
    tape.call("Bash", {"command": "gh run watch --exit-status"}, seconds=9)
    tape.put(ev.InterruptRequested(tape.at)).wait(0.3)
    return tape.done("interrupted", duration_ms=91_000)


def with_subagents() -> Tape:
    """Two subagents: one has reported, the other is at work."""
    tape = asked("lead").use(2_400, 120, 8_000)
    tape.say("I let two subagents collect the places, and decide when I have seen them.")
    first = tape.call("Agent", {"description": "Find where amounts are added up", "prompt": "Find every place ..."})
    tape.progress(first, "running").say("I search for the sums first.", parent=first)
    tape.tool("Grep", {"pattern": "subtotal|discount"}, "a\nb\nc\nd", parent=first)
    tape.tool("Read", {"file_path": f"{FOLDER}/shop/cart.py"}, "     1\t…\n     2\t…\n", parent=first)
    tape.progress(first, "completed", tokens=8_412, tool_uses=2)
    tape.answer(first, "Amounts are added up in **one** place, `shop/cart.py:75`.")
    second = tape.call("Agent", {"description": "Find what prints them", "prompt": "Find every print ..."})
    tape.progress(second, "running", tokens=1_120, tool_uses=1)
    tape.say("The receipt prints all of them; I look for others.", parent=second)
    tape.call("Bash", {"command": "grep -rn 'print(' shop"}, parent=second, seconds=3)
    return tape


def failed(failure: ev.Failure, text: str = "") -> Tape:
    """A turn that fails, after some text."""
    tape = asked("documenter").wait(0.6)
    if text:
        tape.tool("Read", {"file_path": f"{FOLDER}/README.md"}, "     1\t# Shop\n     2\t\n     3\tSells tea.\n")
        tape.say(text, is_open=True)
    return tape.done("failed", failure=failure, duration_ms=3_900)


async def left_at_work(_known: Container[str], now: float) -> list[Item]:
    """Runs that somebody has left in processes of their own: one asks, one works on, and one is open elsewhere."""
    asks, works, open_elsewhere = (
        tape.events
        for tape in (
            asked("reviewer").tool("Edit", {"file_path": MONEY}).done(cost_usd=0.1893),
            asked("explorer"),
            asked("documenter").done(),
        )
    )
    return [
        _left(asks, now, 754, Tape().prompt("Now the tests").ask("Bash", {"command": "make test"}).events[2:]),
        _left(works, now, 40, ()),
        _left(open_elsewhere, now, None, ()),
    ]


def _left(before: Sequence[ev.Event], now: float, seconds: float | None, after: Sequence[ev.Event]) -> Item:
    """A run that was left so many seconds ago with nothing done; None if somebody still looks at it."""
    state = LiveState()
    if seconds is not None:
        state.leave(now - seconds)
    for event in (*before, *after):
        state.take(event)
    told = {**state.to_json(), "read_by": [] if seconds is not None else ["pts/3"]}
    told["agent"] = before[0].agent if isinstance(before[0], ev.RunStarted) else ""
    host = HostHello(told["agent"], told["agent"], 1, "1", 1, len(before), now - 3_900)
    return live_item(LiveRun(told["agent"], told, now - 3_900, has_host=True, host=host), now)
