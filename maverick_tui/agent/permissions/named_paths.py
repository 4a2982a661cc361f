"""Which paths a rule for files names. One that allows is read strictly, and any other one broadly: its brackets and
braces may be those of a name (`app/[slug]/**`), and names are the same whatever their case, or how accents are kept.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from maverick_tui.agent.permissions.leading import home_folder
from maverick_tui.executor.files.globs import ESCAPABLE, ESCAPED, BadPatternError, matcher, written_out


def place_of(rule: str, base: Path) -> Path | None:
    """Where the paths of a rule begin; None if nobody knows where home is."""
    return Path("/") if rule.startswith("//") else home_folder() if rule.startswith("~/") else base.resolve()


def fits(real: Path, rule: str, base: Path, *, broadly: bool = False) -> bool:
    """Whether a resolved path is one that the rule names below its place."""
    if not real.is_relative_to(base):
        return False
    place = "/".join(("base", *real.relative_to(base).parts))
    return any(fits_one(place) for fits_one in _matchers(rule, broadly=broadly))


def may_fit(place: Path, rule: str, base: Path) -> bool:
    """Whether a path may be one that the rule names, read broadly."""
    folded_place, folded_rule, folded_base = map(folded, (str(place), rule, str(base)))
    # What is not of a class may be of it in the other case.
    return fits(place, rule, base, broadly=True) or fits(
        Path(folded_place), folded_rule, Path(folded_base), broadly=True
    )


def fitting(places: Iterable[str], rule: str, base: Path) -> list[str]:
    """Those of many absolute paths that the rule may name below its place, read broadly."""
    ways = [(_below(folded(str(base))), _matchers(folded(rule), broadly=True), True)]
    literal = ""
    if set(rule) & set("[{\\"):  # what is not of a class may be of it in the other case
        ways.append((_below(str(base)), _matchers(rule, broadly=True), False))
    else:  # What stands in the rule as it is stands in all that it names: to look for that is much faster.
        pieces = (piece for piece in re.split(r"[*?/]", folded(rule)) if piece not in (".", "~"))
        literal = max(pieces, key=len, default="")
    found = []
    for place in places:
        by_name = folded(place)
        if literal in by_name and any(
            (name := within(by_name if is_folded else place)) and any(test(name) for test in tests)
            for within, tests, is_folded in ways
        ):
            found.append(place)
    return found


def folded(text: str) -> str:
    """A path as systems compare it to which neither case matters, nor whether an accent is part of its letter."""
    if text.isascii():
        return text.casefold()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).casefold())


def outright(rule: str) -> Iterator[tuple[list[str], str]]:
    """The names that a rule says before its first sign, and the rest of it; as often as brackets and braces may be
    signs or names, and accents be kept in another way.
    """
    parts = _names_of(rule)
    for signs in ("*?[{", "*?"):
        with_signs = (at for at, part in enumerate(parts) if set(ESCAPED.sub("", part)) & set(signs))
        first = next(with_signs, len(parts))
        names = ESCAPED.sub(r"\1", "/".join(parts[:first]))
        for said in dict.fromkeys((names, *(unicodedata.normalize(form, names) for form in ("NFC", "NFD")))):
            yield said.split("/"), "/".join(parts[first:]) or "**"


def in_folders(rule: str) -> list[str]:
    """What a rule says below its place, as patterns whose names are looked for one after the other: of all that fits
    these, some may not fit the rule.
    """
    return list(dict.fromkeys(ESCAPED.sub(r"\1", one) for one in _with_whole_names(rule)))


@lru_cache(maxsize=8192)
def said_of(folder: Path, rule: str, place: Path) -> tuple[str, ...]:
    """What a rule whose paths begin at a place says of a folder, as rules whose paths begin there."""
    whole, start = ([*map(folded, one.parts)] for one in (folder, place))
    if whole == start[: len(whole)]:
        inner = (ESCAPABLE.sub(r"\\\g<0>", name) for name in place.parts[len(whole) :])
        return tuple("/".join((".", *inner, one)) for one in _with_whole_names(rule))
    found = dict[str, None]()
    if start == whole[: len(start)]:
        for said in _with_whole_names(rule):
            found.update(dict.fromkeys(_after(said.split("/"), folder.parts[len(start) :])))
    return tuple(found)


def _after(parts: Sequence[str], names: Iterable[str]) -> Iterator[str]:
    """What is left of the names in a pattern behind these: all ways through it are followed at once."""
    parts = [part for before, part in pairwise(("", *parts)) if (before, part) != ("**", "**")]
    is_all_below = "*" not in ESCAPED.sub("", parts[-1])
    at = {0}
    for name in names:
        # `**` may stand for no folder; a folder that is named has all below it, unless that was by a star.
        at |= {one + 1 for one in at if one < len(parts) and parts[one] == "**"}
        stays = {one for one in at if (parts[one] == "**" if one < len(parts) else is_all_below)}
        at = stays | {one + 1 for one in at - stays if one < len(parts) and _is_named(name, parts[one])}
    for one in sorted(at):
        if one < len(parts) or is_all_below:
            yield "/".join((".", *(parts[one:] or ["**"])))


@lru_cache(maxsize=1024)
def _is_named(name: str, part: str) -> bool:
    if not set(part) & set("*?[{\\"):
        return folded(name) == folded(part)
    try:
        ways = ((name, part), (folded(name), folded(part)))
        return any(matcher(f"base/{said}", broadly=True)(f"base/{one}") for one, said in ways)
    except BadPatternError:
        return False


def _with_whole_names(rule: str) -> list[str]:
    """What a rule says below its place; where its braces reach over several names, all that they stand for as well."""
    below = "/".join(_names_of(rule)) or "**"
    names = [ESCAPED.sub("", name) for name in below.split("/")]
    try:
        found = written_out(below) if any(name.count("{") != name.count("}") for name in names) else []
    except BadPatternError:
        found = []
    return [below, *found]


def _names_of(rule: str) -> list[str]:
    return [part for part in rule.removeprefix("~").split("/") if part not in ("", ".")]


def _below(base: str) -> Callable[[str], str]:
    """What a path is called below its base, as `_matchers` have it; empty if it is elsewhere."""
    start = f"{base}/".replace("//", "/")

    def name_of(place: str) -> str:
        return "base" if place == base else f"base/{place[len(start) :]}" if place.startswith(start) else ""

    return name_of


@lru_cache(maxsize=256)
def _matchers(rule: str, *, broadly: bool) -> tuple[Callable[[str], bool], ...]:
    # A pattern without a folder would fit files in any folder, so all stand in one.
    below = rule.removeprefix("~") if rule.startswith("~/") else rule
    pattern = f"base/{below.removeprefix('./').strip('/')}"
    patterns = [pattern, pattern.removesuffix("/**")]
    if "*" not in ESCAPED.sub("", pattern.rpartition("/")[2]):
        patterns.append(f"{pattern}/**")
    try:
        return tuple(matcher(one, broadly=broadly) for one in patterns)
    except BadPatternError:
        return ()
