"""What the user trusts: exact bytes at a path, remembered safely."""

from __future__ import annotations

import fcntl
import json
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from maverick_tui import ConfigError, paths
from maverick_tui.agent.catalog.trust import TrustStore, fingerprint
from maverick_tui.folder_locks import WRITER, alone


def test_nothing_is_trusted_at_first_and_nothing_is_created(tmp_path: Path) -> None:
    store = TrustStore(tmp_path / "state")
    assert not store.is_trusted(Path("a.py"), b"x")
    assert not store.is_known(Path("a.py"))
    assert not store.revoke(Path("a.py"))
    assert not (tmp_path / "state").exists()


def test_the_users_state_folder_is_the_default() -> None:
    assert TrustStore().path == paths.user_state() / "trusted.json"


def test_exactly_the_trusted_bytes_at_that_path_are_trusted(tmp_path: Path) -> None:
    TrustStore(tmp_path).trust(Path("a.py"), b"x")
    store = TrustStore(tmp_path)
    assert store.is_trusted(Path("a.py"), b"x")
    assert not store.is_trusted(Path("a.py"), b"x ")
    assert not store.is_trusted(Path("b.py"), b"x")
    assert store.is_known(Path("a.py"))


@pytest.mark.parametrize(
    "change", [TrustStore.trust, lambda store, path, _: store.revoke(path)], ids=["trust", "revoke"]
)
def test_a_change_is_read_and_written_while_nobody_else_can(
    tmp_path: Path, change: Callable[[TrustStore, Path, bytes], object]
) -> None:
    TrustStore(tmp_path).trust(Path("a.py"), b"old")
    seen = []

    class Watched(TrustStore):
        def _read(self) -> dict[str, str]:
            seen.append(("read", is_free(tmp_path)))
            return super()._read()

        def _write(self, trusted: dict[str, str]) -> None:
            seen.append(("written", is_free(tmp_path)))
            super()._write(trusted)

    change(Watched(tmp_path), Path("a.py"), b"new")
    assert seen[-2:] == [("read", False), ("written", False)]
    assert is_free(tmp_path)


def test_who_is_alone_with_a_folder_keeps_everybody_else_out(tmp_path: Path) -> None:
    with alone(tmp_path):
        assert not is_free(tmp_path)
    assert is_free(tmp_path)


def is_free(folder: Path) -> bool:
    """Whether somebody else could lock the folder at this moment."""
    with (folder / WRITER).open() as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def test_trusting_a_change_ends_the_trust_in_what_was_before(tmp_path: Path) -> None:
    store = TrustStore(tmp_path)
    store.trust(Path("a.py"), b"old")
    store.trust(Path("a.py"), b"new")
    assert not store.is_trusted(Path("a.py"), b"old")
    assert store.is_trusted(Path("a.py"), b"new")


def test_trust_can_be_taken_back(tmp_path: Path) -> None:
    store = TrustStore(tmp_path)
    store.trust(Path("a.py"), b"x")
    store.trust(Path("b.py"), b"x")
    assert store.revoke(Path("a.py"))
    assert not store.is_trusted(Path("a.py"), b"x")
    assert store.is_trusted(Path("b.py"), b"x")


def test_a_link_is_trusted_as_what_it_points_to(tmp_path: Path) -> None:
    target = tmp_path / "target.py"
    target.write_bytes(b"x")
    link = tmp_path / "link.py"
    link.symlink_to(target)
    store = TrustStore(tmp_path)
    store.trust(link, b"x")
    assert store.is_trusted(target, b"x")
    link.unlink()
    link.write_bytes(b"x")
    assert not store.is_trusted(link, b"x")


def test_no_link_makes_what_is_trusted_another_kind_of_file(tmp_path: Path) -> None:
    store, kinds = TrustStore(tmp_path), ("rules.toml", "worktree.toml", ".mcp.json", "a.py", "a.md", "a.PY", "a")
    for number, target in enumerate(kinds):
        (folder := tmp_path / str(number)).mkdir()
        (folder / target).write_bytes(b"x")
        store.trust(folder / target, b"x")
        for link in kinds:
            (folder / "links" / link).parent.mkdir(exist_ok=True)
            (folder / "links" / link).symlink_to(folder / target)
            is_same = link == target or {link, target} == {"a.py", "a.PY"}
            assert store.is_trusted(folder / "links" / link, b"x") is is_same, (link, target)


def test_the_file_is_the_users_alone_and_nothing_else_is_left(tmp_path: Path) -> None:
    store = TrustStore(tmp_path / "state")
    store.trust(Path("a.py"), b"x")
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(store.path.parent.stat().st_mode) == 0o700
    assert {path.name for path in store.path.parent.iterdir()} == {"trusted.json", ".lock"}
    assert stat.S_IMODE((store.path.parent / ".lock").stat().st_mode) == 0o600
    assert json.loads(store.path.read_text()) == {str(Path("a.py").resolve()): fingerprint(b"x")}


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"/a.py": 1}', b"null", b"\xff", b"[" * 100_000])
def test_a_broken_store_trusts_nothing_and_is_named(tmp_path: Path, content: bytes) -> None:
    store = TrustStore(tmp_path)
    store.path.write_bytes(content)
    for action in (store.is_trusted, store.trust):
        with pytest.raises(ConfigError, match=r"trusted\.json") as caught:
            action(Path("a.py"), b"x")
        assert caught.value.path == str(store.path)
    assert store.path.read_bytes() == content


def test_a_store_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match=r"cannot be (read|written)"):
        TrustStore(tmp_path / "file").trust(Path("a.py"), b"x")


def test_a_name_that_is_not_utf8_can_be_trusted(tmp_path: Path) -> None:
    store = TrustStore(tmp_path)
    store.trust(Path("\udcff.py"), b"x")
    assert store.is_trusted(Path("\udcff.py"), b"x")
