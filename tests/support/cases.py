"""Many small cases in one test."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest

Test = Callable[..., None]


def each(names: str | tuple[str, ...], cases: Iterable[Any], **_ids: Any) -> Callable[[Test], Test]:
    """As `pytest.mark.parametrize`, for cases that are over in a moment and leave nothing behind: a test of its own
    would take five milliseconds for each. All are tried, and those that fail are told with what they are. Whatever
    fixtures there are, all cases have the same.
    """
    fields = [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]
    listed = list(cases)

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def all_of_them(**fixtures: Any) -> None:
            failed: list[Exception] = []
            for case in listed:
                values = case if len(fields) > 1 else (case,)
                try:
                    test(**fixtures, **dict(zip(fields, values, strict=True)))
                except (Exception, pytest.fail.Exception) as error:
                    told = error if isinstance(error, Exception) else AssertionError(str(error))
                    told.add_note(f"the case: {case!r}"[:2_000])
                    failed.append(told)
            if failed:
                raise ExceptionGroup(f"{len(failed)} of {len(listed)} cases", failed)

        given = inspect.signature(test)
        others = [one for one in given.parameters.values() if one.name not in fields]
        vars(all_of_them)["__signature__"] = given.replace(parameters=others)  # which pytest goes by
        return all_of_them

    return decorate
