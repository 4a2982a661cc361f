"""What must go on working: commands and rules of every day, and how often a person is asked about them."""

from __future__ import annotations

READ_UNASKED: dict[str, str] = {
    "status": "git status",
    "status-short": "git status --short --branch",
    "log": "git log --oneline -5",
    "log-file": "git log -p -- src/main.py",
    "log-quoted": "git log --format='%h %s' -3",
    "log-double": 'git log --format="%h %s" -3',
    "log-grep": "git log --grep=Begin",
    "log-pipe": "git log | head -3",
    "log-stat": "git log --stat -1 HEAD~1",
    "diff": "git diff",
    "diff-stat": "git diff --stat HEAD~1 -- README.md",
    "diff-null": "git diff 2>/dev/null",
    "diff-cached": "git diff --cached",
    "show": "git show --stat HEAD",
    "show-file": "git show HEAD:README.md",
    "branch": "git branch --list",
    "branch-all": "git branch -a",
    "branch-current": "git branch --show-current",
    "rev-parse": "git rev-parse HEAD",
    "ls-files": "git ls-files",
    "blame": "git blame README.md",
    "remote": "git remote -v",
    "ls": "ls",
    "ls-la": "ls -la src",
    "ls-quoted": "ls 'src'",
    "ls-and-pwd": "ls && pwd",
    "ls-or": "ls src || echo none",
    "ls-semicolon": "ls; pwd",
    "pwd": "pwd",
    "cat": "cat README.md",
    "cat-two": "cat README.md src/main.py",
    "cat-blank": "cat 'src/a b.py'",
    "head": "head -n 2 README.md",
    "tail": "tail -n 2 README.md",
    "wc": "wc -l file",
    "grep": "grep -rn foo src",
    "grep-pipe": "grep -rn foo src | head -5",
    "ls-pattern": "ls src/*.py",
    "wc-pattern": "wc -l src/*.py | sort -n",
    "grep-pattern": "grep -n foo docs/*.md",
    "cd": "cd src && ls",
    "grep-quoted": "grep -n 'def foo' src/main.py",
    "sort-pipe": "cat file | sort | uniq -c",
    "echo": "echo hello",
    "echo-quoted": "echo 'a; b > c $(d)'",
    "find": "find src -name '*.py'",
    "error-to-out": "ls nope 2>&1",
    "which": "which git",
    "date": "date",
    "stat": "stat README.md",
    "true": "true",
}
"""With a person, in every mode: nobody is asked."""

ASKED_ONCE: dict[str, str] = {
    "touch": "touch made-touch",
    "mkdir": "mkdir made-mkdir",
    "redirect": "echo x > made-redirect",
    "copy": "cp README.md made-copy",
    "add": "git add README.md",
    "npm": "npm run lint",
    "and": "git status && touch made-and",
    "pipe": "git log | tee made-pipe",
    "commit": "git commit -q --allow-empty -m 'made'",
    "python": "python3 -c 'print(1)'",
}
"""With a person: asked about exactly once, and done if the person says yes."""

RULES = ("Read", "Bash(git log:*)", "Bash(git add:*)", "Bash(ls:*)", "Bash(npm run *)")
"""What an agent may do without a person, in most of these tests."""

BY_RULE: dict[str, str] = {
    "log": "git log",
    "log-oneline": "git log --oneline -3",
    "log-quoted": "git log --grep 'a b'",
    "log-double": 'git log --grep "a b"',
    "log-path": "git log -- src",
    "log-format": "git log --format=%h",
    "log-range": "git log HEAD~1..HEAD",
    "log-semicolon-quoted": "git log --grep 'a;b'",
    "log-dollar-quoted": "git log --grep '$(x)'",
    "log-blanks": "  git   log   -1  ",
    "add": "git add README.md",
    "add-two": "git add README.md src/main.py",
    "add-blank": "git add 'src/a b.py'",
    "ls": "ls",
    "ls-la": "ls -la src",
    "npm": "npm run lint",
    "npm-option": "npm run test -- --watch=false",
}
"""Without a person, with the rules of `test_shell_unattended`."""

NOT_BY_RULE: dict[str, str] = {
    "push": "git push",
    "commit": "git commit -q --allow-empty -m x",
    "lsof": "lsof",
    "npm-install": "npm install x",
    "git": "git",
    "logs": "git logs",
    "cat": "cat README.md > /dev/null; mkdir x",
}
