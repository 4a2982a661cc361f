"""Prompting: what the prompt is for at the moment, the hint that says so, and what becomes of what is sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

from textual.content import Content

from maverick_tui.ui.run.mentioning import Mentioning
from maverick_tui.ui.run.slash_commands import SlashCommands
from maverick_tui.ui.widgets.pastes import still_prompt

if TYPE_CHECKING:
    from maverick_tui.runs.board import RunModel
    from maverick_tui.ui.run.answering import Answering
    from maverick_tui.ui.transcript.view import Transcript
    from maverick_tui.ui.widgets.images import Images
    from maverick_tui.ui.widgets.prompt import Prompt

_TAKES_NO_IMAGES = "This run was started by an older Maverick, which takes no images. Nothing was sent."

Use = Literal[
    "shell", "shell at rest", "lost reason", "command", "whole command", "reason", "answer", "held", "follow-up",
    "own command runs", "optional", "prompt", "go on", "nothing", "read-only",
]  # fmt: skip
"""What the prompt is for."""


class Hint(NamedTuple):
    """What the keys do, and what stands in an empty prompt."""

    keys: str
    placeholder: str = ""


def hint_for(use: Use, keys: Mapping[str, str]) -> Hint:
    """The hint for a use of the prompt; `keys` are names of keys by the ids of their bindings."""
    enter, escape, tab = (keys[name] for name in ("prompt.send", "run.interrupt", "run.focus"))
    match use:
        case "shell":
            return Hint(f"{enter} run it yourself, in the run's folder: the agent hears of it later")
        case "shell at rest":
            return Hint("a command of yours runs once the run goes on: send a prompt first")
        case "lost reason":
            return Hint(f"this question is gone   {enter} keep as a draft")
        case "command":
            return Hint(f"{enter} or {tab} completes it   ↑↓ choose   {escape} close")
        case "whole command":
            return Hint(f"{enter} does it   {escape} close")
        case "reason":
            return Hint(f"{enter} deny with this reason   {escape} back", "Why not? The agent is told.")
        case "answer":
            return Hint(f"{enter} answer   {escape} interrupt", "Your answer, or the number of an option")
        case "held":
            edit, drop = keys["run.edit_queued"], keys["run.drop_queued"]
            waits = "Something else first? What is queued waits"
            return Hint(f"{enter} send what waits   {edit} edit it   {drop} drop it", waits)
        case "follow-up":
            return Hint(f"{enter} queue   {escape} interrupt", "Follow up: it is sent when the agent is done")
        case "own command runs":
            return Hint(f"{enter} send   {escape} stop your command   {keys['app.help']} help", "What shall it do?")
        case "optional":
            return Hint(f"{enter} run", "Anything to add? Without a word it runs as its author wrote it")
        case "prompt":
            more = f"{keys['prompt.newline']} new line   {keys['app.help']} help"
            return Hint(f"{enter} send   {more}", "What shall it do?")
        case "go on":
            return Hint(f"{enter} go on   {keys['run.close']} close   {keys['app.help']} help")
        case "nothing":
            return Hint(f"{keys['run.find']} find   {keys['run.close']} close   {keys['app.help']} help")
        case "read-only":
            return hint_for("nothing", keys)._replace(placeholder="Read-only: you look on, and nothing is sent")


def is_shell(text: str) -> bool:
    """Whether it is a command of the person's own, and no prompt. Empty lines before it are not sent."""
    text = text.lstrip("\n")
    return text.startswith("!") and bool(text[1:].strip())


class Prompting:
    """Takes what is sent for what it is meant to be: an answer, a command, or a prompt."""

    def __init__(
        self,
        run: RunModel,
        prompt: Prompt,
        transcript: Transcript,
        answering: Answering,
        act: Callable[[str], None],
        *,
        images: Images,
    ) -> None:
        """`act` does what an action of the screen does; `images` are attached to the prompt."""
        self._images = images
        self._run = run
        self._prompt = prompt
        self._transcript = transcript
        self._answering = answering
        self._hint = Hint("")
        self._hints_at_shell = False
        self.keys: Mapping[str, str] = {}
        """What keys are called, by the ids of their bindings."""
        self.commands = SlashCommands(run, prompt, send=self.send, act=act, on_change=self.show_hint)
        self._mentioning = Mentioning(run, prompt, self.show_hint)

    def place_changed(self) -> None:
        """The cursor may stand elsewhere, or the text be another one that nobody has typed."""
        self.commands.text_changed()
        self._mentioning.place_changed()
        if self.keys and is_shell(self._prompt.text) is not self._hints_at_shell:
            self.show_hint()

    def refuse_choice(self) -> None:
        """The person does not want to choose."""
        if (choice := self._prompt.open_choice) is not None:
            choice.refuse()

    def complete(self) -> None:
        """Make what is marked of what is typed; if it is that already, offer no more."""
        if not self._prompt.complete():
            self.refuse_choice()

    def submit(self, text: str) -> None:
        """Take what was sent."""
        if self._run.is_only_watched:
            if text.strip() and not self.commands.obey(text):
                self.send(text)
        elif self._answering.take(self._images.in_paths(text) if self._answering.wants_words else text):
            self.show_hint()
        elif not text.strip() and self._sends_held:
            self._run.release()
        elif is_shell(text):
            text = self._images.in_paths(text)
            if self._run.rest is None:
                self._prompt.remember(text)
                self._transcript.action_bottom()
            else:  # the run refuses it, and says why
                self._prompt.put_before(text)
            self._run.run_shell(text.strip()[1:].strip())
        elif not self.commands.obey(text) and (text.strip() or self._may_be_empty):
            if self.use == "nothing":
                self._prompt.put_before(text)
            else:
                self._prompt.remember(text)
            self.send(text)

    def send(self, text: str, *, is_command: bool = False) -> None:
        """Send a prompt to the run, or a command of the engine's; where one only looks on, it stays where it is."""
        if self._run.is_only_watched:
            self._prompt.put_before(text)
            self._prompt.notify("Read-only: you look on, and nothing is sent.", title=self._run.title, markup=False)
            return
        attached = self._run.attached
        if attached is not None and not attached.takes_images and self._images.paths_in(text):
            self._prompt.put_before(text)
            self._prompt.notify(_TAKES_NO_IMAGES, title=self._run.title, severity="warning", markup=False)
            return
        self._transcript.action_bottom()
        self._run.ask(text, is_command=is_command, images=self._images.sent_with(text))

    def edit_queued(self) -> None:
        """Take the prompt that was queued last back into the editor."""
        if self._run.store.queue:
            prompt_id, text = list(self._run.store.queue.items())[-1]
            self._run.take_back(prompt_id)
            self._prompt.put_before(still_prompt(text))
            self._prompt.screen.set_focus(self._prompt)

    def drop_queued(self) -> None:
        """Drop the prompt that was queued last; the arrow keys bring it back as any other."""
        if self._run.store.queue:
            self._run.take_back(list(self._run.store.queue)[-1])

    def show_hint(self) -> None:
        """Say what the keys do for what has the focus."""
        self._hints_at_shell = is_shell(self._prompt.text)
        self.commands.allow(not self._answering.wants_words)
        self._mentioning.allow(not self._answering.wants_words)
        self._prompt.images = None if self._answering.wants_words else self._images
        hint = hint_for(self.use, self.keys)
        if self._run.rest is not None and not hint.placeholder:
            hint = hint._replace(placeholder=self._run.rest.words)
        if (elsewhere := self._keys_elsewhere()) and not self._answering.asks_reason:
            hint = hint._replace(keys=elsewhere)
        if hint != self._hint:
            self._hint = hint
            self._prompt.border_subtitle = Content(hint.keys)
            self._prompt.placeholder = hint.placeholder

    def _keys_elsewhere(self) -> str:
        """What the keys do while something else than the prompt has the focus."""
        keys, focused = self.keys, self._prompt.screen.focused
        if focused is self._transcript:
            store = self._run.store
            what = "interrupt" if store.is_running else "stop your command" if store.shells else ""
            stop = f"   {keys['run.interrupt']} {what}" if what else ""
            return (
                f"{keys['transcript.toggle']} open   {keys['transcript.copy']} copy   "
                f"{keys['transcript.changes']} changes   {keys['run.focus']} prompt{stop}"
            )
        if focused is not None and focused is not self._prompt:
            return f"Enter to the match   {keys['run.interrupt']} close   {keys['run.focus']} prompt"
        return ""

    @property
    def use(self) -> Use:
        """What the prompt is for at the moment."""
        if self._answering.has_lost_question:
            # Still no prompt: what was typed as a reason is not sent to the agent by the key that was meant to deny.
            return "lost reason"
        if self._prompt.is_choosing:
            return "whole command" if self._prompt.is_whole else "command"
        if self._run.is_only_watched:
            return "read-only"
        if self._answering.asks_reason:
            return "reason"
        if self._answering.questions.in_words:
            return "answer"
        if self._run.rest is not None and not self._run.rest.may_go_on:
            return "nothing"
        if is_shell(self._prompt.text):
            return "shell" if self._run.rest is None else "shell at rest"
        if self._sends_held:
            return "held"
        if self._run.rest is not None:
            return "go on"
        if self._run.store.is_running:
            return "follow-up"
        if self._run.store.shells:
            return "own command runs"
        return "optional" if self._may_be_empty else "prompt"

    @property
    def _sends_held(self) -> bool:
        """Whether Enter sends what an interrupt has held: nothing else is to be sent, and nothing runs."""
        store = self._run.store
        can_send = self._run.rest is not None or not store.is_ended  # one that is not kept never comes back
        return bool(store.held) and can_send and not store.is_running and not self._prompt.text.strip()

    @property
    def _may_be_empty(self) -> bool:
        started = self._run.store.loaded
        return bool(started and started.has_own_prompt and not self._run.store.entries and self._run.rest is None)
