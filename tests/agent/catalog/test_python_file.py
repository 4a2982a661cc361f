"""Agents in Python files: read without running them, run as exactly the bytes that were read."""

from __future__ import annotations

import encodings
import sys
from encodings.aliases import aliases
from pathlib import Path
from pkgutil import iter_modules

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maverick_tui import ConfigError, MaverickAgent
from maverick_tui.agent.catalog.loading import MODULE_PREFIX, load_class
from maverick_tui.agent.catalog.problems import Problem
from maverick_tui.agent.catalog.python_classes import PythonAgent
from maverick_tui.agent.catalog.python_file import parse
from maverick_tui.agent.fields import agent_name
from tests.support.cases import each

PATH = Path("agent.py")

HEAD = "from maverick_tui import MaverickAgent\n"
PROMPT = "    system_prompt = 'You.'\n"
NO_TEXT = ("rot13", "zlib", "bz2", "hex", "base64", "uu", "quopri", "punycode", "undefined")
"""Codecs of Python's that no source can be in, or not this one."""
EXECUTE = "    async def execute(self, context): return await self.run('go', context)\n"


def read(source: str | bytes) -> tuple[list[PythonAgent], list[Problem]]:
    return parse(PATH, source if isinstance(source, bytes) else source.encode())


def agents(source: str) -> list[PythonAgent]:
    """The agents of a file without mistakes; that many of these have no prompt does not matter here."""
    found, problems = read(HEAD + source)
    assert [problem.message for problem in problems if "has no system prompt" not in problem.message] == []
    return found


def agent(source: str) -> PythonAgent:
    (found,) = agents(source)
    return found


def only(problems: list[Problem]) -> Problem:
    assert len(problems) == 1, [str(problem) for problem in problems]
    return problems[0]


@each(
    ("class_name", "name"),
    [
        ("CodeReviewer", "code-reviewer"),
        ("ReviewAgent", "review"),
        ("Reviewer", "reviewer"),
        ("PRAgent", "pr"),
        ("HTTPServerWatcher", "http-server-watcher"),
        ("Python3Helper", "python3-helper"),
        ("snake_case", "snake-case"),
        ("_Private", "private"),
        ("Agent", "agent"),
        ("_", "_"),
    ],
)
def test_a_class_without_a_name_is_called_by_its_class(class_name: str, name: str) -> None:
    assert agent_name(class_name) == name


def test_of_an_agent_with_tools_of_its_own_nobody_knows_how_many_it_has_before_it_runs() -> None:
    brings = "def count(): ...\nclass Counter(MaverickAgent):\n    engine = 'api'\n    own_tools = [count]\n" + PROMPT
    chooses = "class Tasks(MaverickAgent):\n    engine = 'api'\n" + PROMPT + "    def api_session(self): ...\n"
    for source in (brings, chooses):
        found = agent(source + EXECUTE)
        assert (found.allowed_tools, found.tools) == ((), None)
    assert agent(brings.replace("[count]", "[]") + EXECUTE).tools == ()
    assert agent(chooses.replace("engine = 'api'", "model = 'opus'") + EXECUTE).tools == (), (
        "nobody asks it for a session"
    )


def test_literals_are_read() -> None:
    found = agent(
        "TOOLS = ['Read', 'Grep']\n"
        "class CodeReviewer(MaverickAgent):\n"
        '    """Reviews code.\n\n    At length.\n    """\n'
        "    name = 'reviewer'\n"
        "    system_prompt: str = 'You '\\\n        'review.'\n"
        "    allowed_tools = TOOLS\n"
        "    model = 'opus'\n"
        "    max_turns = 3\n" + EXECUTE
    )
    assert (found.class_name, found.line, found.name) == ("CodeReviewer", 3, "reviewer")
    assert (found.description, found.text("system_prompt")) == ("Reviews code.", "You review.")
    assert (found.allowed_tools, found.text("model"), found.settings["max_turns"]) == (("Read", "Grep"), "opus", 3)
    assert found.unknown == frozenset()


def test_what_is_not_a_literal_is_unknown_and_no_problem() -> None:
    found = agent(
        "import os\nTWICE = 'a'\nTWICE += 'b'\n"
        "class Reviewer(MaverickAgent):\n"
        "    system_prompt = open('x').read()\n"
        "    allowed_tools = [os.environ['TOOL']]\n"
        "    model = TWICE\n"
        "    name = f'{1}'\n" + EXECUTE
    )
    assert found.unknown == {"system_prompt", "allowed_tools", "model", "name"}
    assert (found.text("system_prompt"), found.allowed_tools, found.name) == (None, None, "reviewer")


def test_what_is_not_given_is_the_default_and_not_unknown() -> None:
    found = agent("class A(MaverickAgent):\n" + EXECUTE)
    assert (found.allowed_tools, found.text("model"), found.unknown) == ((), None, frozenset())


def test_the_description_wins_over_the_docstring() -> None:
    assert agent(f"class A(MaverickAgent):\n    'Doc.'\n    description = 'Said.'\n{EXECUTE}").description == "Said."


@pytest.mark.parametrize(
    "decorator", ["@registry.register('chosen')", "@register('chosen')", "@maverick.registry.register('chosen')"]
)
def test_the_registered_name_wins(decorator: str) -> None:
    assert agent(f"{decorator}\nclass A(MaverickAgent):\n    name = 'other'\n{EXECUTE}").name == "chosen"


@pytest.mark.parametrize(
    "init",
    [
        "super().__init__('chosen', 'You.', ['Read'], 'opus')",
        "super().__init__(name='chosen', system_prompt='You.', allowed_tools=('Read',), model='opus', **kwargs)",
        "super().__init__(name, prompt, ['Read'], **kwargs); self.model = 'opus'",
    ],
)
def test_what_the_constructor_passes_on_is_read(init: str) -> None:
    found = agent(
        "class A(MaverickAgent):\n"
        "    name = 'other'\n"
        f"    def __init__(self, name='chosen', *, prompt='You.', **kwargs): {init}\n" + EXECUTE
    )
    assert (found.name, found.text("system_prompt"), found.allowed_tools, found.text("model")) == (
        "chosen",
        "You.",
        ("Read",),
        "opus",
    )


def test_an_argument_of_the_constructor_without_a_default_is_unknown() -> None:
    found = agent(
        "tools = ['Read']\n"
        "class A(MaverickAgent):\n"
        "    model = 'opus'\n"
        "    def __init__(self, tools, model=None): super().__init__(allowed_tools=tools, model=model)\n" + EXECUTE
    )
    assert found.unknown == {"allowed_tools"}
    assert found.text("model") == "opus"


@pytest.mark.parametrize(
    "source",
    [
        "import maverick_tui\nclass A(maverick_tui.MaverickAgent):\n" + EXECUTE,
        "from maverick_tui import MaverickAgent as Base\nclass A(Base):\n" + EXECUTE,
        "if True:\n    class A(MaverickAgent):\n    " + EXECUTE,
        "try:\n    import x\nexcept ImportError:\n    class A(MaverickAgent):\n    " + EXECUTE,
        "class _Base(MaverickAgent): ...\nclass A(_Base):\n" + EXECUTE,
        "class _Runs:\n" + EXECUTE + "class A(_Runs, MaverickAgent): ...",
        "from abc import abstractmethod\nclass _B(MaverickAgent):\n    @abstractmethod\n"
        + EXECUTE
        + "class A(_B):\n"
        + EXECUTE,
    ],
)
def test_only_concrete_agent_classes_are_found(source: str) -> None:
    assert [found.class_name for found in agents(source)] == ["A"]


def test_settings_are_inherited_within_the_file() -> None:
    first, second = agents(
        f"class A(MaverickAgent):\n    system_prompt = 'a'\n    model = 'm'\n{EXECUTE}"
        "class B(A):\n    system_prompt = 'b'\n"
    )
    assert (first.text("system_prompt"), second.text("system_prompt"), second.text("model")) == ("a", "b", "m")


def test_what_a_foreign_base_may_say_is_unknown() -> None:
    found = agent(f"from enum import Enum as Mixin\nclass A(Mixin, MaverickAgent):\n    model = 'm'\n{EXECUTE}")
    assert "allowed_tools" in found.unknown
    assert "model" not in found.unknown


@each(
    ("source", "line", "message"),
    [
        ("x = 1\ndef f(:\n", 2, "Is not Python"),
        ("x = 1\n\0", 2, "NUL byte"),
        (b"x = 1\n# \xff\n", 2, "Is not utf-8"),
        (b"# coding: ascii\n\nx = '\xc3\xa9'\n", 3, "Is not ascii"),
        ("# coding: klingon\n", 1, "unknown encoding"),
        *((f"# -*- coding: {codec} -*-\n", 1, repr(codec)) for codec in NO_TEXT),
        (b"\xef\xbb\xbf# coding: latin-1\n", 1, "byte order mark of UTF-8, but declares another encoding"),
        (b"\xef\xbb\xbf# coding: rot13\n", 1, "byte order mark of UTF-8, but declares another encoding"),
        ("x = 1\n", 1, "no agent class"),
        ("", 1, "no agent class"),
        ("class A(MaverickAgent): ...\n", 1, "no agent class"),
        ("class A(A): ...\nclass B(C): ...\nclass C(B): ...\n", 1, "no agent class"),
        ("(" * 5000, 1, "Is not Python"),
        ("-" * 100_000 + "1", 1, "Cannot be read"),
        ("x" + ".y" * 100_000, 1, "Cannot be read"),
        (HEAD + "class A(MaverickAgent):\n    name = 'x; rm -rf ~'\n" + PROMPT + EXECUTE, 3, "'x; rm -rf ~'"),
        (HEAD + "@register('a b')\nclass A(MaverickAgent):\n" + PROMPT + EXECUTE, 3, "'a b'"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_a_broken_file_says_why_and_where(source: str | bytes, line: int, message: str) -> None:
    problem = only(read(source)[1])
    assert (problem.severity, problem.line) == ("error", line)
    assert message in problem.message
    assert problem.hint


@pytest.mark.parametrize("body", [b"x = 1\n", b"x = '\xff\xfe'\n", b"\x80"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "marked"])
def test_no_codec_of_python_makes_the_reader_raise(mark: bytes, body: bytes) -> None:
    for codec in sorted({*aliases, *(module.name for module in iter_modules(encodings.__path__))}):
        assert only(read(b"%s# coding: %s\n%s" % (mark, codec.encode(), body))[1]).is_error


def test_a_name_that_cannot_be_typed_is_not_used() -> None:
    (found,), _ = read(f"{HEAD}class Pilot(MaverickAgent):\n    name = '\\x1b[31m'\n{EXECUTE}")
    assert found.name == "pilot"


@pytest.mark.parametrize("encoding", ["utf-7", "latin-1", "raw_unicode_escape", "shift_jis"])
def test_no_encoding_is_read_in_which_others_see_another_text(encoding: str) -> None:
    source = f"# coding: {encoding}\n{HEAD}class A(MaverickAgent):\n    'Looks.'\n{EXECUTE}".encode()
    found, problems = read(source)
    assert found == []
    assert "Declares the encoding" in only(problems).message


@pytest.mark.parametrize("start", [b"\r", b"\x0c\r", b"\r\n", b"# x\r"])
def test_nor_one_that_is_declared_below_a_carriage_return(start: bytes) -> None:
    hidden = "\nraise SystemExit".encode("utf-7").replace(b"\n", b"+AAo-")
    source = b"%s# -*- coding: utf-7 -*-\r# sum: %s\n%s" % (start, hidden, HEAD.encode())
    found, problems = read(source + f"class A(MaverickAgent):\n    'Looks.'\n{PROMPT}{EXECUTE}".encode())
    assert found == []
    assert "Declares the encoding" in only(problems).message


def test_what_is_run_is_the_text_that_was_shown(tmp_path: Path) -> None:
    declared = b"\r# -*- coding: utf-7 -*-\r# sum: +AAo-raise SystemExit\n"
    source = declared + f"{HEAD}class A(MaverickAgent):\n    'Looks.'\n{PROMPT}{EXECUTE}".encode()
    assert load_class(tmp_path / "a.py", source, "A").__doc__ == "Looks."


@pytest.mark.parametrize("encoding", ["utf-8", "UTF_8", "utf8", "ascii", "us-ascii"])
def test_that_it_is_utf_8_may_be_declared(encoding: str) -> None:
    source = f"# coding: {encoding}\n{HEAD}class A(MaverickAgent):\n    'Looks.'\n{EXECUTE}"
    assert read(source)[0][0].description == "Looks."


def test_warnings_of_the_file_are_its_authors() -> None:
    assert agent(f"class A(MaverickAgent):\n    system_prompt = '\\d'\n{EXECUTE}").text("system_prompt") == "\\d"


@given(st.text() | st.binary())
def test_nothing_makes_the_reader_raise(source: str | bytes) -> None:
    read(source.encode("utf-8", "replace") if isinstance(source, str) else source)


# -- running it ------------------------------------------------------------------------------------------------------

GOOD = f"""{HEAD}
from dataclasses import dataclass, field


@dataclass
class Note:
    texts: list[str] = field(default_factory=list)


class Reviewer(MaverickAgent):
    system_prompt = "You review."
{EXECUTE}
"""


def loaded_modules() -> set[str]:
    return {name for name in sys.modules if name.startswith(MODULE_PREFIX)}


def test_the_given_bytes_are_run_and_not_the_file() -> None:
    PATH.write_text("raise SystemExit('the file was run')")
    cls = load_class(PATH, GOOD.encode(), "Reviewer")
    assert issubclass(cls, MaverickAgent)
    assert sys.modules[cls.__module__].__file__ == "agent.py"
    assert cls.__module__.startswith(MODULE_PREFIX)
    assert cls().system_prompt == "You review."


def test_the_same_bytes_are_run_once() -> None:
    assert load_class(PATH, GOOD.encode(), "Reviewer") is load_class(PATH, GOOD.encode(), "Reviewer")
    assert load_class(PATH, GOOD.encode(), "Reviewer") is not load_class(Path("b.py"), GOOD.encode(), "Reviewer")


@pytest.mark.parametrize(
    ("source", "line", "reason"),
    [
        ("x = 1\n1 / 0\n", 2, "ZeroDivisionError: division by zero"),
        ("def f():\n    raise ValueError('deep')\nf()\n", 2, "ValueError: deep"),
        ("import no_such_module_anywhere\n", 1, "no_such_module_anywhere"),
        ("\nraise SystemExit(3)\n", 2, "SystemExit: 3"),
        ("x = 1\nx = (\n", 2, "SyntaxError"),
        ("raise Exception\n", 1, "Exception"),
    ],
)
def test_an_error_of_the_authors_file_is_a_config_error_with_its_place(source: str, line: int, reason: str) -> None:
    before = loaded_modules()
    with pytest.raises(ConfigError) as caught:
        load_class(PATH, source.encode(), "Reviewer")
    assert (caught.value.path, caught.value.line) == ("agent.py", line)
    assert f"agent.py:{line}" in caught.value.message
    assert reason in caught.value.message
    assert caught.value.cause is not None
    assert loaded_modules() == before


def test_an_interrupt_goes_through_and_leaves_nothing() -> None:
    before = loaded_modules()
    with pytest.raises(KeyboardInterrupt):
        load_class(PATH, b"raise KeyboardInterrupt", "Reviewer")
    assert loaded_modules() == before


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("x = 1", "it has no class Reviewer"),
        ("class Reviewer: ...", "Reviewer is not a MaverickAgent"),
        (f"{HEAD}class Reviewer(MaverickAgent): ...", "does not define execute"),
    ],
)
def test_what_is_no_agent_class_is_refused(source: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        load_class(PATH, source.encode(), "Reviewer")
