"""Mistakes in Python agents are found without running them, each with its line; what may be meant is let through."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from maverick_tui.agent.catalog.problems import Problem
from maverick_tui.agent.catalog.python_classes import MAX_CLASSES
from maverick_tui.agent.catalog.python_file import parse
from tests.support.cases import each

HEAD = "from maverick_tui import MaverickAgent\nclass A(MaverickAgent):\n"
PROMPT = "    system_prompt = 'You.'\n"
EXECUTE = "    async def execute(self, context): return await self.run('go', context)\n"


def problems(source: str, *, is_packaged: bool = False) -> list[Problem]:
    return parse(Path("agent.py"), source.encode(), is_packaged=is_packaged)[1]


def problem(body: str) -> Problem:
    """The only problem of a class with this body, which starts on line 4, below the prompt."""
    found = problems(HEAD + PROMPT + body + EXECUTE)
    assert len(found) == 1, [str(each) for each in found]
    return found[0]


# -- values ----------------------------------------------------------------------------------------------------------


@each(
    ("body", "message", "hint"),
    [
        ("max_turns = 'many'", "max_turns must be a whole number above 0, not 'many'.", "max_turns = 10"),
        ("max_turns = 0", "max_turns must be a whole number above 0, not 0.", "max_turns = 10"),
        ("max_turns = True", "not True.", "max_turns = 10"),
        ("max_turns = [1]", "not [1].", "max_turns = 10"),
        ("max_tokens = 1.5", "max_tokens must be a whole number above 0, not 1.5.", "max_tokens"),
        ("timeout = -3", "timeout must be a number above 0, not -3.", "timeout"),
        ("timeout = 1e999", "timeout must be a number above 0, not inf.", "timeout"),
        ("max_budget_usd = '5 $'", "max_budget_usd must be a number above 0", "max_budget_usd"),
        ("timeout = -0x" + "f" * 9_000, "not <int>.", "timeout"),
        ("model = 5", "model must be an alias or a full model id, not 5.", "sonnet"),
        ("model = 'sonet'", "not 'sonet'.", "Did you mean 'sonnet'?"),
        ("model = 'the best one'", "not 'the best one'.", "full model id"),
        ("model = 'inherit'", "not 'inherit'.", "Remove it"),
        ("description = 7", "description must be text, not 7.", "description"),
        ("name = 7", "name must be text, not 7.", "name"),
        ("permission_mode = 'bypassPermissions'", "one of default, acceptEdits, plan, dontAsk", "permission_mode"),
        ("permission_mode = 'acceptEdit'", "not 'acceptEdit'.", "Did you mean 'acceptEdits'"),
        ("effort = 'hgh'", "effort must be one of low", "Did you mean 'high'"),
        ("skills = 'a, b'", "skills must be a list, not 'a, b'.", "skills = ["),
        ("hooks = []", "hooks must be a map, not [].", "hooks = {}"),
        ("hooks = {'PreTooluse': []}", "hooks: there is no event named 'PreTooluse'.", "Did you mean 'PreToolUse'"),
        ("hooks = {'Stop': [{'hooks': [{'type': 'comand'}]}]}", "no type 'comand'.", "Did you mean 'command'?"),
        ("hooks = {'Stop': ({'hooks': [{'type': 'http'}]},)}", "of Stop has no url.", '"type": "http", "url": "h'),
        ("mcp_servers = None", "mcp_servers must be a map, not None.", "mcp_servers = {}"),
        ("allowed_tools = 'Read'", "allowed_tools must be a list of tools, not 'Read'.", '["Read", "Grep"]'),
        ("allowed_tools = {'Read'}", "allowed_tools must be a list of tools, not {'Read'}.", '["Read", "Grep"]'),
        ("allowed_tools = None", "allowed_tools must be a list of tools, not None.", '["Read", "Grep"]'),
        ("def __init__(self): super().__init__(model='sonet')", "not 'sonet'.", "Did you mean 'sonnet'?"),
    ],
    ids=lambda value: value[:30],
)
def test_a_value_that_cannot_be_used_is_an_error_with_its_line(body: str, message: str, hint: str) -> None:
    found = problem(f"    {body}\n")
    assert (found.line, found.severity) == (4, "error")
    assert message in found.message
    assert hint in found.hint


@pytest.mark.parametrize(
    "body",
    [
        "model = None; permission_mode = None; max_turns = None; timeout = None; skills = None; hooks = None",
        "model = ''; timeout = 60; max_budget_usd = 2; max_turns = 3; effort = 'max'; permission_mode = 'plan'",
        "model = 'claude-sonnet-4-5-20250929'; allowed_tools = (); mcp_servers = {}; initial_prompt = ''",
        "max_turns = int('3'); allowed_tools = sorted(['Reed'])",
    ],
)
def test_values_that_can_be_used_are_no_problem(body: str) -> None:
    assert problems(f"{HEAD}{PROMPT}    {body}\n{EXECUTE}") == []


def test_a_mistake_in_a_hook_is_found_on_its_own_line() -> None:
    hooks = "    hooks = {'Stop': [{'hooks': [\n  {'command': 'x',\n  'type': 'comand'}]}]}\n"
    (found,) = problems(HEAD + PROMPT + hooks + EXECUTE)
    assert found.line == 6


def test_a_mistake_that_two_classes_inherit_is_reported_once() -> None:
    source = f"{HEAD}{PROMPT}    max_turns = 'many'\n{EXECUTE}class B(A): ...\nclass C(A): ...\n"
    assert [found.line for found in problems(source)] == [4]


# -- the system prompt -----------------------------------------------------------------------------------------------


@each(
    ("body", "line", "message"),
    [
        ("", 2, "A has no system prompt."),
        ("    system_prompt: str\n", 2, "A has no system prompt."),
        ("    def prompt(self): return self.system_prompt\n", 2, "A has no system prompt."),
        ("    def __init__(self, **kwargs): super().__init__(**kwargs)\n", 2, "A has no system prompt."),
        ("    system_prompt = ' '\n", 3, "system_prompt must be text of 1 to"),
        ("    system_prompt = None\n", 3, "system_prompt must be text of 1 to"),
        (f"    system_prompt = '{'x' * 200_000}'\n", 3, "system_prompt must be text of 1 to"),
        ("    system_promt = 'You.'\n", 3, "'system_promt' has no effect."),
    ],
    ids=lambda value: str(value)[:30],
)
def test_an_agent_without_a_prompt_is_an_error(body: str, line: int, message: str) -> None:
    (found,) = problems(HEAD + body + EXECUTE)
    assert (found.line, found.severity) == (line, "error")
    assert message in found.message


@each(
    "body",
    [
        "    system_prompt = open('prompt.md').read()\n",
        "    a, system_prompt = 1, 'You.'\n",
        "    if True:\n        system_prompt = 'You.'\n",
        "    @property\n    def system_prompt(self): return 'You.'\n",
        "    def __init__(self): super().__init__(system_prompt='You.')\n",
        "    def __init__(self): super().__init__('a', 'You.')\n",
        "    def __init__(self, prompt): super().__init__(system_prompt=prompt)\n",
        "    def __init__(self): super().__init__(*ARGUMENTS)\n",
        "    def __init__(self): super().__init__(**ARGUMENTS)\n",
        "    def __init__(self): MaverickAgent.__init__(self, 'a', 'You.')\n",
        "    def __init__(self, **more): more['system_prompt'] = 'You.'; super().__init__(**more)\n",
        "    def __init__(self, **more): more.setdefault('system_prompt', 'You.'); super().__init__(**more)\n",
    ],
)
def test_a_prompt_that_is_set_somehow_is_none(body: str) -> None:
    assert problems(HEAD + body + EXECUTE) == []


@pytest.mark.parametrize(
    "source",
    [
        f"{HEAD}{EXECUTE}A.system_prompt = 'You.'\n",
        f"from enum import Enum as Base\n{HEAD.replace('(', '(Base, ')}{EXECUTE}",
        f"import functools\n{HEAD.replace('class', '@functools.total_ordering' + chr(10) + 'class')}{EXECUTE}",
    ],
)
def test_a_prompt_that_may_come_from_elsewhere_is_none(source: str) -> None:
    assert problems(source) == []


# -- names -----------------------------------------------------------------------------------------------------------


@each(
    ("name", "meant"),
    [
        ("allowed_tool", "allowed_tools"),
        ("alowed_tools", "allowed_tools"),
        ("allowedTools", "allowed_tools"),
        ("tools", "allowed_tools"),
        ("max_turn", "max_turns"),
        ("max_budget", "max_budget_usd"),
        ("permision_mode", "permission_mode"),
        ("desciption", "description"),
        ("time_out", "timeout"),
    ],
)
def test_a_misspelt_attribute_is_an_error(name: str, meant: str) -> None:
    found = problem(f"    {name} = ANYTHING\n")
    assert (found.line, found.severity, found.message) == (4, "error", f"'{name}' has no effect.")
    assert f"Did you mean '{meant}'?" in found.hint


@pytest.mark.parametrize(
    "body",
    [
        "warmth = 1; attempts = 3; base_branch = 'main'; max_files = 9; config = None; tool_log = []",
        "_tools = []; TIMEOUT = 3; __slots__ = ()",
        "model = 'opus'; models = ('opus', 'haiku')",
    ],
)
def test_attributes_of_its_own_are_no_problem(body: str) -> None:
    assert problems(f"{HEAD}{PROMPT}    {body}\n{EXECUTE}") == []


def test_execute_must_be_async() -> None:
    (found,) = problems(f"{HEAD}{PROMPT}    def execute(self, context): ...\n")
    assert (found.line, found.message) == (4, "execute must be async.")
    assert problems(f"{HEAD}{PROMPT}    @made_async\n    def execute(self, context): ...\n") == []


def test_a_misspelt_execute_is_named() -> None:
    good = f"{HEAD}{PROMPT}{EXECUTE}class B(MaverickAgent):\n"
    (found,) = problems(f"{good}    async def excute(self, context): ...\n")
    assert (found.line, found.message, found.hint) == (6, "'excute' is never called.", "Did you mean 'execute'?")
    assert problems(f"{good}    async def fly(self): ...\n") == []


def test_a_class_without_execute_is_named() -> None:
    (found,) = problems(HEAD + PROMPT)
    assert (found.line, found.message) == (2, "Defines no agent class: A has no execute().")


# -- tools -----------------------------------------------------------------------------------------------------------


@each(
    ("entry", "message", "hint"),
    [
        ("'read'", "allowed_tools: there is no tool named 'read'.", "Did you mean 'Read'?"),
        ("'BASH'", "allowed_tools: there is no tool named 'BASH'.", "Did you mean 'Bash'"),
        ("'LS'", "allowed_tools: there is no tool named 'LS'.", "Use Glob"),
        ("'Bash(git log'", "allowed_tools: 'Bash(git log' does not name a tool.", "Write it as Name or Name(rule)."),
        ("5", "allowed_tools must hold names of tools, not 5.", "text"),
        ("['Read']", "allowed_tools must hold names of tools, not ['Read'].", "text"),
    ],
)
@pytest.mark.parametrize("rest", ["", "\n        OTHER,"])
def test_a_tool_that_there_is_not_is_an_error_on_its_own_line(entry: str, message: str, hint: str, rest: str) -> None:
    found = problem(f"    allowed_tools = [\n        'Read',\n        {entry},{rest}\n    ]\n")
    assert (found.line, found.severity, found.message) == (6, "error", message)
    assert hint in found.hint


def test_tools_in_a_constant_are_checked_where_they_are() -> None:
    source = f"TOOLS = [\n    'Reed',\n]\n{HEAD}{PROMPT}    allowed_tools = TOOLS\n{EXECUTE}"
    assert [found.line for found in problems(source)] == [2]


def test_a_tool_of_a_server_that_there_is_not_is_a_warning() -> None:
    found = problem("    allowed_tools = ['mcp__gh__search']\n")
    assert (found.line, found.severity) == (4, "warning")
    assert "no MCP server 'gh' is configured" in found.message
    for servers in ("{'gh': {'command': 'x'}}", "{'gh': server()}", "SERVERS"):
        body = f"    allowed_tools = ['mcp__gh__search']\n    mcp_servers = {servers}\n"
        assert problems(HEAD + PROMPT + body + EXECUTE) == []


# -- imports ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("import no_such_module_anywhere.deep", "The module 'no_such_module_anywhere' is not installed."),
        ("from no_such_module_anywhere import x", "The module 'no_such_module_anywhere' is not installed."),
        ("import os, no_such_module_anywhere", "The module 'no_such_module_anywhere' is not installed."),
        ("from . import helper", "The import from '.' will fail."),
        ("from .helper import x", "The import from '.helper' will fail."),
    ],
)
def test_an_import_that_will_fail_is_a_warning(statement: str, message: str) -> None:
    (found,) = problems(f"import os\n{statement}\n{HEAD}{PROMPT}{EXECUTE}")
    assert (found.line, found.severity, found.message) == (2, "warning", message)
    assert "An agent is one file" in found.hint


@pytest.mark.parametrize(
    "statement",
    [
        "import os.path, json",
        "try:\n    import no_such_module_anywhere\nexcept ImportError: ...",
        "if False:\n    import no_such_module_anywhere",
        "from __future__ import annotations",
    ],
)
def test_imports_that_are_there_or_may_be_missing_are_none(statement: str) -> None:
    assert problems(f"{statement}\n{HEAD}{PROMPT}{EXECUTE}") == []


def test_a_package_may_import_its_own_modules() -> None:
    assert problems(f"from . import helper\n{HEAD}{PROMPT}{EXECUTE}", is_packaged=True) == []


def test_looking_for_a_module_does_not_import_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "site" / "never_imported"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError")
    monkeypatch.syspath_prepend(package.parent)
    assert problems(f"import never_imported.deep\n{HEAD}{PROMPT}{EXECUTE}") == []
    assert "never_imported" not in sys.modules


def test_no_hint_speaks_of_helpers_beside_the_file() -> None:
    (found,) = problems("x = 1\n")
    assert "An agent is one file" in found.hint
    assert "_" not in found.hint


def test_a_file_of_countless_classes_is_read_up_to_a_limit() -> None:
    source = HEAD + PROMPT + EXECUTE + "".join(f"class B{number}(A): ...\n" for number in range(MAX_CLASSES))
    agents, found = parse(Path("agent.py"), source.encode())
    assert len(agents) == MAX_CLASSES
    assert [each.message for each in found] == [f"Has more than {MAX_CLASSES} classes; the rest is not read."]


# -- lines -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["class A:\n", "if True:\n", "def f():\n\n\n", "x = '''\n", "x = (\n\n", ""])
def test_a_line_that_is_named_is_there(source: str) -> None:
    (found,) = problems(source)
    assert found.line is not None
    assert 1 <= found.line <= max(len(source.splitlines()), 1)
