"""Takes out of frames what a cassette must not hold: secrets, and what tells of the machine and its user."""

from __future__ import annotations

import getpass
import json
import os
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maverick_tui.masking import pairs
from maverick_tui.masking.names import holds_secret
from maverick_tui.masking.redact import MASK, forms, held_from, known_values, masked, redact, redact_data
from maverick_tui.masking.settings import given_to_server, secret_variables, server_secrets
from maverick_tui.masking.shapes import BEGINNINGS, is_open

if TYPE_CHECKING:
    from claude_agent_sdk import ClaudeAgentOptions

CWD = "/project"
HOME = "~"
USER = "user"

MAX_START = 256
"""Characters of a secret that are looked for at the end of a text; the lines of a longer one are looked for, too."""

SHORT = 60
"""Characters of a text that is remembered: most of them are names of fields, which come with every frame."""

_TELLS = frozenset({"apiKeySource", "email", "e-mail"})
"""Fields that are no secret, and yet nobody's business."""
_SECRET_MAPS = frozenset({"account", "env", "headers"})
_NOBODY = frozenset("admin assistant claude nobody result root runner system ubuntu user".split())
"""User names that identify nobody, and would be found in every other sentence or frame."""


class Scrubber:
    """Knows the secrets of this process and of a run's MCP servers; others are known by their name or their shape."""

    def __init__(self, options: ClaudeAgentOptions) -> None:
        env = {**os.environ, **options.env}
        known = {needle: (re.compile(re.escape(needle)), MASK) for needle in _secrets(options)}
        paths = {env.get("CLAUDE_CONFIG_DIR"): "~/.claude", env.get("CLAUDE_CODE_TMPDIR"): "/tmp/claude"}
        home = os.path.expanduser("~")  # noqa: PTH111 - Path.home() raises where there is none
        for path, stand_in in {**paths, home: HOME, str(options.cwd or Path.cwd()): CWD}.items():
            known |= {needle: (pattern, shown) for needle, pattern, shown in _forms(path or "", stand_in)}
        name = _user_name()
        if len(name) > 2 and name.lower() not in _NOBODY:
            known[name] = (re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])"), USER)
        self._known = [(needle, *known[needle]) for needle in sorted(known, key=len, reverse=True)]
        needles = (*known, *BEGINNINGS, *pairs.BEGINNINGS)
        self._starts = frozenset(needle[:size] for needle in needles for size in range(1, min(len(needle), MAX_START)))
        self._short_text = lru_cache(maxsize=2_000)(self.text)

    def text(self, text: str) -> str:
        """The text without what it must not hold."""
        for needle, pattern, stand_in in self._known:
            if needle in text:
                text = pattern.sub(stand_in, text)
        return masked(text)

    def clean(self, value: Any) -> Any:
        """A copy of a frame without what it must not hold; below a name like `api_key` that is everything."""
        return redact_data(value, self._text, _stand_in)

    def _text(self, text: str) -> str:
        return self._short_text(text) if len(text) <= SHORT else self.text(text)

    def line(self, record: dict[str, Any]) -> str:
        """A cleaned record as one line of JSON."""
        line = json.dumps(record, separators=(",", ":"))
        if _is_piece(record) or redact(line) == line:
            return line
        return json.dumps(redact_data(record, stand_in=_stand_in), separators=(",", ":"))

    def is_open(self, text: str) -> bool:
        """Whether a secret may have begun at the end of the text, so that only what follows can tell."""
        ends = (text[at:] for at in range(max(0, len(text) - MAX_START), len(text)))
        return any(end in self._starts for end in ends) or is_open(text) or held_from(text) < len(text)


def _is_piece(record: dict[str, Any]) -> bool:
    """Whether it is a piece of a stream: thousands of them come, and what they make together comes once more."""
    return "got" in record and record["got"].get("type") == "stream_event"


def _secrets(options: ClaudeAgentOptions) -> Iterator[str]:
    yield from known_values()
    values = {*secret_variables(options.env)}
    for server in options.mcp_servers.values() if isinstance(options.mcp_servers, dict) else ():
        # Whatever its name is, unless it is a plain word, which would be missing everywhere.
        values |= server_secrets(server) | {value for value in given_to_server(server) if not value.isalpha()}
    for value in values:
        yield from forms(value)  # in JSON, for instance, it stands in the input of a tool that is still being written


def _forms(path: str, stand_in: str) -> Iterator[tuple[str, re.Pattern[str], str]]:
    """A folder as it is written in frames: plain, resolved, inside of JSON, and as the CLI names files after it."""
    for form in {path, os.path.realpath(path)} if len(path) > 1 else ():
        for written in {form, json.dumps(form)[1:-1]}:
            yield written, re.compile(rf"(?<![\w.-]){re.escape(written)}(?![\w-]|\.\w)"), stand_in
        yield _dashed(form), re.compile(rf"(?<=[/\\]){re.escape(_dashed(form))}"), _dashed(stand_in)


def _dashed(path: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "-", path)


def _user_name() -> str:
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):
        return ""


def _stand_in(key: str, value: Any) -> Any:
    is_hidden = holds_secret(key, value) or key in _TELLS or (isinstance(value, dict | list) and key in _SECRET_MAPS)
    return _hidden(value) if is_hidden else None


def _hidden(value: Any) -> Any:
    """The same with a mask for each value: what replays it expects fields where there were some."""
    if isinstance(value, dict):
        return {redact(key): _hidden(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_hidden(item) for item in value]
    return MASK if value and not isinstance(value, bool) else value
