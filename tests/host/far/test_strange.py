"""What another machine says is held against what it must be: it steers no terminal, and hides no other machine."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

from maverick_tui.cli.live_text import print_live
from maverick_tui.exceptions import NetworkError
from maverick_tui.host.far.asking import find_there, list_there, start_there, stop_there
from maverick_tui.host.far.following import FarFollower
from maverick_tui.host.far.machines import find_machine
from maverick_tui.host.lines import HostHello, ToldState, hello_line, host_hello
from maverick_tui.host.live import live_from_json
from maverick_tui.host.orders import Order
from maverick_tui.host.state import LiveState
from maverick_tui.runs.digest import digest_from_json
from tests.host.far.fake_ssh import THERE, fake_ssh
from tests.host.far.test_failures import HELLO
from tests.host.served_run import RUN

STEERING = "\x1b]0;PWNED\x07\x1b[2J\x9b31m\u202e"
ODD: tuple[Any, ...] = (None, True, "x", [{}], {"a": 1}, 10**400, float("nan"))
GOOD = {
    **LiveState().to_json(), "run_id": RUN, "phase": "asks", "asks": ["Bash"], "read_by": ["pts/1"], "has_host": True,
    "answers": True, "started_at": 1.0, "memory": 1, "readers": 1, "pid": 1, "version": "1", "cost_usd": 1.5,
}  # fmt: skip


def answering(monkeypatch: pytest.MonkeyPatch, answer: dict[str, Any]) -> None:
    """Have a gateway answer everything so."""
    said = shlex.quote(json.dumps({"answer": answer}))
    fake_ssh(monkeypatch, f"echo '{HELLO}'; while read line; do printf '%s\\n' {said}; done")


@pytest.mark.parametrize("run_id", [STEERING, 7])
async def test_an_id_is_an_id(monkeypatch: pytest.MonkeyPatch, run_id: object) -> None:
    answering(monkeypatch, {"run_id": run_id, "runs": [{"run_id": run_id}]})
    machine = find_machine(THERE)
    for asked in (
        lambda: find_there(machine, "x"),
        lambda: start_there(machine, Order(RUN, "reviewer", "")),
        lambda: stop_there(machine, "x"),
    ):
        with pytest.raises(NetworkError, match="there says something strange: it names no run"):
            await asked()
    with pytest.raises(NetworkError, match="names no run"):
        FarFollower(machine, "x", follows=False)
    assert await list_there(machine) == []


async def test_what_was_started_is_what_was_ordered(monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, {"run_id": "0therrun0000"})
    with pytest.raises(NetworkError, match=f"instead of {RUN}"):
        await start_there(find_machine(THERE), Order(RUN, "reviewer", ""))


def test_whatever_is_told_of_a_run_it_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    runs = [live_from_json({**GOOD, name: value}, THERE) for name in GOOD if name != "run_id" for value in ODD]
    print_live([run for run in runs if run is not None])
    assert capsys.readouterr().out.count(f"{THERE}:{RUN[:8]}") == len(runs)
    good = live_from_json(GOOD, THERE)
    assert good is not None
    assert {name: good.to_json()[name] for name in GOOD} == GOOD, "and what makes sense is told as it was"
    run = live_from_json({**GOOD, "phase": STEERING}, THERE)
    assert run is not None
    print_live([run])
    assert not set("\x1b\x07\x9b\u202e") & set(capsys.readouterr().out)


def test_a_host_says_who_it_is_and_what_makes_sense_of_its_state() -> None:
    assert {*ToldState._fields} == {*LiveState().to_json(), "read_by", "told_at"}
    hello = HostHello(
        RUN, "reviewer", 1, "1", 1, 0, 1.0, state={"asks": 5, "phase": "asks", "away": {"since": 10**400}}
    )
    told = host_hello(hello_line(hello)).state
    assert told == {"phase": "asks", "away": {"since": 10**400}}
    assert digest_from_json(told["away"]) is None
    wrong: tuple[tuple[str, Any], ...] = (("schema", "x"), ("events", None), ("pid", [1]), ("started", {}), ("you", 1))
    for field, value in wrong:
        with pytest.raises(ValueError, match="does not say who it is"):
            host_hello(hello_line(hello._replace(**{field: value})))


@pytest.mark.parametrize("field", ["away", "background"])
def test_what_is_nested_without_end_in_a_list_of_another_machine_is_printed(field: str) -> None:
    deep: dict[str, Any] = {}
    for _ in range(900):
        deep = {"a": deep}
    for told in (deep, [deep]):
        run = live_from_json({"run_id": "578c4f3ceb80", field: told}, "there")
        assert run is not None
        assert len(json.dumps(run.to_json())) < 2_000
