"""What `xargs` adds to a call is not known: where a rule denies what may come of it, somebody is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agent.permissions.deciding import bash, decide, judge_in, write
from tests.support.sampling import sampled

RULES = """
allow = ["Bash"]
deny = ["Bash(git push:*)", "Bash(rm -rf:*)", "Bash(make deploy:*)", "Bash(npm publish:*)", "Bash(npm run deploy:*)"]
"""
ADDED = (
    "echo push | xargs git", "echo push origin main | xargs git", "echo push | xargs -n 1 git",
    "echo push | /usr/bin/xargs git", "echo push | xargs git -C sub", "echo push | xargs git --no-pager",
    "printf push | xargs --delimiter , git", "xargs -a list git", "echo push | xargs env git",
    "echo push | xargs timeout -s KILL 5 git", "echo push | timeout -s KILL 5 xargs git", "echo push | xargs xargs git",
    "sh -c 'echo push | xargs git'", "echo -rf x | xargs rm", "echo -rf x | xargs rm -f", "echo deploy | xargs make",
    "echo deploy | xargs make build", "echo publish | xargs npm", "echo publish | xargs npm --silent",
    "echo deploy | xargs npm run", "echo deploy | xargs npm run-s", "echo push | parallel git",
)  # fmt: skip
PUT_IN = (
    "printf push | xargs -I{} git {} origin", "printf push | xargs -I % git % origin", "printf push | xargs -i% git %",
    "printf push | xargs -i git {}", "printf push | xargs --replace=% git % origin", "printf pus | xargs -I% git %h",
    "echo git | xargs -I{} {} push", "echo gi | xargs -I{} {}t push", "echo git | xargs -tI {} {} push",
)  # fmt: skip
STARTED = (
    "printf 'git\\npush' | xargs nice", "printf 'git\\npush' | xargs timeout -s KILL 5",
    "printf 'git\\npush' | xargs env A=1", "printf 'git\\npush' | xargs sudo -u me",
    "printf 'git\\npush' | xargs -n 2 xargs",
)  # fmt: skip
ORDINARY = (
    "git ls-files | xargs wc -l", "rg -l x | xargs sed -n 1p", "ls | xargs -I {} echo {}", "ls | xargs -I{} cp {} out",
    "git ls-files | xargs grep make", "git ls-files | xargs git add", "git ls-files | xargs -n1 git log --oneline",
    "git ls-files | xargs git --no-pager blame", "ls | xargs -I% git show HEAD:%", "ls | xargs npm view",
    "find . -name '*.py' -print0 | xargs -0 grep -n git", "find . -type f | xargs -P 4 -n 10 head -1",
    "ls | xargs timeout 5 wc -l", "ls | xargs nice -n 5 wc -l", "ls | xargs", "grep xargs make", "man xargs",
)  # fmt: skip


@pytest.mark.parametrize("person", sampled([True, False], 2))
@pytest.mark.parametrize("commands", [ADDED, PUT_IN, STARTED], ids=["added", "put in", "started"])
def test_what_may_come_of_it_asks(commands: tuple[str, ...], person: bool, project: Path) -> None:
    write(RULES)
    judge = judge_in(project, person=person)
    found = {command: decide(judge, "Bash", bash(command)) for command in commands}
    assert found == dict.fromkeys(commands, "ask" if person else "deny")


def test_calls_of_other_programs_and_of_other_commands_run(project: Path) -> None:
    write(RULES)
    judge = judge_in(project / "src")  # which no link leads out of
    found = {command: decide(judge, "Bash", bash(command)) for command in ORDINARY}
    assert found == dict.fromkeys(ORDINARY, "allow")


def test_what_is_allowed_is_allowed_by_its_own_words(project: Path) -> None:
    write('allow = ["Bash(git push:*)"]')
    assert decide(judge_in(project, person=True), "Bash", bash("echo push | xargs git")) == "ask"
