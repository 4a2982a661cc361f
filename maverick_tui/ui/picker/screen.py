"""PickerScreen: choose an agent, or a run to go back to."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import events, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.reactive import reactive
from textual.screen import Screen

from maverick_tui.inert import one_line
from maverick_tui.paths import shipped
from maverick_tui.ui.lines import ROLE_CLASSES
from maverick_tui.ui.picker.agents_pane import AgentsPane, Elsewhere
from maverick_tui.ui.picker.edges import KeyHints, PickerHeader
from maverick_tui.ui.picker.items import RUNS, Item
from maverick_tui.ui.picker.xray import XRayPanel
from maverick_tui.ui.short_names import short_path

if TYPE_CHECKING:
    from maverick_tui.agent.catalog.listing import AgentListing
    from maverick_tui.inputs import Value

WIDE = 100
"""Columns from which the list and the X-ray stand side by side."""


class PickerScreen(Screen[None]):
    """Lists every agent; typing filters, Enter runs. It reads nothing before its first frame is on the screen."""

    CSS_PATH = [shipped("styles") / "lines.tcss", shipped("styles") / "picker.tcss"]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]
    COMPONENT_CLASSES = ROLE_CLASSES
    AUTO_FOCUS = "#filter"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "run", key_display="Enter", id="picker.run"),
        Binding("space,f2", "toggle_xray", "X-ray", id="picker.xray"),
        Binding("tab", "toggle_xray", "X-ray", show=False, id="picker.xray_tab"),
        Binding("f3", "app.history", "history", id="picker.history"),
        Binding("ctrl+s", "app.board", "Board: all live runs", show=False, id="picker.board"),
        Binding("ctrl+e", "edit", "edit", id="picker.edit"),
        Binding("ctrl+r", "reload", "Read the agents again", show=False, id="picker.reload"),
        Binding("alt+w", "choose_isolated", "Run in a worktree of its own", show=False, id="picker.worktree"),
        Binding("delete", "close_run", "close", key_display="Del", id="picker.close_run"),
        Binding("escape", "back", "back", key_display="Esc", id="picker.back"),
        Binding("up", "move(-1)", "Row up", show=False, id="picker.up"),
        Binding("down", "move(1)", "Row down", show=False, id="picker.down"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="picker.page_up"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="picker.page_down"),
        Binding("home", "end(-1)", "First row", show=False, id="picker.first"),
        Binding("end", "end(1)", "Last row", show=False, id="picker.last"),
        Binding("shift+up", "scroll_xray(-1)", "X-ray up", show=False, id="picker.xray_up"),
        Binding("shift+down", "scroll_xray(1)", "X-ray down", show=False, id="picker.xray_down"),
        Binding("ctrl+u", "page_xray(-1)", "X-ray page up", show=False, id="picker.xray_page_up"),
        Binding("ctrl+d", "page_xray(1)", "X-ray page down", show=False, id="picker.xray_page_down"),
    ]

    shows_xray: reactive[bool] = reactive(False, init=False, bindings=True)

    class AgentChosen(Message):
        """This agent is to be run, perhaps in a worktree of its own; it is trusted, and its inputs are filled in."""

        def __init__(self, listing: AgentListing, inputs: dict[str, Value | None], *, worktree: bool = False) -> None:
            super().__init__()
            self.listing = listing
            self.inputs = inputs
            self.worktree = worktree

    class RunChosen(Message):
        """This run is to be shown."""

        def __init__(self, run_id: str) -> None:
            super().__init__()
            self.run_id = run_id

    class CloseRequested(Message):
        """This run is to be closed."""

        def __init__(self, run_id: str) -> None:
            super().__init__()
            self.run_id = run_id

    class FolderWanted(Message):
        """There is no folder yet to look into; what kept it from being made may have been put right."""

    class BackRequested(Message):
        """Whatever was there before the picker is to be shown again."""

    def __init__(
        self,
        cwd: Path | None,
        *,
        runs: Sequence[Item] = (),
        badge: str = "",
        folder: str = "",
        elsewhere: Elsewhere | None = None,
    ) -> None:
        """Without a folder it waits for `set_cwd`; `folder` is what it is called, if its path says nothing.

        `elsewhere` finds runs in other processes.
        """
        super().__init__()
        self._folder = folder
        self.cwd = cwd
        self._at = ""
        self._kind = (False, False)
        """Whether a run is highlighted, and whether it is one of another process: keys depend on it."""
        self._header = PickerHeader(id="header")
        self._header.badge = badge
        self._xray = XRayPanel(lambda reason: self._say(reason, is_error=True))
        self._agents = AgentsPane(
            read=self._xray.forget,
            filtered=self._filter,
            moved=self._move,
            chosen=self._choose,
            elsewhere=elsewhere,
        )
        self._agents.runs = tuple(runs)
        self._hints = KeyHints(id="keys")
        self._is_filtered = False
        self._was_shown = False

    def compose(self) -> ComposeResult:
        """A header, the list beside the X-ray, and the keys."""
        # Found out only when it is laid out, the width would have everything styled a second time.
        self.add_class("-wide" if self.app.size.width >= WIDE else "-narrow")
        yield self._header
        with Horizontal(id="body"):
            yield self._agents
            yield self._xray
        yield self._hints

    def on_mount(self) -> None:
        """Show what is known without reading anything; the rest follows the first frame."""
        self._agents.show()
        self.action_reload()
        self.watch(self.app, "app_focus", self._focus_changed, init=False)

    def set_cwd(self, cwd: Path) -> None:
        """Show the agents of this folder."""
        self.cwd = self._xray.cwd = cwd.absolute()
        self._header.folder = self._folder or short_path(self.cwd)
        self.call_after_refresh(self._read)

    def cannot_start(self, reason: str) -> None:
        """No run can begin; without a folder, there are no agents to look at either."""
        if self.cwd is None:
            self._agents.fail(reason)
        if self.cwd is not None or self._agents.list.rows:  # else it stands in the list
            self._say(reason, is_error=True)

    @property
    def runs(self) -> Sequence[Item]:
        """The runs that the list begins with."""
        return self._agents.runs

    @runs.setter
    def runs(self, runs: Sequence[Item]) -> None:
        self._agents.runs = tuple(runs)
        self._agents.show()
        self.refresh_bindings()

    def watch_shows_xray(self, shown: bool) -> None:
        """Let the X-ray take the place of the list."""
        self.set_class(shown, "-xray")

    # -- reading, in threads ------------------------------------------------------------------------------------------

    def _read(self) -> None:
        if self.cwd is not None:
            self._agents.read(self.cwd)
            self._read_checkout(self.cwd)

    @work(exclusive=True, group="checkout", exit_on_error=False)
    async def _read_checkout(self, cwd: Path) -> None:
        from maverick_tui.git import head

        checkout = await asyncio.to_thread(head.read_checkout, cwd)
        changed = f" ±{checkout.changed}" if checkout and checkout.changed else ""
        self._header.branch = f"{checkout.branch}{changed}" if checkout else ""

    def _move(self, item: Item | None) -> None:
        if self._at and (item is None or item.key != self._at):  # that one is there, or is read again, is no move
            self._hints.notice = ""
        before, self._kind = self._kind, (bool(item and item.run_id), bool(item and item.is_elsewhere))
        self._at = item.key if item else ""
        if self._kind != before:
            self.refresh_bindings()
        hides = self._agents.found.hidden.get(item.agent, ()) if item else ()
        self._xray.look_at(item, self._listing_of(item) if item else None, hides)

    def _listing_of(self, item: Item) -> AgentListing | None:
        """The agent of a row; a run has that of its name, unless there is something to tell of the run itself."""
        if not item.run_id or item.about:
            return item.listing
        return next((other.listing for other in self._agents.found.items if other.agent == item.agent), None)

    # -- keys ---------------------------------------------------------------------------------------------------------

    def _filter(self) -> None:
        self._hints.notice = ""
        self.shows_xray = False
        if self._is_filtered != bool(self._agents.filter.text):  # there is something to clear now, or nothing any more
            self._is_filtered = not self._is_filtered
            self.refresh_bindings()

    def action_move(self, by: int) -> None:
        """Move the highlight, or the X-ray where it takes the place of the list."""
        if self.shows_xray:
            self.action_scroll_xray(by)
        else:
            self._agents.list.move(by)

    def action_page(self, by: int) -> None:
        """The same by a page."""
        if self.shows_xray:
            self.action_page_xray(by)
        else:
            self._agents.list.move(by * max(self._agents.list.page - 2, 1))

    def action_end(self, to: int) -> None:
        """The same to the first or to the last line."""
        if self.shows_xray:
            self._xray.top = 0 if to < 0 else self._xray.last_top
        else:
            self._agents.list.move(to * len(self._agents.list.rows))

    def action_scroll_xray(self, by: int) -> None:
        """Read on in the X-ray."""
        self._xray.go_by(by)

    def action_page_xray(self, by: int) -> None:
        """Read on in the X-ray by half a page."""
        self._xray.go_by(by * max(self._xray.page // 2, 1))

    def action_toggle_xray(self) -> None:
        """Give the X-ray the whole screen, or take it back."""
        self.shows_xray = not self.shows_xray and self._agents.list.item is not None

    def action_back(self) -> None:
        """Leave the X-ray, else clear the filter, else go back to the runs."""
        self._hints.notice = ""
        if self.shows_xray:
            self.shows_xray = False
        elif self._agents.filter.text:
            self._agents.filter.text = ""
        elif self._has_own_runs:
            self.post_message(self.BackRequested())

    @property
    def _has_own_runs(self) -> bool:
        """Whether there is a run of this application to go back to."""
        return any(item.group == RUNS for item in self.runs)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hide the key that goes back where there is nothing to go back to."""
        if action == "back":
            return bool(self._has_own_runs or self.shows_xray or self._agents.filter.text or self._hints.notice)
        if action in ("close_run", "edit"):  # a run has no file, and an agent is not closed
            item = self._agents.list.item
            if item is not None and (item.is_elsewhere or (item in self.runs and item.group != RUNS)):
                return False  # it lives elsewhere, or on another machine: neither ours to close nor a file
            return (item is not None and bool(item.run_id)) == (action == "close_run")
        return True

    def action_close_run(self) -> None:
        """Close the highlighted run."""
        if (item := self._agents.list.item) is not None and item.run_id and not item.is_elsewhere:
            self.post_message(self.CloseRequested(item.run_id))

    def action_reload(self) -> None:
        """Read everything again."""
        self._hints.notice = ""
        if self.cwd is not None:
            self.set_cwd(self.cwd)
        else:
            self._agents.await_folder()
            self.post_message(self.FolderWanted())

    @work(exclusive=True, group="editor", exit_on_error=False)
    async def action_edit(self) -> None:
        """Open the highlighted file in the user's editor."""
        from maverick_tui.exceptions import MaverickError
        from maverick_tui.ui.editor import edit_file

        item = self._agents.list.item
        if item is None or item.path is None:
            self._say("There is no file to edit.")
            return
        try:
            await edit_file(self.app, item.path, item.line)
        except MaverickError as error:
            self._say(f"{error} The file is {item.path}", is_error=True)
        self._read()

    def _say(self, text: str, *, is_error: bool = False) -> None:
        self._hints.say(one_line(text), is_error=is_error)

    def _focus_changed(self, has_focus: bool) -> None:
        """Whoever comes back to the window may have committed something in another."""
        if has_focus and self.is_current:
            self._look_at_checkout()

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """A run may have changed the branch meanwhile; the first time, the styles are those of a moment ago."""
        event.refresh_styles, self._was_shown = event.refresh_styles and self._was_shown, True
        self._look_at_checkout()

    def _look_at_checkout(self) -> None:
        if self._agents.found.items and self.cwd is not None:
            self._read_checkout(self.cwd)

    # -- choosing -----------------------------------------------------------------------------------------------------

    def action_choose(self) -> None:
        """Run the highlighted agent, or go back to the highlighted run."""
        if (item := self._agents.list.item) is not None:
            self._choose(item)
        elif self._agents.is_reading:
            self._say("The agents are still being read.")

    def action_choose_isolated(self) -> None:
        """Run the highlighted agent in a git worktree of its own."""
        if (item := self._agents.list.item) is not None and not item.run_id:
            self._choose(item, worktree=True)
        elif item is not None:
            self._say("A run is where it is: choose an agent.")

    def _choose(self, item: Item, *, worktree: bool = False) -> None:
        if item.run_id:
            self.post_message(self.RunChosen(item.run_id))
        elif item.refusal or item.listing is None:
            self._say(item.refusal, is_error=True)
        else:
            self._ask(item.listing, worktree=worktree)

    @work(exclusive=True, group="ask", exit_on_error=False)
    async def _ask(self, listing: AgentListing, *, worktree: bool = False) -> None:
        from maverick_tui.ui.dialogs.before_run import Ready, ask_before_run

        answer = await ask_before_run(self.app, listing, worktree=worktree)
        if isinstance(answer, Ready):
            self.post_message(self.AgentChosen(listing, answer.inputs, worktree=worktree))
            if listing.needs_trust:
                self._read()
        elif answer.reason:
            self._say(answer.reason, is_error=answer.is_error)
