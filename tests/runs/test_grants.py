"""What is allowed for a run reaches exactly as far as its words."""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui.runs.grants import Grants


def bash(command: str) -> dict[str, str]:
    return {"command": command}


@pytest.mark.parametrize(
    ("command", "text", "allowed", "refused"),
    [
        (
            "npm run a",
            "Bash: npm run *",
            ["npm run b"],
            ["npm test", "npm run a; rm x", "npm run $(x)", "npm run a > b"],
        ),
        (
            "git add a.py",
            "Bash: git add *",
            ["git add b.py", "git add -A"],
            [r"git add $'\'' ; touch PWNED ; : \'", "git commit", "git -c x=y add b", "git add b .git/config"],
        ),
        ("git log -p", "Bash: git log *", ["git log"], ["git log --output=x", "git log --outp=x"]),
        ("git log --output=x", "Bash: git log --output=x", ["git log --output=x"], ["git log --output=y"]),
        (
            "git fetch origin",
            "Bash: git fetch *",
            ["git fetch", "git fetch --all", "git fetch ./x"],
            [
                "git fetch --upload-pack='touch x;false' .",
                "git fetch --upl=x origin",
                "git fetch ext::sh",
            ],
        ),
        (
            "git push origin HEAD:x",
            "Bash: git push *",
            ["git push -u origin y"],
            ["git push --exec=x", "git push ./evil"],
        ),
        (
            "git rebase main",
            "Bash: git rebase *",
            ["git rebase -i x"],
            ["git rebase -x id main", "git rebase -ix id m"],
        ),
        ("git bisect run id x", "Bash: git bisect run id x", [], ["git bisect run id y"]),
        ("git bisect good x", "Bash: git bisect *", ["git bisect bad"], ["git bisect run id"]),
        (
            "git submodule update x",
            "Bash: git submodule *",
            [],
            ["git submodule foreach id", "git submodule -q foreach i"],
        ),
        (
            "make test -j4",
            "Bash: make test *",
            ["make test -k"],
            ["make test --eval=x", "make test --ev=x", "make test A=b"],
        ),
        ("go test ./...", "Bash: go test *", ["go test -run x"], ["go test -exec id ./...", "go test -toolexec=id x"]),
        (
            "npm run b",
            "Bash: npm run *",
            ["npm run b -- --shell x"],
            ["npm run b --script-shell=id", "npm run b --script-sh i"],
        ),
        ("docker compose up -d", "Bash: docker compose *", ["docker compose ps"], ["docker compose exec a sh"]),
        (
            "cargo test x",
            "Bash: cargo test *",
            ["cargo test -- --nocapture"],
            ["cargo test --config x", "cargo test --conf=x"],
        ),
        ("go env -w CC=x", "Bash: go env -w CC=x", [], ["go env -w CC=y"]),
        ("uv run pytest", "Bash: uv run pytest", ["uv run pytest"], ["uv run sh"]),
        ("mkdir a", "Bash: mkdir a", ["mkdir a"], ["mkdir b", "mkdir a b"]),
        ("rm a b", "Bash: rm a b", ["rm a b"], ["rm a", "rm a c"]),
        ("a && b", "Bash: a && b", ["a && b"], ["a", "b", "a && c"]),
        ("npm -g run a", "Bash: npm -g run a", ["npm -g run a"], ["npm run a"]),
        ("x", "Bash: x", ["x"], ["x ", "y"]),
    ],
)
def test_commands(command: str, text: str, allowed: list[str], refused: list[str]) -> None:
    grants = Grants(Path.cwd())
    grant = grants.offer("Bash", bash(command))
    assert grant is not None
    assert grant.text == text
    assert grants.rule_for("Bash", bash(command)) == "", "an offer is not a grant"
    grants.give(grant)
    assert [grants.rule_for("Bash", bash(other)) for other in allowed] == [text] * len(allowed)
    assert [grants.rule_for("Bash", bash(other)) for other in refused] == [""] * len(refused)
    assert grants.rule_for("PowerShell", bash(command)) == ""


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("Write", {"file_path": ".git/hooks/pre-commit"}),
        ("Write", {"file_path": ".maverick/agents/x.md"}),
        ("Read", {"file_path": "~/.ssh/id_rsa"}),
        ("Bash", {"command": "cp x .git/config"}),
        ("Bash", {"command": "git config core.pager x"}),
    ],
)
def test_nothing_is_offered_for_what_asks_each_time(tool: str, arguments: dict[str, str]) -> None:
    assert Grants(Path.cwd()).offer(tool, arguments) is None


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


def test_a_grant_for_a_foreign_tool_looks_at_all_that_it_is_given() -> None:
    grants, tool = Grants(Path.cwd()), "mcp__fs__write_file"
    grant = grants.offer(tool, {"path": "notes.txt", "content": "x"})
    assert grant is not None
    assert grant.text == f"{tool} in this folder"
    grants.give(grant)
    assert grants.rule_for(tool, {"path": "src/a.py", "content": "y\nz"})
    for more in (
        {"destination": "/tmp/x"},
        {"file_path": "../x"},
        {"to": [{"at": "/tmp/x"}]},
        {"uri": "file:///tmp/x"},
        {"a": "b/../" * 999 + "../x"},
    ):
        assert not grants.rule_for(tool, {"path": "notes.txt", **more}), more
    outside = grants.offer(tool, {"path": "notes.txt", "destination": "/tmp/x"})
    assert outside is not None
    assert outside.text == f"{tool} of /tmp/x"
    grants.give(outside)
    assert grants.rule_for(tool, {"path": "notes.txt", "destination": "/tmp/x"})
    assert not grants.rule_for(tool, {"path": "notes.txt", "destination": "/tmp/y"})


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
    odd = grants.offer("WebFetch", {"url": "https://evil.example\\@a.example/"})
    assert odd is not None
    grants.give(odd)
    assert not grants.rule_for("WebFetch", {"url": "https://evil.example\\@b.example/"})
    assert grants.rule_for("mcp__box__open", {"what": "door"})
    assert grants.offer("AskUserQuestion", {}) is None
    assert grants.offer("ExitPlanMode", {}) is None


def test_a_command_with_anything_besides_is_another_thing() -> None:
    grants = Grants(Path.cwd())
    grant = grants.offer("Bash", bash("npm run a"))
    assert grant is not None
    grants.give(grant)
    assert grants.rule_for("Bash", {**bash("npm run a"), "description": "Build it", "timeout": 5})
    for more in ({"run_in_background": True}, {"dangerouslyDisableSandbox": True}, {"something": "new"}):
        assert not grants.rule_for("Bash", {**bash("npm run a"), **more}), more
        assert grants.offer("Bash", {**bash("npm run a"), **more}) is None, "it would not cover the call that it is for"
