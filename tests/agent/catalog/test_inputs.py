"""`inputs` of agent files: read in both forms, and every mistake has its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui.agent.catalog import markdown, python_file
from maverick_tui.agent.catalog.discovery import discover
from maverick_tui.agent.catalog.loading import load
from maverick_tui.agent.catalog.problems import Problem
from maverick_tui.agent.catalog.trust import TrustStore
from maverick_tui.inputs import InputSpec
from tests.support.cases import each

HEAD = "from maverick_tui import MaverickAgent\nclass A(MaverickAgent):\n    system_prompt = 'You.'\n"
EXECUTE = "    async def execute(self, context): return await self.run('go', context)\n"


def in_markdown(fields: str, body: str = "Use ${base}.") -> tuple[tuple[InputSpec, ...], list[Problem]]:
    """The fields start on line 4."""
    text = f"---\nname: a\ndescription: b\n{fields}\n---\n{body}\n"
    file, problems = markdown.parse(Path("a.md"), text.encode())
    assert file is not None
    return file.inputs, problems


def in_python(body: str) -> tuple[tuple[InputSpec, ...], list[Problem]]:
    """The body starts on line 4."""
    (agent,), problems = python_file.parse(Path("a.py"), (HEAD + body + "\n" + EXECUTE).encode())
    return agent.inputs, problems


def test_every_key_is_read_in_both_forms() -> None:
    wanted = (InputSpec("base", "integer", "Where it starts.", 2, (1, 2), True),)
    yaml = (
        "inputs:\n  base: {type: integer, description: Where it starts., default: 2, choices: [1, 2], required: true}"
    )
    assert in_markdown(yaml) == (wanted, [])
    code = """    inputs = {"base": {"type": "integer", "description": "Where it starts.", "default": 2,
                       "choices": [1, 2], "required": True}}"""
    assert in_python(code) == (wanted, [])


def test_text_stays_as_it_is_written() -> None:
    specs, problems = in_markdown("inputs:\n  base: {default: 1.10, choices: [1.10, yes, 007], description: 5}")
    assert problems == []
    assert specs == (InputSpec("base", "string", "5", "1.10", ("1.10", "yes", "007"), False),)


def test_a_name_alone_will_do() -> None:
    assert in_markdown("inputs:\n  base:") == ((InputSpec("base"),), [])


@each(
    ("fields", "line", "message"),
    [
        ("inputs: base", 4, "inputs must be a map"),
        ("inputs:\n  - base", 4, "inputs must be a map"),
        ("inputs:\n  base: main", 5, "'base' must be a map, not 'main'"),
        ("inputs:\n  base:\n    default: main\n  a b:", 7, "'a b' cannot be a name"),
        ("inputs:\n  base:\n    description: x\n    type: str", 7, "type of 'base' cannot be 'str'"),
        ("inputs:\n  base:\n    type: integer\n    default: main", 7, "must be a whole number, not 'main'"),
        ("inputs:\n  base:\n    type: integer\n    choices:\n      - 1\n      - two", 7, "not 'two'"),
        ("inputs:\n  base:\n    defualt: main", 6, "has no field 'defualt'"),
    ],
)
def test_a_mistake_in_markdown_has_its_line(fields: str, line: int, message: str) -> None:
    _, problems = in_markdown(fields)
    found = [problem for problem in problems if problem.is_error]
    assert len(found) == 1, problems
    assert found[0].line == line
    assert message in found[0].message
    assert found[0].hint


@pytest.mark.parametrize(
    ("body", "line", "message"),
    [
        ("    inputs = ['base']", 4, "inputs must be a map of inputs"),
        ("    inputs = None", 4, "inputs must be a map of inputs"),
        ("    inputs = {\n        'base': 'main',\n    }", 5, "'base' must be a map, not 'main'"),
        ("    inputs = {\n        'base': {\n            'type': 'str',\n        },\n    }", 6, "cannot be 'str'"),
        ("    inputs = {'base': {},\n              'a b': {}}", 5, "'a b' cannot be a name"),
        ("    inputs = dict(base=1)\n    inputs = {5: {}}", 5, "5 cannot be a name"),
        ("    input = {'base': {}}", 4, "'input' has no effect"),
    ],
)
def test_a_mistake_in_python_has_its_line(body: str, line: int, message: str) -> None:
    _, problems = in_python(body)
    assert len(problems) == 1, problems
    assert problems[0].is_error
    assert problems[0].line == line
    assert message in problems[0].message


def test_what_only_a_run_would_tell_is_no_mistake() -> None:
    assert in_python("    inputs = make_inputs()") == ((), [])


def test_an_input_that_is_asked_for_in_vain_is_a_warning() -> None:
    _, (problem,) = in_markdown("inputs:\n  other:\n  base:")
    assert (problem.line, problem.severity) == (5, "warning")
    assert "${other} is nowhere in the prompt" in problem.message
    assert in_markdown("initialPrompt: Use ${other}.\ninputs:\n  other:\n  base:")[1] == []


@pytest.mark.parametrize("source", ["project", "user"])
def test_a_listing_and_the_class_have_them(source: str, home: Path) -> None:
    folder = Path(".maverick/agents") if source == "project" else home / ".config/maverick/agents"
    folder.mkdir(parents=True)
    text = "---\nname: a\ndescription: b\ninputs: {base: {default: main}}\n---\nUse ${base}.\n"
    (folder / "a.md").write_text(text)
    listing = discover(Path.cwd()).get("a")
    assert listing.inputs == (InputSpec("base", default="main", required=False),)
    agent = load(listing, TrustStore())()
    assert agent.with_inputs({"base": "dev"}).system_prompt == "Use dev."
