"""Checks of the terminal: its size, colours, copying, Escape in tmux, whole frames, and the width of what it draws."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from maverick_tui.doctor.findings import Finding, Situation
from maverick_tui.doctor.terminal_questions import SAMPLES, TerminalAnswers

_LEAST = (60, 15)
"""Columns and rows below which there is hardly room for an answer."""
_TRUE_COLOUR = ("truecolor", "24bit")
_MANY, _FEW = 1 << 24, 256
_TMUX_SECONDS = 2.0
_LONGEST_ESCAPE = 50
"""Milliseconds for which tmux may wait for what follows an Escape: within them nobody goes on typing."""
_TAKES_COPIES = ("kitty", "ghostty", "wezterm", "foot", "alacritty", "contour", "iterm2", "iterm.app", "vscode", "rio")
_TAKES_NONE = ("apple_terminal", "vte")
_BOXED = frozenset({"symbols as emoji", "joined emoji"})
"""Samples of what the application writes so that their width does not matter: see `steady.py`."""
_NEWER = "Use a newer version of it, or another terminal."


class _Tmux(NamedTuple):
    """What tmux says of itself and of the terminal around it."""

    version: str
    features: list[str]
    clipboard: str
    escape: str
    """Milliseconds for which an Escape waits for the next key, to be one with it."""


def check_terminal(situation: Situation) -> Iterator[Finding]:
    """What it says itself, and what variables, terminfo and tmux say of it."""
    if not sys.stdout.isatty():
        yield Finding("Terminal", "unknown", f"not asked: {situation.terminal.not_asked}")
        return
    answers, tmux = situation.terminal, _ask_tmux(situation.cwd)
    yield _called(answers, tmux)
    yield _colours(tmux)
    yield _copying(answers, tmux)
    if tmux and tmux.escape.isdecimal():
        yield _escaping(int(tmux.escape))
    yield _frames(answers, tmux)
    yield _widths(answers)


def _called(answers: TerminalAnswers, tmux: _Tmux | None) -> Finding:
    columns, rows = os.get_terminal_size(sys.stdout.fileno())
    inside = f" in tmux {tmux.version}" if tmux else ""
    name = answers.name or os.environ.get("TERM_PROGRAM") or os.environ.get("TERM") or "no TERM"
    fact = f"{name}{inside if not name.startswith('tmux') else ''}, {columns} x {rows}"
    details = {"terminal": name, "columns": columns, "rows": rows}
    if os.environ.get("TERM", "") in ("", "dumb"):
        hint = "Set TERM to what it is: the application does not open in a dumb one."
        return Finding("Terminal", "warning", f"{fact}; TERM does not say what it can do", hint, details)
    if "utf" not in (sys.stdout.encoding or "").lower():
        fact = f"{fact}, {sys.stdout.encoding} and not UTF-8"
        return Finding("Terminal", "warning", fact, "Set LANG to a locale with UTF-8: C.UTF-8, for example.", details)
    if columns < _LEAST[0] or rows < _LEAST[1]:
        return Finding("Terminal", "warning", fact, "Make it larger: {} x {} is little.".format(*_LEAST), details)
    return Finding("Terminal", "fine", fact, details=details)


# -- colours -----------------------------------------------------------------------------------------------------------


def _colours(tmux: _Tmux | None) -> Finding:
    said = os.environ.get("COLORTERM", "").lower() in _TRUE_COLOUR
    known = _MANY if said else _by_terminfo()
    used = _MANY if said else min(known, _FEW)  # without that variable, the application uses no more
    details = {"colours": used}
    if os.environ.get("NO_COLOR"):
        return Finding("Colours", "fine", "none, as NO_COLOR says", details={"colours": 0})
    if tmux and said and "RGB" not in tmux.features:
        hint = "Put this into ~/.tmux.conf: set -as terminal-features ',*:RGB'"
        return Finding("Colours", "warning", "16 million, which tmux makes 256 of", hint, details)
    if used == _MANY:
        return Finding("Colours", "fine", "16 million", details=details)
    if known > _FEW or (tmux and "RGB" in tmux.features):
        fact = f"{used}, though it seems to have 16 million"
        return Finding("Colours", "warning", fact, "Set COLORTERM=truecolor.", details)
    if used < _FEW:
        hint = "Set TERM to what the terminal is: xterm-256color, for example."
        return Finding("Colours", "warning", f"{used}, by TERM={os.environ.get('TERM', '')}", hint, details)
    return Finding("Colours", "fine", f"{used}", details=details)


def _by_terminfo() -> int:
    """How many there are by the description of the terminal; by its name alone, where there is none."""
    name = os.environ.get("TERM", "dumb")
    by_name = _FEW if name.endswith("256color") or os.name != "posix" else 8
    try:
        import curses
    except ImportError:  # not on Windows
        return by_name
    try:
        curses.setupterm(name, sys.stdout.fileno())
    except curses.error:
        return by_name
    is_direct = curses.tigetflag("RGB") > 0 or curses.tigetflag("Tc") > 0
    return _MANY if is_direct else max(curses.tigetnum("colors"), 0)


# -- copying, frames, widths -------------------------------------------------------------------------------------------


def _copying(answers: TerminalAnswers, tmux: _Tmux | None) -> Finding:
    """Whether what is copied reaches the clipboard (OSC 52). Nobody is asked for what is in it: that is private."""
    name = "Copying"
    if tmux and (tmux.clipboard != "on" or "clipboard" not in tmux.features):
        why = f"set-clipboard is {tmux.clipboard}" if tmux.clipboard != "on" else "the feature clipboard is missing"
        line = "set -s set-clipboard on" if tmux.clipboard != "on" else "set -as terminal-features ',*:clipboard'"
        hint = f"Put this into ~/.tmux.conf: {line}"
        return Finding(name, "warning", f"tmux keeps it from the clipboard: {why}", hint, {"osc52": False})
    if tmux:
        return Finding(name, "fine", "tmux hands it on to the clipboard (OSC 52)", details={"osc52": True})
    if os.environ.get("STY"):
        hint = "Use tmux, or no multiplexer, where you want to copy."
        return Finding(name, "warning", "screen keeps it from the clipboard", hint, {"osc52": False})
    called = f"{answers.name} {os.environ.get('TERM_PROGRAM', '')} {'vte' if os.environ.get('VTE_VERSION') else ''}"
    if answers.has_clipboard or os.environ.get("WT_SESSION") or any(one in called.lower() for one in _TAKES_COPIES):
        return Finding(name, "fine", "to the clipboard (OSC 52)", details={"osc52": True})
    if any(one in called.lower() for one in _TAKES_NONE):
        hint = "Select with Shift and the mouse instead, or use another terminal."
        return Finding(name, "warning", "this terminal takes nothing for the clipboard", hint, {"osc52": False})
    fact = "not known: terminals do not tell whether they take it (OSC 52)"
    return Finding(name, "unknown", fact, details={"osc52": None})


def _escaping(milliseconds: int) -> Finding:
    """Whether Escape and a letter, typed one after the other, reach us as the two keys that they are."""
    name, fact, details = "Escape", f"tmux waits {milliseconds} ms for what follows it", {"escape_ms": milliseconds}
    if milliseconds <= _LONGEST_ESCAPE:
        return Finding(name, "fine", fact, details=details)
    fact = f"{fact}, and makes Alt and a letter of both"
    return Finding(name, "warning", fact, "Put this into ~/.tmux.conf: set -s escape-time 10", details)


def _frames(answers: TerminalAnswers, tmux: _Tmux | None) -> Finding:
    name, details = "Whole frames", {"synchronised": answers.is_synchronised}
    if answers.is_synchronised is None:
        return Finding(name, "unknown", _not_known(answers), details=details)
    if answers.is_synchronised:
        return Finding(name, "fine", "synchronised output (DEC mode 2026)", details=details)
    hint = "Use tmux 3.4 or later." if tmux else _NEWER
    return Finding(name, "warning", "no synchronised output, so it may flicker", hint, details)


def _widths(answers: TerminalAnswers) -> Finding:
    """Whether the terminal moves on by as many columns as we count."""
    from rich.cells import cell_len

    name = "Unicode width"
    if answers.widths is None:
        return Finding(name, "unknown", _not_known(answers), details={"widths": None})
    details = {"widths": dict(answers.widths)}
    wrong = [sample for sample, width in answers.widths.items() if width != cell_len(SAMPLES[sample])]
    if wrong and _BOXED.issuperset(wrong):
        fact = f"not as counted: {', '.join(wrong)}; they are kept to the cells that we count"
        return Finding(name, "fine", fact, details=details)
    if wrong:
        fact = f"not as counted: {', '.join(wrong)}; rows with them may be shifted"
        return Finding(name, "warning", fact, _NEWER, details)
    return Finding(name, "fine", f"as counted: {', '.join(SAMPLES)}", details=details)


def _not_known(answers: TerminalAnswers) -> str:
    if answers.not_asked:
        return f"not asked: {answers.not_asked}"
    return "the terminal does not answer" if answers.is_silent else "the terminal does not say"


def _ask_tmux(folder: Path) -> _Tmux | None:
    """The tmux that we are in; None outside of one, or if it does not answer."""
    from maverick_tui.programs import find_program

    if not os.environ.get("TMUX") or (program := find_program("tmux", folder)) is None:
        return None
    line = [program, "display-message", "-p", "#{version}\n#{client_termfeatures}\n#{set-clipboard}\n#{escape-time}"]
    try:
        ran = subprocess.run(
            line, stdin=subprocess.DEVNULL, capture_output=True, timeout=_TMUX_SECONDS, check=True, text=True
        )
        version, features, clipboard, escape = ran.stdout.split("\n")[:4]
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return _Tmux(version, features.split(","), clipboard, escape)
