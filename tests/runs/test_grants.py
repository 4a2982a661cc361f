"""What is allowed for a run reaches exactly as far as its words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from claude_agent_sdk import PermissionUpdate
from claude_agent_sdk.types import PermissionRuleValue

from maverick_tui.runs.grants import Grants


def suggest(*rules: str | None, tool: str = "Bash", behavior: Any = "allow") -> list[PermissionUpdate]:
    values = [PermissionRuleValue(tool, rule) for rule in rules]
    return [PermissionUpdate("addRules", rules=values, behavior=behavior), PermissionUpdate("setMode", mode="default")]


def bash(command: str) -> dict[str, str]:
    return {"command": command}


@pytest.mark.parametrize(
    ("command", "rules", "text", "allowed", "refused"),
    [
        ("npm run a", ["npm run *"], "Bash: npm run *", ["npm run b"], ["npm test", "npm run a; rm x", "npm run $(x)"]),
        ("mkdir a", ["mkdir a"], "Bash: mkdir a", ["mkdir a"], ["mkdir b", "mkdir a b"]),
        ("a && b", ["a *", "b *"], "Bash: a && b", ["a && b"], ["a", "b", "a && c"]),
        ("x", ["*"], "Bash: x", ["x"], ["y"]),
        ("x", [None], "Bash: x", ["x"], ["y"]),
        ("x", [], "Bash: x", ["x"], ["x "]),
    ],
)
def test_commands(command: str, rules: list[str | None], text: str, allowed: list[str], refused: list[str]) -> None:
    grants = Grants(Path.cwd())
    grant = grants.offer("Bash", bash(command), suggest(*rules))
    assert grant is not None
    assert grant.text == text
    assert grants.rule_for("Bash", bash(command)) == "", "an offer is not a grant"
    grants.give(grant)
    assert [grants.rule_for("Bash", bash(other)) for other in allowed] == [text] * len(allowed)
    assert [grants.rule_for("Bash", bash(other)) for other in refused] == [""] * len(refused)
    assert grants.rule_for("PowerShell", bash(command)) == ""


def test_a_rule_that_forbids_is_no_offer() -> None:
    grant = Grants(Path.cwd()).offer("Bash", bash("ls a"), suggest("ls *", behavior="deny"))
    assert grant is not None
    assert grant.text == "Bash: ls a"


def test_files() -> None:
    Path("link").symlink_to("/etc")
    grants = Grants(Path.cwd())
    grant = grants.offer("Edit", {"file_path": "src/a.py"})
    assert grant is not None
    assert grant.text == "Edit in this folder"
    grants.give(grant)
    assert grants.rule_for("Edit", {"file_path": str(Path("b.py").absolute())})
    for path in ("../b.py", "/etc/hosts", "link/hosts", ".git/config", "src/.env", ""):
        assert not grants.rule_for("Edit", {"file_path": path}), path
    assert not grants.rule_for("Write", {"file_path": "src/a.py"})
    outside = grants.offer("Read", {"file_path": "/etc/hosts"})
    assert outside is not None
    assert outside.text == "Read of /etc/hosts"


def test_others() -> None:
    grants = Grants(Path.cwd())
    for tool, arguments, text in (
        ("WebFetch", {"url": "https://a.example/x"}, "WebFetch from a.example"),
        ("mcp__box__open", {"what": "lid"}, "every use of mcp__box__open"),
    ):
        grant = grants.offer(tool, arguments)
        assert grant is not None
        assert grant.text == text
        grants.give(grant)
    assert grants.rule_for("WebFetch", {"url": "http://a.example/y"})
    assert not grants.rule_for("WebFetch", {"url": "https://b.example/x"})
    assert grants.rule_for("mcp__box__open", {"what": "door"})
    assert grants.offer("AskUserQuestion", {}) is None
    assert grants.offer("ExitPlanMode", {}) is None


@pytest.mark.parametrize("rules", [[], ["npm run *"]])
def test_a_command_with_anything_besides_is_another_thing(rules: list[str | None]) -> None:
    grants = Grants(Path.cwd())
    grant = grants.offer("Bash", bash("npm run a"), suggest(*rules))
    assert grant is not None
    grants.give(grant)
    assert grants.rule_for("Bash", {**bash("npm run a"), "description": "Build it", "timeout": 5})
    for more in ({"run_in_background": True}, {"dangerouslyDisableSandbox": True}, {"something": "new"}):
        assert not grants.rule_for("Bash", {**bash("npm run a"), **more}), more
