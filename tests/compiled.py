"""Compiles the tests with pytest's rewritten asserts, so that not each of several processes does it for itself.

What pytest keeps to itself is used here: where another version of it is different, the processes do it as ever.
"""

from __future__ import annotations

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[1]


def compile_tests(paths: list[Path]) -> int:
    """Write what is missing or out of date; how many these are."""
    from _pytest.assertion import AssertionState
    from _pytest.assertion.rewrite import PYC_TAIL, _read_pyc, _rewrite_test, _write_pyc, get_cache_dir
    from _pytest.config import _prepareconfig

    config, count = _prepareconfig(["-p", "no:cacheprovider"]), 0
    for path in paths:
        cached = get_cache_dir(path) / (path.name[:-3] + PYC_TAIL)
        if _read_pyc(path, cached) is None:
            cached.parent.mkdir(exist_ok=True)
            stat, code = _rewrite_test(path, config)
            _write_pyc(AssertionState(config, "rewrite"), code, stat, cached)
            count += 1
    return count


if __name__ == "__main__":
    os.chdir(ROOT)
    found = sorted([*ROOT.glob("tests/**/test_*.py"), *ROOT.glob("tests/**/conftest.py")])
    workers = os.cpu_count() or 1
    try:
        with ProcessPoolExecutor(workers) as pool:
            list(pool.map(compile_tests, [found[number::workers] for number in range(workers)]))
    except Exception as error:  # pytest itself tells what is wrong with a test
        print(f"The tests are not compiled beforehand: {error}", file=sys.stderr)
