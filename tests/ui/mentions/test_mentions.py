"""Files that a prompt names: which are there, which are meant, and how the menu completes them."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

from maverick_tui.ui.mentions.choice import MentionChoice
from maverick_tui.ui.mentions.files import read_names
from maverick_tui.ui.mentions.ranking import Ranking
from maverick_tui.ui.widgets.command_menu import ChoiceMenu
from tests.support.runs import Tape
from tests.ui.running import FedApp, watching
from tests.ui.waiting import until


def make(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")


def test_git_says_which_files_there_are_and_a_plain_folder_is_walked(tmp_path: Path) -> None:
    make(
        tmp_path,
        "shop/cart.py",
        "my notes.txt",
        "build/out.o",
        "README",
        'say "hi".txt',
        "two\nlines",
        "node_modules/x",
    )
    assert sorted(read_names(tmp_path)) == ["README", "build/out.o", "my notes.txt", "shop/cart.py"]
    (tmp_path / ".gitignore").write_text("build\nnode_modules\n")
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    subprocess.run(["git", "-C", tmp_path, "add", "README"], check=True)
    assert sorted(read_names(tmp_path)) == [".gitignore", "README", "my notes.txt", "shop/cart.py"]
    assert read_names(tmp_path / "shop") == ["cart.py"], "as they are named in the folder that the run works in"


async def test_the_name_of_the_file_counts_most_and_what_was_used_comes_first() -> None:
    ranking = Ranking(["docs/cart/index.md", "shop/chart.py", "shop/cart.py", "c/a/r/t", "my_cart.py", "other.py"])
    assert await ranking.best("cart", {}) == [
        "shop/cart.py", "my_cart.py", "docs/cart/index.md", "shop/chart.py", "c/a/r/t",
    ]  # fmt: skip
    assert (await ranking.best("CAR", {"docs/cart/index.md": 0}))[0] == "docs/cart/index.md"
    assert (await ranking.best("", {"my_cart.py": 0}))[0] == "my_cart.py"
    assert (await ranking.best("", {"no\x1b]0;such\x07": 0, "my_cart.py": 1}))[0] == "my_cart.py", "a model names any"
    assert await ranking.best("cartq", {}) == []
    assert "other.py" in await ranking.best("oth", {}), "other letters are looked for among all"


async def test_many_names_do_not_hold_up_what_else_there_is_to_do() -> None:
    ranking = Ranking([f"folder{number % 97}/file_{number}.py" for number in range(100_000)])
    searching, turns = asyncio.create_task(ranking.best("fil9", {})), 0
    while not searching.done():
        await asyncio.sleep(0)
        turns += 1
    assert turns > 5, "others have their turn in between"
    assert len(searching.result()) == 30


def test_only_what_begins_with_an_at_sign_of_its_own_names_a_file() -> None:
    wanted: list[str] = []
    choice = MentionChoice(wanted.append, lambda: None)
    for text in ("see @ca", "(@ca", "@", "me@ca", "see @ca ", '@"ca', "@a@b"):
        choice.look(text)
    assert wanted == ["ca", "ca", ""]
    choice.look("see @ca")
    choice.offer("ca", ["cart.py", "my notes.txt"])
    assert choice.completion("see @ca") == (4, "@cart.py ")
    choice.step(1)
    assert choice.completion("see @ca") == (4, '@"my notes.txt" ')
    assert choice.completion("see") is None, "it has not seen this place"
    choice.look("see @cart.py")
    choice.offer("cart.py", ["cart.py"])
    assert choice.completion("see @cart.py") is None, "it is whole"
    choice.refuse()
    choice.look("see @cart.p")
    choice.offer("cart.p", ["cart.py"])
    assert not choice.names, "who has closed it is left alone"
    choice.look("see @x and @c")
    choice.offer("c", ["cart.py"])
    assert choice.names == ("cart.py",), "another one is offered again"


def test_in_a_command_of_the_shell_a_file_is_one_word_and_none_within_quotes() -> None:
    choice = MentionChoice(lambda _wanted: None, lambda: None)
    for name, word in {
        "my notes;id": "'my notes;id'",
        "-rf": "./-rf",
        "$(id)": "'$(id)'",
        "cart.py": "cart.py",
    }.items():
        choice.look("!cat @c")
        choice.offer("c", [name])
        assert choice.completion("!cat @c", command="!cat @c") == (5, f"{word} ")
        choice.look("!cat '@c")
        choice.offer("c", [name])
        assert choice.completion("!cat '@c", command="!cat '@c") is None
        choice.look("@c")
        choice.offer("c", [name])
        assert choice.completion("@c", command="!cat '\n@c") is None, "they were begun in the line before"


def listed(app: FedApp) -> list[str]:
    menus = app.run_screen.query(ChoiceMenu)
    return [line.strip() for one in menus if one.display for line in one.text.splitlines()]


async def test_an_at_sign_lists_files_and_keys_complete_close_and_send(tmp_path: Path) -> None:
    make(tmp_path, "shop/cart.py", "shop/till.py", "my notes.txt")
    tape = Tape(cwd=str(tmp_path)).connect().prompt("Go").say("Done.").done()
    async with watching(tape, size=(80, 24)) as (app, pilot):
        prompt = app.run_screen.prompt
        await pilot.press(*"see @py")
        await until(pilot, lambda: listed(app) == ["▸ shop/cart.py", "shop/till.py"])
        await until(pilot, lambda: "Enter or Tab completes it" in str(prompt.border_subtitle))
        await pilot.press("down", "enter")
        assert prompt.text == "see @shop/till.py "
        await until(pilot, lambda: not listed(app))
        await pilot.press(*"and @note")
        await until(pilot, lambda: listed(app) == ["▸ my notes.txt"])
        await pilot.press("tab")
        assert prompt.text == 'see @shop/till.py and @"my notes.txt" '
        await pilot.press(*"or @ca")
        await until(pilot, lambda: listed(app) != [])
        await pilot.press("left")
        await until(pilot, lambda: not listed(app), "the cursor is elsewhere")
        await pilot.press("end", "r", "escape")
        await until(pilot, lambda: not listed(app))
        assert app.kept.take() == [], "nothing was interrupted, and nothing sent"
        await pilot.press("enter")
        await until(pilot, lambda: bool(app.kept.commands))
        assert app.kept.commands[-1].text == 'see @shop/till.py and @"my notes.txt" or @car'  # type: ignore[attr-defined]
