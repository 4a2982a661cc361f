"""RaceScreen: those that race beside each other, with answers or diffs; one is kept. The race ends with its screen."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from maverick_tui.inert import one_line
from maverick_tui.paths import shipped
from maverick_tui.ui.dialogs.short_questions import ConfirmScreen
from maverick_tui.ui.keys import key_names
from maverick_tui.ui.lines import ROLE_CLASSES, LineView, clickable
from maverick_tui.ui.race.deciding import DecideScreen, Decision, asked, ended
from maverick_tui.ui.race.rows import Lane, lane_rows, lane_text
from maverick_tui.ui.told_work import work_told

if TYPE_CHECKING:
    from maverick_tui.host.orders import Order
    from maverick_tui.host.racing import Race, Result

LOOK_EVERY = 0.4
"""Seconds between looks at those that race."""
NARROWEST = 46
"""Columns that each needs to stand beside the others; with less, only the chosen one is shown."""
_SETTLED = ("done", "failed", "interrupted", "ended")


class RaceScreen(Screen[None]):
    """Is the race: starts it, watches it, and carries out what is decided. Nothing else is left of it.

    Where nobody has decided, since the window was closed, what is finished stays as branches.
    """

    CSS_PATH = [shipped("styles") / "lines.tcss", shipped("styles") / "race.tcss"]
    COMPONENT_CLASSES = ROLE_CLASSES
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,left", "choose(-1)", "The one before", show=False, id="race.before"),
        Binding("down,right", "choose(1)", "The next one", show=False, id="race.next"),
        Binding("tab,d", "switch", "Answers or diffs", show=False, id="race.switch"),
        Binding("pageup", "page(-1)", "Up a page", show=False, id="race.page_up"),
        Binding("pagedown", "page(1)", "Down a page", show=False, id="race.page_down"),
        Binding("k", "decide('keep')", "Keep the chosen one as a branch", show=False, id="race.keep"),
        Binding("m", "decide('merge')", "Merge the chosen one", show=False, id="race.merge"),
        Binding("a", "decide('all')", "Keep all as branches", show=False, id="race.all"),
        Binding("escape", "leave", "End the race, and keep none", show=False, id="race.leave"),
    ]

    def __init__(self, race: Race, order: Order, inputs: Mapping[str, dict[str, Any]], *, has_test: bool) -> None:
        super().__init__()
        self._race = race
        self._order = order
        self._inputs = inputs
        self._has_test = has_test
        self._lanes = [Lane(one) for one in race.entrants]
        self._chosen = 0
        self._shows_diff = False
        self._decided = asyncio.Event()
        self._decision: Decision = ""
        self._kept: list[Result] = []
        """What is to stay, as it was chosen when that was decided: until the others have ended, keys go on choosing."""
        self._onto = ""
        """What the chosen one is merged into, as the question says: nothing else may be checked out by then."""
        self._finishing = threading.Lock()
        """Held while what one has done is committed and tested."""
        self._is_over = False
        self._began = time.monotonic()
        self._typed_at = 0.0
        """When something was typed that means nothing here."""
        self._retell: Callable[[], None] = lambda: None
        """Has the question that is open, if one is, say how things are now."""

    @property
    def is_open(self) -> bool:
        """Whether it is still to be decided."""
        return not self._decided.is_set()

    def compose(self) -> ComposeResult:
        """What it is about, a row for each, their texts, and the keys."""
        yield Static(id="race-title", markup=False)
        yield LineView(id="race-lanes")
        with Horizontal(id="race-texts"):
            for at in range(len(self._lanes)):
                yield LineView(id=f"race-text-{at}", classes="race--text")
        yield Static(id="race-keys", markup=False)

    def on_mount(self) -> None:
        """Start it."""
        self.query_one("#race-lanes").styles.height = len(self._lanes) + 1
        self._draw()
        work_told(self.app, self._run(), group="race", title="Race")

    def on_resize(self) -> None:
        """There may be room for others, or none."""
        self._draw()

    # -- the race -----------------------------------------------------------------------------------------------------

    async def _run(self) -> None:
        running = self._race.running()
        try:
            await asyncio.to_thread(running.__enter__)
            try:
                await asyncio.to_thread(self._race.start, self._order, self._inputs)
                await self._watch()
                await self._decided.wait()
            finally:
                self._decided.set()
                # In one thread, which goes on to its end whoever is cancelled here, and how often.
                ending = asyncio.get_running_loop().run_in_executor(None, self._end, running)
                for words in await asyncio.shield(ending):
                    self.app.notify(one_line(words), title="Race", timeout=15, markup=False)
        finally:
            self._is_over = True
            self._leave_if_over()

    def on_screen_resume(self) -> None:
        """It may have ended below what was shown."""
        self._leave_if_over()

    def _leave_if_over(self) -> None:
        if self._is_over and self.is_attached and self.app.screen is self:
            _ = self.dismiss(None)

    async def _watch(self) -> None:
        """Look at them until all are finished, or somebody has decided."""
        from maverick_tui.host.asking import ask_hosts

        turn, finishing = asyncio.Lock(), set[asyncio.Task[None]]()
        seen: dict[str, int] = {}
        while not self._decided.is_set() and not all(lane.result is not None for lane in self._lanes):
            going = [at for at, lane in enumerate(self._lanes) if seen.get(lane.entrant.run_id, 0) < 2]
            heard = await ask_hosts(self._lanes[at].entrant.run_id for at in going)
            for at in going:
                lane = self._lanes[at]
                hello = heard.get(lane.entrant.run_id)
                is_gone = lane.entrant.run_id not in heard
                state = hello.state if hello is not None else {}
                phase = "failed" if is_gone else str(state.get("phase") or lane.phase)
                is_settled = is_gone or (bool(state.get("is_settled")) and phase in _SETTLED)
                # What has settled is looked at once more: something may follow at once.
                seen[lane.entrant.run_id] = seen.get(lane.entrant.run_id, 0) + 1 if is_settled else 0
                self._lanes[at] = lane._replace(
                    phase=phase, cost_usd=state.get("cost_usd"), seconds=time.monotonic() - self._began
                )
                if seen[lane.entrant.run_id] == 2:
                    task = asyncio.create_task(self._finish(at, phase, turn), name=f"maverick-race-{at}")
                    finishing.add(task)
            self._draw()
            with suppress(asyncio.TimeoutError):
                async with asyncio.timeout(LOOK_EVERY):
                    await self._decided.wait()
        if finishing:
            await asyncio.wait(finishing)
        self._draw()

    async def _finish(self, at: int, phase: str, turn: asyncio.Lock) -> None:
        """Commit and test what one has done; one after the other, for tests take all that a machine has."""
        async with turn:
            if self._decided.is_set():
                return
            await asyncio.to_thread(self._finished, at, phase)
            self._draw()

    def _finished(self, at: int, phase: str) -> None:
        with self._finishing:
            result = self._race.finish(self._lanes[at].entrant, phase, self._decided.is_set)
            self._lanes[at] = self._lanes[at]._replace(result=result)

    def _end(self, running: AbstractContextManager[None]) -> list[str]:
        """Carry out what was decided, and end the race."""
        try:
            with self._finishing:  # a test hears that it is over
                if not self._decision:  # to close a window is no decision
                    self._kept = self._all_that_was_done()
            return self._carry_out()
        finally:
            running.__exit__(None, None, None)

    def _all_that_was_done(self) -> list[Result]:
        """What those have changed that have settled, tested or not."""
        settled = [lane for lane in self._lanes if lane.result is not None or lane.word == "finishing"]
        results = [lane.result or self._race.finish(lane.entrant, lane.phase, lambda: True) for lane in settled]
        return [one for one in results if one.changed.files or one.problem or one.loss.in_no_commit]

    def _carry_out(self) -> list[str]:
        """Do what was decided; what came of it, in words. ConfigError if it cannot be merged: it is kept then."""
        kept = self._kept
        for result in kept:
            self._race.hold(result)  # all of them, before the first that may fail
        if self._decision == "merge" and kept:
            return [self._race.merge(kept[0], self._onto)]
        words = [f"{result.entrant.number} {result.entrant.label}: {self._race.keep(result)}" for result in kept]
        return words or (["The race has ended; nothing is left of it but what was said."] if self._decision else [])

    # -- keys ---------------------------------------------------------------------------------------------------------

    def action_choose(self, by: int) -> None:
        """Choose another one."""
        self._chosen = (self._chosen + by) % len(self._lanes)
        self._draw()

    def on_click(self, event: events.Click) -> None:
        """Choose the one whose row or text it is."""
        clicked, _ = self.get_widget_at(event.screen_x, event.screen_y)
        table = self.query_one("#race-lanes", LineView)
        at = table.line_at(event) if clicked is table else None
        for lane in range(len(self._lanes)):
            at = lane if clicked is self.query_one(f"#race-text-{lane}") else at
        if at is not None:
            self.action_choose(at - self._chosen)

    def action_switch(self) -> None:
        """Between answers and diffs."""
        self._shows_diff = not self._shows_diff
        self._draw(keep_place=False)

    def action_page(self, pages: int) -> None:
        """Read on in the chosen one."""
        text = self.query_one(f"#race-text-{self._chosen}", LineView)
        text.go_by(pages * max(text.page - 1, 1))

    def on_key(self, event: events.Key) -> None:
        """Note what means nothing here: a letter right behind it is one of the same words."""
        if event.is_printable and event.key not in self.active_bindings:
            self._typed_at = time.monotonic()

    def action_decide(self, decision: Decision) -> None:
        """Ask whether it may be decided, once there is something to decide on: the others end, and are removed."""
        from maverick_tui.git.head import head_of

        if self._decided.is_set():
            return
        chosen = range(len(self._lanes)) if decision == "all" else [self._chosen]
        results = [result for at in chosen if (result := self._lanes[at].result) is not None]
        if len(results) < len(chosen):
            self.notify("It has not settled yet.", timeout=3)
            return

        def words() -> tuple[str, str]:
            # Looked up here, and in no thread: the next key that is typed has to find the question.
            self._onto = head_of(Path(self._order.cwd)) or ""
            onto = one_line(self._onto or "what is checked out")
            others = [lane for at, lane in enumerate(self._lanes) if at not in chosen]
            return asked(decision, [self._lanes[at] for at in chosen], others, onto)

        is_typing = time.monotonic() - self._typed_at < DecideScreen.armed_after
        question = DecideScreen(*words(), "Merge" if decision == "merge" else "Keep", is_one_of_many=is_typing)
        self._ask(question, words, lambda: self.decide(decision, results))

    def decide(self, decision: Decision, kept: list[Result]) -> None:
        """End it, and have these stay."""
        if self.is_open:
            self._decision, self._kept = decision, kept
            self._decided.set()
            self._draw()

    def action_leave(self) -> None:
        """End it and keep none, if the person is sure."""
        self.ask_to_end("End the race?", "End", self.end)

    def ask_to_end(self, title: str, yes: str, agreed: Callable[[], None]) -> None:
        """Ask whether it may end with none of them kept."""

        def words() -> tuple[str, str]:
            return title, ended(self._lanes)

        self._ask(ConfirmScreen(*words(), yes=yes, no="Stay"), words, agreed)

    def _ask(self, question: ConfirmScreen, words: Callable[[], tuple[str, str]], agreed: Callable[[], None]) -> None:
        """Ask, in these words for as long as it is open; whoever agrees has `agreed` done."""

        def answered(is_yes: bool | None) -> None:
            self._retell = lambda: None
            if is_yes:
                agreed()

        self._retell = lambda: question.retell(*words())
        _ = self.app.push_screen(question, answered)

    def end(self) -> None:
        """End it, and keep none."""
        self.decide("none", [])

    # -- drawing ------------------------------------------------------------------------------------------------------

    def _draw(self, *, keep_place: bool = True) -> None:
        if not self.is_mounted or not self.is_attached:
            return
        self._retell()
        lanes, chosen, shows_diff = list(self._lanes), self._chosen, self._shows_diff
        done = sum(lane.result is not None for lane in lanes)
        state = "ending" if self._decided.is_set() else f"{done} of {len(lanes)} finished"
        prompt = one_line(self._order.prompt or "")
        self.query_one("#race-title", Static).update(
            Content.assemble(("RACE", "bold"), f"  {state}  ", (prompt, "$text-muted"))
        )
        table = self.query_one("#race-lanes", LineView)
        table.show(lambda width: lane_rows(lanes, chosen, width, has_test=self._has_test), keep_place=True)
        has_room = self.size.width // max(len(lanes), 1) >= NARROWEST
        for at, lane in enumerate(lanes):
            text = self.query_one(f"#race-text-{at}", LineView)
            text.display = has_room or at == chosen
            text.set_class(at == chosen, "-chosen")
            text.show(
                lambda width, lane=lane: lane_text(lane, width, shows_diff=shows_diff),  # type: ignore[misc]
                keep_place=keep_place,
            )
        other = "answers" if shows_diff else "diffs"
        named = key_names(self)
        keys = (
            (f"{named['race.switch']} {other}", "screen.switch"),
            (f"{named['race.keep']} keep", "screen.decide('keep')"),
            (f"{named['race.merge']} merge", "screen.decide('merge')"),
            (f"{named['race.all']} keep all", "screen.decide('all')"),
            (f"{named['race.leave']} end, keep none", "screen.leave"),
        )
        self.query_one("#race-keys", Static).update(Content(" ") + clickable((("↑↓ choose", ""), *keys)))
