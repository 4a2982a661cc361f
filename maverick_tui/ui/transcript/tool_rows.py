"""What a tool call looks like: its line, its arguments, its result."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from rich.style import Style

from maverick_tui.agent.engine.outputs import result_text
from maverick_tui.events.marks import Part, marks_of
from maverick_tui.inert import inert, one_line, revealed
from maverick_tui.markup import grammar
from maverick_tui.markup.code import lexer_of
from maverick_tui.markup.hunks import Hunk, hunks_between, hunks_of_patch
from maverick_tui.markup.json_text import readable_json
from maverick_tui.runs import tool_text
from maverick_tui.runs.choosing import Choice, parts_of
from maverick_tui.runs.entries import PERSONS_OWN, ToolEntry
from maverick_tui.runs.own_questions import asked_by
from maverick_tui.ui.rendering.markdown import Renderer
from maverick_tui.ui.rendering.palette import Palette
from maverick_tui.ui.rendering.row import Row
from maverick_tui.ui.rendering.wrap import Styled, clean, wrap_words

LONGEST = 100_000
"""Characters of arguments or of a result that are drawn; the rest is a key away, in the editor."""

GLYPHS = {
    "writing": "◌",
    "waiting": "○",
    "asking": "⚑",
    "running": "●",
    "done": "✔",
    "failed": "✘",
    "denied": "⊘",
    "cut": "╌",
}
_SHOWN_BELOW = ("AskUserQuestion", "ExitPlanMode", "TodoWrite")
"""Tools whose arguments stand below their line, and would only be repeated in it."""
_WANTS = {"AskUserQuestion": "asks you", "ExitPlanMode": "has a plan"}
_DESCRIBED = {"Agent": "prompt", "Bash": "command", "Task": "prompt", PERSONS_OWN: "command"}
"""Tools whose calls the model describes in words of its own, and the argument that says what they really do."""
_DONE = re.compile(r"(?<=[-*+] \[)[xX](?=\])")
"""What is done in a list is drawn as a sign."""
_NO_LANGUAGE = ("text", "txt", "plain", "plaintext")
_TASKS_RUNNING = ("running", "pending", "started")
_EXIT_CODE = re.compile(r"exit code (\d+)")
_TASKS_STOPPED = ("stopped", "killed")
_TASKS_OVER = ("completed", "failed")


def head(entry: ToolEntry, folder: str, palette: Palette) -> list[Styled]:
    """Glyph, tool and what the call is about."""
    p = palette
    styles = {"asking": p.warning, "running": p.accent, "done": p.success, "failed": p.error, "denied": p.warning}
    state = "cut" if _is_stopped_behind(entry) else "failed" if _has_failed_behind(entry) else entry.state
    if state == "done" and entry.task_state in _TASKS_RUNNING:
        state = "running"
    about = "" if entry.name in _SHOWN_BELOW else tool_text.key_argument(entry.name, _told(entry), folder)
    return [
        (f"{GLYPHS[state]} ", styles.get(state, p.dim)),
        (tool_text.describe(asked_by(entry.call, entry.name)), p.strong),
        (f"  {about}" if about else "", p.base),
    ]


def _is_stopped_behind(entry: ToolEntry) -> bool:
    """Whether it went on in the background, and was stopped there."""
    return entry.state == "done" and entry.task_state in _TASKS_STOPPED


def _is_command_behind(entry: ToolEntry) -> bool:
    """Whether it is a command that went on in the background: its result only says so."""
    return entry.state == "done" and isinstance(entry.detail, dict) and bool(entry.detail.get("backgroundTaskId"))


def _has_failed_behind(entry: ToolEntry) -> bool:
    return entry.task_state == "failed" and _is_command_behind(entry)


def _told(entry: ToolEntry) -> dict[str, Any]:
    """The arguments; in a question with all that is hidden in them, and without what the model says of its call."""
    if entry.state != "asking":
        return entry.arguments
    return {
        name: revealed(value) if isinstance(value, str) else value
        for name, value in entry.arguments.items()
        if not (name == "description" and entry.name in _DESCRIBED)
    }


def summary(entry: ToolEntry, palette: Palette) -> list[Styled]:
    """What has come of it, in a few words."""
    p = palette
    if entry.state == "writing":
        size = f"{entry.input_size:,} characters" if entry.input_size else ""
        return [(f"preparing {size}".strip(), p.dim)]
    if entry.state == "asking":
        who = one_line(entry.question.agent) if entry.question is not None else ""
        return [(f"{who} {_WANTS.get(entry.name, 'wants permission')}".strip(), p.warning)]
    if entry.state == "waiting":
        return [("waiting", p.dim)]
    if entry.stop_state == "asked" and (entry.state == "running" or entry.task_state in _TASKS_RUNNING):
        return [("stopping", p.warning)]
    if entry.state == "running":
        return [(f"running  {_by(entry)}".rstrip(), p.accent)]
    if entry.state == "cut":
        return [(entry.cut_words, p.warning)]
    if entry.state == "denied":
        why = f": {one_line(entry.reason)}" if entry.reason else ""
        return [(f"denied{f' by {one_line(entry.answered_by)}' if entry.answered_by else ''}{why}", p.warning)]
    if entry.task_state in _TASKS_RUNNING:
        return [(_progress(entry) or "works in the background", p.accent)]
    if _is_stopped_behind(entry):
        return [("stopped", p.warning)]
    if entry.task_state in _TASKS_OVER and _is_command_behind(entry):
        code = _EXIT_CODE.search(entry.task_words) if _has_failed_behind(entry) else None
        words = f"{entry.task_state} in the background{f': {code[0]}' if code else ''}"
        return [(words, p.error if _has_failed_behind(entry) else p.dim)]
    if entry.name == "TodoWrite" and entry.state == "done":
        return []
    what, size = tool_text.summary(
        entry.name, entry.arguments, result_text(entry.output), failed=entry.state == "failed"
    )
    if entry.task_state:
        what = _progress(entry) or what
    ruled = "for this run" if entry.decision == "run" else f"by the rule {one_line(entry.by_rule)}"
    allowed = f"  allowed {ruled}" if entry.by_rule else "  as changed by a person" if entry.is_edited else ""
    style = p.error if entry.state == "failed" else p.dim
    by = f"{_by(entry)}  " if entry.answered_by else ""  # first, for a long result is cut at its end
    return [(f"{by}{what}{f' ({size})' if size else ''}{allowed}", style)]


def _by(entry: ToolEntry) -> str:
    """Who has answered its question, if that was somebody else."""
    return f"answered by {one_line(entry.answered_by)}" if entry.answered_by else ""


def _progress(entry: ToolEntry) -> str:
    parts = [
        f"{entry.tool_uses} tool calls" if entry.tool_uses else "",
        f"{entry.tokens:,} tokens" if entry.tokens else "",
    ]
    return ", ".join(part for part in parts if part)


def call(entry: ToolEntry, renderer: Renderer, palette: Palette, choice: Choice | None = None) -> list[Row]:
    """The exact arguments: an edit as a diff, a command as code, a path as a path, everything else as JSON."""
    arguments, show = entry.arguments, _show_of(entry)
    if entry.name in ("Edit", "Write", "NotebookEdit") and (hunks := _hunks(entry)):
        # Before it has been made, nobody knows on which lines of the file an edit will be, unless it was looked for.
        return renderer.diff(hunks, numbered=entry.name != "Edit" or bool(_patch(entry) or _asked_patch(entry)))
    if isinstance(does := arguments.get(_DESCRIBED.get(entry.name, "")), str):
        key, said = _DESCRIBED[entry.name], arguments.get("description")
        is_command = key == "command"
        rows = (
            renderer.code(show(does), "bash", _marked(entry, key))
            if is_command
            else renderer.plain(show(does), palette.base)
        )
        if not isinstance(said, str):
            return rows + _others(entry, (key,), renderer, palette)
        return [
            *rows,
            *_others(entry, (key, "description"), renderer, palette),
            *_in_its_words(show(said), renderer, palette),
        ]
    if entry.name == "AskUserQuestion":
        return _questions(entry, renderer, palette, choice)
    if entry.name == "ExitPlanMode":
        return _plan(entry, renderer, palette)
    if (entry.name == "TodoWrite" and entry.state != "asking") or not arguments:
        return []
    key = tool_text.key_name(entry.name)
    if isinstance(arguments.get(key), str):
        return renderer.plain(show(arguments[key]), _style(entry, key, palette)) + _others(
            entry, (key,), renderer, palette
        )
    text = readable_json(arguments)
    return renderer.code(show(text), "json")


def marks(entry: ToolEntry) -> list[Part]:
    """The parts of its arguments that are to be looked at, while it asks."""
    is_asking = entry.state == "asking" and entry.question is not None
    return marks_of(entry.question.marks, entry.arguments) if is_asking and entry.question is not None else []


def _marked(entry: ToolEntry, name: str) -> list[tuple[int, int]]:
    """From which character to which an argument is marked, as it is shown."""
    show, value = _show_of(entry), str(entry.arguments.get(name, ""))
    starts = [(len(show(value[: mark.start])), mark) for mark in marks(entry) if mark.argument == name]
    return [(start, start + len(show(mark.text))) for start, mark in starts]


def _style(entry: ToolEntry, name: str, palette: Palette) -> Style:
    """How an argument looks that is marked as a whole, or not at all."""
    is_marked = any(mark.argument == name for mark in marks(entry))
    return palette.base + palette.overlays["marked"] if is_marked else palette.base


def _in_its_words(text: str, renderer: Renderer, palette: Palette) -> list[Row]:
    """What the model says of its call; no row of it can be taken for one of ours."""
    label = "the agent says: "
    room = renderer.canvas.room - len(label)
    first, *rest = wrap_words(clean(one_line(text)), room) if room >= len(label) else [one_line(text)]
    return renderer.plain("\n".join([f"{label}{first}", *(f"{' ' * len(label)}{line}" for line in rest)]), palette.dim)


def _show_of(entry: ToolEntry) -> Callable[[str], str]:
    """How its texts are made harmless: whoever has to allow it is also shown which blanks are none."""
    return revealed if entry.state == "asking" else inert


def _plan(entry: ToolEntry, renderer: Renderer, palette: Palette) -> list[Row]:
    plan = entry.arguments.get("plan")
    rest = _others(entry, ("plan",), renderer, palette)
    if not isinstance(plan, str) or not plan.strip():
        return renderer.plain("It does not say what the plan is.", palette.dim) + rest
    rows = renderer.markdown(_show_of(entry)(plan))
    if entry.state == "asking" and _says_other(rows, plan):
        rows = renderer.plain(revealed(plan), palette.base)
    return rows + rest


def _says_other(rows: list[Row], text: str) -> bool:
    """Whether a drawing has other letters than its Markdown: it lacks titles of links, surplus cells and comments.

    Nor may it have more: among headings that are said again for each row of a wide table, those might be found.
    """
    drawn = [one for row in rows for one in row.text if one.isalnum()]
    return drawn != [one for one in _demanded(revealed(text)) if one.isalnum()]


def _demanded(text: str) -> str:
    """What a drawing has to show: all but the languages of blocks of code, which their colours tell, and done boxes."""
    lines = [*text.split("\n"), ""]
    for block in grammar.blocks(text):
        first, behind = block.map or (0, 0)
        if block.type == "fence" and _is_language(block.info.strip()):
            lines[first] = ""
        elif block.type == "inline":
            lines[first:behind] = [_DONE.sub("", line) for line in lines[first:behind]]
    return "\n".join(lines)


def _is_language(word: str) -> bool:
    """Whether it says no more than that; any other word behind a fence may be anything."""
    return word.lower() in _NO_LANGUAGE or lexer_of(word.lower()) is not None


def place(entry: ToolEntry, renderer: Renderer, palette: Palette) -> list[Row]:
    """Which file a change is about, in full, and what else is said of it: for those who have to allow it."""
    if entry.name not in ("Edit", "Write", "NotebookEdit"):
        return []
    names = ("file_path", "notebook_path")
    name = next((name for name in names if entry.arguments.get(name)), "")
    path = str(entry.arguments.get(name, ""))
    shown = (*names, "old_string", "new_string", "content", "new_source")
    rows = renderer.plain(one_line(_show_of(entry)(path)), _style(entry, name, palette)) if path else []
    rows += _others(entry, shown, renderer, palette)
    replaces = entry.question.replaces if entry.question is not None else ""
    return rows + (renderer.plain(one_line(replaces), palette.warning) if replaces else [])


def _others(entry: ToolEntry, shown: tuple[str, ...], renderer: Renderer, palette: Palette) -> list[Row]:
    """Arguments that are not shown already."""
    rest = {name: value for name, value in entry.arguments.items() if name not in shown}
    text = json.dumps(rest, ensure_ascii=False, default=str)[1:-1]
    return renderer.plain(one_line(_show_of(entry)(text)), palette.dim) if rest else []


def _hunks(entry: ToolEntry) -> list[Hunk]:
    arguments = entry.arguments
    is_asked = entry.state == "asking"
    show, part = (revealed, str) if is_asked else (inert, _beginning)  # what has to be allowed is never cut
    if (patch := _patch(entry)) is not None:
        return hunks_of_patch(patch)
    if known := hunks_of_patch(_asked_patch(entry)):
        return [replace(hunk, lines=tuple(f"{line[:1]}{revealed(line[1:])}" for line in hunk.lines)) for hunk in known]
    if entry.name == "Edit":
        old, new = (part(str(arguments.get(name) or "")) for name in ("old_string", "new_string"))
        return hunks_between(old, new, show=show)
    if arguments.get("edit_mode") == "delete":  # what comes along as its new source is not heeded
        return []
    text = arguments.get("content") if entry.name == "Write" else arguments.get("new_source")
    return hunks_between("", part(str(text or "")), show=show)


def _shown(text: str) -> str:
    """Inert, and as much as can be drawn without holding up a key; that something is missing stands there."""
    return inert(_beginning(text))


def _beginning(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]}\n… {len(text) - LONGEST:,} more characters, in your editor"


def _patch(entry: ToolEntry) -> list[Any] | None:
    """The CLI's own account of what was changed."""
    patch = entry.detail.get("structuredPatch") if isinstance(entry.detail, dict) else None
    return patch if isinstance(patch, list) and patch else None


def _asked_patch(entry: ToolEntry) -> tuple[dict[str, Any], ...]:
    """What a call that is asked about would change, where that was looked for."""
    return entry.question.patch if entry.state == "asking" and entry.question is not None else ()


def _questions(entry: ToolEntry, renderer: Renderer, palette: Palette, choice: Choice | None) -> list[Row]:
    """What is asked, with the options below it; of what is answered only the answer. An option is a click away."""
    p, rows, show = palette, list[Row](), _show_of(entry)
    for place, part in enumerate(parts_of(entry.arguments)):
        question, said = one_line(show(part.question)), choice.said(place) if choice is not None else None
        if said is not None:
            rows += renderer.plain(f"✔ {question}  {one_line(said)}", p.dim)
            continue
        is_next = choice is not None and place == choice.at
        rows += renderer.plain(f"{question}{' (several)' if part.takes_several else ''}", p.strong)
        for number, (label, about) in enumerate(part.options):
            mark = ("☑ " if choice is not None and number in choice.marked else "☐ ") if part.takes_several else ""
            style = (
                p.base + Style(meta={"@click": f"answer('choose', {entry.number}, {number})"}) if is_next else p.base
            )
            words = f": {one_line(show(about))}" if about else ""
            rows += renderer.plain(f"{mark if is_next else ''}{number + 1}. {one_line(show(label))}{words}", style)
    return rows


def output(entry: ToolEntry, renderer: Renderer, palette: Palette) -> list[Row]:
    """What the tool has answered; an edit's answer is its diff, which stands there already."""
    text = _shown(result_text(entry.output))
    if not text.strip() or (entry.name in ("Edit", "Write") and entry.state == "done") or entry.name == "TodoWrite":
        return []
    if entry.name in ("Agent", "Task") and entry.state == "done":
        return renderer.markdown(text)
    if text.startswith("diff --git "):
        return renderer.code(text, "diff")
    return renderer.plain(text, palette.error if entry.state == "failed" else palette.dim)


def gutter_time(seconds: float) -> str:
    """A duration for the gutter: at most five columns."""
    if seconds < 100:
        return f"{seconds:.1f}s"
    whole = int(seconds)
    return f"{whole // 60}:{whole % 60:02}" if whole < 3600 else f"{whole // 3600}h{whole % 3600 // 60:02}"
