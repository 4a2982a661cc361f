"""Compiles the tests and pytest's plugins with its rewritten asserts, and what they use, so that not each of several
processes does it for itself: with `PYTHONDONTWRITEBYTECODE` nobody else writes it down. The same for what Hypothesis
knows of characters.

What pytest keeps to itself is used here: where another version of it is different, the processes do it as ever.
"""

from __future__ import annotations

import compileall
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import distributions
from pathlib import Path

ROOT = Path(__file__).parents[1]


def is_test(path: Path) -> bool:
    """Whether pytest rewrites its asserts."""
    return path.name.startswith("test_") or path.name == "conftest.py"


def plugin_files() -> list[Path]:
    """The files of pytest's plugins, whose asserts it rewrites as well; hypothesis as a whole is one of them."""
    plugins = [each for each in distributions() if each.entry_points.select(group="pytest11")]
    files = [Path(str(each.locate_file(file))) for each in plugins for file in each.files or ()]
    return sorted({path for path in files if path.suffix == ".py" and path.is_file()})


def is_out_of_date(path: Path) -> bool:
    """Whether a file is not compiled as it is."""
    from _pytest.assertion.rewrite import _read_pyc

    return _read_pyc(path, _cached(path)) is None


def _cached(path: Path) -> Path:
    from _pytest.assertion.rewrite import PYC_TAIL, get_cache_dir

    return get_cache_dir(path) / (path.name[:-3] + PYC_TAIL)


def compile_rewritten(paths: list[Path]) -> None:
    """Write them as pytest would."""
    from _pytest.assertion import AssertionState
    from _pytest.assertion.rewrite import _rewrite_test, _write_pyc
    from _pytest.config import _prepareconfig

    config = _prepareconfig(["-p", "no:cacheprovider"])
    for path in paths:
        cached = _cached(path)
        cached.parent.mkdir(exist_ok=True)
        stat, code = _rewrite_test(path, config)
        _write_pyc(AssertionState(config, "rewrite"), code, stat, cached)


def compile_modules(paths: list[Path]) -> None:
    """Write them as Python itself would, where they are missing or out of date."""
    for path in paths:
        compileall.compile_file(path, quiet=2)


def list_characters() -> None:
    """Have Hypothesis write down which characters there are: seconds, which each process would take for itself."""
    from hypothesis.strategies import text

    text().validate()


if __name__ == "__main__":
    os.chdir(ROOT)
    found = sorted([*ROOT.glob("tests/**/*.py"), *ROOT.glob("maverick_tui/**/*.py")])
    workers = os.cpu_count() or 1
    try:
        rewritten = [path for path in found if is_test(path)] + plugin_files()
        missing = [path for path in rewritten if is_out_of_date(path)]
        # A process that Hypothesis has been used in, or pytest's plugins, cannot have them rewritten any more.
        with ProcessPoolExecutor(workers, max_tasks_per_child=1) as pool:
            shares = [missing[number::workers] for number in range(workers)]
            tasks = [pool.submit(list_characters)]
            tasks += [pool.submit(compile_rewritten, share) for share in shares if share]
            tasks.append(pool.submit(compile_modules, [path for path in found if not is_test(path)]))
            for task in tasks:
                task.result()
    except Exception as error:  # pytest itself tells what is wrong with a test
        print(f"The tests are not compiled beforehand: {error}", file=sys.stderr)
