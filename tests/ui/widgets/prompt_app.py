"""An application around a prompt, for tests: something above it that moves, dialogs, toasts, and a count of frames."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from rich.console import RenderableType
from rich.segment import Segment
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen, Screen
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from maverick_tui import paths
from maverick_tui.ui.widgets.prompt import Prompt
from maverick_tui.ui.widgets.prompt_history import PromptHistory


class Moving(Widget):
    """Rows that change with every frame."""

    frame = 0

    def next_frame(self) -> None:
        """Draw all of it anew."""
        self.frame += 1
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """A row that is different in every frame."""
        return Strip([Segment(f"row {y} of frame {self.frame}".ljust(self.size.width), self.rich_style)])


class Cover(ModalScreen[None]):
    """A dialog over a part of the prompt."""

    CSS = "Cover { align: center bottom; } Cover Static { width: 30; height: 4; background: $primary; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("f2", "dismiss", "Close")]

    def compose(self) -> ComposeResult:
        """A box of text."""
        yield Static("a dialog")


class PromptApp(App[str]):
    """A prompt below something that moves."""

    CSS_PATH: ClassVar[list[object]] = [paths.shipped("styles") / "prompt.tcss"]  # type: ignore[assignment]
    CSS = """
    Screen { layers: below above; }
    Moving { height: 1fr; }
    #over { layer: above; display: none; width: 12; height: 3; offset: 20 20; background: $error; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f2", "cover", "Dialog"),
        Binding("f3", "notify('a toast over the prompt')", "Toast"),
        Binding("f5", "repaint", "Paint everything"),
        Binding("f10", "leave", "Leave"),
    ]

    def __init__(self, history: PromptHistory | None = None, **options: object) -> None:
        """Begin with an empty prompt."""
        super().__init__(**options)  # type: ignore[arg-type]
        self.prompt = Prompt(history=history, placeholder="What shall it do?")
        self.prompt.border_subtitle = "Enter send   Esc interrupt"
        self.sent: list[str] = []
        self.frames = 0
        self.layouts = 0
        self.repaints = 0

    def compose(self) -> ComposeResult:
        """The answer above, the prompt below."""
        yield Static("", id="state")
        yield Moving()
        yield self.prompt
        yield Static("over", id="over")

    def on_mount(self) -> None:
        """Type into the prompt from the beginning."""
        self.prompt.focus()
        self.screen.screen_layout_refresh_signal.subscribe(self, self._count_layout, immediate=True)

    def _count_layout(self, _screen: Screen[object]) -> None:
        self.layouts += 1

    def on_prompt_submitted(self, event: Prompt.Submitted) -> None:
        """Keep what was sent."""
        event.prompt.remember(event.text)
        self.sent.append(event.text)

    async def action_cover(self) -> None:
        """Open the dialog."""
        await self.push_screen(Cover())

    def action_repaint(self) -> None:
        """Let Textual paint the whole screen, and say when it has."""
        self.screen.refresh()
        self.call_after_refresh(self._painted)

    def _painted(self) -> None:
        self.repaints += 1
        self.query_one("#state", Static).update(f"repaints {self.repaints}, sent {self.sent}")

    def action_leave(self) -> None:
        """End with what was sent."""
        self.exit("\n".join(self.sent))

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        # The one place through which Textual's own frames go to the terminal.
        self.frames += renderable is not None
        super()._display(screen, renderable)


if __name__ == "__main__":
    PromptApp(PromptHistory(Path.cwd())).run()
