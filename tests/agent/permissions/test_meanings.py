"""What words stand for, and calls with the folders among that."""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.agent.permissions.meanings import links_at, meaning_of, with_folders
from maverick_tui.agent.permissions.patterns import Limits
from maverick_tui.agent.permissions.shell import all_commands
from tests.agent.permissions.deciding import bash, decide


@pytest.fixture
def here(tmp_path: Path) -> Path:
    for path in ("docs/a", "dist/a", "data.txt", "-L", "-d/a"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).touch()
    return tmp_path


def written(command: str, here: Path, unread: Limits | None = None) -> list[list[str]]:
    calls = all_commands(command) or []
    texts = [[word.text for word in words] for words in calls] or [command.split()]
    return [*with_folders(texts, here, meaning_of(calls, here, unread))]


def test_folders_stand_behind_the_pattern_that_they_fit(here: Path) -> None:
    first, second = written("cp -r d* docs", here)
    assert first == ["cp", "-r", "d*", "docs"]
    assert (second[:3], {*second[3:-1]}, second[-1]) == (["cp", "-r", "d*"], {"docs", "dist"}, "docs")


def test_a_call_without_patterns_stays_as_it_is(here: Path) -> None:
    assert written("cp -r docs 'd*'", here) == [["cp", "-r", "docs", "d*"]]


def test_a_name_that_looks_like_an_option_may_be_one(here: Path) -> None:
    _, without, with_options = written("cp -r -* out", here)
    assert without == ["cp", "-r", "-*", "./-d", "out"]
    assert {*with_options} == {"cp", "-r", "-*", "./-d", "-L", "-d", "out"}


def test_in_a_text_that_cannot_be_read_any_word_may_be_a_pattern(here: Path) -> None:
    call = "tar chf - ./doc* $x"
    assert all_commands(call) is None
    assert written(call, here) == [call.split()]
    assert written(call, here, Limits())[1] == ["tar", "chf", "-", "./doc*", "./docs", "$x"]


def test_links_are_found_by_words_that_fit_them(here: Path) -> None:
    (here / "dlink").symlink_to("docs")
    assert links_at(["cat", "d*"], here) == ["dlink"]
    assert links_at(["cat", "x*", "dlink", "./d*"], here) == []


def test_what_is_written_through_a_link_in_a_folder_that_a_pattern_stands_for_asks(project: Path) -> None:
    (project / "target").mkdir()
    (project / "target/a.py").symlink_to(Path.home() / ".profile")
    judge = Judge(["Bash"], project, person=False)
    for command in ("cp src/a.py targ*", "cp src/a.py $PWD/target", "cp -t targ* src/a.py", "mv src/*.py t?rget"):
        assert decide(judge, "Bash", bash(command)) == "deny", command
    for command in ("cp src/a.py sr*", "cp src/a.py $PWD/src"):
        assert decide(judge, "Bash", bash(command)) == "allow", command


def test_more_folders_than_are_looked_at_ask(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maverick_tui.agent.permissions.patterns.MOST_FILES", 20)
    for number in range(30):
        (project / f"pack{number}").mkdir()
    judge = Judge(["Bash"], project, person=False)
    for command in ("tar chf - pack*", "x=1; tar chf - pack*", "diff -r $PWD/pack* src"):
        assert decide(judge, "Bash", bash(command)) == "deny", command
    assert decide(judge, "Bash", bash("tar chf - pack2*")) == "allow"
