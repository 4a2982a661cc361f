"""Calls that ask each time, by the words in which they name a place or search it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.agent.tools import ToolRule
from tests.agent.permissions.deciding import bash, decide
from tests.support.cases import each
from tests.support.effort import effort


def test_a_value_that_is_joined_to_any_number_of_letters_is_looked_at(project: Path) -> None:
    judge = Judge(["Bash(git commit:*)", "Bash(cp:*)"], project, person=False)
    docker = Path.home() / ".docker" / "config.json"
    for command in (
        "git commit -ssssssFkeys", f"git commit -{'s' * 45}F{docker}", f"cp -{'r' * 45}t.git/hooks src/a.py",
        f"cp --{'x' * 60}{docker} src",
    ):  # fmt: skip
        assert decide(judge, "Bash", bash(command)) == "deny", command
    for command in ("git commit -qm words", "cp -rp src/a.py src/b.py"):
        assert decide(judge, "Bash", bash(command)) == "allow", command


@each(
    "command",
    [
        "cat $HOME/.docker/config.json",
        'cat "${{HOME}}/.kube/config"',
        "cd ~ && cat .docker/config.json",
        "cd && cat .docker/config.json",
        'cd "$HOME"; cat .kube/config',
        "pushd {home} && cat .kube/config",
        "cd {home} && grep -rn SECRET .",
        "cd {home} && grep -r SECRET",
        "cd {home} && cp -r . {out}",
        "cd {home} && cat .s*/*rsa",
        "cd {home} && echo x >> .dock*/config.json",
        "cd -P ~ && cat .docker/config.json",
        "cd .. && cd home && cat .docker/config.json",
        "env -C {home} cat .docker/config.json",
        "cat {home}/.aw''s/credentials",
        "mkdir -p $HOME/.config/maverick/agents; echo x > $HOME/.config/maverick/agents/x.py",
        "echo {many} > n1; cat {home}/.docker/config.json",
        "find {home} -type f | xargs cat",
        "du -a {home} | cut -f2 | xargs head",
        "git -C {home} grep --no-index x",
        "git --work-tree={home} add -A",
        "busybox grep -rn x {home}",
        "git -C . apply p",
        "git --no-pager am x",
        "tar --ge -f a.tar",
        "7zz x a.7z",
    ],
)
def test_with_all_of_bash_a_command_that_names_a_protected_place_in_any_way_is_refused(
    command: str, project: Path
) -> None:
    for file in (".docker/config.json", ".kube/config", ".ssh/id_rsa"):
        (Path.home() / file).parent.mkdir(exist_ok=True)
        (Path.home() / file).touch()
    many = " ".join(f"./w{number}" for number in range(320))
    judge = Judge(["Bash"], project, person=False)
    assert decide(judge, "Bash", bash(command.format(home=Path.home(), many=many, out=project / "out"))) == "deny"


def test_with_all_of_bash_ordinary_commands_run(project: Path) -> None:
    judge = Judge(["Bash"], project, person=False)
    many = " ".join(f"word{number}" for number in range(600))
    for command in (
        "cd src && cat a.py", "find src -name '*.py' | xargs wc -l", "git -C src log", f"echo {many} > notes",
        "cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON " * 3, "for f in src/*.py; do echo $f; done", "cd src; ls > out",
        "cd src && grep -rn a .", "make -C src all", "if [ -f a ]; then echo 'x*'; fi",
    ):  # fmt: skip
        assert decide(judge, "Bash", bash(command)) == "allow", command


def test_words_that_are_not_there_yet_count_where_they_would_matter(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(project / "cluster"))
    (Path.home() / ".bash_aliases").symlink_to(project / "aliases")
    (project / "HEAD").write_text("ref: refs/heads/main\n")
    judge = Judge(["Bash(mkdir:*)", "Bash(cp:*)"], project, person=False)
    for command in ("mkdir objects refs", "cp src/a.py aliases", "cp src/a.py cluster"):
        assert decide(judge, "Bash", bash(command)) == "deny", command
    for command in ("mkdir out", "cp src/a.py copy"):
        assert decide(judge, "Bash", bash(command)) == "allow", command


@pytest.mark.parametrize("address", ["file:{}", "file://localhost{}", "FILE:///{}", "$HOME/.docker/x"])
def test_an_address_of_a_file_is_its_path_however_it_is_written(address: str, project: Path) -> None:
    judge = Judge(["mcp__fs__read"], project, person=False)
    key = Path.home() / ".docker" / "config.json"
    assert decide(judge, "mcp__fs__read", {"uri": address.format(key)}) == "deny"


@pytest.mark.parametrize("person", [True, False])
def test_a_name_that_programs_read_differently_asks(person: bool, project: Path) -> None:
    judge = Judge(["Read", "Grep", "Glob", "Write", "mcp__files__read"], project, person=person)
    judge.grant(ToolRule("mcp__files__read"))
    refused = "ask" if person else "deny"
    key = Path.home() / ".ssh" / "id_rsa"
    for odd in ("n\x1c", "n\x1f", "n\x85", "\x1cn", "n\u2028", "n ", "\ufeffn", "z\ufffd"):
        (project / odd).symlink_to(key)
        path = odd.replace("\ufffd", "\ud800")
        for name in (path, str(project / path)):
            assert decide(judge, "Read", {"file_path": name}) == refused, ascii(name)
            assert decide(judge, "Write", {"file_path": name}) == refused, ascii(name)
            assert decide(judge, "Grep", {"path": name, "pattern": "x"}) == refused, ascii(name)
            assert decide(judge, "Glob", {"path": name, "pattern": "*"}) == refused, ascii(name)
            assert decide(judge, "Glob", {"pattern": name}) == refused, ascii(name)
            assert decide(judge, "mcp__files__read", {"file": name}) == refused, ascii(name)
    (project / "shot at 5\u202fPM.png").symlink_to(key)
    assert decide(judge, "Read", {"file_path": "shot at 5 PM.png"}) == refused
    for path in ("src/a b.py", "src/日本\u3000x.py", "src/a\u202fb", "shot at 6 PM.png"):
        assert decide(judge, "Read", {"file_path": path}) == "allow", ascii(path)


@pytest.mark.parametrize("person", [True, False])
def test_no_file_is_called_like_an_option_unasked(person: bool, project: Path) -> None:
    refused = "ask" if person else "deny"
    for tool in ("Edit", "Write", "NotebookEdit"):
        judge = Judge([tool], project, person=person)
        judge.grant(ToolRule(tool))
        for path in ("-o.git/config", "src/--upload-pack=x", str(project / "-n"), "src/../-x/a"):
            assert decide(judge, tool, {"file_path": path}) == refused, path
        assert decide(judge, tool, {"file_path": "src/a-b.py"}) == "allow"


@pytest.mark.parametrize("key", [".ssh/id_rsa", "me/.aws/credentials", "deep/er/.config/gh/hosts.yml", "x/.netrc"])
def test_no_folder_with_keys_in_it_is_searched_elsewhere(key: str, project: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / "src").mkdir(parents=True)
    judge = Judge(["Grep", "Bash(grep:*)"], project, person=False)
    calls: list[tuple[str, dict[str, str]]] = [
        ("Grep", {"pattern": "x", "path": str(other)}),
        ("Bash", {"command": f"grep -r x {other}"}),
    ]
    for tool, arguments in calls:
        assert decide(judge, tool, arguments) == "allow"
    (other / key).parent.mkdir(parents=True)
    (other / key).touch()
    for tool, arguments in calls:
        assert decide(judge, tool, arguments) == "deny"
    assert decide(judge, "Grep", {"pattern": "x", "path": str(other / "src")}) == "allow"


@pytest.mark.parametrize("person", [True, False])
def test_names_are_not_looked_for_where_keys_are(person: bool, project: Path) -> None:
    home, judge = Path.home(), Judge(["Glob"], project, person=person)
    for arguments in (
        {"pattern": f"{home}/.ssh/*"}, {"pattern": "~/.ssh/id*"}, {"pattern": f"{home}/.ss[h]/*"},
        {"pattern": ".ssh/*", "path": str(home)}, {"pattern": f"{{src,{home}/.ssh}}/*"}, {"pattern": f"{home}/.ssh"},
    ):  # fmt: skip
        assert decide(judge, "Glob", arguments) == ("ask" if person else "deny"), arguments
    for arguments in ({"pattern": "**/*.{py,md}"}, {"pattern": "src/*.py"}, {"pattern": "*", "path": "src"}):
        assert decide(judge, "Glob", arguments) == "allow", arguments
    docs = Judge(["Glob(src/**)"], project, person=person)
    assert decide(docs, "Glob", {"pattern": "src/*.py"}) == "allow"
    assert decide(docs, "Glob", {"pattern": "../*", "path": "src"}) == ("ask" if person else "deny")


@pytest.mark.parametrize("person", [True, False])
def test_any_text_of_a_foreign_tool_may_name_a_protected_place(person: bool, project: Path) -> None:
    judge = Judge(["mcp__fs__*", "NotebookEdit"], project, person=person)
    judge.grant(ToolRule("mcp__fs__write"))
    refused, notes = "ask" if person else "deny", {"file_path": "notes.txt"}
    for more in (
        {"path": "~/.ssh/authorized_keys"},
        {"destination": str(Path.home() / ".bashrc")},
        {"edits": [{"to": ".git/config"}]},
        {"files": {".git/hooks/pre-commit": "x"}},
        {"uri": f"file://{Path.home()}/%2Essh/id_rsa"},
        {"many": ["x"] * 400, "to": ".git/config"},
        {"cmd": f"cat {Path.home()}/.netrc; true"},
        {"cmd": "echo x >> .git/config"},
        {"cmd": f"{'x ' * 5_000}; cat ~/.netrc"},
        {"root": str(Path.home() / ".config"), "file": "gh/hosts.yml"},
        {"folder": "~", "name": ".npmrc"},
        {"many": [str(number) for number in range(20_100)]},
    ):
        assert decide(judge, "mcp__fs__write", {**notes, **more}) == refused, more
    assert decide(judge, "mcp__fs__write", {**notes, "content": "see git's config, src/a.py\n" * 500}) == "allow"
    assert decide(judge, "NotebookEdit", {**notes, "notebook_path": "../x"}) == refused


@each(
    "command",
    [
        "jq -L {home} -n 'import \".docker/config\" as $c; $c'",
        "jq -L~ -n 'import \".docker/config\" as $c; $c'",
        'jq -n \'import ".docker/config" as $c {{search: "{home}"}}; $c\'',
        "jq -L {home}/.config -n 'import \"gh/hosts\" as $c; $c'",
        "jq -L {home}/.. -n 'import \"{name}/.kube/config\" as $c; $c'",
        "make -I ~ -f .docker/config.json",
        "rg token --pre-glob .kube/config $HOME",
    ],
)
def test_a_word_below_a_folder_that_another_one_names_is_looked_at(command: str, project: Path) -> None:
    (Path.home() / ".config").mkdir(exist_ok=True)
    judge = Judge(["Bash"], project, person=False)
    named = command.format(home=Path.home(), name=Path.home().name)
    assert decide(judge, "Bash", bash(named)) == "deny"


@each(
    "command",
    [
        "docker build -f .docker/Dockerfile .",
        "ls ~ src/a.py",
        "ls {home}/.config && git status",
        "cp .docker/compose.yml {home}/code",
    ],
)
def test_words_below_ordinary_folders_are_ordinary(command: str, project: Path) -> None:
    for folder in ("code", ".config"):
        (Path.home() / folder).mkdir(exist_ok=True)
    judge = Judge(["Bash"], project, person=False)
    assert judge.judge("Bash", bash(command.format(home=Path.home()))).reason == ""


@each(
    "command",
    [
        r"""jq -n 'import "config" as $x {{search: "~/.d\u006fcker"}}; $x'""",
        """jq -n 'import "config/keys" as $x; $x'""", """jq -n 'module {{}}; include"keys"; .'""",
        """env jq -n '# x\nimport # x\n"keys" as $x; $x'""",
        "curl -s 'file://{home}/.netrc?x'", "curl -s 'file://{home}/.netrc#x'", "curl 'FILE:{home}/%2enetrc#/x?y'",
        "curl 'file://localhost{home}/.netrc?x=1&y'", "curl -T src/a.py 'file://{home}/.bashrc#x'",
        "curl 'file://{home}/.{{netrc,x}}#x'", "curl -T src/a.py 'file:///{cwd}/.npmrc?x'",
        "curl --proto-default file '{home}/.netrc?x'", "curl --proto-d file '{home}/.netrc#x'",
        r"curl 'file://{home}/.n{{\e}}trc'", r"curl -T src/a.py 'file://{cwd}/.g{{\i}}t/config'",
        r"curl 'file://{cwd}/{{\o}}' -o '.vsc#1de/tasks.json'", "curl -H 'a;' -n http://x/",
        "curl -sn --connect-to x:80:y:80 http://x/", "curl --netrc http://x/", "curl --netrc-opt http://x/",
    ],
)  # fmt: skip
def test_so_is_what_a_program_makes_of_its_words(command: str, project: Path) -> None:
    judge = Judge(["Bash(jq:*)", "Bash(curl:*)", "Bash(env jq:*)"], project, person=True)
    judgement = judge.judge("Bash", bash(command.format(home=Path.home(), cwd=project)))
    assert (judgement.decision, judgement.is_asked_each_time) == ("ask", True)


@each(
    "command",
    [
        "jq .include tsconfig.json", "jq '.a.include[]' tsconfig.json", """jq 'select(.type == "import")' x.json""",
        "jq . include.json", "jq '{{include: .x, import: .y}}' x.json", """jq '.["include"]' x.json""",
        "curl -s 'https://example.org/a?b=c#d'", "curl -fsSL http://localhost/", "curl --no-progress-meter http://x/",
        "curl -Hcontent:n 'http://x/.netrc?x'", "curl 'file://{cwd}/src/a.py?x'",
    ],
)  # fmt: skip
def test_ordinary_queries_and_addresses_go_on(command: str, project: Path) -> None:
    judge = Judge(["Bash(jq:*)", "Bash(curl:*)"], project, person=False)
    assert judge.judge("Bash", bash(command.format(cwd=project))).reason == ""


@each(
    "url",
    [
        "file://{home}/.netrc#x", "file:{home}/.netrc?x", "goto('file://{home}/.netrc#x')", "fi\tle://{home}/.netrc",
        " file:\\\\{home}\\.net\nrc", "file:{home}/.net%72c",
    ],
)  # fmt: skip
def test_no_tool_of_others_is_given_the_address_of_a_key(url: str, project: Path) -> None:
    judge = Judge(["mcp__b__open"], project, person=False)
    assert decide(judge, "mcp__b__open", {"url": url.format(home=Path.home())}) == "deny"
    assert decide(judge, "mcp__b__open", {"url": f"file://{project}/src/a.py#x"}) == "allow"


@pytest.mark.parametrize("path", ["{home}", "{home}/", "~", "/", ".."])
def test_no_tool_of_others_is_given_a_folder_with_a_home_directory_in_it(path: str, project: Path) -> None:
    judge = Judge(["mcp__rg__search"], project, person=False)
    given = {"pattern": "x", "path": path.format(home=Path.home())}
    is_above = path != ".." or Path.home().is_relative_to(project.parent)
    assert decide(judge, "mcp__rg__search", given) == ("deny" if is_above else "allow")
    assert decide(judge, "mcp__rg__search", {"pattern": "either / or", "path": "."}) == "allow"


@each(
    "given",
    [
        {"paths": ["{home}"]}, {"options": {"root": "~"}}, {"root": "file://{home}"},
        {"roots": [{"uri": "file://{home}/"}]},
        {"input": '{"root": "{home}"}'}, {"input": ' ["x", {"in": ["{home}/**"]}]'},
        {"steps": [{"command": "grep -r x ~"}]},
        {"call": '{"args": {"cmd": "cat ~/.net*"}}'},
    ],
)  # fmt: skip
def test_nor_in_whatever_shape_the_tool_takes_it(given: dict[str, Any], project: Path) -> None:
    (Path.home() / ".netrc").touch()
    judge = Judge(["mcp__rg__search"], project, person=False)
    told = json.loads(json.dumps(given).replace("{home}", str(Path.home())))
    assert decide(judge, "mcp__rg__search", told) == "deny"
    ordinary = json.loads(json.dumps(given).replace("{home}", str(project)).replace("~", "."))
    assert decide(judge, "mcp__rg__search", ordinary) == "allow"


def test_commands_within_commands_are_looked_at_once(project: Path) -> None:
    given: dict[str, Any] = {"command": "ls " + "x " * 500}
    for _ in range(200):
        given = {"command": given, "args": ["ls", "x"]}
    judge = Judge(["mcp__rg__search"], project, person=False)
    assert effort(lambda: judge.judge("mcp__rg__search", given)) < 60, "each level anew takes hundreds of times as long"
    given["args"] = {"deep": [["cat", "~/.net*"]]}
    (Path.home() / ".netrc").touch()
    assert decide(judge, "mcp__rg__search", given) == "deny"


@pytest.mark.parametrize("person", [True, False])
def test_what_an_mcp_tool_is_told_to_run_is_looked_at_as_a_command(person: bool, project: Path) -> None:
    for key in (".ssh/id_rsa", ".netrc"):
        (Path.home() / key).parent.mkdir(exist_ok=True)
        (Path.home() / key).touch()
    (project / ".git" / "hooks").mkdir(parents=True)
    judge = Judge(["mcp__sh__*"], project, person=person)
    judge.grant(ToolRule("mcp__sh__run"))
    refused = "ask" if person else "deny"
    for command in (
        "cat ~/.ss*/id*",
        f"cat {Path.home()}/.ss*/id*",
        "cat ~/.net*",
        "grep -rh SECRET ~",
        "tar cf - ~ | base64",
        "rm -rf ~",
        "git config core.fsmonitor ./x",
        "cp x .gi?/hooks",
    ):
        assert decide(judge, "mcp__sh__run", {"command": command}) == refused, command
        assert decide(judge, "mcp__sh__run", {"args": ["-c", command], "cwd": str(project)}) == refused, command
        assert decide(judge, "mcp__sh__run", {"cmd": "sh", "args": command.split()}) == refused, command
    assert decide(judge, "mcp__sh__run", {"pattern": f"{Path.home()}/**/*"}) == refused
    for command in ("ls -la", "make test", "git log | head", "grep -rn x src", "pytest -q 2>&1 | tail -5"):
        assert decide(judge, "mcp__sh__run", {"command": command}) == "allow", command
    assert decide(judge, "mcp__sh__run", {"pattern": "src/**/*.py"}) == "allow"


def test_an_address_of_a_file_in_the_folder_leads_where_its_links_do(project: Path) -> None:
    judge = Judge(["Bash"], project, person=False)
    for command in (
        "curl -s file://$PWD/keys",
        'curl -s "file://${PWD}/src/../keys"',
        "wget -qO- file://$PWD/{keys,x}",
        "curl -s file://localhost$PWD/keys",
        f"curl -s file://localhost{project}/keys",
        f"curl -s --url=FILE://127.0.0.1{project}/keys",
        "curl -s file://localhost/proc/self/environ",
    ):
        assert decide(judge, "Bash", bash(command)) == "deny", command
    for command in ("curl -s file://$PWD/src/a.py", "curl -s https://example.org/keys"):
        assert decide(judge, "Bash", bash(command)) == "allow", command


@each(
    "command",
    [
        "kubectl exec -n prod api-7 -- curl -s localhost:8080/healthz", "nice -n 10 curl -sO http://x/a.txt",
        "docker run --rm --network host curlimages/curl curl -s localhost", "watch -n 5 curl -s localhost:8080/health",
        "for i in 1 2 3; do curl -s localhost:8080 | head -n 5; done", 'if [ -n "$T" ]; then curl -s http://x; fi',
        "while ! curl -s localhost; do sleep 1; done; tail -n 20 server.log", 'x=$(curl -s localhost); echo -n "$x"',
        "git commit -m 'zip: add .ssh handling'", "python -m pip install cleanvision -e .",
        "python -m pip install -e . clean-text",
    ],
)  # fmt: skip
def test_words_of_other_programs_are_not_taken_for_those_of_curl_zip_or_pip(command: str, project: Path) -> None:
    assert Judge(["Bash"], project, person=False).judge("Bash", bash(command)).reason == ""
