"""Rules cover what they say and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from maverick_tui.agent.permissions.named_paths import fitting, may_fit
from maverick_tui.agent.permissions.rules import covers, covers_command, is_for_reading
from tests.support.cases import each

GIT = ["git diff:*", "git log:*"]


@each(
    ("command", "rules", "covered"),
    [
        ("git diff", GIT, True),
        ("git diff --stat main", GIT, True),
        ("git  log  'a b'", GIT, True),
        ("git diffs", GIT, False),
        ("git status", GIT, False),
        ("'git diff' x", GIT, False),
        ("git diff; rm -rf .", GIT, False),
        ("git diff && id", GIT, False),
        ("git diff | sh", GIT, False),
        ("git diff > f", GIT, False),
        ("git diff &", GIT, False),
        ("git diff $(id)", GIT, False),
        ('git diff "$(id)"', GIT, False),
        ("git diff `id`", GIT, False),
        ("git diff <(id)", GIT, False),
        ("git diff\nid", GIT, False),
        ("git diff 'never closed", GIT, False),
        ("git diff --output=f", GIT, False),
        ("git diff --outp=f", GIT, False),
        ("git log --output f", GIT, False),
        ("git log --author -- --output=f", GIT, False),
        ("git diff --ext-diff", GIT, False),
        ("git log *", GIT, False),
        ("git -c core.pager=id diff", GIT, False),
        ("git -c alias.x=!id x", ["git:*"], False),
        ("git commit -m x", ["git:*"], True),
        ("X=1 git diff", GIT, False),
        ("git diff 'a;b'", GIT, True),
        (r"git add $'\'' ; touch PWNED ; : \'", ["git add *"], False),
        ("git add src/a.py docs", ["git add *"], True),
        ("git add", ["git add *"], True),
        ("git add src/*.py", ["git add *"], False),
        ("git add 'src/*.py'", ["git add *"], True),
        ("git add src/?.py", ["git add src/?.py"], True),
        ("git reset HEAD^ main@{1}", ["git reset:*"], True),
        ("git reset -^x", ["git reset:*"], False),
        ("git co{n}fig x.y", ["git:*"], False),
        ("git fetch --upl* .", ["git fetch:*"], False),
        ("git fetch ?-up* .", ["git fetch:*"], False),
        ("git con?ig core.fsmonitor x", ["git:*"], False),
        ("make test ?-ev*", ["make test:*", "make:*"], False),
        ("git submodule fore*ch x", ["git submodule:*"], False),
        ("git bisect r?n x", ["git bisect:*"], False),
        ("git difftool -y -x id HEAD~1", ["git difftool:*"], False),
        ("git difftool -y HEAD~1", ["git difftool:*"], True),
        ("git rebase -x id HEAD~1", ["git reb*"], False),
        ("git rebase main", ["git reb*"], False),
        ("git rebase main", ["git reb* *"], True),
        ("git rebase", ["git reb*"], True),
        ("rm -rf build/x", ["rm -rf build/*"], True),
        ("rm -rf build/x src", ["rm -rf build/*"], False),
        ("rm -rf build/../src", ["rm -rf build/*"], False),
        ("./scripts/../deploy.sh", ["./scripts/*"], False),
        ("cp a b build/", ["cp * build/"], False),
        ("cp a build/", ["cp * build/"], True),
        ("git rebase -x id main", ["git rebase -x:*"], True),
        ("git fetch --upload-pack=x .", ["git fetch --*"], False),
        ("git --no-pager fetch --upload-pack=x", ["git --no-pager fetch:*"], False),
        ("apt-get install -o x=y z", ["apt-get install:*"], False),
        ("git send-email --to-cmd=id x", ["git send-email:*"], False),
        ("git send-email --header-cmd id x", ["git send-email:*"], False),
        ("git archive --remote=vendor/evil --format=evil main", ["git archive:*"], False),
        ("git archive -o x main", ["git archive:*"], False),
        ("git archive main", ["git archive:*"], True),
        ("git push vendor/evil HEAD:refs/heads/new", ["git push:*"], False),
        ("git push evil.com:x HEAD", ["git push:*"], False),
        ("git push --push-option 1 vendor/evil", ["git push:*"], False),
        ("git push -- vendor/evil", ["git push:*"], False),
        ("git push -fu origin HEAD:refs/heads/new", ["git push:*"], False),
        ("git push -f -u origin HEAD:refs/heads/new", ["git push:*"], True),
        ("git fetch --depth=1 origin refs/heads/x", ["git fetch:*"], True),
        ("git fetch origin --multiple vendor/evil", ["git fetch:*"], False),
        ("git pull vendor/evil", ["git pull:*"], False),
        ("git ls-remote vendor/evil", ["git ls-remote:*"], False),
        ("git remote add x vendor/evil", ["git remote:*"], False),
        ("pytest -p evil", ["pytest:*"], False),
        ("pytest @arguments", ["pytest:*"], False),
        ("pytest -p no:cacheprovider -q", ["pytest -p no:cacheprovider:*"], True),
        ("/usr/bin/pytest --rootdir=x", ["/usr/bin/pytest:*"], False),
        ("mypy --python-exec ./evil a.py", ["mypy:*"], False),
        ("mypy --python-version 3.12 a.py", ["mypy:*"], True),
        ("pytest -p no:cacheprovider -q", ["pytest:*"], True),
        ("pytest -pno:cacheprovider --co", ["pytest:*"], True),
        ("pytest -p no:x -p evil", ["pytest:*"], False),
        ("pytest -p -p no:x", ["pytest:*"], False),
        ("pytest --con=evil.toml", ["pytest:*"], False),
        ("go test -run=TestNew ./...", ["go test:*"], True),
        ("go test -work", ["go test:*"], True),
        ("go test -exec=./x", ["go test:*"], False),
        ("go test -C=other", ["go test:*"], False),
        ("go test -C other", ["go test:*"], False),
        ("docker logs -f x", ["docker logs:*"], True),
        ("docker compose -f x.yaml up", ["docker compose:*"], False),
        ("docker build -f x .", ["docker build:*"], False),
        ("docker exec logs -f sh", ["docker exec:*"], False),
        ("gh pr view 1 --json title -q .title", ["gh pr view:*"], True),
        ("gh pr view --jq=.title --json title", ["gh pr view:*"], True),
        ("gh pr view --json title -q env", ["gh pr view:*"], False),
        ("gh pr view --json title --jq '$ENV.HOME'", ["gh pr view:*"], False),
        ("gh pr view -q --template=x", ["gh pr view:*"], False),
        ("gh pr view --template x", ["gh pr view:*"], False),
        ("mvn test '-Dtest=FooTest#bar' -DskipITs", ["mvn test:*"], True),
        ("mvn test -Dmaven.ext.class.path=x.jar", ["mvn test:*"], False),
        ("mvn test -Dtest=x -f other", ["mvn test:*"], False),
        ("git merge -Xours topic", ["git merge:*"], True),
        ("git merge -s ours topic", ["git merge:*"], False),
        ("git pull -r", ["git pull:*"], True),
        ("git pull -r origin main", ["git pull:*"], True),
        ("git pull -r vendor/evil", ["git pull:*"], False),
        ("git push -o ci.skip", ["git push:*"], True),
        ("git push -o ci.skip origin HEAD", ["git push:*"], True),
        ("git push -o ci.skip vendor/evil", ["git push:*"], False),
        ("git push -o -o vendor/evil", ["git push:*"], False),
        ("rg -tpy x", ["rg:*"], True),
        ("rg -tpy --pre=sh x", ["rg:*"], False),
        ("git addition", ["git add *"], False),
        ("npm test", ["npm test"], True),
        ("npm  'test'", ["npm test"], True),
        ("npm test --all", ["npm test"], False),
        ("npm run lint --if-present -s", ["npm run lint:*"], True),
        ("npm run lint -script-s=./x.sh", ["npm run lint:*"], False),
        ("npm run lint -scr=./x.sh", ["npm run lint:*"], False),
        ("npm run lint ---script-shell ./x.sh", ["npm run lint:*"], False),
        ("npm run lint --no-script-shell=./x.sh", ["npm run lint:*"], False),
        ("npm run lint --no-NO-scr=./x.sh", ["npm run lint:*"], False),
        ("npm run lint -dC other", ["npm run lint:*"], False),
        ("npm run lint -userco=rc", ["npm run lint:*"], False),
        ("pnpm run lint --config.script-shell=./x.sh", ["pnpm run lint:*"], False),
        ("dotnet test --property:CustomBeforeMicrosoftCommonTargets=x", ["dotnet test:*"], False),
        ("npm run lint", ["npm run *"], True),
        ("npm run-script lint", ["npm run *"], False),
        ("make a && make b", ["make a && make b"], True),
        ("make a && make c", ["make a && make b"], False),
        ("find . -name x", ["find:*"], True),
        ("find . -delete", ["find:*"], False),
        ("find . -delete", ["find . -delete"], True),
        ("/usr/bin/find . -delete", ["/usr/bin/find:*"], False),
        ("git branch -D main", ["git branch:*"], False),
        ("git branch -D main", ["git branch -D:*"], True),
        ("rg --pre=sh x", ["rg:*"], False),
        ("rg -e -- --pre=sh x", ["rg:*"], False),
        ("anything", ["*"], True),
        ("anything; really", ["*"], False),
        ("", GIT, False),
    ],
)
def test_commands(command: str, rules: list[str], covered: bool) -> None:
    assert any(covers_command(rule, command, Path.cwd()) for rule in rules) is covered


@each(
    "behind",
    [
        "head", "head -5", "head -n 5", "head -c1k", "tail -20", "tail -n +3", "tail -n20", "wc -l", "sort", "sort -rn",
        "sort -k 2,2 -t :", "uniq -c", "cat", "cat -n", "grep x", "grep -v 'a b'", "grep -iE -A 3 x", "grep -e x -e y",
        "grep --color=never -c x", "cut -d : -f 1", "cut -d' ' -f2-", "tr -d '\\n'", "tr a-z A-Z", "sed -n 1,20p",
        "rev", "tac", "nl -ba", "fold -w 80", "head -5 2>&1", "tail 2>/dev/null", "sort | uniq -c | sort -rn | head -3",
    ],
)  # fmt: skip
def test_filters_change_nothing_about_what_is_covered(behind: str, tmp_path: Path) -> None:
    for first in ("pytest -q", "pytest 2>&1", "pytest -q 2>/dev/null"):
        assert covers_command("pytest:*", f"{first} | {behind}", tmp_path), first
    assert covers_command("npm test", f"npm test | {behind}", tmp_path), "by its very words"
    assert not covers_command("pytest:*", f"{behind} | pytest", tmp_path)
    assert not covers_command("pytest:*", f"pytest; {behind}", tmp_path)
    assert not covers_command("pytest:*", f"pytest && {behind}", tmp_path)


@each(
    "behind",
    [
        "head x", "head -n 5 x", "head -n x", "tail -f", "tail --retry", "tail -n 5 x", "wc x", "wc --files0-from=x",
        "sort x", "sort -o x", "sort -uo x", "sort -ox", "sort --output=x", "sort --outp x", "sort -T x", "sort -S 1",
        "sort --compress-program=sh", "sort --files0-from=x", "sort --key 2 x", "uniq x", "uniq - x", "uniq -f 1 x",
        "cat x", "cat -", "cat - x", "grep x y", "grep -f x", "grep -vf x", "grep --file=x y", "grep -r x",
        "grep -R x", "grep -rn x .", "grep -e x y", "grep -d recurse x", "grep --include=y x", "grep x -f y",
        "grep -- x y", "cut -f 1 x", "sed -n 'w x'", "sed -n '1e id'", "sed s/a/b/w", "sed -n -i 1p", "sed -n 1p x",
        "tr a b x", "nl x", "tee x", "tee", "xargs rm", "xargs", "sh", "bash -s", "awk 1", "python3", "less", "more",
        "jq .", "ssh host", "nc host 1", "curl -d @- host", "/tmp/head", "./head", "env head", "head *", "head -n ?",
        "grep x*", "grep $x", "grep `id`", "head > x", "head 2> x", "head < x", "head & id", "head; id", "head\nid",
        "(head)", "{ head; }", "! head", "x=1 head", "time head", "head |& tail", "head || id", "head && id",
    ],
)  # fmt: skip
def test_whatever_else_is_fed_is_another_command(behind: str, tmp_path: Path) -> None:
    assert not covers_command("pytest:*", f"pytest -q | {behind}", tmp_path)
    assert not covers_command("pytest:*", f"pytest -q | head | {behind} | tail", tmp_path)


@each(
    ("command", "covered"),
    [
        ("git --no-pager log", True),
        ("git -P log -1", True),
        ("git --no-optional-locks log", True),
        ("git -C src log", True),
        ("git --no-pager -C src/deep log --stat", True),
        ("git -C . log", True),
        ("git -C src/../src log", True),
        ("git -C log log", False),
        ("git -C src -C deep log", False),
        ("git -C sub log", False),
        ("git -C sub/inner log", False),
        ("git -C bare log", False),
        ("git -C pointer log", False),
        ("git -C link log", False),
        ("git -C link/deep log", False),
        ("git -C .. log", False),
        ("git -C / log", False),
        ("git -C '~' log", False),
        ("git -C s?c log", False),
        ("git -C missing log", False),
        ("git -C src -c core.pager=id log", False),
        ("git -C src --git-dir=../x log", False),
        ("git --git-dir=sub/.git log", False),
        ("git -C src log --output=x", False),
        ("git --no-pager -c core.pager=id log", False),
        ("git -p log", False),
        ("git --paginate log", False),
        ("git --exec-path=src log", False),
        ("git -C src push", False),
        ("git -C", False),
    ],
)
def test_git_in_a_folder_of_the_same_repository(command: str, covered: bool, tmp_path: Path) -> None:
    project = tmp_path / "in"
    for folder in (".git", "src/deep", "sub/.git", "sub/inner", "bare/objects", "pointer", "~"):
        (project / folder).mkdir(parents=True, exist_ok=True)
    (project / "pointer" / ".git").write_text("gitdir: ../sub/.git")
    if not (project / "link").is_symlink():
        (project / "link").symlink_to("src")
    assert covers_command("git log:*", command, project) is covered
    assert covers_command("git log *", command, project) is covered


@each(
    ("command", "covered"),
    [
        ("cd HERE && git push origin", True),
        ("cd 'HERE' && git push origin", True),
        ('cd "HERE" && git push 2>&1 | tail -5', True),
        ("cd HERE/ && git push", False),
        ("cd HERE/sub && git push", False),
        ("cd HERE/.. && git push", False),
        ("cd link && git push", False),
        ("cd . && git push", False),
        ("cd HERE; git push", False),
        ("cd HERE || git push", False),
        ("cd HERE & git push", False),
        ("cd HERE && git push && id", False),
        ("cd HERE && git push; id", False),
        ("cd HERE && git push\nid", False),
        ("cd HERE && cd / && git push", False),
        ("cd HERE && X=1 git push", False),
        ("cd HERE && git push --receive-pack=x", False),
        ("cd HERE && git push $(id)", False),
        ("cd HERE\n&& git push", False),
        ("cd 'HERE\" && git push", False),
        ("X=1 cd HERE && git push", False),
        ("cd -P HERE && git push", False),
    ],
)
def test_going_to_where_a_command_begins_changes_nothing(command: str, covered: bool, tmp_path: Path) -> None:
    assert covers_command("git push:*", command.replace("HERE", str(tmp_path)), tmp_path) is covered


def test_what_a_rule_says_of_paths_begins_in_the_working_directory(tmp_path: Path) -> None:
    (tmp_path / "src" / "docs").mkdir(parents=True)
    assert covers_command("git add docs/*", "git add docs/a", tmp_path)
    assert covers_command("git add docs/*", "git --no-pager add docs/a", tmp_path)
    assert not covers_command("git add docs/*", "git -C src add docs/a", tmp_path)
    assert covers_command("git add:*", "git -C src add docs/a", tmp_path)
    (tmp_path / "src" / "evil").mkdir()
    assert not covers_command("git fetch:*", "git -C src fetch evil", tmp_path), "it is no remote there"


def test_what_git_talks_to_is_a_remote_and_no_folder(tmp_path: Path) -> None:
    (tmp_path / "evil").mkdir()
    (tmp_path / "bare.git").mkdir()
    for name, covered in (("origin", True), ("evil", False), ("bare", False)):
        for command in ("push", "fetch", "pull", "ls-remote"):
            assert covers_command(f"git {command}:*", f"git {command} {name} x", tmp_path) is covered, (command, name)


@each(
    ("rule", "is_so"),
    [("git log:*", True), ("git log --oneline", True), ("ls *", True), ("git add:*", False), ("git:*", False),
     ("find . -delete", False), ("*", False), ("git branch -D:*", False), ("/tmp/ls:*", True)],
)  # fmt: skip
def test_which_rules_are_for_reading(rule: str, is_so: bool) -> None:
    assert is_for_reading(rule) is is_so


@pytest.mark.parametrize(
    ("tool", "rule", "arguments", "covered"),
    [
        ("Read", "docs/**", {"file_path": "docs/a.md"}, True),
        ("Read", "docs/**", {"file_path": "docs/../src/a.py"}, False),
        ("Read", "docs/**", {"file_path": "link/a"}, False),
        ("Read", "docs/**", {"file_path": "docs/away/a"}, False),
        ("Read", "docs/**", {}, False),
        ("Read", "//etc/*", {"file_path": "/etc/hosts"}, True),
        ("Read", "//etc/*", {"file_path": "/etc/ssl/x"}, False),
        ("Read", "~/notes/**", {"file_path": "~/notes/a/b"}, True),
        ("Edit", "**/*.py", {"file_path": "x.py"}, True),
        ("Edit", "**/*.py", {"file_path": "a/b/x.py"}, True),
        ("Edit", "src/*.py", {"file_path": "src/deep/x.py"}, False),
        ("Edit", "*.py", {"file_path": "src/x.py"}, False),
        ("Edit", "docs", {"file_path": "docs/a.md"}, True),
        ("Edit", "docs", {"file_path": "src/docs/a.md"}, False),
        ("Grep", "docs/**", {"path": "docs"}, True),
        ("WebFetch", "domain:example.org", {"url": "https://example.org/x"}, True),
        ("WebFetch", "domain:example.org", {"url": "https://www.example.org"}, False),
        ("WebFetch", "domain:*.example.org", {"url": "https://www.example.org"}, True),
        ("WebFetch", "domain:*.example.org", {"url": "https://badexample.org"}, False),
        ("WebFetch", "domain:example.org", {"url": "https://badexample.org"}, False),
        ("WebFetch", "domain:example.org", {"url": "https://example.org@evil.example/"}, False),
        ("WebFetch", "domain:example.org", {"url": "https://[example.org"}, False),
        ("WebFetch", "domain:example.org", {"url": "https://evil.example\\@example.org/"}, False),
        ("WebFetch", "domain:example.org", {"url": "https://evil.example/\\@example.org/"}, False),
        ("WebFetch", "domain:example.org", {"url": "https://example.org:80/a?b=c#d"}, True),
        ("WebFetch", "domain:example.org", {"url": "https://example.org\n.evil.example/"}, False),
        ("WebFetch", "domain:example.org", {"url": "https:/example.org/"}, False),
        ("WebFetch", "domain:127.0.0.1", {"url": "http://127.0.0.1:8000/"}, True),
        ("WebFetch", "domain:*.1", {"url": "http://127.1/"}, False),
        ("WebFetch", "example.org", {"url": "https://example.org"}, False),
        ("Agent", "Explore", {"subagent_type": "Explore"}, True),
        ("Agent", "Explore", {"subagent_type": "general-purpose"}, False),
        ("Skill", "pdf", {"skill": "pdf"}, True),
        ("Bash", "ls:*", {"command": "ls"}, True),
        ("Bash", "ls:*", {"command": "ls", "run_in_background": True}, False),
        ("Bash", "ls:*", {"command": "ls", "dangerouslyDisableSandbox": True}, False),
    ],
)
def test_other_tools(tool: str, rule: str, arguments: dict[str, Any], covered: bool, tmp_path: Path) -> None:
    for folder in (tmp_path / "plain", tmp_path / "[a]*odd"):
        (folder / "docs").mkdir(parents=True)
        (folder / "docs" / "away").symlink_to("/etc")
        (folder / "link").symlink_to("docs/away")
        assert covers(rule, tool, arguments, folder) is covered


def test_many_paths_are_held_against_a_rule_as_each_is(tmp_path: Path) -> None:
    names = ("d/x", "a", ".env", "Abc", "docs/api/x.PEM", "b/.env", "~x")
    for rule in ("./d", "./*", ".env", "**/.env", "[!a-z]bc", "**/*.pem", "docs/**", "{a,b}", "?", "./?/x", "DOCS"):
        found = fitting([str(tmp_path / name) for name in names], rule, tmp_path)
        one_by_one = [str(tmp_path / name) for name in names if may_fit(tmp_path / name, rule, tmp_path)]
        assert found == one_by_one, rule
