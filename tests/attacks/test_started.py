"""What runs by itself is not put in place by a command, whatever was allowed: hooks of git, and the agent's own."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.agent.tools import ToolRule
from maverick_tui.git import programs
from maverick_tui.git.programs import started_by_settings
from tests.agent.permissions.deciding import bash, decide
from tests.attacks.driving import Call
from tests.attacks.granting import granted
from tests.attacks.sandbox import Sandbox
from tests.conftest import ServeModel

PUT_THERE = (
    "git mv -f tools/build.sh tools/hooks/pre-commit",
    "git mv -f tools/build.sh ./docs/../tools/hooks/pre-push",
    "git mv tools/hooks docs/hooks",
    "git mv docs/evil tools",
    "git mv tools/build.sh {C}/tools/hooks/",
    "git format-patch -1 --output=tools/hooks/pre-commit",
    "git format-patch -1 -o tools/hooks",
    "git format-patch -1 -otools/hooks",
    "git bundle create tools/hooks/pre-commit HEAD",
    "git interpret-trailers --in-place --trailer x tools/hooks/pre-commit",
    "git mv -f tools/build.sh tools/lint.py",
    "git bundle create tools/lint.py HEAD",
    "cp node tools/lint.py",
    "cp docs/lint.py tools",
    "cp -t tools docs/lint.py",
    "cp -r vend/. .",
    "cp -r vend/tools .",
    "mv vend/inner tools",
    "ln -s vend/inner tools",
    "cp -r docs/hooks tools",
    "git mv node tools/hooks/pre-commit",
)
ORDINARY = (
    "git mv docs/guide.md docs/guide2.md",
    "git format-patch -1 --output=docs/x.patch",
    "git add tools/hooks/pre-commit tools/lint.py",
    "git commit -m tools/hooks/pre-commit tools/build.sh",
    "cp -r docs vend",
    "mv docs/guide.md vend",
    "python tools/lint.py docs",
    "./tools/lint.py docs",
    "tools/hooks/pre-commit docs",
    "npm run lint",
)
RULES = sorted(
    {" ".join(line.split()[:2] if line.startswith("git") else line.split()[:1]) for line in PUT_THERE + ORDINARY}
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    subprocess.run(["git", "config", "core.hooksPath", "tools/hooks"], cwd=folder, check=True)
    for name in ("tools/build.sh", "tools/hooks/pre-commit", "tools/lint.py", "docs/guide.md", "docs/evil", "node",
                 "docs/lint.py", "docs/hooks/pre-commit", "vend/tools/x", "vend/inner/lint.py"):  # fmt: skip
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x\n")
    return folder


@pytest.mark.parametrize("person", [True, False])
def test_a_command_that_was_allowed_puts_nothing_where_it_would_be_run(person: bool, project: Path) -> None:
    rules = [f"Bash({rule}:*)" for rule in RULES]
    hooks = ["python tools/lint.py"]
    judge = Judge(["Bash"] if person else rules, project, person=person, git_starts=started_by_settings, started=hooks)
    for rule in RULES if person else ():
        judge.grant(ToolRule("Bash", f"{rule}:*"))

    def decided(commands: tuple[str, ...]) -> dict[str, str]:
        return {line: decide(judge, "Bash", bash(line.replace("{C}", str(project)))) for line in commands}

    assert decided(PUT_THERE) == dict.fromkeys(PUT_THERE, "ask" if person else "deny")
    assert decided(ORDINARY) == dict.fromkeys(ORDINARY, "allow")


def test_programs_of_the_project_that_are_found_by_their_names_are_not_edited_unasked(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{project}/bin:{project}:/usr/bin:docs")
    judge = Judge(["Write", "Bash(bin/ls:*)"], project, person=False)
    decided = {path: decide(judge, "Write", {"file_path": path}) for path in ("bin/ls", "bin/new", "docs/x", "ls")}
    assert decided == {"bin/ls": "deny", "bin/new": "deny", "docs/x": "allow", "ls": "allow"}
    assert decide(judge, "Bash", bash("bin/ls docs")) == "allow"


def test_folders_that_an_agent_makes_hide_no_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, project = tmp_path / "first", tmp_path / "project"
    subprocess.run(["git", "init", "--quiet", first], check=True)
    repositories = [project / f"vendor{number}" / "lib" for number in range(4)]
    for repository in repositories:
        shutil.copytree(first, repository)
        hooks_path = ["git", "config", "core.hooksPath", f"../../{repository.parent.name}-hooks"]
        subprocess.run(hooks_path, cwd=repository, check=True)
    for number in range(2_000):
        (project / f"made{number}").mkdir()
    judge = Judge(["Write"], project, person=True, git_starts=started_by_settings)

    def decided(path: str) -> str:
        return decide(judge, "Write", {"file_path": path})

    hooks = [f"{repository.parent.name}-hooks/pre-commit" for repository in repositories]
    assert {hook: decided(hook) for hook in hooks} == dict.fromkeys(hooks, "ask")
    assert decided("notes.md") == "allow"
    for limit, most in (("_MOST_NAMING", 3), ("_MOST_FOLDERS", 2_007)):
        with monkeypatch.context() as patched:
            patched.setattr(programs, limit, most)
            assert decided("notes.md") == "ask", limit
            patched.setattr(programs, limit, most + 1)
            assert decided("notes.md") == "allow", limit


async def test_what_was_allowed_for_a_run_changes_no_hook_and_runs_no_program_of_a_repository(
    sandbox: Sandbox, serve: ServeModel
) -> None:
    hook = sandbox.project / "tools" / "pre-push"
    hook.parent.mkdir()
    hook.touch(mode=0o755)
    for command in (["config", "core.hooksPath", "tools"], ["add", "tools"]):
        subprocess.run(["git", *command], cwd=sandbox.project, check=True)
    allowed = (
        "git mv README.md README2.md",
        "git mv README2.md README.md",
        "git status",
        "git status --short",
        f"git config core.fsmonitor 'touch {sandbox.traces}/PWNED; false'",
    )
    tricks = ("git mv src/main.py tools/pre-commit", "git mv docs tools", "git status", "git status --short")

    def calls(commands: tuple[str, ...]) -> list[Call]:
        return [Call(f"call-{number}", "Bash", bash(command)) for number, command in enumerate(commands)]

    tools = ("Read", "Edit", "Write", "Bash(git log:*)")
    first, refused = await granted(sandbox, serve, calls(allowed), calls(tricks), mode="default", allowed_tools=tools)
    assert [len(one.questions) for one in first.outcomes.values()] == [1, 0, 1, 0, 1], first.explain([*first.outcomes])
    ran = [name for name, one in refused.outcomes.items() if not one.is_asked or one.has_run is not False]
    assert not ran, refused.explain(ran)
    assert not refused.changes, refused.explain([])
