"""`maverick rules`: rules are tried out on what has happened, written where they say, and heeded."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from maverick_tui import keeper
from maverick_tui.agent.permissions.standing import project_file, user_file
from maverick_tui.events.kinds import (
    AgentLoaded,
    Decision,
    Event,
    PermissionAsked,
    PermissionSettled,
    RunStarted,
    ToolCalled,
    ToolFinished,
)
from tests.executor.files.support import git
from tests.history.kept import AT, keep
from tests.support.cases import each
from tests.support.command_line import Run


def keep_calls(run_id: str, *calls: tuple[str, Decision | None], agent: str = "handyman") -> None:
    """A kept run in which these commands were called, and what a person said to each."""
    told: list[Event] = [RunStarted(AT, run_id, agent), AgentLoaded(AT, agent, str(Path.cwd()))]
    for number, (command, answer) in enumerate(calls):
        call, arguments = f"c{number}", {"command": command}
        told.append(ToolCalled(AT, call, "Bash", arguments))
        if answer:
            told.append(PermissionAsked(AT, f"q{number}", call, "Bash", arguments))
            told.append(PermissionSettled(AT, f"q{number}", call, answer))
        told.append(ToolFinished(AT, call, "fine"))
    told.append(ToolCalled(AT, "pending", "Bash", {"command": "pytest -q"}))
    keep(run_id, told)


def test_a_rule_is_tried_out_before_it_is_saved(maverick: Run) -> None:
    keep_calls("aaaa0001", ("pytest -q", "once"), ("pytest -q", None), ("pytest -x tests", "deny"), ("make", "deny"))
    keep_calls("aaaa0002", ("pytest -q && rm x", "once"), agent="other")
    shown = maverick("rules", "add", "Bash(pytest:*)", "--dry-run")
    assert shown.code == 0
    assert "would have allowed 3 past calls of 5, of which you denied 1:" in shown.out
    assert "1 x  pytest -x tests  (denied 1)" in shown.out
    assert "rm x" not in shown.out
    assert not user_file().exists()
    told = json.loads(maverick("rules", "add", "Bash(pytest:*)", "--deny", "--yes", "--json").out)
    assert told["added"] is True
    assert told["would_have"]["calls"] == 4  # what is denied is denied wherever it stands
    assert tomllib.loads(user_file().read_text()) == {"deny": ["Bash(pytest:*)"]}


def test_a_rule_is_written_beside_what_a_person_wrote_and_taken_out_again(maverick: Run) -> None:
    file = user_file()
    file.parent.mkdir(parents=True)
    file.write_text('# mine\nallow = ["Bash(ls:*)"]  # harmless\n\n[agents.careful]\nask = ["Edit"]\n')
    file.chmod(0o640)
    assert maverick("rules", "add", "Bash(make:*)", "--yes").code == 0
    assert maverick("rules", "add", "Read(.env)", "--deny", "--yes").code == 0
    assert maverick("rules", "add", "Bash(make:*)", "--ask", "--agent", "careful", "--yes").code == 0
    assert "No agent here" in maverick("rules", "add", "Bash(x:*)", "--deny", "--agent", "release notes", "--yes").out
    text = file.read_text()
    assert "# mine\n" in text
    assert "# harmless" in text
    assert file.stat().st_mode & 0o777 == 0o640
    assert tomllib.loads(text) == {
        "allow": ["Bash(ls:*)", "Bash(make:*)"],
        "deny": ["Read(.env)"],
        "agents": {"careful": {"ask": ["Edit", "Bash(make:*)"]}, "release notes": {"deny": ["Bash(x:*)"]}},
    }
    assert "it is there already" in maverick("rules", "add", "Bash(make:*)", "--yes").out
    of_others = " ".join(maverick("rules", "remove", "Bash(make:*)", "--agent", "release notes").err.split())
    command = "maverick rules remove 'Bash(make:*)'"
    assert f"It is there by `{command}` and `{command} --agent careful`." in of_others
    assert maverick("rules", "remove", "Bash(make:*)").code == 0
    told = maverick("rules", "remove", "Bash(x:*)").err
    assert "has no rule Bash(x:*) for all agents." in " ".join(told.split())
    assert "`maverick rules remove 'Bash(x:*)' --agent 'release notes'`." in " ".join(told.split())
    assert maverick("rules", "remove", "Bash(make:*)", "--agent", "careful").code == 0
    gone = maverick("rules", "remove", "Bash(make:*)")
    assert (gone.code, "See `maverick rules list`." in gone.err) == (1, True)
    assert "make" not in file.read_text()


def test_a_call_is_judged_without_being_run(maverick: Run) -> None:
    maverick("rules", "add", "Bash(git log:*)", "--deny", "--yes")
    told = json.loads(maverick("rules", "test", "Bash(git log -p)", "--json").out)
    assert (told["decision"], told["rule"], told["file"]) == ("deny", "Bash(git log:*)", str(user_file()))
    told = json.loads(maverick("rules", "test", "Bash(git status)", "--json").out)
    assert (told["decision"], told["rule"]) == ("allow", None)
    assert maverick("rules", "test", "Bash(git status)").out == "allow by no rule: it is known to only read\n"
    assert maverick("rules", "test", "Edit(a.py)").out.startswith("allow by no rule: the mode acceptEdits lets it edit")
    assert maverick("rules", "test", "Bash(make)", "--unattended").out.startswith("allow by no rule: the agent's own")
    assert maverick("rules", "test", "TodoWrite").out == "allow by no rule: what this tool does is harmless\n"
    told = json.loads(maverick("rules", "test", "Bash(touch PWNED; rm (x))", "--json").out)
    assert told["decision"] == "ask"
    assert json.loads(maverick("rules", "test", "Bash(make)", "--unattended", "--json").out)["decision"] == "allow"
    assert not Path("PWNED").exists()
    assert maverick("rules", "test", "Bsh(x)").code == 1
    assert maverick("rules", "test", "Bash(make)", "--agent", "nobody").code == 3


def test_a_call_in_a_worktree_is_judged_by_what_is_denied_in_the_project(
    maverick: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop, by_hand = tmp_path / "shop", tmp_path / "by-hand"
    git(tmp_path, "init", "-q", str(shop))
    git(shop, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x", "--allow-empty")
    git(shop, "worktree", "add", "-q", str(by_hand))
    maverick("rules", "add", f"Read(/{shop}/.env)", "--deny", "--yes")
    monkeypatch.chdir(by_hand)
    assert maverick("rules", "test", "Read(.env)").out.startswith(f"deny by deny Read(/{shop}/.env)")


def test_a_rule_that_seems_to_cover_a_call_and_does_not_is_told_with_the_reason(maverick: Run) -> None:
    Path("x").touch()
    for rule in ("tail", "find", "git fetch"):
        maverick("rules", "add", f"Bash({rule}:*)", "--yes")
    reads = "it covers only calls that are known to only read, and"
    for call, why in (
        ("tail -f x", f"Bash(tail:*) does not cover it: {reads} tail -f x is not; Bash(tail -f *) would."),
        (
            "cd src && tail x",
            "Bash(tail:*) does not cover it: it covers one call by itself, and this is more than that.",
        ),
        ("find . -delete", f"Bash(find:*) does not cover it: {reads} find . -delete is not."),
        (
            "git fetch --upload-pack=x",
            "Bash(git fetch:*) does not cover it: it covers no call in which git may run or write something else.",
        ),
        ("make", ""),
    ):
        told = json.loads(maverick("rules", "test", f"Bash({call})", "--json").out)
        assert (told["decision"], told["note"]) == ("ask", why)
        assert why in maverick("rules", "test", f"Bash({call})").out
    maverick("rules", "add", "Bash(tail -f *)", "--yes")
    assert json.loads(maverick("rules", "test", "Bash(tail -f x)", "--json").out)["rule"] == "Bash(tail -f *)"


def test_the_rules_of_a_project_allow_nothing_before_they_are_trusted(maverick: Run) -> None:
    assert maverick("rules", "add", "Bash(make:*)", "--project", "--yes").code == 0
    file = project_file(Path.cwd())
    assert "not trusted" in maverick("rules", "list").out
    assert json.loads(maverick("rules", "test", "Bash(make)", "--json").out)["decision"] == "ask"
    assert maverick("rules", "trust").code == 4  # nobody is there to say yes
    assert "Bash(make:*)" in maverick("rules", "trust", "--yes").out
    assert json.loads(maverick("rules", "test", "Bash(make)", "--json").out)["decision"] == "allow"
    file.write_text(f"{file.read_text()}\n")
    assert json.loads(maverick("rules", "test", "Bash(make)", "--json").out)["decision"] == "ask"
    assert not (file.parent / ".lock").exists()


@pytest.mark.parametrize(
    "text", ["allow = [", 'allow = ["Bsh"]', r'allow = ["Bash(a # b\nc)"]', '[agents."a\\nb"]\nallow = ["Bash"]']
)
def test_a_broken_file_is_told_and_left_as_it_is(maverick: Run, text: str) -> None:
    user_file().parent.mkdir(parents=True)
    user_file().write_text(text)
    listed = maverick("rules", "list")
    assert (listed.code, "cannot be read" in listed.out) == (1, True)
    ran = maverick("rules", "add", "Bash(make:*)", "--yes")
    assert ran.code == 1
    assert "rules.toml" in ran.err
    assert user_file().read_text() == text


def test_nothing_is_added_where_nobody_says_yes(maverick: Run) -> None:
    assert maverick("rules", "add", "Bash(make:*)").code == 1
    assert maverick("rules", "add", "Bash(make:*)", "--json").code == 2
    assert maverick("rules", "add", "Bash(make:*)", "--ask", "--deny").code == 2
    assert maverick("rules", "add", "Bsh(make)", "--yes").code == 1
    assert not user_file().exists()


def test_hostile_text_of_a_project_does_not_steer(maverick: Run) -> None:
    file = project_file(Path.cwd())
    file.parent.mkdir()
    file.write_text('deny = ["Bash(\\u001b[2Jx)"]\n[agents."\\u202ex"]\nask = ["Edit"]')
    shown = maverick("rules", "list").out
    assert "\x1b" not in shown
    assert "\u202e" not in shown


def test_no_link_of_a_project_leads_to_another_file_of_rules(maverick: Run) -> None:
    maverick("rules", "add", "Bash(ls:*)", "--yes")
    before = user_file().read_text()
    file = project_file(Path.cwd())
    file.parent.mkdir()
    file.symlink_to(user_file())
    for command in (
        ("add", "Bash(make:*)", "--project", "--yes"),
        ("remove", "Bash(ls:*)", "--project"),
        ("trust", "-y"),
    ):
        ran = maverick("rules", *command)
        assert ran.code == 1
        assert "a link" in ran.err
    assert user_file().read_text() == before


def test_no_call_of_a_kept_run_keeps_a_rule_from_being_written(maverick: Run) -> None:
    keep_calls("aaaa0003", (f"cat {'t/' * 2500}", None), ("cat \udcff", None))
    assert maverick("rules", "add", "--deny", "Read(private/**)", "--yes").code == 0
    assert "private" in user_file().read_text()


def test_all_rules_of_a_project_are_trusted_together(maverick: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    top = Path.cwd()
    git(top, "init", "-q")
    maverick("rules", "add", "Bash(make:*)", "--project", "--yes")
    (top / "sub" / ".maverick").mkdir(parents=True)
    monkeypatch.chdir(top / "sub")
    project_file(top / "sub").write_text('[agents.pilot]\nallow = ["Bash(npm test:*)"]')
    shown = maverick("rules", "trust", "--yes").out
    assert "Bash(make:*)" in shown
    assert "Bash(npm test:*)  to pilot" in shown
    assert "not trusted" not in maverick("rules", "list").out
    maverick("rules", "trust", "--revoke")
    assert maverick("rules", "list").out.count("not trusted") == 2


def test_what_is_trusted_is_seen_though_it_looks_like_a_secret(maverick: Run) -> None:
    rule = "Bash(git fetch https://ci:a;touch${IFS}pwned;:@example.org/app)"
    Path(".maverick").mkdir()
    project_file(Path.cwd()).write_text(f'allow = ["{rule}"]')
    assert rule in maverick("rules", "trust", "--yes").out


def test_a_file_that_cannot_be_added_to_stays_as_it_is(maverick: Run) -> None:
    user_file().parent.mkdir(parents=True)
    text = 'agents = {x = {allow = ["Edit"]}}\nallow = [" Read "]\n'
    user_file().write_text(text)
    ran = maverick("rules", "add", "Bash(make:*)", "--agent", "zz", "--yes")
    assert (ran.code, "cannot be changed here" in ran.err) == (1, True)
    assert user_file().read_text() == text
    assert maverick("rules", "remove", "Read").code == 0


@each("arguments", [
    ["rules", "add", "Bash", "--yes"], ["rules", "remove", "Bash"], ["rules", "trust", "--yes"], ["config", "edit"],
    ["agents", "trust", "theirs", "--yes"], ["worktree", "trust", "--yes"],
])  # fmt: skip
def test_a_command_of_a_run_says_nothing_of_what_runs_may_do(
    maverick: Run, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.setenv(keeper.new_mark(), "1")
    told = maverick(*arguments)
    assert told.code == 4
    assert "agents may not say what agents may do" in told.err
    assert not user_file().exists()


def test_a_secret_is_neither_written_nor_printed(maverick: Run) -> None:
    secret = f"Bash(mytool push --token ghp_{'a1B2' * 9})"
    ran = maverick("rules", "add", secret, "--yes")
    assert ran.code == 1
    assert "There is a secret in this rule" in ran.err
    assert not user_file().exists()
    user_file().parent.mkdir(parents=True, exist_ok=True)
    user_file().write_text(f'allow = ["{secret}"]\n')
    for words in (("list",), ("list", "--json"), ("test", secret), ("test", secret, "--json")):
        ran = maverick("rules", *words)
        assert "Bash(mytool push --token [secret])" in ran.out, words
        assert "a1B2" not in ran.out, words
