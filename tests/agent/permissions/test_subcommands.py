"""What a rule for one subcommand, or one target, covers: not another one, and no file elsewhere."""

from __future__ import annotations

from pathlib import Path

from maverick_tui.agent.permissions.rules import covers_command
from tests.support.cases import each


@each(
    ("rule", "command", "is_covered"),
    [
        ("make test:*", "make test", True),
        ("make test:*", "make test -j4", True),
        ("make test:*", "make test -j 4", True),
        ("make test:*", "make test -kj 4 -O -s --no-print-directory", True),
        ("make test:*", "make test -l 2.5 -k -B", True),
        ("make test:*", "make test deploy", False),
        ("make test:*", "make test -k deploy", False),
        ("make test:*", "make test -j deploy", False),
        ("make test:*", "make test -j 4 deploy", False),
        ("make test:*", "make test -- deploy", False),
        ("make test:*", "make test -Wxo deploy", False),
        ("make test:*", "make test -Wx -o y", True),
        ("make test:*", "gmake test deploy", False),
        ("gmake test:*", "gmake test SHELL=x", False),
        ("/usr/bin/make test:*", "/usr/bin/make test deploy", False),
        ("env X=1 make test:*", "env X=1 make test deploy", False),
        ("make -C sub test:*", "make -C sub test deploy", False),
        ("make -C sub:*", "make -C sub test", True),
        ("make -s:*", "make -s test", True),
        ("make test lint:*", "make test lint -k", True),
        ("make:*", "make test deploy", True),
        ("gradle test:*", "gradle test --tests 'a.B*' --info -x lint", True),
        ("gradle test:*", "gradle test publish", False),
        ("./gradlew test:*", "./gradlew test --tests a publish", False),
        ("./gradlew test:*", "./gradlew test -I evil.gradle", False),
        ("mvn test:*", "mvn test -pl core -am -q -T 4", True),
        ("mvn test:*", "mvn test deploy", False),
        ("./mvnw test:*", "./mvnw test -Dexec=x", False),
        ("task test:*", "task test -- -k deploy", True),
        ("task test:*", "task test deploy", False),
        ("just test:*", "just test deploy", False),
        ("just test:*", "just test --shell sh", False),
        ("ninja test:*", "ninja test -j 4 -v", True),
        ("ninja test:*", "ninja test install", False),
        ("rake test:*", "rake test --trace", True),
        ("rake test:*", "rake test deploy", False),
        ("rake test:*", "rake test -r ./evil", False),
        ("invoke test:*", "invoke test deploy", False),
        ("inv test:*", "inv test -c evil", False),
        ("nox -s tests:*", "nox -s tests -r -- -k x", True),
        ("nox -s tests:*", "nox -s tests deploy", False),
        ("nox -s tests:*", "nox -s tests --session=deploy", False),
        ("tox -e py:*", "tox -e py -- -k x", True),
        ("tox -e py:*", "tox -e py -x testenv.commands=id", False),
        ("turbo run build:*", "turbo run build --filter web --concurrency=4", True),
        ("turbo run build:*", "turbo run build -- deploy", True),
        ("turbo run build:*", "turbo run build deploy", False),
        ("npx turbo run build:*", "npx turbo run build deploy", False),
        ("turbo run build:*", "turbo run build --cwd ../x", False),
        ("npm test:*", "npm test deploy", True),
        ("cargo test:*", "cargo test a_filter", True),
    ],
)
def test_targets(rule: str, command: str, is_covered: bool) -> None:
    assert covers_command(rule, command, Path.cwd()) is is_covered


@each(
    ("rule", "command", "is_covered"),
    [
        ("go build:*", "go build -o bin/app ./cmd/app", True),
        ("go build:*", "go build -o=app .", True),
        ("go build:*", "go build -o /dev/null ./...", True),
        ("go build:*", "go build -o ../app .", False),
        ("go build:*", "go build -o=/usr/local/bin/git .", False),
        ("go build:*", "go build -o link/app .", False),
        ("go test:*", "go test -run x -v -count=1 ./...", True),
        ("go test:*", "go test -coverprofile=cover.out ./...", True),
        ("go test:*", "go test -coverprofile=/home/u/x ./...", False),
        ("go test:*", "go test -test.cpuprofile /home/u/x ./...", False),
        ("go test:*", "go test . -args -test.memprofile=../x", False),
        ("cargo build:*", "cargo build --release --target-dir target/x", True),
        ("cargo build:*", "cargo build --target-dir ../x", False),
        ("cargo test:*", "cargo test -- --nocapture --logfile=/home/u/x", False),
        ("git stash:*", "git stash show -p --output=../x", False),
        ("git stash:*", "git stash show -p --outp ../x", False),
        ("git format-patch:*", "git format-patch -o patches main", True),
        ("git format-patch:*", "git format-patch -o../x main", False),
        ("git format-patch:*", "git format-patch -no ../x main", False),
        ("git format-patch:*", "git format-patch -1o../x", False),
        ("git format-patch:*", "git format-patch -no patches main", True),
        ("git commit:*", "git commit -o a.py -m 'x'", True),
        ("git rebase:*", "git rebase --onto main a", True),
        ("pip install:*", "pip install -r requirements.txt", True),
        ("pip install:*", "pip install --targ /home/u/x y", False),
        ("pip install:*", "pip install -qt /home/u/x y", False),
        ("pip install:*", "pip install -Ur ../requirements.txt", True),
        ("pip3 install:*", "pip3 install -t /home/u/x y", False),
        ("pip3.11 install:*", "pip3.11 install --targ=/home/u/x y", False),
        ("pip3 install:*", "pip3 install -r ../requirements.txt", True),
        ("python3.12 -m pip install:*", "python3.12 -m pip install -qt /home/u/x y", False),
        ("uv run pip3 install:*", "uv run pip3 install -t /home/u/x y", False),
        ("uv export:*", "uv export -qo /home/u/x", False),
        ("uv export:*", "uv export -qo=/home/u/x", False),
        ("uv export:*", "uv export -o requirements.txt", True),
        ("uv export:*", "uv export -o/home/u/x", False),
        ("terraform plan:*", "terraform plan -out=/home/u/x", False),
        ("gh run:*", "gh run download -D ../x 1", False),
    ],
)
def test_files_that_are_written(rule: str, command: str, is_covered: bool, tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir(exist_ok=True)
    if not (here / "link").is_symlink():
        (here / "link").symlink_to(tmp_path)
    assert covers_command(rule, command, here) is is_covered


@each(
    ("rule", "ordinary", "more"),
    [
        ("dotnet test:*", "dotnet test -c Release --no-build -v q", "dotnet test -s x"),
        ("dotnet test:*", "dotnet test a.csproj --filter x", "dotnet test -s:x"),
        ("dotnet build:*", "dotnet build -c Release", "dotnet build /P:a=b"),
        ("dotnet build:*", "dotnet build src/a.csproj", "dotnet build -P:a=b"),
        ("dotnet build:*", "dotnet build --nologo", "dotnet build @x"),
        ("bun test:*", "bun test -t x --bail", "bun test -r ./x.ts"),
        ("gradle test:*", "gradle test --stacktrace -s", "gradle test --system-prop=x=y"),
        ("gradle test:*", "gradle test --parallel", "gradle test --project-prop x=y"),
        ("make lint:*", "make lint --touch -s", "make lint --temp-stdin=x"),
        ("cargo nextest run:*", "cargo nextest run --no-fail-fast", "cargo nextest run --config-file x"),
        ("cargo nextest run:*", "cargo nextest run -p a", "cargo nextest run --tool-config-file=a:x"),
        (
            "cargo clippy:*",
            "cargo clippy -- -D warnings -Aclippy::too_many_lines",
            "cargo clippy -- -Zcodegen-backend=x",
        ),
        ("npm exec make a:*", "npm exec make a -s", "npm exec make a --call=x"),
        ("npm x make a:*", "npm x make a", "npm x make a --package=x"),
        ("kubectl kustomize:*", "kubectl kustomize a", "kubectl kustomize a --enable-helm --helm-command=./x"),
    ],
)
def test_options_that_make_a_subcommand_run_or_load_something(rule: str, ordinary: str, more: str) -> None:
    assert covers_command(rule, ordinary, Path.cwd())
    assert not covers_command(rule, more, Path.cwd())


@each(
    ("rule", "command"),
    [
        ("uv run pytest:*", "uv run pytest --tx=x"),
        ("python -m pytest:*", "python -m pytest --junitxml=x"),
        ("python -W error -m pytest:*", "python -W error -m pytest --tx=x"),
        ("poetry run mypy:*", "poetry run mypy --html-report x"),
        (".venv/bin/pytest:*", ".venv/bin/pytest --tx=x"),
        ("uv run .venv/bin/pytest:*", "uv run .venv/bin/pytest --tx=x"),
        ("npx eslint:*", "npx eslint -c x"),
        ("pnpm exec jest:*", "pnpm exec jest -c x"),
        ("yarn vitest:*", "yarn vitest --config x"),
        ("ruff check:*", "ruff check --config x"),
        ("poetry run python -m mypy:*", "poetry run python -m mypy --python-executable=./x m.py"),
        ("uv run -m pytest:*", "uv run -m pytest -c x.ini"),
        ("uv run make test:*", "uv run make test '--eval=$(shell id)'"),
        ("poetry run make test:*", "poetry run make test deploy"),
        ("uv run npm test:*", "uv run npm test --script-shell=./x"),
        ("uv run git fetch:*", "uv run git fetch --upload-pack=./x origin"),
        ("uv run go test:*", "uv run go test -exec=./x"),
        ("poetry run poetry run mypy:*", "poetry run poetry run mypy --python-executable=./x"),
        ("conda run -n x pytest:*", "conda run -n x pytest -p x"),
        ("mise exec -- pytest:*", "mise exec -- pytest -p x"),
        ("direnv exec . make test:*", "direnv exec . make test SHELL=x"),
        ("coverage run -m pytest:*", "coverage run -m pytest -p x"),
        ("pytest-3:*", "pytest-3 -p x"),
        ("uv run pytest-3.11:*", "uv run pytest-3.11 -p x"),
        ("pip3 install:*", "pip3 install --python x y"),
        ("/usr/bin/pip3.11 install:*", "/usr/bin/pip3.11 install --python x y"),
        ("docker compose exec web pytest:*", "docker compose exec web pytest --tx=x"),
    ],
)
def test_a_checker_that_another_program_starts(rule: str, command: str) -> None:
    assert not covers_command(rule, command, Path.cwd())
    assert covers_command(rule, rule.removesuffix(":*"), Path.cwd())


@each(
    ("rule", "command"),
    [
        ("uv run pytest:*", "uv run pytest --co -p no:cacheprovider -q"),
        ("uv run mypy:*", "uv run mypy -p a"),
        ("poetry run ruff:*", "poetry run ruff check --fix"),
        ("npx eslint:*", "npx eslint --fix src"),
        ("npm run eslint:*", "npm run eslint -- --fix"),
        ("conda run -n x pytest:*", "conda run -n x pytest -q tests"),
        ("uv run make test:*", "uv run make test -j 4"),
        ("uv run git fetch:*", "uv run git fetch --all"),
    ],
)
def test_options_of_what_starts_a_checker_are_not_its_own(rule: str, command: str) -> None:
    assert covers_command(rule, command, Path.cwd())


def test_a_rule_of_many_programs_and_a_text_of_many_documents_are_read_at_once() -> None:
    programs = " ".join(["git"] * 60)
    assert covers_command(f"{programs} *", f"{programs} x", Path.cwd())
    assert not covers_command("git commit:*", "git commit -m " + '"$(cat <<A\n' * 20_000, Path.cwd())
