"""A protected place that a command only looks at, leaves out or tests is not changed: such commands run unattended.

Each kind has its hostile sibling here, which still asks.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui.agent.permissions.judge import Judge
from tests.agent.permissions.deciding import bash, decide
from tests.support.cases import each

LEFT_OUT = [
    "grep -rn x --exclude-dir .git .",
    "grep -rn x --exclude-dir=.git . > out",
    "grep -rn x --exclude-dir={.git,node_modules} .",
    "grep -rnE 'a|b' --exclude-dir='.git' . | head > out",
    "tar czf a.tgz --exclude .git .",
    "tar czf - --exclude .git src > a.tgz",
    "tar --exclude='./.git' -czf a.tgz .",
    "zip -r a.zip . -x '.git/*'",
    "zip -r a.zip . -x '.git/*' '.vscode/*' -q",
    "tree -I .git",
    "tree -a -I '.git|node_modules' > out",
    "tree -L 2 -I '.git'",
    "rsync -a --exclude .git src/ dst/",
    "rsync -a --exclude .git --exclude .venv src/ dst/",
    "fd -E .git",
    "fd -H -E .git foo",
    "fd --hidden --exclude .git foo src > out",
    "tar -czf a.tgz --exclude .git --exclude .vscode .",
    "tar -c -z -f a.tgz --exclude .git .",
    "rsync -avz -e ssh --exclude '.git' src/ dst/",
    "rsync -av --progress --exclude=.git src/ dst/",
    "fd -E .git -x wc -l",
    "find . -type f -not -path './.git/*' -exec wc -l {} +",
    "find . -path ./.git -prune -o -path ./.vscode -prune -o -exec wc -l {} +",
    "find . -not -path './.git/*' 2> /dev/null > out",
    "ls -a | grep -v -E '.git|.vscode' | xargs wc -l",
    "rg -g '!.git' foo",
    "rg --hidden -g '!.git' foo > out",
    "black . --exclude .git",
    "ruff check . --exclude .git",
    "flake8 --exclude .git,.venv",
    "mypy --exclude .git .",
    "eslint . --ignore-pattern .vscode",
    "pytest --ignore .vscode",
    "cloc . --exclude-dir .git,node_modules",
    "tokei -e .git",
    "ag --ignore .git foo",
    "ack --ignore-dir=.git foo",
    "du -sh --exclude=.git .",
    "find . -name '*.py' -not -path './.git/*' > out",
    "find . -type f -not -path './.git/*' -not -path './.venv/*' | xargs wc -l",
    "find . -path ./.git -prune -o -name '*.py' -print | xargs wc -l",
    "find . -name .git -prune -o -type f -print > out",
    "ls -a | grep -v .git | xargs wc -l",
]
TESTED = [
    "[ -d .git ]",
    "[ -d .git ] && echo yes",
    "[ ! -d .git ] && git init",
    "[[ -d .git ]] && echo yes",
    "test -f .vscode/settings.json",
    "test -f .vscode/settings.json && make",
    "if [ -f .pre-commit-config.yaml ]; then pre-commit run; fi",
    'if [ -e "$HOME/.bashrc" ]; then echo there; else echo none; fi',
]
LOOKED_AT = [
    "ls -d .*",
    "ls -la",
    "ls -la .git && make",
    "ls .??* ; make",
    "du -sh .[!.]*",
    "jq . .vscode/settings.json",
    "cat .vscode/settings.json | jq .",
    "cat .git/HEAD && make",
    "cat .tool-versions && node -v",
    "grep rev .pre-commit-config.yaml; make test",
    "diff .vscode/settings.json a.txt",
    "git add .pre-commit-config.yaml",
    "git add -f .vscode/settings.json && git commit -m 'Settings for all'",
    "git check-ignore -v .vscode/settings.json .idea",
    "git -C src log",
]
PRINTED = [
    "echo .git >> .gitignore",
    'echo ".vscode/" >> .gitignore',
    "printf '.venv\\n.idea\\n' >> .gitignore",
    'echo "put it into ~/.bashrc" > notes.md',
]
NO_PLACES = [
    "pip install -e .[dev]",
    "pip install -e .[dev,test] > log",
    "pip install '.[dev]'",
    "uv pip install -e .[dev]",
    "ps aux | grep [p]ython",
    "ps aux | grep '[p]ython' > out",
    'export PATH="$HOME/.local/bin:$PATH"',
    'export PATH="$HOME/.local/bin:$PATH"; pytest',
    "export PATH=~/.local/bin:$PATH && uv sync",
    'PATH="${HOME}/.local/bin:$PATH" pytest -q',
    "curl --cookie jar.txt https://example.org",
]


@pytest.fixture
def work() -> Path:
    """A project with settings in it, in a home directory that has keys and start-up files."""
    home, project = Path.home(), Path.home() / "work" / "project"
    files = [home / ".ssh/id_rsa", home / ".bashrc", home / ".local/bin/uv"]
    files += (
        project / file
        for file in (
            "src/a.py", "a.txt", ".git/HEAD", ".git/config", ".vscode/settings.json", ".pre-commit-config.yaml",
            ".tool-versions", ".gitignore", ".git/objects/x", ".git/refs/x",
        )
    )  # fmt: skip
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    return project


@each("command", [*LEFT_OUT, *TESTED, *LOOKED_AT, *PRINTED, *NO_PLACES])
def test_with_all_of_bash_it_runs_though_nobody_is_there(command: str, work: Path) -> None:
    assert Judge(["Bash"], work, person=False).judge("Bash", bash(command)).reason == ""


@each(
    ("rule", "command"),
    [
        ("jq:*", "jq . .vscode/settings.json"),
        ("git add:*", "git add .pre-commit-config.yaml"),
        ("tar:*", "tar czf a.tgz --exclude .git ."),
        ("pip install:*", "pip install '.[dev]'"),
    ],
)
def test_so_it_does_where_a_rule_covers_it(rule: str, command: str, work: Path) -> None:
    assert decide(Judge([f"Bash({rule})"], work, person=False), "Bash", bash(command)) == "allow"


@each(
    "command",
    [
        # Only the value of an option is left out, and only by a program that has such an option.
        "rsync -a src/ .git --exclude x",
        "rsync -a --backup-dir --exclude .git src/",
        "rsync -a src/ -- --exclude .git",
        "rsync -a src/ $x --exclude .git",
        "rsync -a src/ * --exclude .git",
        "rsync -a src/ {--backup-dir,} --exclude .git",
        "rsync -a src/ --exclude {x,.git}",
        "rsync -a src/ --exclude .g*",
        "tee --ignore .git/config < a.txt",
        "uniq a.txt --ignore .git/config > log",
        "tree -o -I .git/hooks/pre-commit",
        "tree -o .git/hooks/pre-commit -I x",
        "zip -x x -b .git a.zip src",
        "zip -r .git/a.zip . -x x",
        "tar() { rm -rf $2; }; tar --exclude .git",
        "alias tar=rm; tar --exclude .git .",
        "sh -c 'rm -rf $2' tar --exclude .git .",
        "find . -name -not -path .git -exec ./x {} +",
        "find . ! -not -path './.git/*' -exec ./x {} +",
        "find . -name .git -prune -exec ./x {} +",
        "find . -name .git -exec ./x {} +",
        "find . -path './.git/*' | xargs ./x",
        "rsync -a .git/ dst/ --exclude x",
        "find . ! -path ./.git -prune -o -exec ./x {} +",
        "find . -depth -path ./.git -prune -o -exec ./x {} +",
        "find . \\( -path ./.git -prune -o -true \\) -exec ./x {} +",
        "find . -not -path './.git/*' -o -exec ./x {} +",
        "./tar --exclude .git .",
        # What stands behind these is for another program, or is a value itself.
        "find a.txt -exec cp -- {} ! -path .git/hooks \\;",
        "find a.txt -exec mv -- {} ! -path .git/hooks \\;",
        "find a.txt -exec sed -i s/bare/x/ -- {} ! -path .git/config \\;",
        "find . -execdir rm -f -- x ! -path .claude/settings.json \\;",
        "find . '-exec' tee -- a ! -path .maverick/rules.toml \\;",
        "find . -ok cp a.txt ! -path .git/hooks \\;",
        "find . -okdir cp a.txt ! -path .git/hooks \\;",
        "find . -fprintf out -not -path './.git/*' -exec ./x {} +",
        "find . -path x -prune -o -exec ./x -o -path .git/config -prune -o \\;",
        "fd a.txt -x cp {} -E .git/hooks",
        "fd a.txt '-x' cp {} -E .git/hooks",
        "fd a.txt -Hx cp {} -E .git/hooks",
        "fd a.txt -xcp {} -E .git/hooks",
        "fd a.txt --exec cp {} -E .git/hooks",
        "fd a.txt --exec=cp {} -E .git/hooks",
        "fdfind a.txt -X sed -i s/bare/x/ -E .git/config",
        "tar cVf --exclude .git/hooks/pre-commit a.txt",
        "tar cVf --exclude .maverick/rules.toml a.txt",
        "tar cbVf 20 --exclude .git/config a.txt",
        "tar xf --exclude .git/config",
        "tar 'cVf' --exclude .git/hooks/pre-commit a.txt",
        "tar -c -f --exclude .git/config",
        "tar -c -V --exclude .git/config -f a.tar",
        "tar -xf a.tar a.txt --exclude .git/config",  # which is no option there, to the tar of macOS
        "tree -LPo 2 -I .git/hooks/pre-commit",
        "tree -P -I .git/hooks | xargs ./x",
        "rsync --rsh --exclude .git/hooks src/",
        "rsync -e --exclude .git/hooks src/",
        "rsync -ae --exclude .git/hooks src/",
        "zip -P -x .git/a.zip src",
        "zip -t -x .git/a.zip src",
        "ruff check . -o --exclude .git/hooks/pre-commit",
        "eslint . -o --ignore-pattern .git/hooks/pre-commit",
        "grep -e --exclude .git/config -l | xargs ./x",
        "grep -l x -v .git/config | xargs ./x",
        "grep -v .git/config -l -e x | xargs ./x",
        "du -t --exclude .git/hooks | xargs ./x",
        # A quoted word is the same word.
        "rsync -a src/ '--' --exclude .git",
        'rsync -a "--backup-dir" --exclude .git src/',
        "tar -c -'f' --exclude .git/hooks/pre-commit a.txt",
        "find . -not -path './.git/*' '-o' -exec ./x {} +",
        "find . '!' -not -path './.git/*' -exec ./x {} +",
        "find . '-depth' -path ./.git -prune -o -exec ./x {} +",
        # Words of a call also stand behind its redirections.
        "find . -not -path './.git/*' > log -o -exec ./x {} +",
        "find . -not -path './.git/*' 2>&1 -o -exec ./x {} +",
        "grep -v .git/config 2>&1 -l -e x | xargs ./x",
        # Whatever is found before is not pruned any more.
        "find . -type d -o -path ./.git -prune -o -exec ./x {} +",
        "find . -name -o -path ./.git -prune -o -exec ./x {} +",
        "find . -newer -prune -o -path ./.git -prune -o -exec ./x {} +",
        # Variables have programs read their words differently.
        "export POSIXLY_CORRECT=1; rsync -a a.txt --exclude .git/hooks/",
        "set -ao posix; rsync -a a.txt --exclude .git/hooks/",
        "export ZIPOPT=-b; zip -x .git/a.zip src",
        "export TAR_OPTIONS=-V; tar --exclude .git/config -xf a.tar",
        # Keys are not looked at, either.
        "tar czf --exclude ../../.ssh/id_rsa",
        "grep -v ../../.ssh/id_rsa -e x > out",
        "zip a.zip -x @ ../../.ssh/id_rsa",
        "[ -f ~/.ssh/id_rsa ]",
        "if [ -s ~/.ssh/id_rsa ]; then echo x; fi",
        "cat ~/.ssh/id_rsa | jq .",
        "jq -R . ../../.ssh/id_rsa",
        "git add ../../.ssh/id_rsa",
        "ls -d ../../.s*; make",
        # What is looked at here is named to others.
        "[ -d .git ] && rm -rf .git",
        "if [ -d .git ]; then rm -rf .git; fi",
        "[ -f .git/config ] > .git/hooks/pre-commit",
        "[ -d $(rm -rf .git) ]",
        "[() { rm -rf $2; }; [ -d .git ]",
        "rm -rf [ -d .git ]",
        "for x in [ -d .git ]; do rm -rf $x; done",
        "rm -rf \\\n[ -d .git ]",
        "trap 'rm -rf ${BASH_COMMAND#*d}' DEBUG; [ -d .git ]",
        "test -d .git && rm -rf $_",
        "ls -d .git | xargs rm -rf",
        "echo .git/hooks | xargs ./x",
        "cat .git/HEAD | tee .git/config",
        "alias cat=rm\ncat .git/config",
        "hash -p /bin/rm cat; cat .git/config",
        "ls .vscode; cp a.txt .vscode/settings.json",
        "cat a.txt > .vscode/settings.json",
        "jq -i . .vscode/settings.json",
        "diff a.txt b.txt --output=.vscode/settings.json",
        "diff .vscode/settings.json a.txt | patch .vscode/settings.json",
        "cd .git && cat HEAD && rm config",
        "git add -p .vscode/settings.json",
        "git add .vscode && git checkout -- .vscode",
        "git rm .pre-commit-config.yaml",
        "rm -d .*",
        # What is printed is printed to a place.
        "echo 'x' >> .git/config",
        "echo 'x' >> ~/.bashrc",
        'echo "$(rm -rf .git)" >> notes.md',
        "echo x > notes.md; rm -rf .git",
        "echo .git > notes.md | xargs rm",
        "echo .git | tee notes.md .vscode/settings.json",
        # Which pattern fits a place, and which folder is put on the path.
        "rm -rf .[g]it",
        "rm -rf .[a-z]it",
        "rm -rf .[!x]it > log",
        "rm -rf .gi[t]",
        "rm -rf .[g]*",
        "cp a.txt ~/.local/bin/git",
        'PATH="$HOME/.local/bin:$PATH" cp a.txt ~/.local/bin/git',
        'cp a.txt "$HOME/.local/bin:$PATH" ~/.bashrc',
        "PATH=~/.local/bin:$PATH; cp a.txt ${PATH%%:*}/git",
        "echo PATH=~/.local/bin:$PATH > ~/.profile",
        "PATH=~/.local/bin:$PATH cp a.txt .git/config",
        "[ -d .git ] cp a.txt .git/config",
        "! [ -d .git ] cp a.txt .git/config",
        "export PATH=.git/hooks:$PATH; make",
    ],
)
def test_its_hostile_sibling_is_still_refused(command: str, work: Path) -> None:
    assert decide(Judge(["Bash"], work, person=False), "Bash", bash(command)) == "deny"
