"""A rule that denies a subcommand denies it by all its names, and one that allows it by its own alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from maverick_tui.agent.permissions.synonyms import spellings
from tests.agent.permissions.deciding import bash, decide, judge_in, write
from tests.support.cases import each
from tests.support.sampling import sampled

CASES: list[tuple[str, str, str]] = [
    ("npm install:*", "npm i x|npm add x|npm in|npm isntall x|npm it", "npm ls|npm run i"),
    ("npm install:*", "env A=1 npm i x|/usr/bin/npm i|NPM i x", "env A=1 npm ls"),
    ("npm i:*", "npm install x|npm add x", "npm ci|npm init"),
    ("npm install left-pad", "npm i left-pad", "npm i other"),
    ("npm uninstall *", "npm rm x|npm un x|npm remove x", "npm root"),
    ("npm run deploy:*", "npm rum deploy|npm run-script deploy --now", "npm rum lint"),
    ("npm run test:*", "npm t|npm test -- x|npm tst|npm rum test", "npm start|npm view x"),
    ("npm test:*", "npm run test|npm t|npm run-script test", "npm run lint|npm view x"),
    ("npm run start", "npm start|npm urn start", "npm stop|npm test"),
    ("npm restart", "npm run restart", "npm start"),
    ("npm publish:*", "npm pub|npm publ x|npm publis --dry-run|env A=1 npm pub|NPM pub", "npm pack|npm run pub|npm ls"),
    ("npm run deploy:*", "npm run-s deploy|npm run-scr deploy|npm runScript deploy|npm runS deploy", "npm run-s lint"),
    ("npm exec:*", "npm exe x|npm x y|npx y", "npm explain x|npm test"),
    ("npm unpublish:*", "npm unp x", "npm un x|npm publish"),
    ("npm uninstall:*", "npm rem x|npm unin x|npm unl x", "npm root"),
    ("npm install:*", "npm install-t|npm insta|npm installTest", "npm init|npm install-s ls"),
    ("npm init:*", "npm ini x|npm crea x|npm create x", "npm i x|npm in x"),
    ("npm config set:*", "npm c set x|npm conf set x|npm confi set x|npm set x", "npm ls|npm get x"),
    ("npm ci:*", "npm cit|npm clean-i", "npm i"),
    ("composer require:*", "composer req x|composer r x|composer REQ x", "composer remove x|composer test"),
    ("composer remove:*", "composer rem x|composer rm x|composer unins x", "composer require x|composer update"),
    ("composer exec:*", "composer exe x", "composer install"),
    ("yarn run deploy:*", "yarn deploy|yarn deploy --now|yarn run-script deploy", "yarn build|yarn why x|yarn"),
    ("yarn deploy", "yarn run deploy", "yarn run build"),
    ("pnpm deploy:*", "pnpm run deploy x|pnpm run-script deploy", "pnpm run build"),
    ("bun run go:*", "bun go x", "bun x go|bun install"),
    ("bun run a.ts", "bun a.ts", "bun b.ts"),
    ("yarn run:*", "yarn build|yarn run-script x", "yarn install|yarn add x|yarn why x|yarn|yarn up|yarn --version"),
    ("npx:*", "npm exec x|npm x y", "npm explain x"),
    ("pnpm add:*", "pnpm i x|pnpm install x", "pnpm why x"),
    ("yarn install:*", "yarn|yarn --frozen-lockfile|yarn add x", "yarn lint"),
    ("bun add:*", "bun a x|bun i x|bun install x", "bun test"),
    ("docker rm:*", "docker container rm x|docker container remove x", "docker run --rm x|docker ps|docker image ls"),
    ("docker container rm:*", "docker rm x", "docker image rm x"),
    ("docker rmi:*", "docker image rm x|docker image remove x", "docker container rm x"),
    ("docker build:*", "docker image build .|docker buildx build .", "docker pull x"),
    ("docker compose:*", "docker-compose up", "docker ps"),
    ("podman ps", "podman container ls", "podman images"),
    ("cargo build:*", "cargo b|cargo b -r", "cargo bench"),
    ("cargo run:*", "cargo r -- x", "cargo remove x"),
    ("git add:*", "git stage x|git -C src stage x", "git status"),
    ("apt install:*", "apt-get install x", "apt-get update"),
]


@each(("rule", "same", "others"), CASES)
@pytest.mark.parametrize("person", sampled([False, True], 2))
def test_a_subcommand_is_denied_by_all_its_names(
    rule: str, same: str, others: str, person: bool, project: Path
) -> None:
    write(f'allow = ["Bash"]\ndeny = {json.dumps([f"Bash({rule})"])}')
    judge = judge_in(project, person=person)
    for command in same.split("|"):
        assert decide(judge, "Bash", bash(command)) == "deny", command
    for command in others.split("|"):
        assert decide(judge, "Bash", bash(command)) == "allow", command


@pytest.mark.parametrize(
    "command",
    [
        "npm -g i x",
        "npm --prefix sub i x",
        "npm -g insta x",
        "xargs npm i",
        "sh -c 'npm i x'",
        "nix-shell --run 'npm i x'",
        "echo npm i x | sh",
        "npm i x > log",
        "corepack npm i x",
        "for x in a; do npm i $x; done",
        "pip3.12 install x",
        "python -m pip install x",
        "python3.12 -m pip --quiet install x",
        "uv pip install x",
    ],
)
@pytest.mark.parametrize("person", [True, False])
def test_what_may_be_such_a_name_asks(command: str, person: bool, project: Path) -> None:
    write('allow = ["Bash"]\ndeny = ["Bash(npm install:*)", "Bash(pip install:*)"]')
    assert decide(judge_in(project, person=person), "Bash", bash(command)) == ("ask" if person else "deny")


@pytest.mark.parametrize("program", ["gradle", "gradlew"])
def test_a_task_of_gradle_is_denied_by_what_its_name_is_shortened_to(program: str, project: Path) -> None:
    rules = [f"Bash({program} {task}:*)" for task in ("publish", "bootRun")]
    write(f'allow = ["Bash"]\ndeny = {json.dumps(rules)}')
    for tasks, decision in {
        "publish": "deny", "pub": "ask", "build pub": "ask", ":app:publ": "ask", "-q PUB": "ask", "bR": "ask",
        "build": "allow", "test --info": "allow", "-p sub test": "allow", "projects": "allow", "boot": "ask",
    }.items():  # fmt: skip
        assert decide(judge_in(project), "Bash", bash(f"{program} {tasks}")) == decision, tasks


@pytest.mark.parametrize(
    "command", ["git commit -m 'Run npm ci in the pipeline'", "npm -g ls", "npm run build -- -i", "npm view i"]
)
def test_ordinary_commands_beside_such_a_rule_run(command: str, project: Path) -> None:
    write('allow = ["Bash"]\ndeny = ["Bash(npm install:*)", "Bash(pip install:*)"]')
    assert decide(judge_in(project), "Bash", bash(command)) == "allow"


def test_what_is_asked_about_is_by_all_its_names_and_what_is_allowed_by_its_own(project: Path) -> None:
    write('allow = ["Bash"]\nask = ["Bash(npm install:*)"]')
    assert decide(judge_in(project), "Bash", bash("npm i x")) == "ask"
    write('allow = ["Bash(npm install:*)"]')
    assert decide(judge_in(project), "Bash", bash("npm i x")) == "ask"


def test_each_name_stands_for_all_others() -> None:
    assert ["docker", "container", "rm", "x"] in [*spellings(["docker", "rm", "x"])]
    assert ["docker", "rm", "x"] in [*spellings(["docker", "container", "rm", "x"])]
    assert [*spellings(["ls", "x"])] == []
