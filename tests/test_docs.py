"""What the documents show is true: their examples run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from maverick_tui.agent.catalog import markdown
from tests.executor.support import Model, call, calls, define, says

DOCS = Path(__file__).resolve().parents[1] / "docs"


def blocks(name: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (DOCS / name).read_text(), re.DOTALL)


def test_the_agent_file_of_the_executor_has_no_mistake(tmp_path: Path) -> None:
    (file,) = blocks("executor.md", "markdown")
    parsed, problems = markdown.parse(tmp_path / "summariser.md", file.encode())
    assert parsed is not None
    # The MCP server that it names is not there, and a warning says so.
    assert [(problem.severity, problem.line) for problem in problems] == [("warning", 5)]
    assert parsed.settings["engine"] == "api"


@pytest.mark.parametrize("name", ["executor.md", "tasks.md"])
def test_what_the_examples_import_is_there(name: str) -> None:
    for block in blocks(name, "python"):
        for line in re.findall(r"^from maverick_tui.*$", block, re.MULTILINE):
            exec(line, {})


def test_the_python_agent_can_be_made() -> None:
    agent, *_ = blocks("executor.md", "python")
    names: dict[str, object] = {}
    exec(agent, names)
    made = names["Counter"]()  # type: ignore[operator]
    assert (made.name, made.engine) == ("counter", "api")


async def test_the_approval_decides_as_it_is_told() -> None:
    (example,) = (block for block in blocks("executor.md", "python") if "def approve" in block)
    done: list[object] = []

    async def delete() -> None:
        done.append("deleted")

    async def change(dry_run: bool = False) -> None:
        done.append(dry_run)

    model = Model(calls(call("delete"), call("change")), says("ok"))
    names = {"agent": model, "tools": [delete, change]}
    exec(example, names)
    result = await names["executor"].execute(define())  # type: ignore[attr-defined]
    assert done == [True]
    assert "Nothing may be deleted." in [message.content for message in result.messages]
