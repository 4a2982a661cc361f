"""Makes the answer of what the tools have done, so that it does not depend on how a model words it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from maverick_tui.tasks import texts
from maverick_tui.tasks.contract import AgentResult, ToolCallRecord


def answer(records: Sequence[ToolCallRecord], said: str, *, has_failed: bool = False) -> AgentResult:
    """The answer to a message: what was changed, what could not be, and what is to be confirmed; else a list.

    `said` are the model's own words, which count only if no tool was called. `has_failed` is for a model that did not
    come to an end: what it has changed until then is told all the same.
    """
    kept = list(records)
    changed = list({(_id(record), text): text for record in records if (text := _changed(record))}.values())
    questions = [str(record.result["error"]["message"]) for record in records if _code(record) == "confirm"]
    if changed or questions:
        wrong = dict.fromkeys(_message(one) for at, one in enumerate(kept) if _is_left(one, kept[at + 1 :]))
        text = texts.fitting([*changed, *wrong], last=questions[-1] if questions else "")
        return AgentResult(not wrong, text, kept, text if wrong else None)
    if failures := [_message(record) for record in records if _code(record)]:
        return _failure(failures[-1], kept)
    if has_failed:
        return _failure(texts.SYSTEM_ERROR, kept)
    if lists := [record for record in records if record.tool_name == "list_tasks"]:
        found = lists[-1].result["data"]
        is_filtered = any(lists[-1].parameters.get(name) for name in ("priority", "tag"))
        is_filtered = is_filtered or lists[-1].parameters.get("status") == "completed"
        return AgentResult(True, texts.listed(found["tasks"], found["total"], is_filtered=is_filtered), kept)
    return AgentResult(True, texts.friendly(said), kept)


def _failure(text: str, records: list[ToolCallRecord]) -> AgentResult:
    return AgentResult(False, texts.cut(text), records, texts.cut(text))


def _code(record: ToolCallRecord) -> str:
    """What went wrong; empty if nothing did."""
    return "" if record.result.get("success") else str(record.result["error"]["code"])


def _message(record: ToolCallRecord) -> str:
    return str(record.result["error"].get("message") or texts.SYSTEM_ERROR)


def _id(record: ToolCallRecord) -> Any:
    return record.result["data"].get("id")


def _is_left(record: ToolCallRecord, later: Sequence[ToolCallRecord]) -> bool:
    """Whether a call has failed that was not made better afterwards. A tool that does not exist is left out: nobody
    but the model has missed it.
    """
    if _code(record) in ("", "confirm", "unknown"):
        return False
    return not any(one.tool_name == record.tool_name and _code(one) in ("", "confirm") for one in later)


def _changed(record: ToolCallRecord) -> str:
    """What a change is told as; empty for a call that has changed nothing."""
    if _code(record):
        return ""
    data: dict[str, Any] = record.result["data"]
    match record.tool_name:
        case "add_task":
            return texts.created(data["title"])
        case "complete_task":
            return texts.completed(data["title"])
        case "update_task":
            return texts.updated(data.get("before") or data["title"], texts.changes_of(record.parameters, data))
        case "delete_task":
            return texts.deleted(data["title"])
        case "complete_all_tasks":
            return texts.all_completed(data["count"])
        case "delete_all_tasks":
            return texts.all_deleted(data["count"])
        case _:
            return ""
