"""A rule about a skill is about it by all names by which Claude Code knows it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from maverick_tui import paths
from maverick_tui.agent.permissions import skill_names
from maverick_tui.agent.permissions.judge import Judge
from tests.agent.permissions.deciding import decide, judge_in, write

TEXT = "---\ndescription: Deploys.\n{name}\n---\nDeploy. name: other\n"


def skill(folder: Path, name: str, text: str = "name: release-it") -> Path:
    return write(TEXT.format(name=text), folder / "skills" / name / "SKILL.md")


def denying(project: Path, rule: str) -> Judge:
    write(f'allow = ["Skill"]\ndeny = ["Skill({rule})"]')
    return judge_in(project)


def decided(judge: Judge, *names: str) -> list[str]:
    return [decide(judge, "Skill", {"skill": name}) for name in names]


@pytest.mark.parametrize(
    "text",
    [
        "name: release-it",
        "'name' : \"release-it\" # so",
        "name: >-\n  release-it",
        "Name: Release It",
        "name: release-it\r",
    ],
)
@pytest.mark.parametrize("rule", ["deploy", "release-it"])
def test_either_name_of_a_skill_is_denied_with_the_other(rule: str, text: str, project: Path) -> None:
    skill(paths.claude_config(), "deploy", text)
    skill(paths.claude_config(), "fine", "name: look")
    judge = denying(project, rule)
    assert decided(judge, "deploy", "release-it", "/release-it", "kit:release-it") == ["deny"] * 4
    assert decided(judge, "fine", "look") == ["allow"] * 2
    assert decided(judge, "nowhere", "other") == ["ask"] * 2, "of which nobody knows the other names"


def test_skills_are_known_wherever_claude_code_finds_them(project: Path, tmp_path: Path) -> None:
    of_plugin = paths.claude_config() / "plugins" / "cache" / "market" / "kit" / "1.0"
    skill(of_plugin, "one", "name: first")
    write(TEXT.format(name="name: second"), of_plugin / "commands" / "two.md")
    skill(project / "sub" / ".claude", "three", "name: third")
    skill(tmp_path / ".claude", "four", "name: fourth")
    mine = paths.claude_config() / "skills" / "mine"
    write('{"name": "own-kit"}', mine / ".claude-plugin" / "plugin.json")
    skill(mine, "six", "name: sixth")
    linked = paths.claude_config() / "skills" / "linked"
    linked.parent.mkdir(parents=True, exist_ok=True)
    linked.symlink_to(skill(tmp_path / "elsewhere", "five", "name: fifth").parent)
    (linked / "again").symlink_to(paths.claude_config())
    for rule, name in (
        ("kit:*", "first"), ("one", "first"), ("one", "kit:first"), ("second", "kit:two"), ("two", "second"),
        ("third", "sub:three"), ("fourth", "four"), ("linked", "fifth"), ("own-kit:*", "sixth"),
    ):  # fmt: skip
        assert decided(denying(project, rule), name) == ["deny"], (rule, name)
        assert decided(denying(project, "other"), name) == ["allow"], name


def test_what_is_no_skill_or_too_much_asks(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = paths.claude_config() / "skills"
    (folder / "pipe").mkdir(parents=True)
    os.mkfifo(folder / "pipe" / "SKILL.md")
    skill(paths.claude_config(), "fine")
    judge = denying(project, "other")
    assert decided(judge, "pipe", "fine", "a\0:fine", "../..:none") == ["allow", "allow", "allow", "ask"]
    monkeypatch.setattr(skill_names, "_MOST", 3)
    assert decided(judge, "fine") == ["ask"]
