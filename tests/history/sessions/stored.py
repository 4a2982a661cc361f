"""Sessions as the CLI stores them, in a few words."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from maverick_tui import paths

ID = "2a61f102-e0f7-41f4-b28f-6e23595c36c8"
OTHER = "3b61f102-e0f7-41f4-b28f-6e23595c36c8"
AT = 1_790_000_000.0


class Session:
    """Writes entries one after the other, each the child of the one before."""

    def __init__(self, session_id: str = ID, cwd: str = "/shop", entrypoint: str = "cli") -> None:
        self.session_id = session_id
        self.lines: list[bytes] = []
        self.last: str | None = None
        self.at = AT
        self._common = {"sessionId": session_id, "cwd": cwd, "gitBranch": "main", "entrypoint": entrypoint}
        self._count = 0

    def entry(self, kind: str, *, parent: str | None = "", **fields: Any) -> str:
        """Any entry that belongs to the tree; its id."""
        self._count += 1
        self.at += 1
        own = f"u{self._count}"
        told = {
            "parentUuid": self.last if parent == "" else parent,
            "type": kind,
            "uuid": own,
            "timestamp": datetime.fromtimestamp(self.at, UTC).isoformat().replace("+00:00", "Z"),
            **self._common,
            **fields,
        }
        self.put(told)
        self.last = own
        return own

    def put(self, line: dict[str, Any] | bytes) -> Session:
        """A line as it is."""
        self.lines.append(line if isinstance(line, bytes) else json.dumps(line, separators=(",", ":")).encode() + b"\n")
        return self

    def ask(self, text: Any, **fields: Any) -> Session:
        self.entry("user", message={"role": "user", "content": text}, **fields)
        return self

    def answer(self, *blocks: Any, stop: str | None = "end_turn", message: str = "", **fields: Any) -> Session:
        """Each block in an entry of its own; a text is one."""
        message = message or f"m{self._count + 1}"
        for at, block in enumerate(blocks):
            content = {"type": "text", "text": block} if isinstance(block, str) else block
            usage = {"input_tokens": 100, "output_tokens": 1 + 10 * at, "cache_read_input_tokens": 0}
            body = {"id": message, "role": "assistant", "model": "claude-sonnet-4-5", "stop_reason": stop}
            self.entry("assistant", message={**body, "content": [content], "usage": usage}, **fields)
        return self

    def result(self, call: str, output: str, *, parent: str | None = "", **fields: Any) -> Session:
        content = [{"type": "tool_result", "tool_use_id": call, "content": output}]
        self.entry("user", parent=parent, message={"role": "user", "content": content}, **fields)
        return self

    @property
    def file(self) -> Path:
        return paths.claude_config() / "projects" / "-shop" / f"{self.session_id}.jsonl"

    def write(self, at: float = AT) -> Path:
        """Have it be there, as of that time."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_bytes(b"".join(self.lines))
        os.utime(self.file, (at, at))
        return self.file


def call(call_id: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def plain(session_id: str = ID, prompt: str = "Fix the login test", answer: str = "The session expires.") -> Session:
    """One prompt and its answer."""
    return Session(session_id).ask(prompt).answer(answer)
