"""Searches files in a process of its own, which is killed when it takes too long."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from maverick_tui.executor.files import search_worker
from maverick_tui.executor.tools import ToolError

OutputMode = Literal["content", "files_with_matches", "count"]


@dataclass(frozen=True, slots=True)
class FileSearch:
    """What to look for; `around` counts lines before and after each match, `most` lines or files in all."""

    pattern: str
    mode: OutputMode
    ignore_case: bool = False
    around: int = 0
    most: int = 250
    seconds: int = 20


@dataclass(slots=True)
class Findings:
    """What was found: files with their matches, and whether that is everything."""

    files: list[dict[str, Any]] = field(default_factory=list)
    is_cut: bool = False
    is_late: bool = False


async def search(wanted: FileSearch, files: Sequence[str], root: str) -> Findings:
    """Search the files that are below the root, a real path; a bad pattern is a `ToolError`."""
    request = json.dumps({**asdict(wanted), "files": list(files), "root": root, "owner": os.getpid()}).encode()
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-I",
        "-S",
        search_worker.__file__,
        _site_of_re2(),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=64_000_000,
    )
    findings = Findings()
    try:
        async with asyncio.timeout(wanted.seconds):
            failure = await _talk(process, request, findings)
    except asyncio.TimeoutError:
        findings.is_late, failure = True, ""
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
    if failure:
        raise ToolError(f"The search failed: {failure}.")
    return findings


def _site_of_re2() -> str:
    """The folder that `re2` is imported from, for a process without site-packages."""
    found = find_spec("re2")
    assert found is not None
    assert found.origin is not None
    return str(Path(found.origin).parents[1])


async def _talk(process: asyncio.subprocess.Process, request: bytes, findings: Findings) -> str:
    """Ask, and take what comes; returns why it did not finish, or nothing."""
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    with suppress(BrokenPipeError, ConnectionResetError):  # it has died, and its last words say why
        process.stdin.write(request)
        await process.stdin.drain()
    process.stdin.close()
    async for line in process.stdout:
        answer = json.loads(line)
        if "wrong" in answer:
            raise ToolError(f"The pattern is not a Python regular expression: {answer['wrong']}.")
        if "too_large" in answer:
            raise ToolError(
                f"The search needs more than {search_worker.MOST_MEMORY:,} bytes of memory in {answer['too_large']}. "
                "Use a pattern without lookaround, backreferences and repeated groups, or name another path."
            )
        if "done" in answer:
            findings.is_cut = answer["cut"]
            return ""
        findings.files.append(answer)
    said = (await process.stderr.read()).decode(errors="replace").strip()
    return said.rpartition("\n")[2][:300] or f"it ended with code {await process.wait()}"
