"""Commands: which of them only read, and which ask."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from maverick_tui.agent.permissions import ignore_files, patterns
from maverick_tui.agent.permissions.judge import Judge, Judgement
from maverick_tui.git import making
from tests.agent.permissions.deciding import bash, decide
from tests.support.cases import each

READS = [
    "git status", "git log --oneline -5", "git diff HEAD~1 -- src", "ls -la src", "cat src/a.py", "pwd",
    "wc -l src/a.py",
    "grep -rn foo src", "grep -n '/api/v1' src/a.py", "git log | head -3", "ls && pwd", "git diff 2>/dev/null",
    "cd src && ls", "find . -name '*.py' -not -path './.git/*'", "git show HEAD:src/a.py", "git branch --show-current",
    "ls src/*", "cat src/*.py", "wc -l src/*.py | sort -n", "grep -rn foo src --include=*.py", "sed -n 1,20p src/a.py",
    "test -f src/a.py && echo yes", 'echo "---" && cat src/a.py', "ls nope 2>&1", "df -h",
    "rg -n 'def \\w+' src", "echo done", "git log -S'x y' --format='%h %s'", "sort -u src/a.py | uniq -c",
    "grep -n '>null' src/a.py", "echo '=> nullable'", "echo nul",
]  # fmt: skip


ASKS = [
    # They load what settings of the project name.
    "mypy src", "pylint src", "eslint src", "tsc --noEmit", "flake8 src", "ruff check src", "pyright",
    "prettier --check src", "black --check src", "python -m mypy src", "npx tsc", "uv run mypy src",
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
    # Of a repository above, whose settings nobody has looked at.
    "git rev-parse --show-superproject-working-tree",
    "seq 9999999999", "git for-each-ref --format=%(signature)",
    "git for-each-ref --format='%(*signature)'", "git tag -l --format '%(*signature:grade)'",
    "git branch --sort=signature",
    "find . -delete", "find . -exec rm {} +", "find . -fprint x", "sort -o x src/a.py", "uniq src/a.py x", "date -s 1",
    "date 01010000", "rg --pre id x", "rg -z x", "grep -f /etc/passwd x", "echo x > f", "echo $HOME", "ls &", "tee x",
    "file -C", "tail -f src/a.py", "tail +1f src/a.py", "tail +f src/a.py",
    "git grep -O x", "git grep --open-files-in-pager=id x", "git diff --no-index a b",
    "git cat-file --filters HEAD:x", "xargs ls", "env", "printenv", "python -c 1", "hostname x", "npm test", "",
    r"cat src\>nul", "cat 'src>nul '", "head 'src> NUL;'", "ls 2> nul",
]  # fmt: skip


@pytest.mark.parametrize("mode", ["default", "acceptEdits", "plan"])
@each("command", READS)
def test_with_a_person_what_only_reads_runs(command: str, mode: str, project: Path) -> None:
    judge = Judge(["Bash"], project, person=True)
    assert decide(judge, "Bash", bash(command), mode) == "allow", judge.judge("Bash", bash(command)).reason


@each("command", ASKS)
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
        assert decide(judge, "Bash", bash(command)) == "allow", (command, judge.judge("Bash", bash(command)).reason)


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
        verdict = judge.judge("Bash", bash(command))
        assert (verdict.decision, verdict.reason) == ("ask", "This agent may use Bash(git log:*).")


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
    for command in (
        "rg -A 1 src",
        "rg --max-count 1 src",
        "rg -- src",
        "rg src --",
        "rg -g x src",
        "rg -e src",
        "rg -ne src",
        "rg --regexp src",
    ):
        assert decide(judge, "Bash", bash(command)) == refused, command
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


LISTS = [".gitignore", "src/deep/.rgignore", "../.ignore", ".git/info/exclude", "src/.git/info/exclude", "x/commondir"]


@pytest.mark.parametrize("name", LISTS)
def test_no_search_reads_a_list_that_may_have_no_end(name: str, project: Path) -> None:
    """A clone or an archive can have such links, and ripgrep keeps all of a line before it looks at it."""
    (project / "src" / "deep").mkdir()
    (project / name).parent.mkdir(parents=True, exist_ok=True)
    if name.startswith("x/"):
        (project / "src" / "deep" / ".git").write_text("gitdir: ../../x\n")
    calls: list[tuple[str, dict[str, str]]] = [
        ("Grep", {"pattern": "x"}),
        ("Grep", {"pattern": "x", "path": "src"}),
        ("Bash", bash("rg foo")),
        ("Bash", bash("rg --no-messages foo")),
    ]
    judge = Judge(["Grep", "Bash(rg:*)"], project, person=True)
    assert {decide(judge, *call) for call in calls} == {"allow"}
    (project / name).symlink_to("/dev/zero")
    for call in calls:
        verdict = judge.judge(*call)
        assert verdict.decision == "ask", call
        assert verdict.is_asked_each_time
    assert "/dev/zero" in judge.judge(*calls[0]).reason
    (project / name).unlink()
    (project / name).symlink_to("/dev/null")
    assert {decide(judge, *call) for call in calls if call[0] == "Grep"} == {"allow"}, "that one ends at once"


def test_nor_does_one_where_there_are_very_many_folders(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    making.init(project, "main")
    (project / "src" / "deep").mkdir()
    (project / "src" / "deep" / ".ignore").symlink_to("/dev/zero")
    subprocess.run(["git", "add", "src"], cwd=project, check=True)
    monkeypatch.setattr(ignore_files, "MOST_FOLDERS", 1)
    judge = Judge(["Grep"], project, person=True)
    assert decide(judge, "Grep", {"pattern": "x"}) == "ask"
    (project / "src" / "deep" / ".ignore").unlink()
    assert decide(judge, "Grep", {"pattern": "x"}) == "allow"


def test_a_great_many_files_are_not_looked_through_before_a_search(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ignore_files, "MOST_SEEN", 2)
    verdict = Judge(["Bash(rg:*)"], project, person=True).judge("Bash", bash("rg foo"))
    assert verdict.decision == "ask"
    assert "--no-messages" in verdict.reason


@pytest.mark.parametrize("person", [True, False])
@pytest.mark.parametrize(
    ("command", "most"),
    [
        ("cat {}", {"MOST_FILES": 3}),
        ("cat {}", {"MOST_SEEN": 3}),
        ("rm {}", {"MOST_FILES": 3}),
        ("rm $(echo {})", {"MOST_FILES": 3}),
        ("rg x; rg y; rg z", {"MOST_SEARCHES": 2}),
    ],
)
def test_all_of_a_command_is_looked_at_within_one_limit(
    command: str, most: dict[str, int], person: bool, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("x1", "x2", "y1", "y2"):
        (project / name).touch()
    for name, value in most.items():
        monkeypatch.setattr(patterns, name, value)
    verdict = Judge(["Bash"], project, person=person).judge(
        "Bash", bash(command.format("./x* ./y*")), mode="acceptEdits"
    )
    assert verdict.decision == ("ask" if person else "deny"), verdict
    assert command != "rg x; rg y; rg z" or "too long" in verdict.reason


def test_a_pattern_that_is_named_again_and_again_is_looked_at_once(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "x1").touch()
    monkeypatch.setattr(patterns, "MOST_FILES", 3)
    for command in ("cat " + "x* " * 50, "rm " + "x* " * 50):
        verdict = Judge(["Bash"], project, person=False).judge("Bash", bash(command))
        assert verdict.decision == "allow", verdict


@pytest.mark.parametrize("person", [True, False])
def test_git_does_not_even_look_where_the_repository_names_programs(person: bool, project: Path) -> None:
    judge = Judge(
        ["Bash(git log:*)", "Bash(git add:*)"], project, person=person, git_programs=lambda _: ["diff.x.textconv"]
    )
    verdict = judge.judge("Bash", bash("git log -p"))
    assert verdict.decision == ("ask" if person else "deny")
    assert "diff.x.textconv" in verdict.reason
    assert decide(judge, "Bash", bash("git add x")) == ("ask" if person else "allow"), "that is more than to look"
    whole = Judge(["Bash"], project, person=person, git_programs=lambda _: ["diff.x.textconv"])
    assert decide(whole, "Bash", bash("git log -p")) == ("ask" if person else "allow"), "it may run anything"


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("pytest -q b.py && rm -rf build", "It is 2 commands, of which pytest and rm are not known to only read."),
        ("pytest a.py; pytest b.py | head", "It is 3 commands, of which pytest is not known to only read."),
        ("rm -rf build", "rm, used like this, is not known to only read."),
    ],
)
def test_the_reason_names_all_that_does_more_than_to_read(command: str, reason: str, project: Path) -> None:
    assert Judge(["Bash"], project, person=True).judge("Bash", bash(command)) == Judgement("ask", reason)
