"""BatchFolder: where a batch keeps what came of it. What is written there is on the disk before anything follows.

`results.jsonl` has what was done, `failures.jsonl` what was not, one object a line for each prompt; `runs.jsonl` says
which run was started for which prompt, before it is. So nothing is lost or done twice if the batch is killed: its runs
go on by themselves, and whoever comes next finds them there.

A clone may bring such a folder along, with runs to take up and results that nobody had. So it counts only where the
batch was begun by this user, which the state folder knows (`batches/ID`, with the place of the folder).
"""

from __future__ import annotations

import json
import os
import re
import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from maverick_tui.batch.items import Item
from maverick_tui.bounded import from_json
from maverick_tui.exceptions import ConfigError
from maverick_tui.folder_locks import alone
from maverick_tui.history.whole_files import write_whole
from maverick_tui.inert import inert
from maverick_tui.journal.batches import ABOUT, FAILURES, RESULTS, RUNS, note_place, place_of
from maverick_tui.journal.folders import is_run_id

_VERSION = 1
_ID = re.compile("[0-9a-f]{8}")
_APPENDING = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW


class StartedRun(NamedTuple):
    """The run that was started for a prompt, and where."""

    run_id: str
    machine: str


class BatchFolder:
    """The folder of one batch, which nobody else writes to; made by `opened`."""

    def __init__(self, path: Path, agent: str) -> None:
        self.path = path
        self.done: dict[str, dict[str, Any]] = {}
        """Results by the keys of their prompts."""
        self.failed: dict[str, dict[str, Any]] = {}
        self.started: dict[str, StartedRun] = {}
        """Runs of which nothing is known yet but that they were to begin."""
        self.prompts: frozenset[str] = frozenset()
        """Keys of the prompts that the batch had when it was started last."""
        self._agent = agent
        self.batch_id = self._about(agent)
        for name in (RESULTS, FAILURES, RUNS):
            _mend(path / name)
        for name, into in ((RESULTS, self.done), (FAILURES, self.failed)):
            into.update((str(record["key"]), record) for record in _read(path / name))
        for record in _read(path / RUNS):
            self._note(record)

    def take_in(self, items: Sequence[Item]) -> tuple[int, int]:
        """Note which prompts the batch has now; how many are new since the last time, and how many are gone."""
        keys = {item.key for item in items}
        before, self.prompts = self.prompts, frozenset(keys)
        self._write_about()
        return (len(keys - before), len(before - keys)) if before else (0, 0)

    def begin(self, item: Item, run: StartedRun) -> None:
        """A run is about to be started for this prompt."""
        self._add(RUNS, {"key": item.key, "id": item.item_id, "line": item.line, **run._asdict(), "at": time.time()})
        self.started[item.key] = run

    def give_up(self, keys: Iterable[str]) -> None:
        """What was started for these prompts does not count: they are to be asked anew."""
        for key in keys:
            if (run := self.started.pop(key, None)) is not None:
                self._add(RUNS, {"key": key, "run_id": run.run_id, "is_given_up": True})

    def add(self, key: str, record: dict[str, Any], *, is_done: bool) -> None:
        """What came of a prompt."""
        self._add(RESULTS if is_done else FAILURES, {**record, "key": key})
        (self.done if is_done else self.failed)[key] = record
        self.started.pop(key, None)

    def forget_failures(self, keys: Iterable[str]) -> None:
        """Have these prompts asked once more."""
        again = {key for key in keys if key in self.failed}
        if not again:
            return
        for key in again:
            self._add(RUNS, {"key": key, "run_id": self.failed.pop(key).get("run_id", ""), "is_given_up": True})
        left = (record for record in _read(self.path / FAILURES) if record["key"] not in again)
        write_whole(self.path / FAILURES, (_line(record).decode() for record in left))

    def _note(self, record: dict[str, Any]) -> None:
        key, run_id = str(record["key"]), str(record.get("run_id", ""))
        if record.get("is_given_up") or key in self.done or key in self.failed or not is_run_id(run_id):
            self.started.pop(key, None)
        else:
            self.started[key] = StartedRun(run_id, str(record.get("machine", "")))

    def _about(self, agent: str) -> str:
        """The id of the batch that the folder is of. ConfigError if it is of another one, or of none."""
        about = self.path / ABOUT
        if not about.exists():
            if left := [name for name in (RESULTS, FAILURES, RUNS) if (self.path / name).exists()]:
                raise ConfigError(
                    f"{self.path} has a file {left[0]}, and is the folder of no batch.", hint="Name another one."
                )
            return uuid.uuid4().hex[:8]
        try:
            told = from_json(about.read_bytes())
            version, batch_id, before = int(told["version"]), str(told["batch"]), str(told["agent"])
            self.prompts = frozenset(map(str, told.get("prompts", ())))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ConfigError(f"{about} cannot be read: {error}.", hint="Name another folder with --output.") from error
        if version > _VERSION:
            raise ConfigError(f"{self.path} is the folder of a batch of a newer Maverick.", hint="Update this one.")
        place = place_of(batch_id) if _ID.fullmatch(batch_id) else ""
        if place != os.path.realpath(self.path):
            back = (
                f"It was begun in {inert(place)}: if you have moved it, move it back there. Or name"
                if place
                else "Name"
            )
            raise ConfigError(
                f"The batch in {self.path} was not begun here, so what stands there is not taken for what came of it.",
                hint=f"{back} another folder with --output, or remove this one.",
            )
        if before != agent:
            raise ConfigError(
                f"{self.path} is the folder of a batch of the agent {before!r}, and not of {agent!r}.",
                hint="Name another folder with --output.",
            )
        return batch_id

    def _write_about(self) -> None:
        if not place_of(self.batch_id):
            note_place(self.batch_id, self.path)
        told = {"version": _VERSION, "batch": self.batch_id, "agent": self._agent, "prompts": sorted(self.prompts)}
        write_whole(self.path / ABOUT, (json.dumps(told) + "\n",))

    def _add(self, name: str, record: dict[str, Any]) -> None:
        """Write a line, to the disk. ConfigError if that cannot be: nothing more may be started then."""
        try:
            descriptor = os.open(self.path / name, _APPENDING, 0o600)
            try:
                data = memoryview(_line(record))
                while data:
                    data = data[os.write(descriptor, data) :]
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise ConfigError(
                f"{self.path / name} cannot be written: {error.strerror or error}.",
                hint="See to that; then the same command goes on, with what its runs have done meanwhile.",
            ) from error


@contextmanager
def opened(path: Path, agent: str) -> Iterator[BatchFolder]:
    """The folder of a batch of that agent, while nobody else has it. ConfigError if it is no such folder."""
    with ExitStack() as lock:
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            _require_plain(path)
            lock.enter_context(alone(path, waits=False))
        except BlockingIOError as error:
            raise ConfigError(
                f"Another batch is using {path}.", hint="Wait for its end, or name another folder with --output."
            ) from error
        except OSError as error:
            raise ConfigError(
                f"{path} cannot be the folder of a batch: {error.strerror or error}.",
                hint="Name another one with --output.",
            ) from error
        yield BatchFolder(path, agent)


def _require_plain(path: Path) -> None:
    """ConfigError if the folder, or a file in it, is a link: one that came with a project may lead anywhere. So it is
    with what is no file: a pipe would be waited for.
    """
    files = [path / name for name in (RESULTS, FAILURES, RUNS, ABOUT)]
    if linked := [one for one in (path, *files) if one.is_symlink()]:
        raise ConfigError(
            f"{linked[0]} is a link, and a batch writes through none.", hint="Name another folder with --output."
        )
    if odd := [one for one in files if one.exists() and not (one.is_file() or one.is_dir())]:
        raise ConfigError(f"{odd[0]} is not a file.", hint="Name another folder with --output.")


def _mend(path: Path) -> None:
    """Cut off what a batch that was killed has left of its last line: its run is looked at again."""
    if not path.exists():
        return
    with os.fdopen(os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW), "rb+") as file:
        told = file.read()
        if not told.endswith(b"\n"):
            file.truncate(told.rfind(b"\n") + 1)


def _read(path: Path) -> Iterator[dict[str, Any]]:
    if not path.exists():
        return
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            record = from_json(line)
            if not isinstance(record, dict) or "key" not in record or not _has_figures(record):
                raise ValueError("it is not a line of a batch")
        except ValueError as error:
            raise ConfigError(
                f"{path} is damaged in line {number}: {error}.",
                hint="Correct or remove that line; without it the prompt is asked again.",
            ) from error
        yield record


def _has_figures(record: dict[str, Any]) -> bool:
    """Whether what is added up are numbers."""
    usage = record.get("usage") or {}
    figures = [record.get("cost") or 0, *(usage.values() if isinstance(usage, dict) else "?")]
    return all(type(one) in (int, float) for one in figures)


def _line(record: dict[str, Any]) -> bytes:
    return json.dumps(record).encode() + b"\n"
