"""Queue: what a person has asked for and what has not begun yet, in its order; some of it may be held."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from maverick_tui.events.kinds import PromptDropped, PromptQueued, PromptsHeld, PromptsReleased, QueueChanged
from maverick_tui.runs.commands import ClearConversation, SendPrompt, is_for_engine
from maverick_tui.runs.log import EventLog


class Queue:
    """Prompts, and new conversations between them: what was asked for before one still belongs to the old one."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._items: list[SendPrompt | ClearConversation] = []
        self._held: set[str] = set()
        """The ids of prompts that wait until somebody releases them."""
        self._following: set[str] = set()
        """Those of them that only a failure has held: they follow whatever makes that good."""
        self._urgent: set[str] = set()
        """Those that are to be given to the agent in the middle of its turn."""
        self._given: list[SendPrompt] = []
        """What the engine was given of these, and has not taken yet; if it never does, they wait like any other."""
        self._hurried: set[str] = set()
        """Those that somebody wants to be the next, one after the other, as long as the turn goes on."""

    @property
    def next(self) -> SendPrompt | ClearConversation | None:
        """What is to be done next; prompts that are held are not."""
        return next(iter(self.waiting), None)

    @property
    def waiting(self) -> list[SendPrompt | ClearConversation]:
        """All that is to be done, in its order."""
        return [item for item in self._items if not self._is_held(item)]

    @property
    def held(self) -> list[SendPrompt]:
        """The prompts that wait until somebody releases them."""
        return [item for item in self._items if isinstance(item, SendPrompt) and self._is_held(item)]

    @property
    def has_prompts(self) -> bool:
        """Whether a prompt waits that nobody holds."""
        return bool(self._unheld())

    def add(self, item: SendPrompt | ClearConversation) -> None:
        """Let it wait behind all that waits already."""
        self._items.append(item)
        if isinstance(item, SendPrompt):
            self._log.emit(PromptQueued(self._log.now(), item.prompt_id, item.text))

    def add_first(self, prompt: SendPrompt) -> None:
        """Let it be the next, and let what a failure has held follow it, unless a person holds something else."""
        self._items.insert(0, prompt)
        self._log.emit(PromptQueued(self._log.now(), prompt.prompt_id, prompt.text))
        if self._held <= self._following:
            self.release()

    def replace(self, prompt_id: str, text: str) -> None:
        """Let a prompt that waits say something else."""
        if (prompt := self.prompt(prompt_id)) is not None and text.strip():
            self._items[self._items.index(prompt)] = replace(prompt, text=text, is_command=is_for_engine(text))
            self._log.emit(PromptQueued(self._log.now(), prompt_id, text))
            self._tell()

    def move(self, prompt_id: str, by: int) -> None:
        """Let a prompt change places with the one before it, or after it."""
        places = [at for at, item in enumerate(self._items) if isinstance(item, SendPrompt)]
        prompt = self.prompt(prompt_id)
        if prompt is None or by not in (-1, 1):
            return
        here = places.index(self._items.index(prompt))
        if 0 <= here + by < len(places):
            one, other = places[here], places[here + by]
            self._items[one], self._items[other] = self._items[other], self._items[one]
            self._hurried.discard(prompt_id)  # where it stands now is where it is wanted
            self._tell()

    def urge(self, prompt_id: str, *, is_to_steer: bool) -> bool:
        """Let a prompt be the next, whoever held it; perhaps even before the turn has ended. Whether it waits."""
        if (prompt := self.prompt(prompt_id)) is None:
            return False
        if prompt_id not in self._hurried:
            self._items.remove(prompt)
            hurried = [at for at, item in enumerate(self._items) if self._is_hurried(item)]
            self._items.insert(hurried[-1] + 1 if hurried else 0, prompt)
            self._hurried.add(prompt_id)
        self._held.discard(prompt_id)
        if is_to_steer:
            self._urgent.add(prompt_id)
        self._tell()
        return True

    def prompt(self, prompt_id: str) -> SendPrompt | None:
        """One that waits; None if none does."""
        prompts = (item for item in self._items if isinstance(item, SendPrompt))
        return next((prompt for prompt in prompts if prompt.prompt_id == prompt_id), None)

    def give_urgent(self) -> list[SendPrompt]:
        """The prompts that the agent is to have now, in their order, each once; they wait until it has them."""
        wanted = self._urgent - {prompt.prompt_id for prompt in self._given}
        given = [item for item in self._items if isinstance(item, SendPrompt) and item.prompt_id in wanted]
        self._given += given
        return given

    def take_given(self) -> list[SendPrompt]:
        """The agent has what it was given: that waits no longer. What was changed meanwhile waits on, in its name."""
        given, self._given = self._given, []
        self.drop(lambda prompt: prompt in given)
        return [prompt if self.prompt(prompt.prompt_id) is None else replace(prompt, prompt_id="") for prompt in given]

    def calm(self) -> None:
        """The turn has ended: what was to be given to the agent meanwhile waits like any other, as the next."""
        self._urgent.clear()
        self._given.clear()
        self._hurried.clear()

    def _tell(self) -> None:
        ids = tuple(item.prompt_id for item in self._items if isinstance(item, SendPrompt))
        held = tuple(one for one in ids if one in self._held)
        urgent = tuple(one for one in ids if one in self._urgent)
        self._log.emit(QueueChanged(self._log.now(), ids, held, urgent))

    def remove(self, item: SendPrompt | ClearConversation) -> None:
        """It begins."""
        self._items.remove(item)
        if isinstance(item, SendPrompt):
            self._hurried.discard(item.prompt_id)
            self._urgent.discard(item.prompt_id)

    def hold(self, *, has_failed: bool = False) -> None:
        """Let every prompt wait until somebody releases it, or what has failed goes on.

        What waits was meant to follow on what was stopped, or failed: whether it still does, the person decides. A new
        conversation behind it is forgotten: beginning it now would take from those prompts what they are about.
        """
        if waiting := self._unheld():
            self._held.update(waiting)
            self._following = set(waiting) if has_failed else set()
            first = next(at for at, item in enumerate(self._items) if self._is_held(item))
            self._items[first:] = [item for item in self._items[first:] if isinstance(item, SendPrompt)]
            self._log.emit(PromptsHeld(self._log.now(), waiting))

    def release(self) -> bool:
        """Let what is held go on; whether anything was."""
        if not self._held:
            return False
        self._held.clear()
        self._log.emit(PromptsReleased(self._log.now()))
        return True

    def drop(self, is_meant: Callable[[SendPrompt], bool]) -> None:
        """Forget prompts."""
        for prompt in [item for item in self._items if isinstance(item, SendPrompt) and is_meant(item)]:
            self.remove(prompt)
            self._held.discard(prompt.prompt_id)
            self._log.emit(PromptDropped(self._log.now(), prompt.prompt_id))

    def _is_hurried(self, item: SendPrompt | ClearConversation) -> bool:
        return isinstance(item, SendPrompt) and item.prompt_id in self._hurried

    def _is_held(self, item: SendPrompt | ClearConversation) -> bool:
        return isinstance(item, SendPrompt) and item.prompt_id in self._held

    def _unheld(self) -> tuple[str, ...]:
        prompts = (item for item in self._items if isinstance(item, SendPrompt))
        return tuple(prompt.prompt_id for prompt in prompts if prompt.prompt_id not in self._held)
