"""Everything that the assistant says of its own, word for word as the contract has it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

from maverick_tui.inert import inert

LONGEST = 500
LONGEST_TITLE = 80
"""Of a title in a list; where it stands alone it is told as it is."""
MOST_TAGS = 5
LONGEST_TAG = 20

SYSTEM_ERROR = "I'm having a bit of trouble right now. Please try again."
EMPTY = "Your list is empty."
NONE_SUCH = "There are no such tasks in your list."
HELP = "I can add, list, complete, update and delete tasks. What would you like to do?"

DELETE_PHRASE = "yes delete"
MANY_PHRASE = "yes change them"
INTERRUPTED = "Stopped. What was done until then is kept."
NEW = "This is a new conversation. What would you like to do?"

_CONFIRM_DELETE = re.compile(r"Do you really want to delete '(?P<title>.*)'\? Reply 'yes delete' to confirm\.")
_CONFIRM_BULK = re.compile(r"That's a big action\. Confirm with '(?P<phrase>[^']*)'\.")
_OURS = re.compile(
    r"do you really want to delete|reply 'yes|that's a big action|confirm with '|"
    r"\bI(?:'ve| have)?(?: just| now| already)? "
    r"(?:added|created|marked|completed|finished|removed|deleted|updated|changed)\b|"
    r"^(?:got it! added|updated!|done\b|added\b|deleted\b|removed\b|marked\b|completed\b)|[☐✓]",
    re.IGNORECASE | re.MULTILINE,
)
"""What is said of what was done, and asked before it is done: a model may not say it where no tool has."""
_CLAIM = re.compile(
    r"\b(?:added|created|deleted|removed|erased|cleared|marked|completed|finished|updated|changed|renamed)\b|"
    r"(?<!to be )(?<!things )\bdone\b",
    re.IGNORECASE,
)
"""What may say that something was changed. It costs some harmless sentences; what is said of tasks must be true."""
_APOSTROPHES = str.maketrans(dict.fromkeys("\u2019\u2018\u02bc\u201b\u2032\uff07`\u00b4", "'"))
_JARGON = re.compile(
    r"\b(json|apis?|mcp|sql\w*|databases?|tools?|toolcalls?|function call|user ?id|task ?id|uuid|null|boolean|"
    r"parameters?|arguments?|schema|exceptions?|traceback|stack ?trace|endpoint|backend|servers?|tokens?|"
    r"(add|list|complete|update|delete)_(all_)?tasks?|https?|html|xml|system prompt|error code|status code)\b|"
    r"\w_\w|://|[{}<>`\\|]",
    re.IGNORECASE,
)
_BRACKETED_ID = re.compile(r"\s*[(\[](?:task\s*)?(?:id|no\.?|number)?\s*[:#=]?\s*\d+[)\]]", re.IGNORECASE)
_ID = re.compile(
    r"\bids?\b|#\d|\btask (?:no\.? ?|number )?\d|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{17,}\b", re.IGNORECASE
)
_QUOTED = re.compile(r"(?<!\w)'[^'\n]*'(?!\w)|\"[^\"\n]*\"|“[^”\n]*”")
_MARKUP = re.compile(r"^\s{0,3}#{1,6}\s+|\*\*|__|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)", re.MULTILINE)
_EMOJI = re.compile(
    "[\U0001f000-\U0001faff\U000e0000-\U000e007f\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\u2194-\u21aa\u3030\u303d\u20e3\ufe0f\u200d]"
)
_INVISIBLE = re.compile("[\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufeff]")
_ENDS = (".", "!", "?", "…", ":")


def short(title: str, most: int = LONGEST_TITLE) -> str:
    """A title that does not take the whole answer."""
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
    """No task has these words, but one has some that are like them."""
    return f"{not_found(query)} Did you mean '{title}'?"


def one_by_one(titles: Sequence[str]) -> str:
    """There was a question about each of these, and only the last one of all can be asked."""
    names = joined([f"'{short(title)}'" for title in titles])
    return f"I can delete one task at a time. Please ask me again about {names}."


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


def friendly(text: str) -> str:
    """What a model says by itself, made fit: no ids, no jargon, no emoji, whole sentences, not too long.

    What cannot be mended is not said at all; nor is what only a tool can know, that something was done. What stands in
    quotes is the user's own.
    """
    is_list = any(mark in text for mark in "☐✓")  # one of them would be taken for an emoji
    text = _BRACKETED_ID.sub("", _EMOJI.sub("", _INVISIBLE.sub("", inert(text).replace("\ufffd", ""))))
    unquoted = _QUOTED.sub("''", text)
    if is_list or _JARGON.search(unquoted) or _ID.search(unquoted):
        return HELP
    text = _MARKUP.sub("", text)
    text = re.sub(r"\s*\n\s*", "\n", re.sub(r"[^\S\n]+", " ", text)).strip()
    if not any(character.isalnum() for character in text) or _is_claim(text):
        return HELP
    text = cut(text[0].upper() + text[1:])
    return text if text.rstrip("'\"”)").endswith(_ENDS) else cut(f"{text.rstrip(',;- ')}.")


def _is_claim(text: str) -> bool:
    """Whether it sounds like ours, however it is spelled; looked at when nothing of it will change any more."""
    folded = text.translate(_APOSTROPHES)
    in_one = " ".join(folded.split())
    return bool(_OURS.search(folded) or _OURS.search(in_one) or _CLAIM.search(_QUOTED.sub("''", in_one)))


def cut(text: str) -> str:
    """At most as long as an answer may be, ending with a sentence or a line if that is possible."""
    if len(text) <= LONGEST:
        return text
    head = text[: LONGEST - 1]
    end = max(head.rfind(mark) for mark in (". ", "! ", "? ", "\n"))
    return head[: end + 1].rstrip() if end > LONGEST // 2 else f"{head.rstrip()}…"


def joined(parts: Sequence[str]) -> str:
    """Parts as a sentence has them: a, b and c."""
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
