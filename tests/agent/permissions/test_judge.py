"""One judge: with a person and without one, in every mode."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maverick_tui import AgentContext, AgentResult, MaverickAgent
from maverick_tui.agent.permissions import ignore_files
from maverick_tui.agent.permissions.judge import Judge, asks_first
from maverick_tui.agent.tools import BUILTIN_TOOLS, READ_ONLY_TOOLS, ToolRule
from maverick_tui.runs.grants import Grants


def bash(command: str) -> dict[str, str]:
    return {"command": command}


def decide(judge: Judge, tool: str, arguments: dict[str, Any], mode: str = "acceptEdits") -> str:
    return judge.verdict(tool, arguments, mode=mode).decision


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "a.py").write_text("a")
    (folder / "away").symlink_to(tmp_path)
    (folder / "keys").symlink_to(Path.home() / ".ssh" / "id_rsa")
    return folder


READS = [
    "git status", "git log --oneline -5", "git diff HEAD~1 -- src", "ls -la src", "cat src/a.py", "pwd",
    "wc -l src/a.py",
    "grep -rn foo src", "grep -n '/api/v1' src/a.py", "git log | head -3", "ls && pwd", "git diff 2>/dev/null",
    "cd src && ls", "find . -name '*.py' -not -path './.git/*'", "git show HEAD:src/a.py", "git branch --show-current",
    "ls src/*", "cat src/*.py", "wc -l src/*.py | sort -n", "grep -rn foo src --include=*.py", "sed -n 1,20p src/a.py",
    "test -f src/a.py && echo yes", 'echo "---" && cat src/a.py', "ls nope 2>&1", "df -h",
    "rg -n 'def \\w+' src", "echo done", "git log -S'x y' --format='%h %s'", "sort -u src/a.py | uniq -c",
]  # fmt: skip

ASKS = [
    "rm -rf docs", r"r\m -rf docs", "'r'm a.txt", '"r"m a', "r''m a", r"c\p a b && c\p b c", "m''v a b",
    's""ed -i s/a/b/ a',
    r"mk\dir -p .maverick/agents", "git add .", "git branch new", "git branch -D main", "git tag v1", "git stash",
    "git diff --output=x", "git log --outpu=x", "git -C away status", "git -c alias.s=!id s", "GIT_PAGER=id git log",
    "./ls", "src/cat x", "/bin/ls", "cat /etc/passwd", "cat ~/.ssh/id_rsa", "cat keys", "ls ..", "ls away",
    "cat /proc/self/environ", "cd .. && ls", "cd away && ls", "cd - && ls", "cd src && cat ../../x",
    "cd src; cd ..; cat ../x", "cat *", "cat k*", "uniq src/*", "git branch *",
    "sed -n 1,5w src/a.py", "sed -i s/a/b/ src/a.py", "sed -n '1e id' x", "sed 1,5p src/a.py", "test -v 'a[$(id)]'",
    "test -f",
    "python --version", "node --version", r'echo "中\" ; touch a #"', "python -c 1", "find * -name x",
    "diff src docs", "git branch --sort --list new", "git branch --format --list new", "git tag --format --list new",
    "uniq src/a.py -d", "git log --format=%G?", "git log --pretty=%+GK",
    "seq 9999999999", "git for-each-ref --format=%(signature)",
    "find . -delete", "find . -exec rm {} +", "find . -fprint x", "sort -o x src/a.py", "uniq src/a.py x", "date -s 1",
    "date 01010000", "rg --pre id x", "rg -z x", "grep -f /etc/passwd x", "echo x > f", "echo $HOME", "ls &", "tee x",
    "file -C", "tail -f src/a.py", "git grep -O x", "git grep --open-files-in-pager=id x", "git diff --no-index a b",
    "git cat-file --filters HEAD:x", "xargs ls", "env", "printenv", "python -c 1", "hostname x", "npm test", "",
]  # fmt: skip


@pytest.mark.parametrize("mode", ["default", "acceptEdits", "plan"])
@pytest.mark.parametrize("command", READS)
def test_with_a_person_what_only_reads_runs(command: str, mode: str, project: Path) -> None:
    judge = Judge(["Bash"], project, person=True)
    assert decide(judge, "Bash", bash(command), mode) == "allow", judge.verdict("Bash", bash(command)).reason


@pytest.mark.parametrize("command", ASKS)
def test_with_a_person_every_other_command_asks(command: str, project: Path) -> None:
    judge = Judge(["Bash"], project, person=True)
    assert decide(judge, "Bash", bash(command)) == "ask"
    assert decide(judge, "Bash", bash(command), "dontAsk") == "deny"


def test_a_command_that_goes_from_folder_to_folder_cannot_be_followed(project: Path) -> None:
    for number in range(12):
        (project / "d" / str(number) / "d").mkdir(parents=True)
    judge = Judge(["Bash"], project, person=True)
    assert decide(judge, "Bash", bash("cd src; cd ./src; cd ./src; ls")) == "allow"
    assert decide(judge, "Bash", bash("cd .;" * 300 + "ls")) == "allow"
    assert decide(judge, "Bash", bash("".join(f"cd d/{number};" for number in range(12)) + "ls")) == "ask"


def test_files_that_are_called_like_options_are_not_read_unasked(project: Path) -> None:
    (project / "-n").symlink_to(Path.home() / ".ssh" / "id_rsa")
    (project / "-fx").symlink_to(".git")
    judge = Judge(["Bash", "Bash(uniq:*)"], project, person=True)
    for command in ("cat -- -n", "cat src/a.py -n", "uniq -- -c -fx/config", "grep -e x -- -n", "head -- -n"):
        assert decide(judge, "Bash", bash(command)) == "ask"


def test_a_shell_goes_by_names_where_a_program_goes_by_links(project: Path) -> None:
    (project / "a").mkdir()
    (project / "b" / "c").mkdir(parents=True)
    (project / "a" / "s").symlink_to(Path.home() / ".ssh" / "id_rsa")
    (project / "a" / "link").symlink_to("../b/c")
    judge = Judge(["Bash"], project, person=True)
    for command in ("cd a/link/.. && cat s", "cd a/link && cat ../s", "cd a && cd link && cd .. && cat s"):
        assert decide(judge, "Bash", bash(command)) == "ask"


def test_cd_leads_where_there_is_a_folder_of_that_name(project: Path) -> None:
    """Else a shell may look in CDPATH, or take the word for the name of a variable."""
    (project / "HOME").mkdir()
    judge = Judge(["Bash"], project, person=True)
    for command in ("cd .config && grep -r key .", "cd HOMES && ls", "cd src; cd HOME; ls", "cd src/a.py; ls"):
        assert decide(judge, "Bash", bash(command)) == "ask", command
    for command in ("cd src && ls", "cd ./none && ls", f"cd {project} && ls", "cd HOME && ls", "cd src/.. && ls"):
        assert decide(judge, "Bash", bash(command)) == "allow", command


def test_a_pattern_is_read_as_any_shell_might(project: Path) -> None:
    """With options that see hidden files, are blind to case, count bytes, or know further signs."""
    key = Path.home() / ".ssh" / "id_rsa"
    odd, langs, options = (project / name for name in ("odd", "langs", "options"))
    for folder in (odd, langs, options, project / "docs"):
        folder.mkdir()
    for odd_name in (b"-o\xc3\xa9\xffx", b"k\xc3\xa9\xffy"):
        (odd / os.fsdecode(odd_name)).symlink_to("nowhere")
    (langs / "\u00e9").symlink_to(key)
    for name in ("-oout", "L1", "repeat", "k1"):
        (options / name).symlink_to(key)
    (project / "docs" / "a.md").write_text("foo")
    (project.parent / ".netrc").touch()
    judge = Judge(["Bash"], project, person=True)
    for command in (
        "cd odd && sort notes ?o???x", "cat odd/k???y", "cat langs/??", "cat options/l*1", "cat OPTIONS/L*",
        "cd options && sort payload ?OOUT*", "cat ***/i*a", "grep -r key .*", "cat .*/.n*c", "cat .?/.netrc",
        "cat [.].", "cat [a/b]*", "cat */*~x", "cat options/repea#", "cat options/repea#t", "cat options/k^x",
        "cat options/k{1}", "cat {k}1", "cat options/'k''1'",
        "grep k* src/a.py", "grep -e options/* src/a.py", "grep k options/*", "grep -rn foo src --include=* options/k*",
        "basename -a /etc/.*", "echo /etc/*", f"echo {Path.home()}/.ssh/*", "which ../*",
    ):  # fmt: skip
        assert decide(judge, "Bash", bash(command)) == "ask", command
    for command in (
        "ls docs/*.md", "wc -l src/*.py", "grep -n foo docs/*.md", "cat docs/[ab].md", "echo docs/*",
        "ls docs/*.md | head -3\n", "ls docs/**/*.md", "git diff HEAD^ HEAD@{1}", "cat docs/xy#b", "ls docs/.*",
        f"wc -l {project}/src/*.py",
    ):  # fmt: skip
        assert decide(judge, "Bash", bash(command)) == "allow", (command, judge.verdict("Bash", bash(command)).reason)


def test_a_pattern_that_is_read_later_or_fits_nothing_yet_asks(project: Path) -> None:
    """Somebody may make a file in the meantime whose name becomes an option of the command."""
    judge = Judge(["Bash"], project, person=True)
    for command in (
        "sort -R src/a.py | tail -n 1; sort src/a.py ?o.gi*/config", "sort src/a.py ?o.gi*/config", "ls *.toml",
        "ls && ls src/*", "ls src/*; pwd", "ls nope || cat src/*.py", "pwd\ncat src/*.py", "cd src && ls *.py",
    ):  # fmt: skip
        assert decide(judge, "Bash", bash(command)) == "ask", command
    assert decide(judge, "Bash", bash("ls src/* | sort")) == "allow"


def test_what_a_shell_may_leave_out_is_not_taken_for_a_limit() -> None:
    judge = Judge(["Bash", "Bash(grep:*)"], Path.home(), person=True)
    (Path.home() / "notes").touch()
    assert decide(judge, "Bash", bash("grep -r key no*")) == "ask"
    assert decide(judge, "Bash", bash("cat no*")) == "allow"


def test_reading_counts_only_within_the_rules(project: Path) -> None:
    judge = Judge(["Bash(git log:*)"], project, person=True)
    assert decide(judge, "Bash", bash("git log -3")) == "allow"
    assert decide(judge, "Bash", bash("cd src && git log")) == "allow"
    assert decide(judge, "Bash", bash("git log | head -3 | wc -l")) == "allow", "they read what git has said"
    for command in ("git status", "echo x", "git log | head -3 src/a.py"):
        verdict = judge.verdict("Bash", bash(command))
        assert (verdict.decision, verdict.reason) == ("ask", "This agent may use Bash(git log:*).")


@pytest.mark.parametrize(
    "tool", sorted(BUILTIN_TOOLS - READ_ONLY_TOOLS - {"Agent", "Task", "Edit", "Write", "NotebookEdit"})
)
def test_a_tool_that_is_not_known_to_be_harmless_asks(tool: str, project: Path) -> None:
    for mode in ("default", "acceptEdits", "plan"):
        assert decide(Judge([tool], project, person=True), tool, {}, mode) == "ask"


@pytest.mark.parametrize("person", [True, False])
def test_starting_a_subagent_is_free_and_a_worktree_for_it_is_not(person: bool, project: Path) -> None:
    judge, start = (
        Judge(["Task"], project, person=person),
        {"description": "x", "prompt": "x", "subagent_type": "Explore"},
    )
    assert decide(judge, "Agent", start) == "allow"
    for more in ({"isolation": "worktree"}, {"mode": "bypassPermissions"}, {"cwd": "/"}):
        assert decide(judge, "Agent", {**start, **more}) == ("ask" if person else "deny")


@pytest.mark.parametrize("person", [True, False])
def test_no_job_outlives_its_run(person: bool, project: Path) -> None:
    judge = Judge(["CronCreate"], project, person=person)
    judge.grant(ToolRule("CronCreate"))
    assert decide(judge, "CronCreate", {"cron": "* * * * *", "prompt": "x", "durable": True}) == "deny"
    assert decide(judge, "CronCreate", {"cron": "* * * * *", "prompt": "x", "durable": False}) == "allow"


def test_a_tool_that_nobody_has_heard_of_is_refused(project: Path) -> None:
    for person in (True, False):
        assert decide(Judge(sorted(BUILTIN_TOOLS), project, person=person), "NewTool", {}) == "deny"
        assert decide(Judge(["Read"], project, person=person), "Write", {"file_path": "x"}) == "deny"


@pytest.mark.parametrize("tool", ["Edit", "Write", "NotebookEdit"])
def test_edits(tool: str, project: Path) -> None:
    for person, mode, expected in (
        (True, "acceptEdits", "allow"), (True, "default", "ask"), (True, "plan", "ask"), (True, "dontAsk", "deny"),
        (False, "default", "allow"), (False, "acceptEdits", "allow"),
    ):  # fmt: skip
        judge = Judge([tool], project, person=person)
        assert decide(judge, tool, {"file_path": "src/a.py"}, mode) == expected
        for path in (str(project.parent / "x"), "../x", "away/x", "/etc/hosts", "~/x", ""):
            assert decide(judge, tool, {"file_path": path}, mode) == ("ask" if person and mode != "dontAsk" else "deny")


def test_the_whole_disk_is_no_project() -> None:
    assert decide(Judge(["Write"], Path("/"), person=False), "Write", {"file_path": "/etc/hosts"}) == "deny"


@pytest.mark.parametrize("person", [True, False])
def test_a_path_rule_is_kept(person: bool, project: Path) -> None:
    judge = Judge(["Read(src/**)", "Edit(src/**)"], project, person=person)
    refused = "ask" if person else "deny"
    for tool in ("Read", "Edit"):
        assert decide(judge, tool, {"file_path": "src/a.py"}) == "allow"
        for path in ("b.py", "src/../b.py", "away/x", ""):
            assert decide(judge, tool, {"file_path": path}) == refused
    assert decide(Judge(["Read(src/**)", "Read"], project, person=person), "Read", {"file_path": "b.py"}) == "allow"


PROTECTED = [
    ".git/config", ".GIT/config", ".git", "vendor/x/.git/hooks/pre-commit", "src/../.git/config", ".git /config",
    ".g\u200cit/x", ".git\\hooks\\x",
    ".maverick/agents/x.md", ".claude/settings.json", ".mcp.json", ".vscode/tasks.json", ".husky/pre-commit", ".envrc",
    ".bashrc", "sub/.zshenv", ".ssh/authorized_keys", ".aws/credentials", ".netrc", ".gitmodules", "hidden/config",
    "x.sublime-project", ".Rprofile", ".cargo/config.toml", ".yarnrc.yml", ".tool-versions",
    "lefthook.yaml", ".lefthook.yml", "lefthook-local.yml", "mise.local.toml", ".mise/config.toml", ".nvimrc",
    ".config/mise/config.toml", ".pre-commit-config.yml", ".windsurf/x", ".roo/x", ".kiro/x", ".amazonq/x",
]  # fmt: skip


@pytest.mark.parametrize("path", PROTECTED)
@pytest.mark.parametrize("person", [True, False])
def test_some_places_ask_whatever_the_rules_say(path: str, person: bool, project: Path) -> None:
    (project / ".git").mkdir()
    (project / "hidden").symlink_to(".git")
    judge = Judge(["Write", "Write(//**)", "Bash", "mcp__fs__*"], project, person=person)
    judge.grant(ToolRule("Write"))
    judge.grant(ToolRule("Bash"))
    judge.grant(ToolRule("Bash", "cp *"))
    refused = "ask" if person else "deny"
    assert decide(judge, "Write", {"file_path": path}) == refused
    assert decide(judge, "Write", {"file_path": str(project / path)}) == refused
    assert decide(judge, "mcp__fs__write", {"path": path}) == refused
    if " " not in path and "\\" not in path:
        for command in (f"cp x {path}", f"echo x > {path}", f"cp x '{path}'; true", f"sh -c 'cp x {path}'"):
            assert decide(judge, "Bash", bash(command)) == refused, command
    assert decide(judge, "Write", {"file_path": "src/.hidden"}) == "allow"
    assert decide(judge, "Bash", bash("cp x .gitignore")) == "allow"


@pytest.mark.parametrize("person", [True, False])
def test_a_rule_reaches_no_further_by_patterns_and_many_words(person: bool, project: Path) -> None:
    (project / ".git").mkdir()
    (project / ".git" / "config").touch()
    (project / "hidden").symlink_to(".git")
    judge = Judge(["Bash(cp:*)"], project, person=person)
    judge.grant(ToolRule("Bash", "cp *"))
    refused = "ask" if person else "deny"
    for place in (
        ".gi*/config",
        ".g??/config",
        ".*/config",
        "hid*/config",
        "*/CONF*",
        ".g^x/config",
        ".g{i}t/config",
        f"{'a ' * 400} hidden/config",
    ):
        assert decide(judge, "Bash", bash(f"cp x {place}")) == refused, place
    assert decide(judge, "Bash", bash("cp src/*.py docs")) == refused
    assert decide(judge, "Bash", bash("cp src/a.py docs")) == "allow"


@pytest.mark.parametrize("person", [True, False])
def test_what_an_environment_of_python_runs_is_not_written_unasked(person: bool, project: Path) -> None:
    judge = Judge(["Write", "Bash(.venv/bin/pytest:*)"], project, person=person)
    refused = "ask" if person else "deny"

    def write(path: str) -> str:
        return judge.verdict("Write", {"file_path": path, "content": ""}, mode="acceptEdits").decision

    assert write("env/bin/python") == "allow"
    assert write("env/pyvenv.cfg") == refused
    (project / "env").mkdir()
    (project / "env" / "pyvenv.cfg").touch()
    for path in ("env/bin/python", "env/lib/python3.12/os.py", "node_modules/.bin/eslint"):
        assert write(path) == refused, path
    assert write(f"{sys.prefix}/bin/maverick") == refused
    assert write("env/src/a.py") == "allow"
    (project / ".venv").symlink_to("env")
    judge.grant(ToolRule("Bash", ".venv/bin/pytest:*"))
    assert decide(judge, "Bash", bash(".venv/bin/pytest -q")) == "allow", "it may be run"
    (project / "pyvenv.cfg").touch()
    assert write("src/a.py") == "allow"
    assert write("bin/maverick") == refused
    inner = Judge(["Write"], project / "node_modules" / "mine", person=person)
    mine = {"file_path": "src/a.js", "content": ""}
    assert inner.verdict("Write", mine, mode="acceptEdits").decision == "allow", "it is what is worked on"


@pytest.mark.parametrize("person", [True, False])
def test_keys_are_not_read_unasked(person: bool, project: Path) -> None:
    home = Path.home()
    judge = Judge(["Read", "Grep", "Glob", "Bash"], project, person=person)
    refused = "ask" if person else "deny"
    for path in (
        "~/.ssh/id_rsa",
        str(home / ".aws" / "credentials"),
        "/proc/self/environ",
        "keys",
        str(home / ".npmrc"),
        "~/.config/git/credentials",
        "~/.codex/auth.json",
        "~/.local/share/opencode/auth.json",
        "~/.zsh_history",
    ):
        assert decide(judge, "Read", {"file_path": path}) == refused, path
        assert decide(judge, "Grep", {"pattern": "x", "path": path}) == refused, path
    assert decide(judge, "Grep", {"pattern": "x", "path": str(home)}) == refused
    (project / "deep" / "er").mkdir(parents=True)
    (project / "a").mkdir()
    (project / "a" / "k").symlink_to(home / ".ssh")
    (project / "a" / "link").symlink_to("../deep/er")
    for odd in ("/", " ~", "\ufeff~/.ssh ", "\u2003" + str(home), "a/link/../k", "/etc", "/run", "/root"):
        assert decide(judge, "Grep", {"pattern": "x", "path": odd}) == refused, odd
    assert decide(judge, "Read", {"file_path": "a/link/../k/id_rsa"}) == refused
    for folder in (home / ".config", home / ".local" / "share", home / ".claude"):
        assert decide(judge, "Grep", {"pattern": "x", "path": str(folder)}) == refused
    rules = Judge(["Bash(grep:*)", "Bash(rg:*)", "Bash(cat:*)"], project, person=person)
    for command in (f"grep -r key {home}", f"rg key {home}/.config", "rg key /", f"cat {home}/.ssh/id_rsa"):
        assert decide(rules, "Bash", bash(command)) == refused
    for path in (".npmrc", "/usr/include/stdio.h", "src/a.py"):
        assert decide(judge, "Read", {"file_path": path}) == "allow", path
    assert decide(judge, "Grep", {"pattern": "x"}) == "allow"


@pytest.mark.parametrize("person", [True, False])
def test_a_home_directory_is_no_ordinary_project(person: bool) -> None:
    judge = Judge(["Write", "Grep", "Read"], Path.home(), person=person)
    refused = "ask" if person else "deny"
    for path in (
        ".config/maverick/agents/x.py",
        ".local/state/maverick/trusted.json",
        ".ssh/authorized_keys",
        ".newrc",
    ):
        assert decide(judge, "Write", {"file_path": path}) == refused
    assert decide(judge, "Grep", {"pattern": "key"}) == refused
    for command in ("grep -r key .", "rg key", "grep -r key"):
        assert (
            decide(Judge(["Bash", "Bash(rg:*)", "Bash(grep:*)"], Path.home(), person=True), "Bash", bash(command))
            == "ask"
        )
    assert decide(judge, "Write", {"file_path": "notes.md"}) == "allow"


def test_where_git_keeps_its_own_is_known_by_more_than_its_name(project: Path) -> None:
    (project / "data" / "objects").mkdir(parents=True)
    (project / "data" / "HEAD").write_text("ref: refs/heads/main")
    (project / ".git").write_text("gitdir: data\n")
    judge = Judge(["Write"], project, person=True)
    assert decide(judge, "Write", {"file_path": "data/hooks/pre-commit"}) == "ask"
    assert decide(judge, "Write", {"file_path": ".githooks/pre-commit"}) == "ask"


@pytest.mark.parametrize("person", [True, False])
def test_no_folder_becomes_a_repository_by_its_files(person: bool, project: Path) -> None:
    """Git takes one for a bare repository that has a HEAD, objects and refs, and obeys the config in it."""
    judge, refused = Judge(["Write"], project, person=person), "ask" if person else "deny"
    for last in ("HEAD", "head", "objects/keep", "refs/keep"):
        made = project / last.replace("/", "-")
        for part in ("HEAD", "objects", "refs"):
            if part.casefold() != last.partition("/")[0].casefold():
                (made / part).mkdir(parents=True)
        assert decide(judge, "Write", {"file_path": f"{made}/config"}) == "allow", "it is none yet"
        assert decide(judge, "Write", {"file_path": f"{made}/{last}"}) == refused, last
    (project / "linked").mkdir()
    (project / "linked" / "commondir").touch()
    (project / "bare" / "objects").mkdir(parents=True)
    (project / "bare" / "refs").mkdir()
    (project / "bare" / "HEAD").touch()
    for path in ("linked/HEAD", "bare/config", "bare/hooks/post-checkout", "bare/lib/x"):
        assert decide(judge, "Write", {"file_path": path}) == refused, path
    for path in ("src/HEAD", "src/objects/x.py", "src/config"):
        assert decide(judge, "Write", {"file_path": path}) == "allow", path


@pytest.mark.parametrize("person", [True, False])
def test_what_reading_would_wait_for_is_no_ordinary_file(person: bool, project: Path) -> None:
    os.mkfifo(project / "CLAUDE.md")
    (project / "pipe").symlink_to("CLAUDE.md")
    judge = Judge(["Read", "Bash(cat:*)", "Grep"], project, person=person)
    refused = "ask" if person else "deny"
    for path in ("CLAUDE.md", "pipe"):
        assert decide(judge, "Read", {"file_path": path}) == refused
        assert decide(judge, "Grep", {"pattern": "x", "path": path}) == refused
        assert decide(judge, "Bash", bash(f"cat {path}")) == refused
    assert decide(judge, "Bash", bash("cat C*")) == refused
    assert decide(judge, "Bash", bash("cat src/a.py > /dev/null")) == "allow"


@pytest.mark.parametrize("person", [True, False])
def test_ripgrep_does_not_tell_what_is_in_a_key_that_it_takes_for_patterns(person: bool, project: Path) -> None:
    judge = Judge(["Bash(rg:*)"], project, person=person)
    (project / "src" / ".gitignore").symlink_to("../.gitignore")
    (project / "docs" / "deep").mkdir(parents=True)
    assert decide(judge, "Bash", bash("rg foo")) == "allow"
    (project / "docs" / "deep" / ".ignore").symlink_to(Path.home() / ".docker" / "config.json")
    refused = "ask" if person else "deny"
    for command in ("rg foo", "rg foo docs", "rg -n foo docs/deep", "rg -", "rg - ."):
        assert decide(judge, "Bash", bash(command)) == refused
    for command in ("rg -e --no-messages", "rg -e -u", "rg -g --no-ignore foo", "rg foo --no-messages"):
        assert decide(judge, "Bash", bash(command)) == refused, command
    for command in ("rg foo src", "rg --no-messages foo", "rg -uu foo"):
        assert decide(judge, "Bash", bash(command)) == "allow", command
    inner = Judge(["Bash(rg:*)"], project / "docs" / "deep", person=person)
    (project / "docs" / "deep" / ".ignore").unlink()
    assert decide(inner, "Bash", bash("rg foo")) == "allow"
    (project / "docs" / ".rgignore").symlink_to(Path.home() / ".docker" / "config.json")
    assert decide(inner, "Bash", bash("rg foo")) == refused


@pytest.mark.parametrize("person", [True, False])
def test_nor_what_is_in_one_that_it_takes_for_gits_own_list(person: bool, project: Path) -> None:
    judge = Judge(["Bash(rg:*)"], project, person=person)
    refused = "ask" if person else "deny"
    key = Path.home() / ".docker" / "config.json"

    def in_git(folder: Path) -> Path:
        (folder / "info").mkdir(parents=True)
        return folder / "info" / "exclude"

    assert decide(judge, "Bash", bash("rg foo")) == "allow"
    (project / "sub" / "deep").mkdir(parents=True)
    link = in_git(project / "sub" / ".git")
    link.symlink_to(key)
    for command in ("rg foo", "rg foo sub", "rg foo sub/deep"):
        assert decide(judge, "Bash", bash(command)) == refused, command
    assert decide(judge, "Bash", bash("rg foo src")) == "allow"
    link.unlink()
    os.mkfifo(link)
    assert decide(judge, "Bash", bash("rg foo")) == refused
    shutil.rmtree(project / "sub" / ".git")

    pointer = project / "sub" / ".git"
    inside = in_git(project / "sub" / "own")
    inside.write_text("*.log")
    for text in ("gitdir: own", "gitdir: own\n", f"gitdir: {project}/sub/own\n"):
        pointer.write_text(text)
        assert decide(judge, "Bash", bash("rg foo")) == "allow", text
    (project / "sub" / "own" / "commondir").write_text("../../elsewhere\n")
    assert decide(judge, "Bash", bash("rg foo")) == refused
    (project / "sub" / "own" / "commondir").write_text("../..\n")
    assert decide(judge, "Bash", bash("rg foo")) == "allow"
    for text in ("gitdir: own\nmore\n", "own", ""):
        pointer.write_text(text)
        assert decide(judge, "Bash", bash("rg foo")) == refused, text
    pointer.write_text("gitdir: own\n")
    in_git(project / "own").symlink_to(key)  # where ripgrep looks, if it is started here
    assert decide(judge, "Bash", bash("rg foo")) == refused


@pytest.mark.parametrize("person", [True, False])
def test_a_stand_in_of_a_version_manager_asks(
    person: bool, project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = Judge(["Bash(rg:*)", "Bash(head:*)"], project, person=person)
    refused = "ask" if person else "deny"
    assert decide(judge, "Bash", bash("rg foo")) == "allow"
    by_path = Judge(["Bash(/bin/ls:*)"], project, person=False)
    assert decide(by_path, "Bash", bash("/bin/ls src")) == "allow"
    for folder in (home / ".asdf" / "shims", home / "elsewhere" / "shims"):
        folder.mkdir(parents=True)
        (folder / "rg").touch()
        monkeypatch.setenv("PATH", f"/bin{os.pathsep}{folder}")
        assert decide(judge, "Bash", bash("rg foo")) == refused
        assert decide(judge, "Bash", bash("head src/a.py")) == "allow"
        (folder / "rg").unlink()


def test_a_great_many_files_are_not_looked_through_before_a_search(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ignore_files, "MOST_SEEN", 2)
    verdict = Judge(["Bash(rg:*)"], project, person=True).verdict("Bash", bash("rg foo"))
    assert verdict.decision == "ask"
    assert "--no-messages" in verdict.reason


@pytest.mark.parametrize("person", [True, False])
def test_what_the_agents_own_hooks_and_servers_run_is_not_edited_unasked(person: bool, project: Path) -> None:
    class Hooked(MaverickAgent):
        """Has hooks and servers that are files of the project."""

        system_prompt = "Work."
        allowed_tools = ("Edit", "Write", "Bash(./run.sh:*)")
        hooks = {
            "PostToolUse": [
                {"matcher": "Edit", "hooks": [{"type": "command", "command": "cd tools && ./check.sh; ./run.sh"}]},
                {"hooks": [{"type": "command", "command": '"$CLAUDE_PROJECT_DIR"/bin/lint --fix src'}]},
            ]
        }
        mcp_servers = {
            "js": {"command": "node", "args": ["${CLAUDE_PROJECT_DIR}/mcp/server.js"]},
            "python": {"command": "python", "args": ["-m", "served.tasks"]},
            "remote": {"type": "http", "url": "https://example.org"},
        }

        async def execute(self, context: AgentContext) -> AgentResult:
            raise NotImplementedError

    (project / "tools").mkdir()
    (project / "tools" / "check.sh").symlink_to("../src/check.sh")
    (project / "run.sh").symlink_to("src/real.sh")
    judge = Hooked()._judge(project, person=person)
    judge.grant(ToolRule("Write"))
    for path in (
        "tools/check.sh", "tools/CHECK.sh", "run.sh", "src/real.sh", "bin/lint", str(project / "mcp" / "server.js"),
        "served/tasks.py", "served/tasks/__main__.py", "src/../run.sh", "python",
    ):  # fmt: skip
        for tool in ("Edit", "Write"):
            assert decide(judge, tool, {"file_path": path}) == ("ask" if person else "deny"), path
    for path in ("src/a.py", "tools/other.sh", "src/server.js", "served/other.py", "mcp/README.md"):
        assert decide(judge, "Write", {"file_path": path}) == "allow", path
    if not person:
        assert decide(judge, "Bash", bash("./run.sh")) == "allow"


@pytest.mark.parametrize("person", [True, False])
def test_a_name_that_programs_read_differently_asks(person: bool, project: Path) -> None:
    judge = Judge(["Read", "Grep", "Glob", "Write", "mcp__files__read"], project, person=person)
    judge.grant(ToolRule("mcp__files__read"))
    refused = "ask" if person else "deny"
    key = Path.home() / ".ssh" / "id_rsa"
    for odd in ("n\x1c", "n\x1f", "n\x85", "\x1cn", "n\u2028", "n ", "\ufeffn", "z\ufffd"):
        (project / odd).symlink_to(key)
        path = odd.replace("\ufffd", "\ud800")
        for name in (path, str(project / path)):
            assert decide(judge, "Read", {"file_path": name}) == refused, ascii(name)
            assert decide(judge, "Write", {"file_path": name}) == refused, ascii(name)
            assert decide(judge, "Grep", {"path": name, "pattern": "x"}) == refused, ascii(name)
            assert decide(judge, "Glob", {"path": name, "pattern": "*"}) == refused, ascii(name)
            assert decide(judge, "Glob", {"pattern": name}) == refused, ascii(name)
            assert decide(judge, "mcp__files__read", {"file": name}) == refused, ascii(name)
    (project / "shot at 5\u202fPM.png").symlink_to(key)
    assert decide(judge, "Read", {"file_path": "shot at 5 PM.png"}) == refused
    for path in ("src/a b.py", "src/日本\u3000x.py", "src/a\u202fb", "shot at 6 PM.png"):
        assert decide(judge, "Read", {"file_path": path}) == "allow", ascii(path)


@pytest.mark.parametrize("person", [True, False])
def test_no_file_is_called_like_an_option_unasked(person: bool, project: Path) -> None:
    refused = "ask" if person else "deny"
    for tool in ("Edit", "Write", "NotebookEdit"):
        judge = Judge([tool], project, person=person)
        judge.grant(ToolRule(tool))
        for path in ("-o.git/config", "src/--upload-pack=x", str(project / "-n"), "src/../-x/a"):
            assert decide(judge, tool, {"file_path": path}) == refused, path
        assert decide(judge, tool, {"file_path": "src/a-b.py"}) == "allow"


@pytest.mark.parametrize("person", [True, False])
def test_names_are_not_looked_for_where_keys_are(person: bool, project: Path) -> None:
    home, judge = Path.home(), Judge(["Glob"], project, person=person)
    for arguments in (
        {"pattern": f"{home}/.ssh/*"}, {"pattern": "~/.ssh/id*"}, {"pattern": f"{home}/.ss[h]/*"},
        {"pattern": ".ssh/*", "path": str(home)}, {"pattern": f"{{src,{home}/.ssh}}/*"}, {"pattern": f"{home}/.ssh"},
    ):  # fmt: skip
        assert decide(judge, "Glob", arguments) == ("ask" if person else "deny"), arguments
    for arguments in ({"pattern": "**/*.{py,md}"}, {"pattern": "src/*.py"}, {"pattern": "*", "path": "src"}):
        assert decide(judge, "Glob", arguments) == "allow", arguments
    docs = Judge(["Glob(src/**)"], project, person=person)
    assert decide(docs, "Glob", {"pattern": "src/*.py"}) == "allow"
    assert decide(docs, "Glob", {"pattern": "../*", "path": "src"}) == ("ask" if person else "deny")


@pytest.mark.parametrize("person", [True, False])
def test_any_text_of_a_foreign_tool_may_name_a_protected_place(person: bool, project: Path) -> None:
    judge = Judge(["mcp__fs__*", "NotebookEdit"], project, person=person)
    judge.grant(ToolRule("mcp__fs__write"))
    refused, notes = "ask" if person else "deny", {"file_path": "notes.txt"}
    for more in (
        {"path": "~/.ssh/authorized_keys"},
        {"destination": str(Path.home() / ".bashrc")},
        {"edits": [{"to": ".git/config"}]},
        {"files": {".git/hooks/pre-commit": "x"}},
        {"uri": f"file://{Path.home()}/%2Essh/id_rsa"},
        {"many": ["x"] * 400, "to": ".git/config"},
        {"cmd": f"cat {Path.home()}/.netrc; true"},
        {"cmd": "echo x >> .git/config"},
        {"cmd": f"{'x ' * 5_000}; cat ~/.netrc"},
        {"root": str(Path.home() / ".config"), "file": "gh/hosts.yml"},
        {"folder": "~", "name": ".npmrc"},
        {"many": [str(number) for number in range(20_100)]},
    ):
        assert decide(judge, "mcp__fs__write", {**notes, **more}) == refused, more
    assert decide(judge, "mcp__fs__write", {**notes, "content": "see git's config, src/a.py\n" * 500}) == "allow"
    assert decide(judge, "NotebookEdit", {**notes, "notebook_path": "../x"}) == refused


def test_worktrees_of_the_cli_are_worked_in(project: Path) -> None:
    judge = Judge(["Write"], project, person=True)
    assert decide(judge, "Write", {"file_path": ".claude/worktrees/one/src/a.py"}) == "allow"
    for path in (".claude/worktrees/one/.git", ".claude/worktrees/one/.claude/x", ".claude/settings.json"):
        assert decide(judge, "Write", {"file_path": path}) == "ask"


def test_a_folder_of_settings_is_none_to_begin_in() -> None:
    settings = Path.home() / ".config"
    settings.mkdir(exist_ok=True)
    for person, refused in ((True, "ask"), (False, "deny")):
        judge = Judge(["Write", "Read"], settings, person=person)
        assert decide(judge, "Write", {"file_path": "fish/config.fish"}) == refused
        assert decide(judge, "Read", {"file_path": "gh/hosts.yml"}) == refused
        assert decide(judge, "Write", {"file_path": "nvim/notes.txt"}) == "allow"


def test_folders_that_were_moved_are_protected(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAVERICK_CONFIG_DIR", str(project / "settings"))
    assert decide(Judge(["Write"], project, person=True), "Write", {"file_path": "settings/agents/x.py"}) == "ask"


@given(st.text(), st.text())
def test_no_text_is_too_much_for_it(command: str, path: str) -> None:
    for person in (True, False):
        judge = Judge(["Bash", "Read", "Write(docs/**)", "Bash(git log:*)"], Path.cwd(), person=person)
        judge.grant(ToolRule("Write", "src/*"))
        judge.verdict("Bash", bash(command))
        judge.verdict("Bash", bash(f"git log {command}"))
        judge.verdict("Read", {"file_path": path})
        judge.verdict("Write", {"file_path": path})
    Grants(Path.cwd()).offers("Write", {"file_path": path})


@pytest.mark.parametrize(
    ("allowed", "command", "expected"),
    [
        (["Bash"], "git commit -m 'ignore .idea'", "allow"),
        (["Bash"], "tar --exclude=.git -czf /tmp/x.tgz .", "allow"),
        (["Bash"], "rsync -a --exclude .git a b", "allow"),
        (["Bash"], "cat > notes.md <<'END'\nsee .git/config\nEND\n", "allow"),
        (["Bash"], "cat > .git/config <<'END'\nx\nEND\n", "deny"),
        (["Bash(git:*)"], "git config core.fsmonitor ./x", "deny"),
        (["Bash(git config:*)"], "git config alias.x !sh", "deny"),
        (["Bash(git:*)"], "git config --get core.fsmonitor", "allow"),
        (["Bash(git:*)"], "git config user.name x", "allow"),
        (["Bash(git:*)"], "git config set --global user.email x", "allow"),
        (["Bash(git:*)"], "git config core.pager", "allow"),
        (["Bash(git:*)"], "git config --global --list", "allow"),
        (["Bash(git:*)"], "git add config user.md", "allow"),
        (["Bash(git:*)"], "git init --bare", "allow"),
        (["Bash(git:*)"], "git config core.fsmonitor 'touch PWNED' user.", "deny"),
        (["Bash(git:*)"], "git config core.pager 'touch PWNED' list", "deny"),
        (["Bash(git:*)"], "git config core.pager x --get", "deny"),
        (["Bash(git:*)"], "git config --comment --list core.pager x", "deny"),
        (["Bash(git:*)"], "git config user.name core.pager --rename-section", "deny"),
        (["Bash(git:*)"], "git config user.helper x", "deny"),
        (["Bash(git:*)"], "git config set core.pager x", "deny"),
        (["Bash(git:*)"], "git config edit", "deny"),
        (["Bash"], "git -C src config core.pager x", "deny"),
        (["Bash"], "git --new value config core.pager x", "deny"),
        (["Bash(git:*)"], "git init --template=docs", "deny"),
        (["Bash(git:*)"], "git init --templ docs", "deny"),
        (["Bash(git:*)"], "git clone -qc core.pager=x a b", "deny"),
        (["Bash(git fetch:*)"], "git fetch --upload-pack=id .", "deny"),
        (["Bash(git rebase:*)"], "git rebase --exe id main", "deny"),
        (["Bash(git clone:*)"], "git clone https://example.org/x.git", "allow"),
        (["Bash(git bisect run:*)"], "git bisect run id", "allow"),
        (["Bash(make:*)"], "make test CC=clang", "allow"),
        (["Bash(pytest:*)"], "pytest -q 2>&1", "allow"),
        (["Bash(pytest:*)"], "pytest -q > out", "deny"),
        (["Bash"], "rm -rf . | cat", "allow"),
        (["Bash", "Bash(ls)"], "rm x", "allow"),
        (["Bash(git log:*)"], "git log --oneline", "allow"),
        (["Bash(git log:*)"], "git log --output=x", "deny"),
        (["Bash(git log:*)"], "git log && id", "deny"),
        (["Bash(npm run *)"], "npm run a", "allow"),
        (["Bash(npm run *)"], "npm run a > .git/config", "deny"),
        (["Bash(cp:*)"], "cp x .git/config", "deny"),
        (["Read"], "ls", "deny"),
    ],
)
def test_without_a_person_only_what_is_listed_runs(
    allowed: Sequence[str], command: str, expected: str, project: Path
) -> None:
    assert decide(Judge(allowed, project, person=False), "Bash", bash(command)) == expected


@pytest.mark.parametrize("person", [True, False])
def test_git_does_not_even_look_where_the_repository_names_programs(person: bool, project: Path) -> None:
    judge = Judge(
        ["Bash(git log:*)", "Bash(git add:*)"], project, person=person, git_programs=lambda _: ["diff.x.textconv"]
    )
    verdict = judge.verdict("Bash", bash("git log -p"))
    assert verdict.decision == ("ask" if person else "deny")
    assert "diff.x.textconv" in verdict.reason
    assert decide(judge, "Bash", bash("git add x")) == ("ask" if person else "allow"), "that is more than to look"
    whole = Judge(["Bash"], project, person=person, git_programs=lambda _: ["diff.x.textconv"])
    assert decide(whole, "Bash", bash("git log -p")) == ("ask" if person else "allow"), "it may run anything"


def test_what_a_person_has_granted_is_remembered_as_far_as_it_goes(project: Path) -> None:
    judge = Judge(["Bash", "WebFetch"], project, person=True)
    judge.grant(ToolRule("Bash", "git add *"))
    judge.grant(ToolRule("WebFetch", "domain:example.org"))
    assert decide(judge, "Bash", bash("git add x")) == "allow"
    for command in (r"git add $'\'' ; touch PWNED ; : \'", "git add x; id", "git add x > y", "git commit"):
        assert decide(judge, "Bash", bash(command)) == "ask"
    assert decide(judge, "WebFetch", {"url": "https://example.org/"}) == "allow"
    assert decide(judge, "WebFetch", {"url": "https://example.com/"}) == "ask"


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("pytest -q b.py && rm -rf build", "It is 2 commands, of which pytest and rm are not known to only read."),
        ("pytest a.py; pytest b.py | head", "It is 3 commands, of which pytest is not known to only read."),
        ("rm -rf build", "rm, used like this, is not known to only read."),
    ],
)
def test_the_reason_names_all_that_does_more_than_to_read(command: str, reason: str, project: Path) -> None:
    assert Judge(["Bash"], project, person=True).verdict("Bash", bash(command)) == ("ask", reason)


def test_what_is_told_beforehand_is_what_happens() -> None:
    entries = [
        "Read",
        "Edit",
        "Bash",
        "Bash(git log:*)",
        "Bash(git add:*)",
        "Bash(find:*)",
        "Task",
        "Skill",
        "mcp__x__*",
    ]
    asking = ["Bash", "Bash(git add:*)", "Skill", "mcp__x__*"]
    assert asks_first(entries, "acceptEdits", Path.cwd()) == asking
    assert asks_first(entries, "default", Path.cwd()) == ["Edit", *asking]
    assert asks_first(entries, "dontAsk", Path.cwd()) == []
