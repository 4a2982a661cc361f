"""A throw-away application around the picker, and agents for it to find."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.binding import Binding
from textual.message import Message
from textual.pilot import Pilot

from maverick_tui.ui.picker.agent_list import AgentList
from maverick_tui.ui.picker.agents_pane import FilterLine
from maverick_tui.ui.picker.edges import KeyHints
from maverick_tui.ui.picker.items import run_item
from maverick_tui.ui.picker.screen import PickerScreen
from maverick_tui.ui.picker.xray import XRayPanel
from tests.ui.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

NARROW, BROAD = (80, 24), (120, 40)

RUNS = (
    run_item("run-1", "reviewer", "running", "●", "pytest -q 12 s"),
    run_item("run-2", "explorer", "needs you", "⚑", "Edit shop/cart.py"),
)

PYTHON = """from pathlib import Path
from maverick_tui import MaverickAgent

Path("ran").touch()

class Pilot(MaverickAgent):
    "Flies."
    system_prompt = "You fly to ${where}."
    allowed_tools = ["Read"] + ["Bash"]
    inputs = dict(where={"default": "Rome"})
    async def execute(self, context): return await self.run("go", context)
"""


class Host(App[None]):
    """Shows the picker and keeps what it asks for."""

    BINDINGS = [Binding("f1", "noop", "help", key_display="F1", id="app.help")]

    def __init__(self, picker: PickerScreen) -> None:
        super().__init__()
        self.picker = picker
        self.asked: list[Message] = []

    async def on_mount(self) -> None:
        await self.push_screen(self.picker)

    def action_noop(self) -> None:
        self.asked.append(Message())

    def on_picker_screen_agent_chosen(self, event: PickerScreen.AgentChosen) -> None:
        self.asked.append(event)

    def on_picker_screen_run_chosen(self, event: PickerScreen.RunChosen) -> None:
        self.asked.append(event)

    def on_picker_screen_back_requested(self, event: PickerScreen.BackRequested) -> None:
        self.asked.append(event)

    # -- what a test looks at ----------------------------------------------------------------------------------------

    @property
    def rows(self) -> list[str]:
        """The names of the rows that can be highlighted."""
        return [row.item.name for row in self.list.rows if row.item is not None]

    @property
    def highlighted(self) -> str:
        item = self.list.item
        return "" if item is None else item.name

    @property
    def list(self) -> AgentList:
        return self.picker.query_one(AgentList)

    @property
    def filter(self) -> FilterLine:
        return self.picker.query_one(FilterLine)

    @property
    def xray(self) -> XRayPanel:
        return self.picker.query_one(XRayPanel)

    @property
    def notice(self) -> str:
        return self.picker.query_one(KeyHints).notice

    @property
    def lines(self) -> Sequence[str]:
        """What is on the screen."""
        return [strip.text for strip in self.screen._compositor.render_strips()]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def intents(self, kind: type[Any]) -> Sequence[Any]:
        return [message for message in self.asked if isinstance(message, kind)]

    def find(self, text: str) -> tuple[int, int]:
        """Where the text is on the screen."""
        for y, line in enumerate(self.lines):
            if text in line:
                return line.index(text), y
        raise AssertionError(f"{text!r} is not on the screen:\n{self.text}")


def opened(
    size: tuple[int, int] = NARROW, cwd: Path | None = None, **options: Any
) -> AbstractAsyncContextManager[tuple[Host, Pilot[None]]]:
    """The picker as soon as it has read the folder and shown what it found."""

    @asynccontextmanager
    async def start() -> AsyncIterator[tuple[Host, Pilot[None]]]:
        app = Host(PickerScreen(cwd or Path.cwd(), **options))
        async with app.run_test(size=size) as pilot:
            await until(pilot, lambda: app.list.notice != "reading agents …", "the agents are read")
            await until(pilot, lambda: not app.rows or app.xray.line_count, "the X-ray is there")
            yield app, pilot

    return start()


def write(path: str | Path, text: str) -> Path:
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def write_agent(name: str, fields: str = "", body: str = "", folder: str | Path = ".claude/agents") -> Path:
    text = f"---\nname: {name}\ndescription: Does {name} things.\n{fields}\n---\n{body or f'You are {name}.'}\n"
    return write(Path(folder) / f"{name}.md", text)
