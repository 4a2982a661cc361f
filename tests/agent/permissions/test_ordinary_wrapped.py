"""Ordinary commands behind programs that start others, or with words in them that are programs elsewhere: they run."""

from __future__ import annotations

from itertools import cycle
from pathlib import Path

import pytest

from maverick_tui.agent.permissions.judge import Judge
from tests.agent.permissions.deciding import bash, decide
from tests.support.cases import each


@pytest.fixture
def project(project: Path) -> Path:
    """Without links to keys: whoever looks through it would follow those."""
    for link in ("keys", "away"):
        (project / link).unlink(missing_ok=True)
    return project


WRAPPED = [
    "timeout 60 pytest -q", "timeout -k 5 60 pytest -q", "timeout --signal=KILL 60 make test", "timeout 10 curl x",
    "timeout -s KILL 5 grep -rn foo src", "timeout 5 grep foo src/a.py", "env FOO=1 make test", "env -u FOO make test",
    "env -i PATH=/bin make", "env -- pytest -q", "env | sort", "time cargo build", "time -p make -j4",
    "nice -n 10 make",
    "nohup npm start", "setsid -w npm run dev", "stdbuf -oL pytest -q", "stdbuf -o L grep -n foo src/a.py",
    "sudo -u x ls", "sudo apt-get install -y unzip", "sudo apt-get install -y unzip patch tar",
    "sudo systemctl start x",
    "xvfb-run -a npm test", "unbuffer make test", "taskset -c 0 cargo bench", "strace -f -o out ls src",
    "flock build.lock make all", "watch -n 1 ls", "command -v tar", "exec python3 app.py",
    "ionice -c 3 du -sh src", "chrt -i 0 make", "unshare -r id", "prlimit --nofile=64 pytest", "setarch -R ./app",
    "coproc make", "busybox ls", "doas -u x id", "env -C src ls", "timeout 60 npm version patch",
    "timeout -s INT 5 cp src/a.py b.py", "env -u X tar czf dist.tar.gz src", "env -u X git diff --stat",
    "timeout 60 tar tf x.tar", "nice -n 5 rsync -a src out", "sudo -E env PATH=/bin make install",
]  # fmt: skip
RUNNERS = [
    "npx prettier --check src", "npx -y create-thing app", "uv run pytest -q", "uv run --with x python a.py",
    "poetry run mypy src", "docker run --rm img tar tf x", "docker run --rm img tar xf x", "docker exec c patch -p1",
    "npm exec -- eslint src", "npm run patch", "npm version patch", "npm install tar unzip", "pnpm add patch-package x",
    "yarn add diff", "pip install -e .", "pip install patch requests", "cargo install ripgrep", "cargo release patch",
    "go run ./cmd/patch x", "make install", "make patch", "make diff", "bundle exec rake", "poetry version patch",
    "bumpversion patch", "./release.sh patch", "python3 release.py patch now", "python3 -m zipfile -l x.zip",
    "node tool.js install src", "kubectl patch deployment x -p y", "kubectl diff -f k.yml", "gh pr diff 12",
    "terraform apply plan", "apt-get install -y unzip curl patch", "brew install gnu-tar unzip",
    "dnf install patch make",
    "apk add tar patch", "gem install zip", "conda install -y patch tar", "helm diff upgrade a b", "hg diff",
    "svn diff",
    "ssh-keygen -l -f src/a.py", "jq . src/a.py", "cmake --install build", "meson install -C build", "ninja install",
    "uv run pytest -k patch tests", "poetry run pytest -k patch tests", "timeout 60 pytest -k patch tests",
    "pre-commit run --all-files", "tox -e py", "vitest run", "jest --watch=false", "tsc -p .", "eslint --fix src",
]  # fmt: skip
NAMES = [
    "git log --grep tar", "git log --grep patch -5", "git commit -m 'Add patch for tar'", "git checkout patch",
    "git branch -D patch", "git diff src", "git add patch", "git stash show -p", "echo grep", "echo patch the tests",
    "echo tar xf x.tar", "printf %s patch x", "grep -rn patch src", "rg -n unzip src", "man patch", "man 1 tar",
    "which tar", "type unzip patch", "rm -rf patch out", "rm -f unzip.log", "mkdir -p patch tar", "touch patch x",
    "chmod +x install", "cd src && ls", "ls patch", "mv patch x", "ln -s src patch", "cat src/a.py", "kill -9 12",
    "pytest -k tar", "pytest -k 'patch and tar'", "pytest tests/patch tests/tar", "ruff check patch x",
    "xargs -n1 grep foo", "find . -name '*.py' | xargs wc -l", "find . -name patch", "find . -name '*.pyc' -delete",
    "find . -name '*.py' | xargs -n 1 ls -la", "ls | xargs -I% echo %", "find src -type f -exec grep -n foo {} +",
    "find src -name '*.py' -print0 | xargs -0 ls -a", "find . -type f | xargs -r grep -a foo",
    "sed -i s/patch/x/ src/a.py", "awk '{print}' src/a.py", "sort src/a.py -o out", "split -l 10 src/a.py",
    "split --filter='gzip > $FILE' src/a.py", 'cp src/a.py "${OUT}/"', "cp src/a.py $OUT/", 'mkdir -p "${OUT}/x"',
    "cat <<'E' > notes\ntime to patch the tests\nwatch tar files\nthe unzip -l way\nE", "make test 2>&1 | tail -20",
    "git commit -m \"$(cat <<'E'\nPatch: don't unzip\n\n- time to install -r x\nE\n)\"",
    "python3 - <<'E'\nfrom unittest.mock import patch\npatch.object(x)\nE", "make \\\n  test \\\n  V=1",
    "docker run \\\n  --rm \\\n  img ls", "echo $'a\\tb'", 'echo $"hello"',
    "IFS=$'\\n'; for x in a b; do echo $x; done",
    "printf $'%s\\n' x > out", "grep -c $'\\t' src/a.py",
]  # fmt: skip
UNREAD = ["{} > out.log 2>&1", "X=1 {}", "{} &", "if true; then {}; fi"]
"""Around a command: what cannot be read word by word."""


@pytest.mark.explore
@each("command", [*WRAPPED, *RUNNERS, *NAMES])
def test_with_all_of_bash_it_runs_though_nobody_is_there(command: str, project: Path) -> None:
    judged = Judge(["Bash"], project, person=False).judge("Bash", bash(command))
    assert judged.decision == "allow", judged.reason


@each("command", [around.format(command) for command, around in zip((*WRAPPED, *RUNNERS), cycle(UNREAD), strict=False)])
def test_so_it_does_where_the_command_is_more_than_plain_words(command: str, project: Path) -> None:
    judged = Judge(["Bash"], project, person=False).judge("Bash", bash(command))
    assert judged.decision == "allow", judged.reason


@each(
    ("rule", "command"),
    [
        ("timeout 60 pytest:*", "timeout 60 pytest -q"),
        ("env FOO=1 make:*", "env FOO=1 make test"),
        ("timeout:*", "timeout 60 make"),
        ("npx prettier:*", "npx prettier --check src"),
        ("git -C src status:*", "git -C src status --short"),
        ("git -C src log:*", "git -C src log --oneline -5"),
        ("git -C src:*", "git -C src commit -m x"),
        ("git -C src:*", "git -C src log --grep -x"),
        ("git -C:*", "git -C src add a.py"),
        ("git --no-pager:*", "git --no-pager log -3"),
        ("git --no-pager log:*", "git --no-pager log -3"),
        ("git --no-pager -C src:*", "git --no-pager -C src stash"),
        ("git -C src fetch:*", "git -C src fetch origin"),
        ("git:*", "git log -3"),
        ("/usr/bin/git log:*", "/usr/bin/git log -3"),
        ("timeout 60 git log:*", "timeout 60 git log -3"),
        ("timeout 60 git fetch:*", "timeout 60 git fetch origin"),
        ("timeout 60 find:*", "timeout 60 find . -name x"),
        ("docker run:*", "docker run --rm img ls"),
        ("uv run pytest:*", "uv run pytest -q"),
        ("sudo -u x ls:*", "sudo -u x ls src"),
        ("sudo -u x git log:*", "sudo -u x git log -3"),
        ("sudo -u x git:*", "sudo -u x git fetch origin"),
        ("sudo:*", "sudo -u x make"),
        ("xargs -n1 grep:*", "xargs -n1 grep foo"),
    ],
)
def test_rules_as_people_have_them_cover_it(rule: str, command: str, project: Path) -> None:
    assert decide(Judge([f"Bash({rule})"], project, person=False), "Bash", bash(command)) == "allow"
