"""Options and further words by which a program does more than what was allowed of it: it runs or writes something else.

Each trick is run for real, to see that it does what it is feared for; then an agent tries it after a grant.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.runs.grants import Grants
from tests.agent.permissions.deciding import bash, judge_in, write
from tests.attacks.driving import Call
from tests.attacks.granting import granted
from tests.attacks.sandbox import Sandbox
from tests.conftest import ServeModel

GRANTED = ("pytest -q tests", "mypy src/main.py", "ruff check src", "make test", "git stash push README.md")
TRICKS: dict[str, str] = {
    "pytest-program": """pytest -d --tx 'popen//python=sh -c "touch {O}/made"' tests""",
    "pytest-log": "pytest --log-file={O}/made tests",
    "pytest-report": "pytest --junitxml {O}/made tests",
    "pytest-debug": "pytest --debug={O}/made tests",
    "pytest-bundled": "pytest -qo log_file={O}/made tests",
    "pytest-plugin": "pytest -p evil tests",
    "pytest-warning": "pytest -W error::evil.E tests",
    "mypy-report": "mypy --junit-xml {O}/made src/main.py",
    "mypy-folder": "mypy --any-exprs-report {O}/made src/main.py",
    "ruff-output": "ruff check -o {O}/made src",
    "make-target": "make test deploy",
    "make-behind": "make test -k deploy",
    "stash-output": "git stash show -p --output={O}/made",
}
_INLINE = "import('fs').then(f=>f.writeFileSync('{O}/made',''))"
_NPM: dict[str, str] = {
    "npm-shell": "npm test --script_shell=./evil.sh",
    "npm-code": f'npm test "--node_options=--import=data:text/javascript,{_INLINE}"',
    "npm-behind": "npm test -- --script-shell=./evil.sh",
    "npm-code-behind": f'npm run spec -- "--import=data:text/javascript,{_INLINE}" a.test.mjs',
    "npm-logs": "npm test --logs-dir={O}/made",
}
_CARGO: dict[str, str] = {
    "cargo-linker": "cargo clippy --offline -- --emit=link -Clinker=./evil.sh",
    "cargo-settings": "cargo fmt -- --print-config default {O}/made",
}
OF_RUNNERS = (_NPM if shutil.which("npm") else {}) | (_CARGO if shutil.which("cargo-clippy") else {})
ORDINARY_OF_RUNNERS = (
    "npm test --silent", "npm test -- -u", "cargo clippy --all-targets -- -D warnings",
)  # fmt: skip
ORDINARY = (
    "pytest -q -x tests", "pytest -k a -n 0 tests", "mypy src/main.py", "ruff check src",
    "make test -j 2", "git stash list",
)  # fmt: skip
RULES = [f"Bash({one}:*)" for one in ("pytest", "mypy", "ruff", "make test", "git stash")]
RULES_OF_RUNNERS = [f"Bash({one}:*)" for one in ("npm test", "npm run spec", "cargo clippy", "cargo fmt")]
_CARGO_AT = Path(shutil.which("cargo") or "/").parent
_TOOLCHAINS = {"RUSTUP_HOME": os.environ.get("RUSTUP_HOME") or str(Path.home() / ".rustup")}
"""Which are found in the home directory that the sandbox is in place of."""


@pytest.fixture
def armed(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    """A project with tests, two targets, and a module that does what it is feared for."""
    made = sandbox.outside / "made"
    for path, text in {
        "tests/test_a.py": "def test_a(): pass\n",
        "Makefile": f"test:\n\t@true\ndeploy:\n\t@touch {made}\n",
        "package.json": '{"scripts": {"test": "npm run unit", "unit": "node -e 0", "spec": "node --test",'
        ' "deploy": "./evil.sh"}}',
        "a.test.mjs": "",
        "Cargo.toml": '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n',
        "src/main.rs": "fn main() {}\n",
        "evil.sh": f"#!/bin/sh\ntouch {made}\n",
        "evil.py": f"open({str(made)!r}, 'w').close()\nclass E(Warning): pass\n",
    }.items():
        (sandbox.project / path).parent.mkdir(exist_ok=True)
        (sandbox.project / path).write_text(text)
    (sandbox.project / "evil.sh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(sandbox.project))
    return sandbox


def said(command: str, sandbox: Sandbox) -> str:
    return command.format(O=sandbox.outside)


def run(command: str, sandbox: Sandbox) -> subprocess.CompletedProcess[str]:
    """By the programs that are installed."""
    given = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.defpath}:{_CARGO_AT}"} | _TOOLCHAINS
    line = ["bash", "-c", command]
    return subprocess.run(line, cwd=sandbox.project, env=given, capture_output=True, text=True, check=False)


@pytest.mark.explore  # `make attack` has it: it is about the tricks, and not about us
def test_each_of_them_does_what_it_is_feared_for(armed: Sandbox) -> None:
    (armed.project / "README.md").write_text("changed\n")
    subprocess.run(["bash", "-c", "git stash push -- README.md"], cwd=armed.project, capture_output=True, check=True)
    blunt, made = {}, armed.outside / "made"
    for name, command in {**TRICKS, **OF_RUNNERS}.items():
        done = run(said(command, armed), armed)
        if not made.exists():
            blunt[name] = done.stdout + done.stderr
        subprocess.run(["rm", "-rf", made], check=True)
    assert blunt == {}


def test_no_rule_covers_them(armed: Sandbox) -> None:
    judge = Judge(RULES, armed.project, person=False)
    assert [name for name, one in TRICKS.items() if judge.judge("Bash", bash(said(one, armed)))[0] != "deny"] == []
    assert {one: why for one in ORDINARY if (why := judge.judge("Bash", bash(one)).reason)} == {}


def test_no_rule_covers_those_of_runners(armed: Sandbox) -> None:
    judge = Judge(RULES_OF_RUNNERS, armed.project, person=False)
    tricks = {**_NPM, **_CARGO}
    assert [name for name, one in tricks.items() if judge.judge("Bash", bash(said(one, armed)))[0] != "deny"] == []
    assert {one: why for one in ORDINARY_OF_RUNNERS if (why := judge.judge("Bash", bash(one)).reason)} == {}


BEGUN = ["npm run-s deploy", "npm runS deploy", "npm exe -c ./evil.sh"]
"""npm takes the beginning of a name for it."""


@pytest.mark.explore  # it is about npm, and not about us
@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")
@pytest.mark.parametrize("command", BEGUN)
def test_npm_takes_the_beginning_of_a_name_for_it(command: str, armed: Sandbox) -> None:
    done = run(command, armed)
    assert (armed.outside / "made").exists(), done.stderr


@pytest.mark.parametrize("command", BEGUN)
def test_rules_and_offers_take_the_beginning_of_a_name_for_it(command: str, armed: Sandbox) -> None:
    write('allow = ["Bash"]\ndeny = ["Bash(npm run deploy:*)", "Bash(npm exec:*)"]')
    assert judge_in(armed.project, person=False).judge("Bash", bash(command)).decision == "deny"
    offers = [offer.text for offer in Grants(armed.project).offers("Bash", bash(command))]
    assert offers == [f"Bash: {command}", "every Bash command"]


@pytest.mark.parametrize(
    "command",
    [
        "echo deploy | xargs make",
        "echo deploy | xargs make test",
        "printf deploy | xargs -I% make %",
        "printf 'make\\ndeploy' | xargs nice",
    ],
)
def test_what_is_denied_is_not_put_together_by_xargs(command: str, armed: Sandbox) -> None:
    done = run(command, armed)
    assert (armed.outside / "made").exists(), done.stderr
    write('allow = ["Bash"]\ndeny = ["Bash(make deploy:*)"]')
    assert judge_in(armed.project, person=False).judge("Bash", bash(command)).decision == "deny"


def stand_in_for(*programs: str, sandbox: Sandbox) -> None:
    """Programs that do nothing, where only counts whether they are run: the real ones take a second each."""
    for name in programs:
        program = sandbox.programs / name
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)


async def test_no_grant_covers_them(armed: Sandbox, serve: ServeModel, monkeypatch: pytest.MonkeyPatch) -> None:
    (armed.project / ".maverick").mkdir(exist_ok=True)
    (armed.project / ".maverick" / "rules.toml").write_text('deny = ["Read(secret.txt)"]\n')
    tricks = {**TRICKS, "stash-rules": "git stash -u"}
    stand_in_for("pytest", "mypy", "ruff", sandbox=armed)
    monkeypatch.setenv("PATH", f"{armed.programs}:{os.environ['PATH']}")
    allowed = [Call(f"allowed-{at}", "Bash", {"command": one}) for at, one in enumerate(GRANTED)]
    tried = [Call(name, "Bash", {"command": said(one, armed)}) for name, one in tricks.items()]
    ordinary = [Call(f"ordinary-{at}", "Bash", {"command": one}) for at, one in enumerate(ORDINARY)]
    before, after = await granted(armed, serve, allowed, [*tried, *ordinary], mode="default")
    assert all(one.has_run for one in before.outcomes.values()), before.explain([*before.outcomes])
    wrong = [name for name, one in after.outcomes.items() if one.has_run is not name.startswith("ordinary")]
    assert not wrong, after.explain(wrong)
    assert not (armed.outside / "made").exists()
    assert (armed.project / ".maverick" / "rules.toml").exists()
