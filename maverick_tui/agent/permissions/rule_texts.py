"""Which texts are rules. One that would be about nothing is none: it would deny nothing, and nobody would know."""

from __future__ import annotations

import re
from typing import Literal, get_args

from maverick_tui.agent.permissions.always_asked import SHELLS
from maverick_tui.agent.permissions.rules import is_read_as_written
from maverick_tui.agent.tools import (
    BUILTIN_TOOLS,
    EDIT_TOOLS,
    LOOKING_TOOLS,
    SUBAGENT_TOOLS,
    ToolRule,
    parse_tool,
)
from maverick_tui.exceptions import InvalidToolError, did_you_mean
from maverick_tui.executor.files.globs import ESCAPED, BadPatternError, matcher, written_out

OWN = "own:"
"""What a tool of an agent's own is called by its rules: it may have the name of one of ours, and is none."""

Effect = Literal["allow", "ask", "deny"]
EFFECTS: tuple[Effect, ...] = get_args(Effect)

_OF_SERVER = re.compile(r"mcp__(?:\*|[^*]*?[^*_]__(?:\*|[^*]+))")
_DOMAIN = re.compile(r"domain:\.*[\w*-][\w.*-]*")
_NO_PATHS = (
    (
        re.compile(r"""^\s|\s$|^(["'`]).*\1$|^path:|:\*$"""),
        "no quotes or blanks around it, no path: before it, no :* behind it",
    ),
    (re.compile(r"^[A-Za-z][\w+.-]*:[/\\]"), "no address; what begins at the root is //whole/path/**"),
    (
        re.compile(r"^~(?!/)"),
        "~/x is in your home directory, //home/somebody/x in that of others, ./~x a name that begins so",
    ),
    (re.compile(r"^!"), "it takes nothing back of other rules, and ./!x is a name that begins so"),
    (re.compile(r"[@!?*+]\([^()]*\|"), "of what is one of several, it is said in braces: {a,b}"),
)
"""In what would be a path of which hardly anything is called so, and what is true of one."""
_VARIABLE = re.compile(r"\$(?:HOME\b|\{|[A-Z][A-Z_]+(?:/|$))")
_IN_BRACKETS = re.compile(r"\{[^{}]*\}|\[[^\[\]]*\]")


def wrong_with(entry: str, effect: Effect = "allow") -> str:
    """Why a text is no rule of this effect; empty if it is one."""
    if not entry.strip().isprintable():
        return "all of a rule is seen, so there are no line breaks in it, and no letters that cannot be seen"
    try:
        tool = parse_tool(entry)
    except InvalidToolError as error:
        return error.message.removesuffix(".")
    if tool.name.startswith(OWN):
        if tool.rule is not None:
            return "rules for an agent's own tools are about all that they do"
        return f"write {OWN}NAME for a tool of an agent's own" if tool.name == OWN or "*" in tool.name else ""
    if not tool.is_mcp and tool.name not in BUILTIN_TOOLS:
        close = did_you_mean(tool.name, BUILTIN_TOOLS).removeprefix("Did you mean ").removesuffix("?")
        return f"there is no tool {tool.name}{f', but {close}' if close else ''}"
    if tool.is_mcp and not _OF_SERVER.fullmatch(tool.name):
        return "write mcp__SERVER__TOOL for a tool of a server, or mcp__SERVER__* for all of them"
    if tool.rule is None:
        return ""
    if tool.is_mcp:
        return "rules for tools of a server are about all that the tool does: write its name alone"
    if not tool.rule.strip():
        return f"write {tool.name} alone for all that it does"
    return _wrong_with_what_of_it(tool, tool.rule, effect)


def _wrong_with_what_of_it(tool: ToolRule, said: str, effect: Effect) -> str:
    if tool.name in SHELLS and "*" in said and not is_read_as_written(said):
        return "before a * stand plain words: no quotes, and no signs by which a shell means something else"
    if tool.name in SHELLS and effect != "allow" and _are_several_commands(said):
        return "a rule is about one command: write a rule for each"
    if tool.name == "WebFetch" and not _DOMAIN.fullmatch(said):
        return "write WebFetch(domain:example.org)"
    if tool.name in {*SUBAGENT_TOOLS, "Skill"} and not all(re.search(r"[^\W_]|\*", name) for name in said.split(",")):
        return f"write {tool.name}(NAME)"
    return _wrong_with_path(tool.name, said, effect) if tool.name in EDIT_TOOLS | LOOKING_TOOLS else ""


def _are_several_commands(said: str) -> bool:
    """Whether it looks like a list. An option may end with a comma: `sort -t, x`."""
    ends = (word.endswith(",") and len(word) > 1 and not word.startswith("-") for word in said.split()[:-1])
    return ":*," in said or (any(ends) and not set(said) & set("'\"\\"))


def _wrong_with_path(tool: str, said: str, effect: Effect) -> str:
    try:
        patterns = written_out(said)
        matcher(f"base/{said.strip('/')}")
    except BadPatternError as error:
        return str(error)
    if _VARIABLE.match(said) or any(".." in pattern.split("/") for pattern in patterns):  # no place is called so
        return "paths of rules have no .. and no $HOME in them: write ~/other/**, or //whole/path/**"
    if about := next((about for sign, about in _NO_PATHS if sign.search(said)), ""):
        return f"a rule for {tool} names a path as it is: {about}"
    if "\\" in ESCAPED.sub("", said):
        return r"a \ stands before a sign of a name, as in \[, and nowhere else: between folders stands a /"
    if said.startswith("{") and any(pattern.startswith(("/", "~/")) for pattern in patterns):
        return "where paths begin in different places, write a rule for each"
    if effect != "allow" and "," in _outside_brackets(said):
        return r"a rule is about one path: write a rule for each, or {a,b}, or \, for the comma of a name"
    return ""


def _outside_brackets(said: str) -> str:
    before, said = "", said.replace(r"\,", "").replace("\\", "")
    while before != said:
        before, said = said, _IN_BRACKETS.sub("", said)
    return said
