"""What the CLI has stored of a session: the conversation as the SDK makes it out, and its entries as SDK messages.

Which of a file's entries are the conversation is the SDK's to say. Its messages have neither times nor the tools' own
accounts, and end at the last compaction, so it is asked for each part between two of them, and entries are given back.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Coroutine, Iterator, Sequence
from typing import Any, cast

from claude_agent_sdk import (
    AssistantMessage,
    ServerToolResultBlock,
    ServerToolUseBlock,
    SessionKey,
    SessionMessage,
    SessionStore,
    SessionStoreEntry,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UserMessage,
    get_session_messages_from_store,
)

from maverick_tui.journal.claude_sessions import session_file

log = logging.getLogger(__name__)

Entry = dict[str, Any]
"""A line of a session's file."""

_WORKTREE = b"worktree-state"
_ANY_SESSION = "00000000-0000-0000-0000-000000000000"
_SERVER_RESULT = "_tool_result"


class _Given:
    """A store for the SDK that holds what was read already: its own way of reading waits for pipes and for ever."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = entries

    async def load(self, key: SessionKey) -> list[SessionStoreEntry] | None:
        """All there is, whichever session is asked for."""
        return list(self._entries)  # type: ignore[arg-type]


def left_in(session_id: str) -> str:
    """The worktree that a session was left in, where the CLI would go on with it; empty if there is none."""
    found = ""
    if (path := session_file(session_id)) is None:
        return found
    try:
        with path.open("rb") as file:
            for line in (line for line in file if _WORKTREE in line):
                found = _worktree(line, found)
    except OSError as error:
        log.info("The session %s cannot be read: %s", session_id, error)
    return found


def _worktree(line: bytes, before: str) -> str:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):  # the CLI passes over what is no entry, too
        return before
    if not isinstance(entry, dict) or entry.get("type") != _WORKTREE.decode():
        return before
    state = entry.get("worktreeSession")
    return str(state.get("worktreePath") or "") if isinstance(state, dict) else ""


def conversation(entries: Sequence[Entry]) -> Iterator[Entry]:
    """The entries that a person and the model have exchanged, in their order, and compactions between them.

    What a person has taken back, to ask something else instead, is not among them.
    """
    start = 0
    for place, entry in enumerate(entries):
        if is_compaction(entry):
            yield from _chain(entries[start:place])
            yield entry
            start = place + 1
    yield from _chain(entries[start:])


def is_compaction(entry: Entry) -> bool:
    """Whether the conversation was made shorter here."""
    return entry.get("type") == "system" and entry.get("subtype") == "compact_boundary"


def _chain(entries: Sequence[Entry]) -> Iterator[Entry]:
    by_id = {entry["uuid"]: entry for entry in entries if isinstance(entry.get("uuid"), str)}
    asked = get_session_messages_from_store(cast("SessionStore", _Given(entries)), _ANY_SESSION, directory="/")
    return (by_id[message.uuid] for message in _result(asked))


def _result(asked: Coroutine[Any, Any, list[SessionMessage]]) -> list[SessionMessage]:
    """What a coroutine returns that has nothing to wait for: there may be an event loop in this thread, or none."""
    try:
        asked.send(None)
    except StopIteration as ended:
        messages: list[SessionMessage] = ended.value
        return messages
    asked.close()
    raise RuntimeError("The SDK waits for something where there is nothing to wait for.")


def as_message(entry: Entry, usage: dict[str, Any] | None = None) -> AssistantMessage | UserMessage:
    """An entry as the SDK would have told it while the session went on; `usage` is what its whole answer has used."""
    message = entry["message"]
    blocks = [made for block in blocks_of(message) if (made := _block(block)) is not None]
    if entry["type"] == "assistant":
        return AssistantMessage(
            blocks, str(message.get("model") or ""), usage=usage, message_id=str(message.get("id") or entry["uuid"])
        )
    return UserMessage(blocks, entry["uuid"], tool_use_result=entry.get("toolUseResult"))


def blocks_of(message: Any) -> list[dict[str, Any]]:
    """The blocks of a message's content."""
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _block(block: dict[str, Any]) -> Any:
    kind, call = block.get("type"), str(block.get("id") or "")
    arguments = block.get("input") if isinstance(block.get("input"), dict) else {}
    if kind == "text":
        return TextBlock(str(block.get("text") or ""))
    if kind == "thinking":
        return ThinkingBlock(str(block.get("thinking") or ""), "")
    if kind in ("tool_use", "mcp_tool_use"):
        return ToolUseBlock(call, str(block.get("name") or ""), arguments or {})
    if kind == "server_tool_use":
        return ServerToolUseBlock(call, block.get("name") or "", arguments or {})  # type: ignore[arg-type]
    asked = str(block.get("tool_use_id") or "")
    if kind == "tool_result":
        return ToolResultBlock(asked, block.get("content"), bool(block.get("is_error")))
    if isinstance(kind, str) and kind.endswith(_SERVER_RESULT):
        content = block.get("content")
        return ServerToolResultBlock(asked, content if isinstance(content, dict) else {"content": content})
    return None
