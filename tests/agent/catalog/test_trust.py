"""What the user trusts: exact bytes at a path, remembered safely."""

from __future__ import annotations

import json
import stat
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import pytest

from maverick_tui import ConfigError, paths
from maverick_tui.agent.catalog.trust import TrustStore, fingerprint
from maverick_tui.file_lock import alone


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


def test_a_change_waits_for_another_and_loses_nothing_of_it(tmp_path: Path) -> None:
    store = TrustStore(tmp_path)
    with ThreadPoolExecutor() as pool:
        with alone(tmp_path):
            waiting = pool.submit(store.trust, Path("a.py"), b"x")
            assert not wait([waiting], timeout=0.2).done, "somebody else is changing the list"
            store._write({str(Path("b.py").resolve()): fingerprint(b"y")})
        waiting.result(timeout=60)
    assert store.is_trusted(Path("a.py"), b"x")
    assert store.is_trusted(Path("b.py"), b"y")


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
