"""What braces, variables and curl's own signs make of a word, as bash does."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from maverick_tui.agent.permissions.shell import folders_entered, goes_elsewhere, mentions
from maverick_tui.agent.permissions.written_out import TooManyError, by_curl, plain_names, unquoted, written_out
from tests.agent.permissions.deciding import bash, judged, write
from tests.support.cases import each

WORDS = [
    "a{b,c}d", "{a,b}{c,d}", "a{b,{c,d}e}f", "{,a}", "a{b}c", "{a..e}", "{e..a}", "{1..5}", "{01..05}", "{-2..2}",
    "{5..1}", "x{a,b}y{1..3}z", "{a,b", "{}", "${x}", "a,b", "{{a,b},c}", "{a,b}}", ".{netrc,x}", "{~,x}/.n{e,}trc",
]  # fmt: skip


def test_all_words_that_bash_makes_are_written_out() -> None:
    for word in WORDS:
        command = f"x=v; printf '%s\\n' {word.replace('~', 'T')}"
        made = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True).stdout.split()
        ours = written_out(word.replace("~", "T")).replace("${x}", "v").split()
        is_open = word.count("{") != word.count("}")  # which is more to us than to bash
        assert set(made) <= {*ours} or is_open, word


def test_many_numbers_are_one_sign_and_too_many_words_are_said_to_be() -> None:
    assert len(written_out("{1..100000}").split()) == 3
    assert written_out("{a..z}" * 4) == "{a..z}" * 4, "it names no place"
    with pytest.raises(TooManyError):
        written_out("~/." + "{a..z}" * 4)
    assert mentions("cat ~/." + "{a..z}" * 4) is None
    assert unquoted('[{"a":1,"b":"x/y"}' + ',{"a":1,"b":"x/y"}' * 20 + "]").count("{") == 21


@each(
    ("text", "plain"),
    [
        ("cat $HOME/x ${HOME}/y ${HOME%/}/z ${HOME:-a}", "cat ~/x ~/y ~/z ~"),
        ("ls $PWD ${PWD}/a ~+/b ~-/c", "ls . ./a ./b ./c"),
        ("git${IFS}config a\\\nb", "git config ab"),
        ("echo $HOMES a~+ ${PWDX}", "echo $HOMES a~+ ${PWDX}"),
    ],
)
def test_variables_that_everybody_knows_are_their_values(text: str, plain: str) -> None:
    assert plain_names(text) == plain


def test_curl_has_signs_of_its_own() -> None:
    assert {"file:///.aws", "file:///.awt"} <= set(by_curl(["curl", "file:///.aw[s-t]"]))
    assert "file:///.netrc" in set(by_curl(["curl", "file:///.ne{t}rc"]))
    assert ".bashrc" in set(by_curl(["curl", "http://x/[h-h]", "-o", ".bas#1rc"]))
    assert list(by_curl(["curl", "-o", "a#1", "http://x"])) == []
    assert list(by_curl(["curl", "-d", "[" + ",".join(['{"a":1,"b":2,"c":3}'] * 20) + "]"])) == [], "it is data"
    with pytest.raises(TooManyError):
        list(by_curl(["curl", "file:///" + "{a,b,c,d}" * 9]))


@each(
    ("command", "folders"),
    [
        ("cd src && ls", ["src"]),
        ("cd", ["~"]),
        ("cd -P -- src; ls", ["src"]),
        ("echo `cd ~/x; ls`", ["~/x"]),
        ("cd<a ~/x; ls", ["a", "~/x", "a ~/x"]),
        ("cd &>a ~/x; ls", ["a", "~/x", "a ~/x"]),
        ("cd $HOME/.{a..b}", ["~/.a", "~/.b", "~/.a ~/.b"]),
        ("env -C src ls; make --directory=x", ["src", "x"]),
    ],
)
def test_where_a_command_goes_is_told(command: str, folders: list[str]) -> None:
    assert folders_entered(command) == folders


def test_cd_that_looks_elsewhere_is_noticed() -> None:
    for command in ("CDPATH=~; cd x", "export CDPATH=/x; cd y", "CDPATH='/x' cd y", "cdpath=(~); cd x"):
        assert goes_elsewhere(command), command
    for command in ("CDPATH= cd x", "CDPATH='' cd x", "unset CDPATH; cd x", "cd x"):
        assert not goes_elsewhere(command), command


@pytest.mark.explore
def test_a_long_text_takes_no_long_time() -> None:
    """Each of these would take minutes if it were looked at again from each of its letters."""
    for text in ("1" * 200_000, "{" * 100_000, "{}" * 50_000, "{a," * 300, "'" * 99_999, "$(" * 50_000, "a" * 200_000):
        mentions(f"$(x) ~/{text}")
        folders_entered(f"$(x) cd {text}")


@pytest.mark.parametrize(
    "command",
    [
        *(
            "sed -n w.git/config c",
            "sed '1,$w.maverick/rules.toml' c",
            "sed s/h/j/w.vscode/x c",
            "sed s,h,j,gw.git/x c",
        ),
        *(
            "sed s,h,j,gw.git/x c",
            "sed /x/w.git/x c",
            "sed '1e.git/x' c",
            "vim -es '+w!.git/x' +q c",
            "ex -sc'w!.git/x|q' c",
        ),
        *("sed -n w.git/config c > out", "x=$(sed -n w.git/config c)", "sed rsrc/key.txt c", "sed wdocs/x c"),
    ],
)
def test_a_file_may_be_joined_to_the_letter_that_opens_it(command: str, project: Path) -> None:
    write('allow = ["Bash(sed:*)", "Bash(vim:*)", "Bash(ex:*)"]\ndeny = ["Read(src/key.txt)", "Edit(docs/**)"]')
    assert judged(project, "Bash", bash(command), person=False).decision == "deny"


@pytest.mark.parametrize("command", ["sed -i s/a/bar.git/ c", "sed s/x/server.env/ c", "sed -i 's/we are/here/g' c"])
def test_letters_of_ordinary_words_open_none(command: str, project: Path) -> None:
    write('allow = ["Bash(sed:*)"]\ndeny = ["Read(.env)"]')
    assert judged(project, "Bash", bash(command)).decision == "allow"
