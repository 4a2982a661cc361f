"""Commands that change a folder as a whole: what is protected in it is changed with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui.agent.permissions import patterns
from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.agent.permissions.rule_texts import Effect
from maverick_tui.agent.permissions.standing import Standing, StandingRule
from tests.agent.permissions.deciding import bash, decide
from tests.support.cases import each
from tests.support.sampling import sampled


@pytest.fixture
def tree(project: Path) -> Path:
    """A project with settings of its own, and with tools that a hook runs."""
    for path in (".maverick/rules.toml", "sub/.hg/hgrc", "web/src/x.ts", "scripts/lib/fmt.sh", "tests/keys/id_rsa"):
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).touch()
    for link in ("keys", "away"):
        (project / link).unlink()
    return project


def held_to(effect: Effect, entry: str, project: Path, *, person: bool) -> Judge:
    rules = tuple(StandingRule(*one, project / "rules.toml") for one in (("allow", "Bash"), (effect, entry)))
    return Judge(["Bash"], project, person=person, standing=lambda: Standing(rules))


@each(
    "command",
    [
        "ruff format", "ruff format .", "ruff check --fix", "ruff --quiet format", "black .", "prettier --write .",
        "npx prettier --write .", "prettier --write '**/*.ts'", "eslint . --fix", "isort .", "shfmt -w .", "stylua .",
        "gofmt -w .", "go fmt ./...", "go fmt", "golangci-lint run --fix ./...", "cargo fmt", "cargo +nightly fmt",
        "cargo fmt --all", "cargo fix", "cargo clippy --fix", "terraform fmt -recursive", "deno fmt", "dprint fmt",
        "biome format --write", "dart format .", "zig fmt .", "mix format", "dotnet format", "taplo fmt", "hatch fmt",
        "rubocop -A", "swiftformat .", "ktlint -F", "uv run ruff format", "uvx ruff format", "poetry run black .",
        "python -m black .", "bunx prettier -w .", "pnpm exec prettier -w .", "mise exec -- cargo fmt",
        "cd web && ruff format", "cd web && deno fmt ..", "ruff format web ..", "env X=1 cargo fmt",
        "sh -c 'cargo fmt'",
        "find . -name '*.py' -exec black {} +", "git ls-files | xargs black", "deno fmt generated", "deno fmt web/..",
        "cargo -q fmt", "terraform -chdir=. fmt",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    ("effect", "person"), sampled([("deny", False), ("deny", True), ("ask", True), ("ask", False)], 2)
)
def test_no_formatter_changes_a_file_with_its_folder_that_a_rule_is_about(
    command: str, effect: Effect, person: bool, tree: Path
) -> None:
    (tree / "generated").mkdir(exist_ok=True)
    (tree / "generated" / "api.py").touch()
    judge = held_to(effect, "Edit(generated/**)", tree, person=person)
    assert decide(judge, "Bash", bash(command)) in ("deny", "ask" if person else "deny")


@each(
    "command",
    [
        "ruff format web", "black web/src", "deno fmt web", "go fmt ./web/...", "ruff format web/src/x.ts",
        "cargo build", "cargo test fmt", "go test ./...", "terraform plan", "mix test", "cargo clippy",
    ],
)  # fmt: skip
def test_formatters_change_other_folders(command: str, tree: Path) -> None:
    (tree / "generated").mkdir(exist_ok=True)
    (tree / "generated" / "api.py").touch()
    assert decide(held_to("deny", "Edit(generated/**)", tree, person=False), "Bash", bash(command)) == "allow"


@each(
    "command",
    [
        "rm -rf .", "rm -r sub", "rm -rf -- sub", "chmod -R 777 tests", "chown -R me sub", "chgrp -hR x .",
        "setfacl -R -m u:x:r .", "trash sub", "rsync -a --delete web/ .", "rsync -a --del web/ sub",
        "find sub -delete", "find . ! -path './sub/*' -delete", "find . '(' -name x ')' -o -delete",
        "find . -exec shred '{}' +", "find . -name '*.toml' -delete", "find . -name x , -delete",
        "fd -H . -x rm", "cd sub && rm -rf .", "cd web; rm -rf ../sub", "sudo chmod -R 777 .",
        "tar --remove-files -cf x.tar .", "tar -cf x.tar --rem -C sub .", "tar -cf x.tar --remove-files -Csub .",
        "zip -rm x.zip sub", "zip -r --move x.zip .", "7z a -sdel x.7z", "7z a x.7z sub -sdel", "rimraf sub",
        "npx rimraf .", "rsync -a --remove-source-files sub web", "gzip -r sub", "zstd -r --rm sub",
        "find . -type f -exec gzip '{}' +", "find sub -type f -exec zip -m x.zip '{}' +",
        "find . -type f -exec xz -t -d '{}' +", "find . -type f -exec zstd -c --rm '{}' +",
        "find . -type f -exec gzip '{}' -c +", "find . -type f -exec lz4 -l '{}' ';'",
        "find . -type f -exec gzip -c '{}' + -exec gzip '{}' +",
    ],
)  # fmt: skip
def test_it_asks_each_time_if_something_protected_is_in_it(command: str, tree: Path) -> None:
    judgement = Judge(["Bash"], tree, person=True).judge("Bash", bash(command))
    assert judgement.decision == "ask"
    assert judgement.is_asked_each_time


@each(
    "command",
    [
        "cargo clean --target-dir .", "cargo clean --target-dir=./", "cargo +nightly clean --target-dir web/../sub",
        "cargo --color never clean --target-dir sub", "cargo clean --config 'build.target-dir=\".\"'",
        "cargo clean --config=build.target-dir=\"'sub'\"", "CARGO_TARGET_DIR=. cargo clean",
        "env CARGO_TARGET_DIR=sub cargo clean", 'export CARGO_TARGET_DIR="$PWD"; cargo clean', "cargo vendor .",
        "cargo vendor --locked sub", "uv cache clean --cache-dir .", "uv --cache-dir=sub cache prune",
        "UV_CACHE_DIR=. uv cache clean", "uv venv --clear .", "uv venv -c sub", "python3 -m venv --clear sub",
        "virtualenv --clear .", "conda remove -y -p . --all", "yarn cache clean --cache-folder sub",
        "GOMODCACHE=. go clean -modcache", "sh -c 'cargo clean --target-dir .'", "conda env remove -p sub",
        "conda env create --force -p sub", "uv --directory web cache clean --cache-dir ../sub",
        "pip cache purge --cache-dir .", "pip3 cache remove x --cache-dir=sub",
        "python3 -m pip cache purge --cache-dir .", "PIP_CACHE_DIR=. pip cache purge",
        "tar --remove-files -cf x.tar -C . sub", "tar --remove-files -cf x.tar -C web -C .. .",
        "cd web && tar --remove-files -cf x.tar --directory=.. sub",
        # Here it is no option that says where: another one has it for its value, or none is read any more.
        "tar --remove-files -cf -C . web", "tar --remove-files --exclude -C sub -cf x.tar web",
        "tar --remove-files -cf x.tar -- -C sub", "tar cfX x.tar -C sub --remove-files web",
    ],
)  # fmt: skip
def test_so_does_what_clears_a_folder_away_that_it_is_told(command: str, tree: Path) -> None:
    judgement = Judge(["Bash"], tree, person=True).judge("Bash", bash(command))
    assert (judgement.decision, judgement.is_asked_each_time) == ("ask", True)


@each(
    "command",
    [
        "cargo clean", "cargo clean -p web", "cargo clean --target-dir web", "cargo run -- clean .", "cargo vendor web",
        "CARGO_TARGET_DIR=web cargo clean", "CARGO_TARGET_DIR=. cargo build", "uv cache clean", "uv venv .",
        "uv pip install -c c.txt -e .", "uv venv -c web", "conda install -p .", "go clean .", "rimraf web",
        "python -m venv sub", "tar -cf x.tar sub", "tar -cf x.tar --remove-files web", "zip -r x.zip sub",
        "zip -rm x.zip web", "gzip -r web",
        "find . -name '*.log' -exec gzip '{}' +", "rsync -a --remove-source-files web dist",
        "rm -rf web", "rm -f sub", "chmod 755 sub", "chmod --reference=x web", "chown -R me web", "trash web",
        "mv sub other", "rsync -a --delete web/ dist", "rsync -a --delete web/ host:x", "find web -delete", "fd -H x",
        "find . -name '*.pyc' -delete", "find sub -name '*.pyc' -exec rm '{}' +", "find . -exec sed -n 1p '{}' +",
        "find web -type f | xargs rm", "fd x -x rm", "find . -type f | xargs gzip -l", "gzip -rt sub",
        "find . -name '*.py' -not -path './.venv/*' -exec sed -i s/a/b/ '{}' +",
        "find . -name '*.py' ! -path './.venv/*' ! -name x | xargs sed -i s/a/b/",
    ],
)  # fmt: skip
def test_ordinary_folders_are_changed(command: str, tree: Path) -> None:
    assert Judge(["Bash"], tree, person=False).judge("Bash", bash(command)).reason == ""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    own = tmp_path / "repository" / ".git"
    own.mkdir(parents=True)
    (own / "config").touch()
    return own.parent


PASSED_OVER = [
    "find . -type f -not -path '*/.git/*' -exec sed -i s/a/b/ '{}' +",
    "find . -type f -not -path './.git/*' -exec sed -i s/a/b/ {} +",
    "find . -type f ! -path './.git/*' -exec sed -i s/a/b/ {} \\;",
    "find . -type f ! -path './.git/*' -print0 | xargs -0 sed -i s/a/b/",
    "find ./ -not -path './.git/*' -type f -exec sed -i s/a/b/ '{}' ';'",
]


@each("command", PASSED_OVER)
def test_a_repository_that_is_passed_over_is_not_changed(command: str, repository: Path) -> None:
    assert Judge(["Bash"], repository, person=False).judge("Bash", bash(command)).reason == ""


@each(
    "command",
    [
        "find . -type f ! -path './.git/*' | xargs sed -i s/a/b/",
        "find -L . -type f ! -path './.git/*' -exec sed -i s/a/b/ '{}' +",
        "find . -follow -type f ! -path './.git/*' -exec sed -i s/a/b/ '{}' +",
        "find . ! -path './.git/*' ! -name x -exec rm -rf '{}' +",
        "find . -not -type f -not -path '*/.git/*' -exec rm -rf '{}' +",
        "find .// -type f -not -path './.git/*' -exec sed -i s/a/b/ '{}' +",
        "find . -type f -fprintf out -not -path '*/.git/*' -exec sed -i s/a/b/ '{}' +",
        "find . -type f -newer -not -path '*/.git/*' -exec sed -i s/a/b/ '{}' +",
        "find . -type f -name -not -path '*/.git/*' -exec sed -i s/a/b/ '{}' +",
        "find . -type d -not -path './.git/*' -exec rm -rf '{}' +",
        "find . -not -path './.git/*' -exec rm -rf '{}' +",
        "find . -type f -not -path './.gi/*' -exec sed -i s/a/b/ '{}' +",
        "find . -type f -not -path '.git/*' -exec sed -i s/a/b/ '{}' +",
        "find . -type f -not -path './.git' -exec sed -i s/a/b/ '{}' +",
        "find . -type f -not -path x -o -exec rm '{}' +",
        "find . -type f ! -not -path './.git/*' -exec rm '{}' +",
        "find . -name '*' -not -name x -exec rm '{}' +",
        "find . -not -name '*.py' -exec rm '{}' +",
        "find . -type f -exec sed -i s/a/b/ '{}' + -not -path './.git/*'",
        "find . -not -name 'x -name *.pyc' -exec sed -i s/a/b/ '{}' + > log",
        "find . -type f -not -path './.git/* -a -not -name x' -exec sed -i s/a/b/ '{}' + > log",
        "find . -type f '(' -not -path './.git/*' -o -name x ')' -exec sed -i s/a/b/ '{}' +",
    ],
)
def test_one_that_is_only_seemingly_passed_over_is(command: str, repository: Path) -> None:
    assert decide(Judge(["Bash"], repository, person=False), "Bash", bash(command)) == "deny"


@each("command", PASSED_OVER)
def test_keys_beside_it_are_not_passed_over(command: str, repository: Path) -> None:
    (repository / "sub" / ".ssh").mkdir(parents=True, exist_ok=True)
    assert decide(Judge(["Bash"], repository, person=False), "Bash", bash(command)) == "deny"


@pytest.mark.parametrize("command", ["rm -r scripts", "mv scripts old", "rm -rf scripts/lib", "mv -t web scripts"])
def test_what_the_agent_starts_is_not_taken_away_with_its_folder(command: str, tree: Path) -> None:
    judge = Judge(["Bash(rm:*)", "Bash(mv:*)"], tree, person=False, started=["./scripts/lib/fmt.sh"])
    assert "may be what a hook" in judge.judge("Bash", bash(command)).reason
    assert decide(judge, "Bash", bash(command.replace("scripts/lib", "web").replace("scripts", "web/src"))) == "allow"


def test_a_folder_with_too_much_in_it_asks(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(9):
        (tmp_path / "far" / str(number)).mkdir(parents=True)
    judge = Judge(["Bash"], tree, person=False)
    command = bash(f"rm -rf {tmp_path / 'far'}")
    assert decide(judge, "Bash", command) == "allow"
    monkeypatch.setattr(patterns, "MOST_SEEN", 5)
    assert "too much" in judge.judge("Bash", command).reason
    for name in ("pages", "dist"):
        for number in range(9):
            (tree / "web" / name / str(number)).mkdir(parents=True)
    assert "too much" in judge.judge("Bash", bash("rm -rf web")).reason
    assert decide(judge, "Bash", bash("rm -rf web/dist")) == "allow", "it is made again"
    assert decide(judge, "Bash", bash("find web -name '*.pyc' -delete")) == "allow"
