"""Standing rules and git, which shows, brings back and takes away files without being told their names."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from maverick_tui.agent.permissions import roots
from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.agent.permissions.standing import RuleBook, project_file
from maverick_tui.git.asking import ask
from maverick_tui.git.programs import programs_named
from tests.agent.permissions.deciding import bash, decide, judge_in, judged, write
from tests.executor.files.support import git
from tests.support.sampling import in_parts


def test_what_a_project_denies_is_denied_to_the_runs_at_work_also_if_git_takes_the_file_away(project: Path) -> None:
    git(project, "init", "-q")
    (project / "a.txt").write_text("a\n")
    git(project, "add", ".")
    git(project, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first")
    file = write('deny = ["Bash(make deploy:*)"]\nask = ["Bash(make lint:*)"]', project_file(project))
    for _ in range(2):  # the second time as another session of the same run has it
        judge = Judge(["Bash(make:*)", "Bash(git:*)"], project, person=False, standing=RuleBook(project))
        assert decide(judge, "Bash", bash("make deploy")) == "deny"
        assert decide(judge, "Bash", bash("make lint")) == "deny"
        assert decide(judge, "Bash", bash("make test")) == "allow"
        git(project, "add", ".")
        git(project, "-c", "user.name=a", "-c", "user.email=a@b", "stash", "-q")
        assert not file.exists()
    write('deny = ["Bash(make lint:*)"]', file)
    assert decide(judge, "Bash", bash("make deploy")) == "allow", "who changes a file says what holds"


@pytest.mark.parametrize("changed", ["a repository begins", "the repository goes"])
def test_a_run_keeps_the_rules_of_the_folders_above_it_whatever_becomes_of_repositories(
    changed: str, project: Path, tmp_path: Path
) -> None:
    deep, other = project / "src", tmp_path / "other"
    git(project, "init", "-q")
    git(project, "add", "src/a.py")
    git(project, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first")
    git(project, "worktree", "add", "-q", str(other))
    file = write('deny = ["Read(src/a.py)"]', project_file(project))
    judge = judge_in(deep)
    assert decide(judge, "Bash", bash("cat a.py")) == "deny"
    if changed == "a repository begins":
        git(deep, "init", "-q")
    else:
        (project / ".git").rename(tmp_path / "gone")
    for one in (judge, judge_in(deep)):  # the second as another session of the same run has it
        assert decide(one, "Bash", bash("cat a.py")) == "deny"
        assert decide(one, "Read", {"file_path": str(deep / "a.py")}) == "deny"
        if changed == "a repository begins":
            assert decide(one, "Read", {"file_path": str(other / "src" / "a.py")}) == "deny"
    write('deny = ["Bash(make:*)"]', file)
    assert decide(judge_in(deep), "Bash", bash("make")) == "deny", "and heeds what is changed in them"
    assert decide(judge_in(deep / "deeper"), "Bash", bash("make")) == "ask", "which is about that run alone"


def test_git_that_only_looks_does_not_run_what_a_repository_names(project: Path) -> None:
    git(project, "init", "-q")
    write('allow = ["Bash(git diff:*)"]')
    judge = Judge(["Bash"], project, person=True, git_programs=programs_named, standing=RuleBook(project))
    assert decide(judge, "Bash", bash("git diff")) == "allow"
    git(project, "config", "diff.external", "touch PWNED")
    assert decide(judge, "Bash", bash("git diff")) == "ask"


_ALLOWED = (
    "add am branch checkout commit config merge notes push rebase reflog remote reset restore stash submodule switch"
    " update-index"
).split()


_SHOWING = (
    "git show HEAD:.env", "git show :.env", "git cat-file -p HEAD:.env", "git diff", "git diff HEAD", "git show",
    "git diff --cached", "git log -p", "git log -1 -p", "git log -G SECRET", "git stash show -p", "git blame .env",
    "git whatchanged -p", "git log -L1,1:.env", "git grep SECRET", "git -C . diff", "git diff -- .",
    "git show HEAD:src/a.py HEAD", "git show --stat -p", "git checkout HEAD~1", "git status -vv",
    "git diff main --",
    "git status --verbose --verbose", "git commit -v --dry-run", "git reflog -p", "git diff --stat -U3",
    "git diff --numstat -W", "git show -s -U1", "git diff-files --stat -U1", "git log --oneline -U1",
    "git show src --", "git log -p src", "git show :/x", "git show 'HEAD^{/x: y}'", "git show :0:x",
    "git diff --author -s", "git diff --since --stat", "git show HEAD --until -s", "git diff -n --name-only",
    "git --no-pager diff --before -s", "git diff --cached HEAD --skip --quiet", "git log --author --stat -p",
    "git diff -- ':(top)'", "git diff --stat --color-words", "git diff --check", "git rerere diff", "git add -p",
    "git diff -- '*'", "git log -p -- '.e*'", "git checkout -- '*'",
    "git log -p --full-diff -- src", "git show --full-diff HEAD -- src", "git show 4183291 -- src",
    "git diff 4183291 -- src", "git show v1 -- src", "git show --tags -- src", "git show --all HEAD:src/a.py",
    "git show -s 4183291", "git show --stat v1", "git show --name-only --tags", "git tag --format='%(raw)'",
    "git merge -- side", "git switch -- side", "git rebase -- side", "git stash pop -- src",
    "git add --patc", "git add -e", "git commit --patc -m x", "git reset --patc", "git restore --patc .",
    "git reflog --binary", "git reflog --check", "git reflog --cc", "git reflog -c", "git config -l --blob 4183291",
    "git notes add -f -C 4183291 HEAD", "git update-index --add --cacheinfo 100644,4183291,pub.txt",
    "git config --get-regexp --blob 4183291 .", "git am --show-current-patch",
    "git commit --verb --dry-run", "git reflog show --remerge-diff", "git submodule foreach git log -p",
    "git submodule foreach git show HEAD", "git rebase -qx'git log -p' HEAD~1",
    "git submodule --quiet foreach git diff HEAD~1",
)  # fmt: skip
_HARMLESS = (
    "git log --author me --stat", "git log -n 3 --stat", "git log --since=1.week --stat",
    "git log --oneline", "git log", "git diff --stat", "git show --name-only", "git diff -- src", "git status",
    "git show HEAD:src/a.py", "git log -p -- src/a.py", "git diff --cached --stat", "git branch", "git ls-files",
    "git show --stat HEAD -- src",
    "git show HEAD~1 -- src", "git diff HEAD -- src", "git log -p main -- src", "git checkout main -- src",
    "git branch -vv", "git remote -v", "git push -u origin side", "git commit -m 'It moves' --no-edit",
    "git add -u --verbose", "git describe --always --dirty", "git rev-list --max-parents=0 HEAD",
    "git reflog", "git reflog -n 5", "git reflog show --all", "git shortlog -sne",
    "git status --short --branch",
    "git rev-parse --abbrev-ref HEAD", "git ls-files --others --exclude-standard", "git branch --show-current",
)  # fmt: skip


@pytest.mark.parametrize("commands", in_parts((*_SHOWING, *_HARMLESS), 8))
def test_git_does_not_show_a_file_that_may_not_be_read(commands: list[str], project: Path) -> None:
    git(project, "init", "-q")
    (project / ".env").write_text("SECRET=1")
    git(project, "add", ".env", "src/a.py")
    git(project, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x")
    allowed = ", ".join(f'"Bash(git {command}:*)"' for command in _ALLOWED)
    write(f'deny = ["Read(.env)", "Edit(.env)"]\nallow = [{allowed}]')
    judge = judge_in(project)
    for command in commands:
        assert (decide(judge, "Bash", bash(command)) == "allow") == (command in _HARMLESS), command


_LOOKING_BACK = ("git log -p", "git show", "git show HEAD~1", "git diff HEAD~1", "git grep SECRET HEAD~1",
                "git log -S SECRET -p", "git show 4183291", "git cat-file -p 4183291", "git stash show -p",
                "git grep -e SECRET HEAD~1", "git diff main..side", "git diff --tags", "git diff --branches HEAD",
                "git log -p --follow -- src/a.py", "git log -p -S src/a.py", "git diff 4183291 src/a.py",
                "git reset --hard HEAD~1")  # fmt: skip
_OF_NOW = ("git diff", "git diff HEAD", "git diff --cached", "git diff -- src", "git grep -n SECRET", "git log",
          "git diff -U5 --stat HEAD", "git blame src/a.py", "git log -p HEAD~1 -- src/a.py",
          "git checkout -b new", "git switch -c new", "git stash", "git reset --soft HEAD~1",
          "git restore src/a.py",
          "git show HEAD~1 -- src", "git mv src/a.py src/b.py")  # fmt: skip


@pytest.mark.parametrize("commands", in_parts((*_LOOKING_BACK, *_OF_NOW), 6))
def test_git_does_not_show_or_bring_back_a_file_that_only_other_commits_have(
    commands: list[str], project: Path
) -> None:
    by = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    git(project, "init", "-q", "-b", "main")
    git(project, "add", "src/a.py")
    git(project, *by, "commit", "-qm", "begin")
    write('deny = ["Read(.env)", "Edit(.env)", "Read(conf/.env)"]\nallow = ["Bash(git:*)"]')
    for command in (*commands, "git checkout side"):
        assert decide(judge_in(project), "Bash", bash(command)) == "allow", command
    for name in (".env", "conf/.env"):
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text("SECRET=1")
    git(project, "add", ".env", "conf")
    git(project, *by, "commit", "-qm", "by mistake")
    git(project, "rm", "-q", "--cached", ".env")
    git(project, "rm", "-qf", "conf/.env")
    for command in ("git diff HEAD", "git diff --cached"):
        assert decide(judge_in(project), "Bash", bash(command)) == "ask", "the last commit has it"
    git(project, *by, "commit", "-qm", "taken out")
    (project / ".env").unlink()
    for name in ("*", "a", "conf"):
        (project / name).write_text("x")
    in_disguise = ("git log -p '*'", "git restore -s HEAD~1 '*'", "git diff HEAD~1 '*'", "git log -p -- conf",
                   "git log -p conf", "rm a; git log -p a", "git blame HEAD~1 conf")  # fmt: skip
    for command in (*commands, *in_disguise, "git checkout side"):
        expected = "allow" if command in _OF_NOW else "ask"
        assert decide(judge_in(project), "Bash", bash(command)) == expected, command


def test_what_a_tag_names_that_is_of_no_commit_is_not_shown_where_a_file_may_not_be_read(project: Path) -> None:
    by = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    git(project, "init", "-q", "-b", "main")
    git(project, "add", "src/a.py")
    git(project, *by, "commit", "-qm", "begin")
    (project / ".env").write_text("SECRET=1")
    git(project, "add", ".env")
    folder = subprocess.check_output(["git", "write-tree"], cwd=project, text=True).strip()
    git(project, "tag", "folder", folder)
    git(project, *by, "tag", "-am", "x", "deep/Keep", ":.env")
    git(project, "rm", "-q", "--cached", ".env")
    write('deny = ["Read(.env)", "Edit(.env)"]\nallow = ["Bash(git:*)"]')
    judge = judge_in(project)
    shown = ("git show deep/Keep", "git show tags/deep/keep", "git diff folder HEAD", "git diff HEAD..folder",
             "git cat-file -p refs/tags/deep/Keep", "git grep SECRET folder", "git show --tags",
             "git for-each-ref '--format=%(raw)'", "git restore --source=folder .")  # fmt: skip
    for command in shown:
        assert decide(judge, "Bash", bash(command)) == "ask", command
    for command in ("git show HEAD", "git diff main~0", "git log -p main", "git show main:src/a.py", "git diff"):
        assert decide(judge, "Bash", bash(command)) == "allow", command


def test_a_merge_gives_no_other_names_to_what_may_not_be_read(project: Path) -> None:
    git(project, "init", "-q", "-b", "main")
    git(project, "add", "src/a.py")
    git(project, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "begin")
    renaming = ("git merge -Xsubtree=n side", "git cherry-pick -X subtree=n side", "git merge -s subtree side",
                "git pull --strategy-opt=subtree=n", "git rebase --strategy=subtree side")  # fmt: skip
    allowed = ", ".join(f'"Bash({command})"' for command in renaming)
    write(f'allow = ["Bash(git merge:*)", "Bash(git pull:*)", {allowed}]')
    for command in renaming:
        assert decide(judge_in(project), "Bash", bash(command)) == "allow", command
    write(f'deny = ["Read(.env)"]\nallow = ["Bash(git merge:*)", "Bash(git pull:*)", {allowed}]')
    for command in renaming:
        assert decide(judge_in(project), "Bash", bash(command)) == "ask", command
    for command in ("git merge side", "git merge -Xtheirs side", "git pull"):
        assert decide(judge_in(project), "Bash", bash(command)) == "allow", command


def test_what_the_last_commit_has_counts_where_git_tells_no_more_than_the_index(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(project, "init", "-q")
    write('deny = ["Read(.env)"]')
    judge = judge_in(project)
    assert decide(judge, "Bash", bash("git diff HEAD")) == "allow", "there is no commit"
    (project / ".env").touch()
    git(project, "add", ".")
    git(project, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first")
    git(project, "rm", "-qr", "--cached", ".")

    def without_last(top: Path, command: str, *words: str) -> bytes | None:
        return None if "--with-tree=HEAD" in words else ask(top, command, *words)

    monkeypatch.setattr(roots, "ask", without_last)  # it has too many names
    assert decide(judge, "Bash", bash("git diff HEAD")) == "ask"


@pytest.mark.explore
def test_git_takes_nothing_away_that_may_not_be_changed_and_moves_nothing_that_may_not_be_read(project: Path) -> None:
    git(project, "init", "-q")
    for name in (".env", "notes/a.md", "config/keys/prod.txt", "build/x"):
        (project / name).parent.mkdir(exist_ok=True, parents=True)
        (project / name).write_text("x")
    (project / ".gitignore").write_text(".env\nbuild\n")
    git(project, "add", ".gitignore", "src")
    allowed = ", ".join(f'"Bash(git {command}:*)"' for command in ("clean", "stash", "mv"))
    write(f'deny = ["Edit(.env)", "Edit(notes/**)", "Read(config/keys/**)"]\nallow = [{allowed}]')
    for command in ("git clean -fd", "git clean -fdx", "git clean -fX", "git clean -fd notes", "git stash push -u",
                    "git stash -a", "git stash -u", "git mv config conf", "git mv notes src"):  # fmt: skip
        assert decide(judge_in(project), "Bash", bash(command)) in ("deny", "ask"), command
    for command in ("git clean -fdx build", "git clean -nd", "git stash", "git mv src/a.py src/b.py", "git mv src lib"):
        assert decide(judge_in(project), "Bash", bash(command)) == "allow", command


def test_git_does_not_take_from_another_folder_what_may_not_be_read(secretive: Path, tmp_path: Path) -> None:
    (other := tmp_path / "other").mkdir()
    write(f'allow = ["Bash"]\ndeny = ["Read(/{secretive}/secret.txt)"]')
    for command in ("git clone {} x", "git clone file://{} x", "git archive --remote={} HEAD", "git fetch {} main"):
        assert decide(judge_in(other), "Bash", bash(command.format(secretive))) == "ask", command
    assert decide(judge_in(other), "Bash", bash("git fetch origin main")) == "allow"


@pytest.mark.explore
def test_git_does_not_show_below_the_top_what_may_not_be_read_there(project: Path) -> None:
    git(project, "init", "-q")
    for name in (".env", "src/b.py"):
        (project / name).write_text("SECRET=1")
    git(project, "add", ".env", "src")
    file = project_file(project)
    file.parent.mkdir(exist_ok=True)
    file.write_text('deny = ["Read(.env)", "Read(src/b.py)"]')
    judge = judge_in(project / "src")
    for command in (
        "git show HEAD:.env",
        "git cat-file -p HEAD:.env",
        "git show HEAD:./b.py",
        "git show HEAD:src/b.py",
    ):
        assert decide(judge, "Bash", bash(command)) in ("deny", "ask"), command
    for command in ("git show HEAD:src/a.py", "git show HEAD:./a.py"):
        assert decide(judge, "Bash", bash(command)) == "allow", command


def test_aliases_in_the_settings_of_git_are_what_they_stand_for(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(write("[alias]\n\tMine = push --tags\n", Path.home() / ".gitconfig")))
    git(project, "init", "-q")
    git(project, "config", "alias.p", "push")
    git(project, "config", "alias.pf", "p --force")
    git(project, "config", "alias.out", "!git push origin")
    git(project, "config", "alias.any", '!f() { git "$1"; }; f')
    git(project, "config", "alias.round", "!git round")
    git(project, "config", "alias.lg", "log --graph --pretty=format:'%h %s'")
    git(project, "config", "alias.st", "status -sb")
    git(project, "config", "alias.co", "checkout")
    git(project, "config", "alias.cl", "!git clean -fdx")
    git(project, "config", "alias.cfg", "config")
    write('allow = ["Bash"]\ndeny = ["Bash(git push:*)"]')
    sent = ("p", "P", "pf", "out main", "mine", "-C src p")
    for command in (*(f"git {call}" for call in sent), "env git p", "cd src && git p", "sh -c 'git p'"):
        assert judged(project, "Bash", bash(command), person=False).decision == "deny", command
    assert judged(project, "Bash", bash("git any push")).is_asked_each_time
    for command in ("git lg", "git st", "git round", "git commit -m p", "git status && ls", "git"):
        assert judged(project, "Bash", bash(command)).decision == "allow", command
    git(project, "add", "src")
    (project / "notes").write_text("x")
    write('allow = ["Bash"]\ndeny = ["Edit(src/**)", "Edit(notes)"]')
    for command in ("git co old", "env git co old", "git cl", "git cfg core.hooksPath x"):
        assert judged(project, "Bash", bash(command)).is_asked_each_time, command
    assert judged(project, "Bash", bash("git co -b new")).decision == "allow"
    write('allow = ["Bash"]\nask = ["Bash(git push:*)"]')
    assert judged(project, "Bash", bash("git p")).decision == "ask"
    assert judged(project, "Bash", bash("git fetch")).decision == "allow"
