"""Every trick would do what it is feared for: one that does nothing proves nothing. Nobody stands in its way here."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from itertools import groupby

import pytest

from tests.attacks.sandbox import KEY, SECRETS, Sandbox, changes
from tests.attacks.shell_tricks import tricks_for
from tests.attacks.tricks import Trick

TRICKS = [*tricks_for("bash"), *tricks_for("zsh")]
EFFECTIVE = {name: tuple(members) for name, members in groupby(TRICKS, lambda trick: trick.family)}
PATIENCE = 120.0
GRACE = 3.0


def run(sandbox: Sandbox, trick: Trick) -> tuple[str, list[str]]:
    """What it says, and what it changes."""
    command = sandbox.place(trick.command, trick.id)
    before = sandbox.state()
    # A file and no pipe: what stays in the background would keep a pipe open.
    with tempfile.TemporaryFile() as output:
        subprocess.run(
            [trick.shell, "-c", 'command=$1; shift; eval "$command"', trick.shell, command],
            cwd=sandbox.project,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            timeout=PATIENCE,
            check=False,
        )
        changed = changes(before, sandbox.state())
        until = time.monotonic() + GRACE
        while trick.effect == "change" and not changed and time.monotonic() < until:  # it works in the background
            time.sleep(0.02)
            changed = changes(before, sandbox.state())
        sandbox.end_processes()
        if "git " in command:  # others leave something of their own, and can be tried side by side
            sandbox.restore()
        output.seek(0)
        return output.read().decode(errors="replace"), changed


# It says something about the tricks and nothing about Maverick, so that it is for those who change them.
@pytest.mark.skipif(not os.environ.get("ATTACK"), reason="ATTACK names no tricks; ATTACK=all is all of them")
@pytest.mark.parametrize("family", EFFECTIVE)
def test_tricks_work_where_nobody_forbids_them(family: str, sandbox: Sandbox) -> None:
    blunt = []
    sandbox.name_a_program()
    for trick in EFFECTIVE[family]:
        if trick.unarmed or trick.effect == "none" or not all(map(shutil.which, trick.needs)):
            continue
        output, changed = run(sandbox, trick)
        is_told = any(secret.lower() in output.lower() for secret in (KEY, *SECRETS.values()))
        if not (is_told if trick.effect == "leak" else changed):
            blunt.append(f"{trick.id}: {trick.command[:200]!r} -> {output[:300]!r}")
    assert not blunt, f"{len(blunt)} tricks do nothing:\n" + "\n".join(blunt)
