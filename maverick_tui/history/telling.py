"""Teller: a whole run for a printer, which shows what models and tools do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from maverick_tui.events import kinds as ev
from maverick_tui.inert import one_line
from maverick_tui.runs.entries import PERSONS_OWN, told_by
from maverick_tui.runs.failure_words import title as failure_title
from maverick_tui.runs.figures import dollars
from maverick_tui.runs.own_questions import asked_by
from maverick_tui.runs.status import clock
from maverick_tui.runs.store import forked_words
from maverick_tui.runs.tool_text import describe, key_argument, summary

_DECIDED = {"once": "allowed", "run": "allowed for this run", "deny": "denied", "withdrawn": "withdrawn"}


class Printer(Protocol):
    """What prints the events of a run, as it does on a terminal: nothing of what it is given steers one."""

    def prompt(self, text: str) -> None:
        """Show what the agent is asked."""

    def take(self, event: ev.Event) -> None:
        """Show the next event."""

    def note(self, text: str, *styles: str) -> None:
        """Show a line of its own, once the sentence has ended."""

    def close(self) -> None:
        """Leave no line and no call open."""


class Teller:
    """Tells a printer what it does not know by itself: prompts, questions, and how turns end."""

    def __init__(self, printer: Printer) -> None:
        self._printer = printer
        self._folder = ""
        self._began: ev.RunStarted | None = None
        self._is_inheriting = False
        self._shells: dict[str, str] = {}
        """Commands of the person that run."""
        self._last_begun = ""
        """The one of them after which nothing else was told."""

    def take(self, event: ev.Event) -> None:
        """The next event of the run."""
        printer = self._printer
        match event:
            case ev.RunStarted():
                self._began, self._is_inheriting = event, bool(event.forked_from)
            case ev.AgentLoaded():
                self._folder = event.cwd
                printer.take(event)
            case ev.TurnStarted() if event.text:
                printer.prompt(event.text)
            case ev.PermissionAsked():
                about = _questions_in(event.arguments) or key_argument(event.tool, event.arguments, self._folder)
                printer.note(f"⚑ asks: {describe(asked_by(event.call, event.tool))}  {about}", "yellow")
            case ev.PermissionSettled():
                why = f": {one_line(event.reason)}" if event.reason else ""
                by = f" by {one_line(event.by)}" if event.by else ""
                printer.note(f"⚑ {_DECIDED.get(event.decision, event.decision)}{by}{why}", "yellow")
            case ev.ShellStarted():
                command = key_argument(PERSONS_OWN, {"command": event.command}, self._folder)
                self._shells[event.shell] = command
                printer.note(f"! {command}", "bold")
            case ev.ShellEnded():
                self._end_shell(event)
            case ev.Noticed() if not event.parent:
                printer.note(one_line(event.text), "dim")
            case ev.ConnectFailed():
                self._fail(event.failure)
            case ev.RunForked() if self._began is not None:
                self._is_inheriting = False
                printer.note(f"Forked from {forked_words(self._began.forked_from, self._began.forked_turn)}.")
            case ev.TurnEnded():
                printer.close()
                self._end_turn(event)
            case _:
                printer.take(event)
        self._last_begun = event.shell if isinstance(event, ev.ShellStarted) else ""

    def end(self, note: str) -> None:
        """Say how it stands, if it has no end of its own."""
        self._printer.close()
        if note:
            self._printer.note(note, "yellow")

    def _end_shell(self, event: ev.ShellEnded) -> None:
        what, size = ("stopped", "") if event.is_cut else summary(PERSONS_OWN, {}, told_by(event))
        command = self._shells.pop(event.shell, "")
        whose = f"{command}: " if command and self._last_begun != event.shell else ""
        is_done = event.code == 0 and not event.is_cut
        told = f"{'✔' if is_done else '✘'} {whose}{what}{f' ({size})' if size else ''}"
        self._printer.note(told, "green" if is_done else "red")

    def _end_turn(self, event: ev.TurnEnded) -> None:
        if event.failure is not None:
            self._fail(event.failure)
        used = event.usage
        parts: list[str] = [event.outcome]
        if not self._is_inheriting:
            parts += [f"{used.all_input:,} tokens in", f"{used.output_tokens:,} out"]
        parts += [] if used.cost_usd is None else [f"{'~' if event.is_estimate else ''}{dollars(used.cost_usd)}"]
        self._printer.note(" · ".join([*parts, clock(used.duration_ms / 1000)]), "dim")

    def _fail(self, failure: ev.Failure) -> None:
        for text in (f"✘ {failure_title(failure)}", failure.message, failure.hint):
            if text:
                self._printer.note(one_line(text), "red")


def _questions_in(arguments: Mapping[str, Any]) -> str:
    """What an agent, or a fuse, asks the person in words; empty if it is something else."""
    asked = arguments.get("questions")
    questions = [one for one in asked if isinstance(one, Mapping)] if isinstance(asked, list) else []
    return one_line(" ".join(str(one["question"]) for one in questions if one.get("question")))
