"""What tools make anew, and what may be a run's work."""

from __future__ import annotations

import os
from pathlib import Path

from maverick_tui.worktrees.caches import is_cache
from tests.support.cases import each

SIGNATURE = "Signature: 8a477f597d28d172789f06886806bc55\n# of a tool\n"


@each(
    "files, expected",
    [
        (["node_modules/x/index.js"], True),
        (["gone/pkg/__pycache__/a.pyc"], True),  # as where all else of a folder was removed
        (["target/CACHEDIR.TAG", "target/debug/shop"], True),
        ([".venv/bin/python"], True),
        (["env/pyvenv.cfg", "env/analysis.py"], False),  # some work in the very folder
        (["gone/__pycache__/a.pyc", "gone/notes"], False),
        (["target/classes/Shop.class"], False),
        (["target/inner/CACHEDIR.TAG", "target/result"], False),
        (["node_modules"], False),
    ],
)
def test_a_cache_is_known_by_its_name_or_its_tag(files: list[str], expected: bool, tmp_path: Path) -> None:
    top = tmp_path / files[-1].replace("/", "-")
    for file in files:
        (top / file).parent.mkdir(parents=True, exist_ok=True)
        (top / file).write_text(SIGNATURE)
    assert is_cache(top / files[0].partition("/")[0]) == expected


def test_what_only_looks_like_a_cache_is_none(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "link").symlink_to("empty")
    (tmp_path / "empty").mkdir()
    assert not is_cache(tmp_path / "link")
    (tmp_path / "out" / "CACHEDIR.TAG").write_text("no signature\n")
    assert not is_cache(tmp_path / "out")
    (tmp_path / "out" / "CACHEDIR.TAG").unlink()
    os.mkfifo(tmp_path / "out" / "CACHEDIR.TAG")  # which would be waited for
    assert not is_cache(tmp_path / "out")
    assert not is_cache(tmp_path / "nowhere")
