"""Which agents are found, in which order, and which of them are loaded without a question."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from maverick_tui import AgentNotFoundError, ConfigError, MaverickAgent, paths
from maverick_tui.agent.catalog import folders
from maverick_tui.agent.catalog.discovery import Catalog, discover, lint
from maverick_tui.agent.catalog.listing import AgentListing
from maverick_tui.agent.catalog.loading import load, prepare
from maverick_tui.agent.catalog.trust import NotTrustedError, TrustStore
from tests.support.sampling import sampled

PYTHON = """from maverick_tui import MaverickAgent

class {class_name}(MaverickAgent):
    "In Python."
    system_prompt = "You."
    async def execute(self, context): return await self.run("go", context)
"""

EXTRA_CLASS = "class Copilot(Pilot): ...\n"


@pytest.fixture(autouse=True)
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in place of the agents that we ship."""
    monkeypatch.setattr(paths, "PACKAGE", tmp_path / "package")
    folder = tmp_path / "package" / "agents"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def store() -> TrustStore:
    return TrustStore()


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def write_markdown(folder: Path, name: str, fields: str = "", description: str = "In Markdown.") -> Path:
    text = f"---\nname: {name}\ndescription: {description}\n{fields}\n---\nYou are {name}.\n"
    return write(folder / f"{name}.md", text)


def write_python(folder: Path, class_name: str) -> Path:
    return write(folder / f"{class_name.lower()}.py", PYTHON.format(class_name=class_name))


def found(cwd: Path | None = None) -> Catalog:
    return discover(cwd or Path.cwd())


def names(catalog: Catalog) -> list[str]:
    return [agent.name for agent in catalog.agents]


def only(catalog: Catalog) -> AgentListing:
    (agent,) = catalog.agents
    return agent


# -- what is found ---------------------------------------------------------------------------------------------------


def test_without_agents_there_is_nothing_and_nothing_is_wrong() -> None:
    catalog = found()
    assert (catalog.agents, catalog.shadowed, catalog.problems, catalog.checked) == ([], [], [], 0)


def test_a_listing_says_what_is_known() -> None:
    path = write_markdown(Path(".claude/agents").resolve(), "reviewer", "tools: Read\nmodel: opus")
    agent = only(found())
    assert agent.to_json() == {
        "name": "reviewer",
        "description": "In Markdown.",
        "source": "project",
        "form": "markdown",
        "path": str(path),
        "model": "opus",
        "tools": ["Read"],
        "problems": [],
        "needs_trust": False,
        "stands_in_for": None,
        "inputs": [],
    }
    assert json.dumps(agent.to_json())


def test_sources_come_in_their_order(home: Path, shipped: Path) -> None:
    write_markdown(shipped, "shipped")
    write_markdown(paths.claude_config() / "agents", "claude-user")
    write_python(paths.user_config() / "agents", "UserPython")
    write_markdown(Path(".claude/agents/deep/er"), "claude-project")
    write_python(Path(".maverick/agents/deep"), "ProjectPython")
    assert [(agent.name, agent.source, agent.form) for agent in found().agents] == [
        ("project-python", "project", "python"),
        ("claude-project", "project", "markdown"),
        ("user-python", "user", "python"),
        ("claude-user", "user", "markdown"),
        ("shipped", "shipped", "markdown"),
    ]


def test_python_is_not_looked_for_in_claudes_folders() -> None:
    write_python(Path(".claude/agents"), "Reviewer")
    assert found().checked == 0


def test_the_order_within_a_folder_is_that_of_the_names() -> None:
    for name in ("b", "c", "a"):
        write_markdown(Path(".maverick/agents"), name)
    write_markdown(Path(".maverick/agents/0"), "d")
    assert names(found()) == ["a", "b", "c", "d"]


def test_folders_above_count_up_to_the_root_of_the_repository(tmp_path: Path) -> None:
    inner = tmp_path / "above" / "repository" / "inner"
    (inner.parent / ".git").mkdir(parents=True)
    write_markdown(tmp_path / "above" / ".maverick/agents", "outside")
    write_markdown(inner.parent / ".maverick/agents", "root")
    inner.mkdir()
    assert names(found(inner)) == ["root"]


def test_hidden_files_and_helpers_are_left_out() -> None:
    folder = Path(".maverick/agents")
    for name in ("_helper.py", ".hidden.md", "__pycache__/x.py", ".git/x.md", "notes.txt"):
        write(folder / name, "nonsense")
    assert found().checked == 0


def test_a_readme_is_a_warning() -> None:
    write(Path(".claude/agents/README.md"), "# Our agents")
    (problem,) = found().problems
    assert (problem.severity, problem.line) == ("warning", 1)


# -- names -----------------------------------------------------------------------------------------------------------


def test_the_nearest_of_a_name_hides_the_others(tmp_path: Path, shipped: Path) -> None:
    inner = tmp_path / "repository" / "inner"
    (inner.parent / ".git").mkdir(parents=True)
    places = [
        inner / ".maverick/agents",
        inner.parent / ".maverick/agents",
        inner / ".claude/agents",
        inner.parent / ".claude/agents",
        paths.user_config() / "agents",
        paths.claude_config() / "agents",
        shipped,
    ]
    for number, place in enumerate(places):
        write_markdown(place, "reviewer", description=str(number))
    catalog = found(inner)
    assert [agent.description for agent in catalog.agents] == ["0"]
    assert [agent.description for agent in catalog.shadowed] == ["1", "2", "3", "4", "5", "6"]
    assert catalog.problems == []


@pytest.mark.parametrize("theirs", ["shipped", "user"])
def test_a_projects_file_in_the_place_of_another_is_only_loaded_once_it_is_trusted(shipped: Path, theirs: str) -> None:
    write_markdown(shipped if theirs == "shipped" else paths.user_config() / "agents", "reviewer", "tools: Read")
    path = write_markdown(Path(".maverick/agents"), "reviewer")
    agent = only(found())
    assert (agent.source, agent.needs_trust, agent.stands_in_for) == ("project", True, ("reviewer", theirs))
    store = TrustStore()
    with pytest.raises(NotTrustedError, match=rf"in the place of 'reviewer' \({theirs}\), .* is not trusted"):
        load(agent, store)
    store.trust(path, path.read_bytes())
    assert load(agent, store).name == "reviewer"
    path.write_text(path.read_text() + "And more.\n")
    with pytest.raises(NotTrustedError, match="has changed"):
        load(only(found()), store)


def test_a_user_may_stand_in_for_whom_they_like_and_a_project_for_itself(shipped: Path, tmp_path: Path) -> None:
    write_markdown(shipped, "reviewer")
    write_markdown(paths.user_config() / "agents", "reviewer")
    agent = only(found())
    assert (agent.source, agent.needs_trust, agent.beware) == ("user", False, "stands in for the shipped reviewer")
    load(agent, TrustStore())
    inner = tmp_path / "repository" / "inner"
    (inner.parent / ".git").mkdir(parents=True)
    for folder in (inner, inner.parent):
        write_markdown(folder / ".maverick/agents", "own")
    own = found(inner).get("own")
    assert (own.needs_trust, own.stands_in_for) == (False, None)


@pytest.mark.parametrize("name", ["rev1ewer", "revlewer", "revievver", "reviewer"])
def test_a_projects_file_whose_name_looks_like_another_must_be_trusted_too(shipped: Path, name: str) -> None:
    write_markdown(shipped, "reviewer")
    write_markdown(Path(".maverick/agents"), name)
    agent = found().get(name)
    assert agent.source == "project"
    assert agent.needs_trust
    assert agent.beware == ("stands in for" if name == "reviewer" else "looks like") + " the shipped reviewer"


@pytest.mark.parametrize("folder", [".maverick/agents", ".claude/agents"])
@pytest.mark.parametrize("decoys", [["rev1ewer"], ["revievver"], ["rev1ewer", "rev1evver", "revlewer", "revievver"]])
@pytest.mark.parametrize("file", sampled(["{}-{}.md", "z{}-{}.md"], 2, ["before", "after"]))
@pytest.mark.parametrize("theirs", ["shipped", "user"])
def test_a_decoy_that_looks_alike_does_not_hide_who_stands_in(
    shipped: Path, theirs: str, file: str, decoys: list[str], folder: str
) -> None:
    write_markdown(shipped if theirs == "shipped" else paths.user_config() / "agents", "reviewer")
    write_markdown(Path(folder), "reviewer")
    for number, name in enumerate(decoys):
        text = f"---\nname: {name}\ndescription: A decoy.\n---\nYou are {name}.\n"
        write(Path(folder) / file.format(number, name), text)
    for name in ("reviewer", *decoys):
        agent = found().get(name)
        assert (agent.source, agent.needs_trust, agent.stands_in_for) == ("project", True, ("reviewer", theirs))
        with pytest.raises(NotTrustedError):
            load(agent, TrustStore())


def test_a_decoy_in_another_folder_of_the_project_does_not_hide_who_stands_in(shipped: Path) -> None:
    write_markdown(shipped, "reviewer")
    write_markdown(Path(".maverick/agents"), "rev1ewer")
    write_markdown(Path(".claude/agents"), "reviewer")
    assert [(agent.name, agent.needs_trust) for agent in found().agents] == [("rev1ewer", True), ("reviewer", True)]


def test_whose_very_name_it_has_is_named_before_one_that_looks_like_it(shipped: Path) -> None:
    write_markdown(Path(".maverick/agents"), "reviewer")
    write_markdown(paths.user_config() / "agents", "rev1ewer")
    write_markdown(shipped, "reviewer")
    assert found().get("reviewer").beware == "stands in for the shipped reviewer"
    assert found().get("rev1ewer").beware == "looks like the shipped reviewer"


def test_an_agent_with_errors_hides_the_others_of_its_name_too(shipped: Path) -> None:
    write_markdown(shipped, "reviewer")
    write_markdown(Path(".claude/agents"), "reviewer", "allowed_tools: Read")
    agent = only(found())
    assert (agent.source, agent.has_errors, agent.tools) == ("project", True, None)


def test_the_second_of_a_name_in_one_place_is_a_problem() -> None:
    first = write_markdown(Path(".maverick/agents").resolve(), "reviewer")
    second = write_python(Path(".maverick/agents").resolve() / "zzz", "Reviewer")
    catalog = found()
    assert only(catalog).path == first
    (problem,) = catalog.problems
    assert (problem.path, problem.line, problem.severity) == (str(second), 3, "error")
    assert str(first) in problem.message


def test_a_link_to_an_agent_that_was_read_is_left_out() -> None:
    path = write_markdown(Path(".maverick/agents").resolve(), "reviewer")
    (path.parent / "alias.md").symlink_to(path)
    catalog = found()
    assert (len(catalog.agents), catalog.problems) == (1, [])


def test_an_unknown_name_is_answered_with_suggestions() -> None:
    write_markdown(Path(".maverick/agents"), "reviewer")
    with pytest.raises(AgentNotFoundError, match="Did you mean 'reviewer'"):
        found().get("reviewr")


def test_the_name_of_a_file_is_answered_with_the_agents_in_it() -> None:
    path = write(Path(".maverick/agents/flight.py").resolve(), PYTHON.format(class_name="Pilot") + EXTRA_CLASS)
    write(path.with_name("other.md"), "no agent")
    with pytest.raises(AgentNotFoundError) as caught:
        found().get("flight")
    assert caught.value.hint.startswith(f"{path} defines 'pilot' and 'copilot'. ")
    assert f"Not everything could be listed: {path.with_name('other.md')}." in caught.value.hint


# -- folders with too much in them -----------------------------------------------------------------------------------


def test_too_many_files_are_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "MAX_FILES", 3)
    for number in range(5):
        write_markdown(Path(".maverick/agents"), f"a{number}")
    catalog = found()
    assert names(catalog) == ["a0", "a1", "a2"]
    assert "more than 3 files" in catalog.problems[0].message


def test_too_many_bytes_are_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    size = write_markdown(Path(".maverick/agents"), "a0").stat().st_size
    write_markdown(Path(".maverick/agents"), "a1")
    monkeypatch.setattr(folders, "MAX_FOLDER_BYTES", size + 1)
    catalog = found()
    assert names(catalog) == ["a0"]
    assert "bytes of agent files" in catalog.problems[0].message


# -- installed packages ----------------------------------------------------------------------------------------------


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An installed package with agents; importing it leaves a file behind."""
    site = tmp_path / "site"
    trace = f"open({str(tmp_path / 'imported')!r}, 'w').close()\n"
    write(site / "flightdeck" / "__init__.py", trace)
    write(site / "flightdeck" / "agents.py", trace + PYTHON.format(class_name="Pilot"))
    write(site / "flightdeck" / "exports.py", "from flightdeck.agents import Pilot as Copilot\n")
    write(site / "flightdeck" / "broken.py", "1 / 0\n")
    info = site / "flightdeck-1.0.dist-info"
    write(info / "METADATA", "Metadata-Version: 2.1\nName: flightdeck\nVersion: 1.0\nSummary: Flies.\n")
    write(
        info / "entry_points.txt",
        "[maverick.agents]\n"
        "pilot = flightdeck.agents:Pilot\n"
        "copilot = flightdeck.exports:Copilot\n"
        "gone = flightdeck.gone:Pilot\n"
        "broken = flightdeck.broken:Pilot\n"
        "odd = flightdeck.agents\n"
        "two words = flightdeck.agents:Pilot\n",
    )
    monkeypatch.syspath_prepend(site)
    yield tmp_path / "imported"
    for name in [name for name in sys.modules if name.split(".")[0] == "flightdeck"]:
        del sys.modules[name]


def test_packages_are_listed_without_importing_them(package: Path) -> None:
    catalog = found()
    listed = {agent.name: agent for agent in catalog.agents}
    assert set(listed) == {"pilot", "copilot", "gone", "broken"}
    assert {(agent.source, agent.form, agent.needs_trust) for agent in catalog.agents} == {
        ("package", "package", False)
    }
    pilot, copilot = listed["pilot"], listed["copilot"]
    assert (pilot.description, pilot.tools, pilot.path and pilot.path.name) == ("In Python.", (), "agents.py")
    assert (copilot.description, copilot.tools, copilot.problems) == ("Flies.", None, ())
    assert not package.exists()
    messages = [problem.message for problem in catalog.problems]
    assert len(messages) == 3
    assert any("'flightdeck.gone' cannot be found" in message for message in messages)
    assert any("does not name a class" in message for message in messages)
    assert any("cannot be an agent's" in message for message in messages)


def test_packages_are_imported_when_they_are_loaded(package: Path, store: TrustStore) -> None:
    catalog = found()
    pilot = load(catalog.get("pilot"), store)
    assert load(catalog.get("copilot"), store) is pilot
    assert package.exists()
    with pytest.raises(ConfigError, match=r"broken\.py:1 cannot be loaded: ZeroDivisionError"):
        load(catalog.get("broken"), store)
    with pytest.raises(ConfigError, match="cannot be found"):
        load(catalog.get("gone"), store)


# -- loading and trust -----------------------------------------------------------------------------------------------

HOOKS = "hooks: {Stop: [{hooks: [{type: command, command: ./x}]}]}"
STDIO = "mcpServers: {a: {command: x}}"
HTTP = "mcpServers: {a: {type: http, url: 'https://x.invalid'}}"


@pytest.mark.parametrize("fields", ["", "tools: Read, Bash"])
def test_a_projects_markdown_agent_is_loaded_without_a_question(fields: str, store: TrustStore) -> None:
    write_markdown(Path(".claude/agents"), "reviewer", fields)
    agent = only(found())
    assert not agent.needs_trust
    assert issubclass(load(agent, store), MaverickAgent)


@pytest.mark.parametrize("fields", [HOOKS, STDIO, HTTP])
def test_a_projects_markdown_agent_that_reaches_out_must_be_trusted(fields: str, store: TrustStore) -> None:
    path = write_markdown(Path(".claude/agents"), "reviewer", fields)
    agent = only(found())
    assert agent.needs_trust
    with pytest.raises(NotTrustedError, match="maverick agents trust reviewer"):
        load(agent, store)
    store.trust(path, path.read_bytes())
    assert load(agent, store)().name == "reviewer"


def test_a_projects_python_agent_must_be_trusted_and_is_run_only_then(store: TrustStore, tmp_path: Path) -> None:
    path = write_python(Path(".maverick/agents"), "Reviewer")
    with path.open("a") as file:
        file.write(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n")
    agent = only(found())
    with pytest.raises(NotTrustedError, match="is not trusted") as caught:
        load(agent, store)
    assert isinstance(caught.value, ConfigError)
    assert not (tmp_path / "ran").exists()
    store.trust(path, path.read_bytes())
    assert load(agent, store)().name == "reviewer"
    assert (tmp_path / "ran").exists()
    with path.open("a") as file:
        file.write("# harmless\n")
    with pytest.raises(NotTrustedError, match="has changed since it was trusted"):
        load(agent, store)


def test_a_projects_links_are_not_followed_out_of_it(tmp_path: Path) -> None:
    target = write_python(tmp_path / "elsewhere", "Reviewer")
    folder = Path(".maverick/agents").resolve()
    write_markdown(folder.parents[1] / "tools", "inside")
    folder.mkdir(parents=True)
    (folder / "inside").symlink_to("../../tools")
    (folder / "file.py").symlink_to(target)
    (folder / "folder").symlink_to(target.parent)
    (folder / "root").symlink_to("/")
    (folder.parents[1] / ".claude").symlink_to(target.parent)
    catalog = found()
    assert names(catalog) == ["inside"]
    told = {problem.path: (problem.message, problem.severity) for problem in catalog.problems}
    assert told == {
        str(path): (f"Leads out of the project, to {place}; it is not read.", "warning")
        for path, place in {
            folder / "file.py": target,
            folder / "folder": target.parent,
            folder / "root": "/",
            folder.parents[1] / ".claude/agents": target.parent / "agents",
        }.items()
    }


def test_a_persons_own_links_are_followed(tmp_path: Path) -> None:
    write_markdown(tmp_path / "dotfiles", "reviewer")
    paths.user_config().mkdir(parents=True)
    (paths.user_config() / "agents").symlink_to(tmp_path / "dotfiles")
    assert (only(found()).source, lint(paths.user_config() / "agents").problems) == ("user", [])


@pytest.mark.parametrize("theirs", ["shipped", "user"])
def test_a_project_cannot_read_an_agent_first_to_stand_in_for_it_unmarked(shipped: Path, theirs: str) -> None:
    original = shipped if theirs == "shipped" else paths.user_config() / "agents"
    write_markdown(original, "reviewer", "tools: Read")
    write(Path(".maverick/agents/a.md"), "---\nname: reviewer\ndescription: d\ntools: Bash\n---\nYou.\n")
    # By another name of the same file: no check of links can tell that it is the person's.
    os.link(original / "reviewer.md", ".maverick/agents/z.md")
    Path(".maverick/agents/z").symlink_to(original)
    agent = only(found())
    assert (agent.source, agent.needs_trust, agent.stands_in_for) == ("project", True, ("reviewer", theirs))
    with pytest.raises(NotTrustedError):
        load(agent, TrustStore())


def test_what_the_user_has_installed_is_trusted(store: TrustStore, shipped: Path) -> None:
    write_python(paths.user_config() / "agents", "Reviewer")
    write_python(shipped, "Shipped")
    catalog = found()
    assert [agent.needs_trust for agent in catalog.agents] == [False, False]
    for agent in catalog.agents:
        assert issubclass(load(agent, store), MaverickAgent)


def test_a_users_agent_does_not_run_a_projects_server_without_trust(store: TrustStore) -> None:
    servers = write(Path(".mcp.json").resolve(), json.dumps({"mcpServers": {"github": {"command": "evil"}}}))
    write_markdown(paths.claude_config() / "agents", "reviewer", "mcpServers: [github]")
    agent = only(found())
    assert agent.needs_trust
    assert prepare(agent).to_trust == ((servers, servers.read_bytes()),)
    with pytest.raises(NotTrustedError, match=r"\.mcp\.json"):
        load(agent, store)
    store.trust(servers, servers.read_bytes())
    assert load(agent, store).mcp_servers["github"] == {"type": "stdio", "command": "evil"}


def test_a_projects_agent_with_a_projects_server_needs_both_to_be_trusted() -> None:
    write(Path(".mcp.json"), json.dumps({"mcpServers": {"github": {"command": "x"}}}))
    write_markdown(Path(".claude/agents"), "reviewer", "tools: mcp__github")
    assert [path.name for path, _ in prepare(only(found())).to_trust] == ["reviewer.md", ".mcp.json"]


def test_what_an_agents_file_prints_is_no_output_of_ours(
    store: TrustStore, capsys: pytest.CaptureFixture[str], package: Path
) -> None:
    path = write_python(paths.user_config() / "agents", "Reviewer")
    path.write_text(path.read_text() + "print('loud file')\n")
    (package.parent / "site/flightdeck/__init__.py").write_text("print('loud package')\n")
    catalog = found()
    load(catalog.get("reviewer"), store)
    load(catalog.get("pilot"), store)
    assert capsys.readouterr() == ("", "loud file\nloud package\n")


def test_an_agent_with_errors_is_not_loaded(store: TrustStore) -> None:
    write_markdown(Path(".claude/agents"), "reviewer", "allowed_tools: Read\nmax_turns: 1")
    told = r"reviewer\.md:4: .*allowed_tools.* Did you mean 'tools'\? \S*reviewer\.md:5: .*max_turns"
    with pytest.raises(ConfigError, match=told) as caught:
        load(only(found()), store)
    assert (caught.value.line, caught.value.hint) == (4, "Correct them, then run: maverick agents check")


def test_an_agent_that_was_broken_or_moved_since_it_was_listed_is_not_loaded(store: TrustStore) -> None:
    path = write_markdown(Path(".claude/agents"), "reviewer")
    agent = only(found())
    path.write_text(path.read_text().replace("name: reviewer", "name: other"))
    with pytest.raises(ConfigError, match="no longer holds the agent"):
        load(agent, store)
    path.write_text("nonsense")
    with pytest.raises(ConfigError, match="no front matter"):
        load(agent, store)
    path.unlink()
    with pytest.raises(ConfigError, match="Cannot be read"):
        load(agent, store)


# -- checking --------------------------------------------------------------------------------------------------------


def test_one_file_is_checked() -> None:
    report = lint(write_markdown(Path("anywhere"), "reviewer", "allowed_tools: Read"))
    assert (report.checked, [problem.line for problem in report.problems]) == (1, [4])
    assert lint(write_markdown(Path("anywhere"), "other")).problems == []


def test_a_folder_of_agents_is_checked() -> None:
    write_markdown(Path("mine/a"), "reviewer")
    write_markdown(Path("mine/b"), "reviewer")
    report = lint(Path("mine"))
    assert report.checked == 2
    assert "defined already" in report.problems[0].message


def test_a_projects_folder_is_checked_for_its_agents() -> None:
    write(Path("project/README.md"), "not an agent")
    write_markdown(Path("project/.claude/agents"), "reviewer", "author: me")
    report = lint(Path("project"))
    assert (report.checked, [problem.severity for problem in report.problems]) == (1, ["warning"])


def test_a_file_that_is_checked_finds_the_servers_of_its_project() -> None:
    write(Path("project/.mcp.json"), json.dumps({"mcpServers": {"github": {"command": "x"}}}))
    path = write_markdown(Path("project/.claude/agents/deep"), "reviewer", "mcpServers: [github]")
    assert lint(path).problems == lint(path.parent).problems == lint(Path("project")).problems == []


def test_what_is_no_agent_file_is_said_to_be_none() -> None:
    assert "Is not an agent file" in lint(write(Path("x.txt"), "x")).problems[0].message


def test_a_path_is_reported_in_full() -> None:
    path = write_markdown(Path("anywhere"), "reviewer", "author: me")
    assert [problem.path for problem in lint(path).problems] == [str(path.resolve())]
    assert [problem.path for problem in lint(path.parent).problems] == [str(path.resolve())]


def test_what_we_ship_is_not_counted_unless_it_is_broken(shipped: Path) -> None:
    write_markdown(shipped, "shipped")
    write_markdown(Path(".claude/agents"), "mine")
    assert found().checked == 1
    write_markdown(shipped, "broken", "author: me")
    assert found().checked == 2


def test_what_we_ship_has_no_problems(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert [str(problem) for problem in lint(paths.shipped("agents")).problems] == []
