"""Each way in which a denying rule may be written denies what people mean by it, or is refused with what to write."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.agent.permissions.named_paths import fitting, may_fit
from maverick_tui.agent.permissions.rule_files import add_rule
from maverick_tui.agent.permissions.rule_texts import wrong_with
from maverick_tui.agent.permissions.standing import RuleBook, user_file
from maverick_tui.agent.tools import BUILTIN_TOOLS
from maverick_tui.exceptions import ConfigError
from maverick_tui.executor.files.globs import matcher
from tests.agent.permissions.deciding import TOOLS, bash, decide, judge_in, write
from tests.support.cases import each
from tests.support.sampling import sampled

TOOLS_HERE = [*TOOLS, "mcp__fs__read", "own:lookup"]
NFD = unicodedata.normalize("NFD", "Schlüssel.txt")


def read(path: str) -> tuple[str, dict[str, Any]]:
    return "Read", {"file_path": path}


def start(kind: str) -> tuple[str, dict[str, Any]]:
    return "Agent", {"description": "x", "prompt": "x", "subagent_type": kind}


def fetch(url: str) -> tuple[str, dict[str, Any]]:
    return "WebFetch", {"url": url, "prompt": "x"}


def run(command: str) -> tuple[str, dict[str, Any]]:
    return "Bash", bash(command)


def skill(name: str) -> tuple[str, dict[str, Any]]:
    return "Skill", {"skill": name}


DENYING: list[tuple[str, tuple[str, dict[str, Any]]]] = [
    # files: brackets and braces of names, and as signs
    *((f"Read({rule})", read(path)) for rule, path in (
        ("app/[slug]/**", "app/[slug]/page.tsx"), ("app/[slug]/**", "app/s/page.tsx"), ("app/[slug]", "app/[slug]/x"),
        ("app/[...slug]/**", "app/[...slug]/a"), ("app/[[...slug]]/**", "app/[[...slug]]/a"),
        ("app/(group)/@modal/(.)photo/**", "app/(group)/@modal/(.)photo/a"), ("app/[id]/[tab]/*", "app/[id]/[tab]/a"),
        ("app/[id].[jt]s", "app/[id].js"), ("app/[a]-[b]-[c]-[d]", "app/[a]-[b]-[c]-[d]"), ("[!a]x", "[!a]x"),
        (r"app/\[slug\]/**", "app/[slug]/page.tsx"), (r"app/\[[ab]\]", "app/[a]"), (r"\*.txt", "*.txt"),
        (r"My\ Docs/**", "My Docs/a"), (r"a\,b", "a,b"), (r"\{a,b\}.txt", "{a,b}.txt"), (r"a\\b", "a\\b"),
        ("{a,b}.txt", "a.txt"), ("{a,b}.txt", "{a,b}.txt"), ("{a/b,c}/x", "c/x"), ("{a,b}/[c]", "a/[c]"),
        ("**/[slug]/*", "x/y/[slug]/a"), ("APP/[slug]/**", "app/[Slug]/a"), ("[", "["), ("{", "{"), ("?[x]", "a[x]"),
    )),
    # files: where they begin, and stars
    *((f"Read({rule})", read(path)) for rule, path in (
        (".env", ".env"), ("./.env", ".env"), (".env/", ".env"), ("docs/**", "docs/a/b"), ("docs/*", "docs/a"),
        ("docs", "docs/a"), ("**/*.pem", "a/b/c.pem"), ("*", "a"), ("**", "a/b"), (".", "a/b"), ("./", "a/b"),
        ("~/notes/**", "~/notes/a"), ("~/", "~/notes/a"), ("./~x", "./~x"), ("./!x", "!x"), ("//etc/**", "/etc/hosts"),
        ("/etc/hosts", "/etc/hosts"), ("/docs/**", "docs/a"), ("//", "/etc/hosts"), ("$lang/x", "$lang/x"),
        ("geheim/Schlüssel.txt", f"geheim/{NFD}"), (f"geheim/{NFD}", "geheim/Schlüssel.txt"),
        ("geheim/SCHLÜSSEL.*", f"geheim/{NFD}"), ("geheim/Schl[ü]ssel.txt", "geheim/Schlüssel.txt"), ("a'b", "a'b"),
    )),
    # the other tools for files
    ("Edit(app/[slug]/**)", ("Edit", {"file_path": "app/[slug]/a"})),
    ("Edit(app/[slug]/**)", ("Write", {"file_path": "app/[slug]/a"})),
    ("Write(app/[slug]/**)", ("Edit", {"file_path": "app/[slug]/a"})),
    ("NotebookEdit(app/[slug]/**)", ("NotebookEdit", {"notebook_path": "app/[slug]/a", "new_source": ""})),
    ("Grep(app/[slug]/**)", ("Grep", {"pattern": "x", "path": "app/[slug]"})),
    ("Glob(app/[slug]/**)", ("Glob", {"pattern": "*", "path": "app/[slug]"})),
    ("LSP(app/[slug]/**)", ("LSP", {"operation": "hover", "filePath": "app/[slug]/a"})),
    ("Read(app/[slug]/**)", ("Grep", {"pattern": "x", "path": "app/[slug]"})),
    ("Read(app/[slug]/**)", run("cat 'app/[slug]/page.tsx'")),
    ("Edit(app/[slug]/**)", run("rm -r 'app/[slug]'")),
    # hosts
    *((f"WebFetch({rule})", fetch(url)) for rule, url in (
        ("domain:*", "https://example.org/x"), ("domain:*", "http://localhost:8080"), ("*", "https://example.org/x"),
        ("domain:a.*", "https://a.example"), ("domain:a.*", "https://b.a.example"), ("domain:*.a.org", "https://b.a.org"),
        ("domain:*.a.org", "https://a.org"), ("domain:*a.org", "https://ba.org"), ("domain:x*.org", "https://xyz.org"),
        ("domain:A.org", "https://a.ORG."), ("domain:.a.org", "https://a.org"), ("domain:a.org.", "https://a.org"),
        ("domain:a-b.org", "https://a-b.org"), ("domain:münchen.de", "https://xn--mnchen-3ya.de"),
        ("domain:10.0.*", "http://10.0.0.7/"),
    )),
    # subagents and skills
    *((f"Agent({rule})", start(kind)) for rule, kind in (
        ("Explore", "Explore"), ("Explore, Plan", "Explore"), ("Explore, Plan", "plan"), ("Explore,Plan", "Plan"),
        ("Gen*", "general-purpose"), ("*purpose", "general-purpose"), ("kit:*", "kit:check"), ("*", "x"), ("**", "x"),
        ("kit:check", "kit:check"), ("Explore:*", "Explore"), ("general purpose", "general-purpose"),
    )),
    ("Task(Explore)", start("Explore")),
    ("Agent(general-purpose)", ("Agent", {"description": "x", "prompt": "x"})),
    *((f"Skill({rule})", skill(name)) for rule, name in (
        ("deploy", "deploy"), ("deploy:*", "deploy"), ("deploy *", "deploy"), ("dep*", "deploy"), ("/deploy", "deploy"),
        ("kit:deploy", "kit:deploy"), ("kit:*", "kit:deploy"), ("deploy, release", "release"),
        ("deploy prod", "deploy"), ("*", "x"), ("*ploy", "deploy"),
    )),
    # commands
    *((f"Bash({rule})", run(command)) for rule, command in (
        ("git push", "git push"), ("git push:*", "git push -f"), ("git push *", "git push"), ("git*", "git push"),
        ("* --force", "git push --force"), ("*", "ls"), ("**", "ls"), ('"git push"', "git push"),
        ('git commit -m "x y"', 'git commit -m "x y"'), ("make && make install", "make && make install"),
        ("FOO=1 make", "FOO=1 make"), ("make > out", "make > out"), ("./run.sh", "./run.sh"),
        ("(git push)", "(git push)"),
        ("echo $HOME", "echo $HOME"), ("  git push", "git push"), ("sort -t, x", "sort -t, x"),
    )),
    ("Monitor(git push:*)", ("Monitor", bash("git push"))),
    ("PowerShell(git push:*)", ("PowerShell", bash("git push"))),
    # all of a tool
    *((f"{tool}{all_of_it}", (tool, {})) for tool in BUILTIN_TOOLS for all_of_it in ("", "()", "(*)")),
    *((rule, ("mcp__fs__read", {})) for rule in ("mcp__fs__read", "mcp__fs__*", "mcp__*")),
    ("own:lookup", ("own:lookup", {})),
    # what of a tool that has nothing to be told apart by
    *((f"{tool}(x)", (tool, {})) for tool in BUILTIN_TOOLS - {"Read", "Edit", "Write", "NotebookEdit", "Glob", "Grep",
      "LSP", "Bash", "Monitor", "PowerShell", "WebFetch", "Agent", "Task", "Skill"}),
]  # fmt: skip


@pytest.mark.parametrize("effect", sampled(["deny", "ask"], 2))
def test_what_is_accepted_denies(effect: str, project: Path) -> None:
    failed = list[object]()
    for rule, (tool, arguments) in DENYING:
        if why := wrong_with(rule, "deny"):
            failed.append((rule, why))
            continue
        write(f'allow = ["Bash", "WebFetch", "Skill", "mcp__fs__read", "own:lookup"]\n{effect} = {json.dumps([rule])}')
        found = Judge(TOOLS_HERE, project, person=False, standing=RuleBook(project)).judge(tool, arguments)
        if found.decision != "deny" or found.rule is None or found.rule.entry != rule:
            failed.append((rule, tool, arguments, found))
    assert failed == []


NO_RULES = [
    *(f"Read({said})" for said in (
        "~", "~me/x", "file:///x", "FILE:///x", "https://a.org/x", "C:\\x", "C:/x", "!.env", "{~/a,~/b}", "{/etc/x,a}",
        "{..,a}/x", "$PWD/x", "${HOME}/x", "$XDG_CONFIG_HOME/x", r"src\a.py", r".*\.env", "x\\", "@(a|b)", "`.env`",
        ".env, secrets/**", ".env,secrets/**", "{a,b},c", " ",
    )),
    *(f"WebFetch({said})" for said in ("domain:a.org, b.org", "domain:a.org:80", "domain:https://a.org",
      "domain:a?.org", "domain:{a,b}.org", "domain: a.org", "a.org", "*.a.org", " ")),
    *(f"Bash({said})" for said in ("git push:*, git pull:*", "git push:*,git pull:*", "git push, git pull", " ")),
    "Monitor('git' *)", "Agent(,)", "Agent(Explore,)", "Skill(/)", "own:*", "own:look*", "own:",
]  # fmt: skip


@each("rule", NO_RULES)
def test_what_would_deny_nothing_is_no_rule(rule: str) -> None:
    assert wrong_with(rule, "deny")
    with pytest.raises(ConfigError, match="is no rule"):
        add_rule(user_file(), "deny", rule)


def test_a_file_that_has_one_says_what_to_write_and_lets_nothing_run_by_itself(project: Path) -> None:
    write('deny = ["Read(~me/x)"]')
    found = judge_in(project).judge(*run("ls"), mode="default")
    assert (found.decision, "//home/somebody/x" in found.reason) == ("ask", True)
    write('allow = ["Edit(a,b)"]')  # a name
    assert decide(judge_in(project), "Edit", {"file_path": "a,b"}, "default") == "allow"


def test_others_are_left_alone(project: Path) -> None:
    denied = (
        "Read(app/[slug]/**)", r"Read(x/\[id\])", "Read({a/b,c}/x)", "WebFetch(domain:a.*)", "Agent(Explore, Plan)",
        "Skill(deploy prod)", "Read(Schlüssel.txt)",
    )  # fmt: skip
    write(f'allow = ["Bash", "WebFetch", "Skill"]\ndeny = {json.dumps(denied)}')
    for name in ("app/[slug]/a", "app/slug/a", "src/b", "c/x", "a/b/x"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).touch()
    write("Look.\n", project / ".claude" / "skills" / "release" / "SKILL.md")
    judge = judge_in(project)
    for tool, arguments in (
        read("app/slug/page.tsx"), read("app/[slu]/a"), read("x/i"), read("Schlussel.txt"), read("a/c/x"),
        fetch("https://b.org/a.x"), fetch("https://ba.org"), start("general-purpose"), skill("release"),
        ("Grep", {"pattern": "x", "path": "src"}), ("Grep", {"pattern": "x", "path": "app/slug"}),
    ):  # fmt: skip
        assert decide(judge, tool, arguments) == "allow", arguments
    for path in ("c", "a", "app", "."):
        assert decide(judge, "Grep", {"pattern": "x", "path": path}) in ("ask", "deny"), path


def test_a_link_that_is_named_with_brackets_is_followed(project: Path) -> None:
    (project / "[id]").symlink_to("src")
    (project / f"geheim-{NFD}").symlink_to("src")
    for rule in ("[id]", r"\[id\]", "[id]/a.py", "geheim-Schlüssel.txt"):
        write(f"deny = ['Read({rule})']")
        assert decide(judge_in(project), *read("src/a.py")) == "deny", rule


def test_the_whole_folder_is_searched_by_nobody(project: Path) -> None:
    for rule in (".", "./", "**"):
        write(f'deny = ["Read({rule})"]')
        assert decide(judge_in(project, person=False), "Grep", {"pattern": "x"}) == "deny", rule


def test_what_allows_is_read_strictly(project: Path) -> None:
    allowed = (
        "Edit(app/[slug]/**)", r"Edit(x/\[id\])", "Edit({a,b}.txt)", "Edit(Schlüssel.txt)", "WebFetch(domain:a.*)",
    )  # fmt: skip
    write(f"allow = {json.dumps(allowed)}")
    judge = judge_in(project)
    for path, decision in (
        ("app/s/a", "allow"), ("app/[slug]/a", "ask"), ("x/[id]", "allow"), ("x/i", "ask"), ("a.txt", "allow"),
        ("{a,b}.txt", "ask"), ("Schlüssel.txt", "allow"), (NFD, "ask"),
    ):  # fmt: skip
        assert decide(judge, "Edit", {"file_path": path}, "default") == decision, path
    assert decide(judge, *fetch("https://a.org")) == "ask"
    write('allow = ["WebFetch(domain:*)"]')
    assert decide(judge_in(project), *fetch("https://a.org")) == "allow"
    assert decide(judge_in(project), *fetch("https://a.org@b.org")) == "ask"
    agent = Judge(["Agent(Explore, Plan)"], project, person=False)
    assert [decide(agent, *start(kind)) for kind in ("Explore", "Plan", "general-purpose")] == [
        "allow",
        "allow",
        "deny",
    ]


def test_a_name_takes_no_longer_than_its_length(project: Path) -> None:
    """As a regular expression it would take years; the test is that it ends."""
    write(f'ask = ["Skill({"*a" * 40}b)", "Agent({"*a" * 40}b)", "WebFetch(domain:{"*a" * 40}b)"]')
    for tool, arguments in (skill("a" * 5_000), start("a" * 5_000), fetch(f"https://{'a' * 5_000}/")):
        assert decide(judge_in(project, person=False), tool, arguments) in ("allow", "deny")


def test_brackets_take_no_longer_than_their_number(tmp_path: Path) -> None:
    rule = "[a]*" * 400 + "b"
    assert not may_fit(tmp_path / ("a" * 250), rule, tmp_path)
    assert fitting([str(tmp_path / ("a" * 250))], rule, tmp_path) == []
    assert matcher("[a]" * 500, broadly=True)("[a]" * 500)
