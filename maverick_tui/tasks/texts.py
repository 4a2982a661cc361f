"""Everything that the assistant says itself, word for word as the contract has it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

LONGEST = 500
LONGEST_TITLE = 80
"""The most letters of a title in a list; where it stands alone it is shown in full."""
MOST_TAGS = 5
LONGEST_TAG = 20

SYSTEM_ERROR = "I'm having a bit of trouble right now. Please try again."
EMPTY = "Your list is empty."
NONE_SUCH = "There are no such tasks in your list."
HELP = "I can add, list, complete, update and delete tasks. What would you like to do?"

DELETE_PHRASE = "yes delete"
MANY_PHRASE = "yes change them"
UNFINISHED = "I couldn't finish that; the rest was not done."
UNFINISHED_AFTER = "I couldn't finish that. This is what I did; the rest was not done."
INTERRUPTED = "Stopped. What was done until then is kept."
NEW = "This is a new conversation. What would you like to do?"

_CONFIRM_DELETE = re.compile(r"Do you really want to delete '(?P<title>.*)'\? Reply 'yes delete' to confirm\.")
_WHICH = re.compile(r"I (?:found multiple|couldn't find a) .*(?:Which one: |Did you mean )'(?P<titles>.*)'\?")
_CONFIRM_BULK = re.compile(r"That's a big action\. Confirm with '(?P<phrase>[^']*)'\.")


def short(title: str, most: int = LONGEST_TITLE) -> str:
    """A title, cut so that it does not take up the whole answer."""
    return title if len(title) <= most else f"{title[: most - 1].rstrip()}…"


def created(title: str) -> str:
    """A task was added."""
    return f"Got it! Added '{title}' to your list. Anything else?"


def completed(title: str) -> str:
    """A task is done."""
    return f"Great! I've marked '{title}' as complete."


def deleted(title: str) -> str:
    """A task is gone."""
    return f"I've removed '{title}' from your tasks."


def updated(title: str, changes: Sequence[str]) -> str:
    """A task has changed."""
    return f"Updated! '{title}' now has {joined(changes) or 'the same details as before'}."


def all_completed(count: int) -> str:
    """All open tasks are done."""
    return NONE_SUCH if not count else f"Great! I've marked {_tasks(count)} as complete."


def all_deleted(count: int) -> str:
    """Many tasks are gone."""
    return NONE_SUCH if not count else f"I've removed {_tasks(count)} from your list."


def not_found(query: str) -> str:
    """No task is meant by these words."""
    return f"I couldn't find a task about '{short(query)}' in your list."


def did_you_mean(query: str, title: str) -> str:
    """No task has these words, but one has similar ones."""
    return f"{not_found(query)} Did you mean '{title}'?"


def one_by_one(titles: Sequence[str]) -> str:
    """There would be a question about each of these, and only one can be asked."""
    names = joined([f"'{short(title)}'" for title in titles])
    return f"I can delete one task at a time. Please ask me again about {names}."


def just_renamed(before: str, title: str) -> str:
    """A task is not deleted by a name that its owner has not seen yet."""
    return f"'{short(before)}' has just become '{short(title)}', so I did not ask whether to delete it."


def not_yet(titles: Sequence[str]) -> str:
    """What a question about many tasks is about."""
    names = [f"'{short(title, LONGEST_TAG * 2)}'" for title in titles]
    return f"Not changed yet: {joined(names)}."


def ambiguous(query: str, options: Sequence[str]) -> str:
    """Several tasks may be meant."""
    room = (LONGEST - len(short(query)) - 60) // max(1, len(options)) - 4
    names = ", ".join(f"'{short(option, min(LONGEST_TITLE, room))}'" for option in options)
    return f"I found multiple tasks about '{short(query)}'. Which one: {names}?"


def needs(what: str) -> str:
    """Something is missing, or cannot be used."""
    return f"Could you provide more details about {what}?"


def confirm_delete(title: str) -> str:
    """Nothing is deleted before this was answered."""
    return f"Do you really want to delete '{title}'? Reply '{DELETE_PHRASE}' to confirm."


def confirm_bulk(phrase: str) -> str:
    """Nothing happens to many tasks before this was answered."""
    return f"That's a big action. Confirm with '{phrase}'."


def title_to_delete(text: str) -> str | None:
    """Which title a question is about, if it is the one before a deletion."""
    found = _CONFIRM_DELETE.fullmatch(text.strip().rpartition("\n")[2])
    return found["title"] if found else None


def phrase_to_confirm(text: str) -> str | None:
    """Which phrase a question wants to hear, if it is the one before a big action."""
    found = _CONFIRM_BULK.fullmatch(text.strip().rpartition("\n")[2])
    return found["phrase"] if found else None


def titles_to_choose(text: str) -> list[str]:
    """The titles that a question names, if it is the one which task is meant."""
    for line in text.splitlines():
        if found := _WHICH.fullmatch(line.strip()):
            return found["titles"].split("', '")
    return []


def listed(tasks: Sequence[Mapping[str, Any]], total: int, *, is_filtered: bool = False) -> str:
    """A numbered list with checkboxes, as many as there is room for."""
    lines = [
        f"{number}. {'✓' if task['completed'] else '☐'} {short(task['title'])}{_details(task)}"
        for number, task in enumerate(tasks, 1)
    ]
    return fitting(lines, total=total) or (NONE_SUCH if is_filtered else EMPTY)


def fitting(lines: Sequence[str], *, total: int | None = None, last: str = "") -> str:
    """As many lines as there is room for, how many more there are, and the last one whatever else there is."""
    total = len(lines) if total is None else total
    shown: list[str] = []
    room = LONGEST - (len(last) + 1 if last else 0)
    for number, line in enumerate(lines, 1):
        more = len(_more(total - number)) + 1 if number < total else 0
        left = room - sum(map(len, shown)) - len(shown) - more
        if shown and len(line) > left:
            break
        shown.append(short(line, left))
    if (left := total - len(shown)) > 0 and shown:
        shown.append(_more(left))
    return "\n".join([*shown, *([last] if last else [])])


def _more(count: int) -> str:
    return f"…and {count:,} more."


def changes_of(arguments: Mapping[str, Any], task: Mapping[str, Any], most: int = LONGEST) -> list[str]:
    """What has changed, in words: `arguments` say what was asked for, `task` how it is now; `most` is for its title."""
    words: dict[str, Callable[[], str]] = {
        "title": lambda: f"the title '{short(task['title'], most)}'",
        "notes": lambda: "new notes" if task["notes"] else "no notes",
        "priority": lambda: f"{str(task['priority']).lower()} priority",
        "due": lambda: f"the due date {_day(task['due'])}" if task["due"] else "no due date",
        "tags": lambda: _tagged(task["tags"]),
        "completed": lambda: "a check mark" if task["completed"] else "no check mark",
    }
    return [say() for name, say in words.items() if arguments.get(name) is not None]


def cut(text: str) -> str:
    """At most as long as an answer may be, ending with a sentence or a line if that is possible."""
    if len(text) <= LONGEST:
        return text
    head = text[: LONGEST - 1]
    end = max(head.rfind(mark) for mark in (". ", "! ", "? ", "\n"))
    return head[: end + 1].rstrip() if end > LONGEST // 2 else f"{head.rstrip()}…"


def joined(parts: Sequence[str]) -> str:
    """Parts as in a sentence: a, b and c."""
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def _tasks(count: int) -> str:
    return "1 task" if count == 1 else f"{count:,} tasks"


def _details(task: Mapping[str, Any]) -> str:
    parts = []
    if task["priority"] != "Medium":
        parts.append(f"{str(task['priority']).lower()} priority")
    if task["due"]:
        parts.append(f"due {_day(task['due'])}")
    return f" ({', '.join(parts)})" if parts else ""


def _day(text: str) -> str:
    day = date.fromisoformat(text)
    return f"{day:%B} {day.day}, {day.year}"


def _tagged(tags: Sequence[str]) -> str:
    if not tags:
        return "no tags"
    more = len(tags) - MOST_TAGS
    shown = [*(short(tag, LONGEST_TAG) for tag in tags[:MOST_TAGS]), *([f"{more} more"] if more > 0 else [])]
    return f"the tag{'s' if len(tags) > 1 else ''} {joined(shown)}"
