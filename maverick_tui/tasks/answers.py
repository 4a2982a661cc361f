"""Makes the answer from what the tools have done, so that it does not depend on how a model words it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from maverick_tui.tasks import texts
from maverick_tui.tasks.contract import AgentResult, ToolCallRecord
from maverick_tui.tasks.talk import friendly


class Made(NamedTuple):
    """A call that was made, and in which turn of the model: those of one turn do not know of each other."""

    record: ToolCallRecord
    turn: int = 0


def answer(made: Sequence[Made], said: str = "", *, heard: str = "", has_failed: bool = False) -> AgentResult:
    """The answer to a message: what could not be done, what was changed, and what is to be confirmed; else a list.

    `said` are the model's own words, which count only if no tool was called, and are checked against what it has
    `heard`. `has_failed` is for a model that did not finish, or was not allowed all its calls: what it had changed
    until then is told, and that there was more to do.
    """
    records = kept = [one.record for one in made]
    questions = [record for record in records if _code(record) == "confirm"]
    if questions or any(map(_changed, records)):
        wrong = list(dict.fromkeys(map(_message, _left(made))))
        if has_failed:
            wrong.insert(0, texts.UNFINISHED_AFTER if any(map(_changed, records)) else texts.UNFINISHED)
        text = _told(wrong, records, questions)
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
    return AgentResult(True, friendly(said, heard), kept)


def _told(wrong: Sequence[str], records: Sequence[ToolCallRecord], questions: Sequence[ToolCallRecord]) -> str:
    """Failures first, since they must not be missed; the question last, since it is to be answered.

    Where there is too little room the titles are cut before anything is left out, and additions before changes: by an
    addition nothing is lost.
    """
    asked = _message(questions[-1]) if questions else ""
    about = [str(one.result["error"].get("title", "")) for one in questions if _message(one) == asked]
    many = [texts.not_yet(list(dict.fromkeys(about)))] if asked == texts.confirm_bulk(texts.MANY_PHRASE) else []
    titles = [str(one.result["error"].get("title", "")) for one in questions if _message(one) != asked]
    waiting = [texts.one_by_one(list(dict.fromkeys(titles)))] if any(titles) else []
    lines: list[str] = []
    by_loss = sorted(records, key=lambda one: one.tool_name == "add_task")
    ways = ((texts.LONGEST, records), (texts.LONGEST_TITLE, records), (texts.LONGEST_TITLE, by_loss))
    for most, ordered in ways:
        changed = {(_id(one), _changed(one)): _changed(one, most) for one in ordered if _changed(one)}
        lines = [*wrong, *many, *changed.values(), *waiting]
        if sum(len(line) + 1 for line in lines) + len(asked) <= texts.LONGEST:
            break
    return texts.fitting(lines, last=asked)


def _failure(text: str, records: list[ToolCallRecord]) -> AgentResult:
    return AgentResult(False, texts.cut(text), records, texts.cut(text))


def _code(record: ToolCallRecord) -> str:
    """What went wrong; empty if nothing did."""
    return "" if record.result.get("success") else str(record.result["error"]["code"])


def _message(record: ToolCallRecord) -> str:
    return str(record.result["error"].get("message") or texts.SYSTEM_ERROR)


def _id(record: ToolCallRecord) -> Any:
    return record.result["data"].get("id")


def _left(made: Sequence[Made]) -> list[ToolCallRecord]:
    """The calls that failed and were not made up for by one that worked in a later turn.

    A tool that does not exist is left out: nobody but the model misses it.
    """
    left: list[Made] = []
    for one in made:
        code = _code(one.record)
        if code not in ("", "confirm", "unknown"):
            left.append(one)
        elif code != "unknown":
            better = [old for old in left if old.record.tool_name == one.record.tool_name and old.turn < one.turn]
            if better:
                left.remove(better[-1])
    return [one.record for one in left]


def _changed(record: ToolCallRecord, most: int = texts.LONGEST) -> str:
    """How a change is told, with titles of at most so many letters; empty for a call that changed nothing."""
    if _code(record):
        return ""
    data: dict[str, Any] = record.result["data"]
    title = texts.short(str(data.get("title", "")), most)
    match record.tool_name:
        case "add_task":
            return texts.created(title)
        case "complete_task":
            return texts.completed(title)
        case "update_task":
            before = texts.short(data.get("before") or data["title"], most)
            return texts.updated(before, texts.changes_of(record.parameters, data, most))
        case "delete_task":
            return texts.deleted(title)
        case "complete_all_tasks":
            return texts.all_completed(data["count"])
        case "delete_all_tasks":
            return texts.all_deleted(data["count"])
        case _:
            return ""
