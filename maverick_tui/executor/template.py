"""`${variable}` and `${variable:-default}` in prompts. `$${` stands for `${` itself."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from maverick_tui.exceptions import ConfigError, did_you_mean
from maverick_tui.inputs import Value, as_text

_PLACE = re.compile(r"\$(?P<literal>\$(?=\{))|\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}")


def variables(text: str) -> Iterator[tuple[str, int]]:
    """The name of each variable in the text, and the line it stands on, from 0."""
    for place in _PLACE.finditer(text):
        if place["name"]:
            yield place["name"], text.count("\n", 0, place.start())


def unknown_variable(name: str, known: Collection[str]) -> str:
    """What is wrong with a variable that nobody declares."""
    meant = did_you_mean(name, known)
    return f"${{{name}}} is no declared input. {meant}".rstrip()


def substitute(text: str, values: Mapping[str, Value | None]) -> str:
    """The text with its variables filled in; one that has neither value nor default is an error."""

    def filled(place: re.Match[str]) -> str:
        if place["literal"]:
            return "$"
        name = place["name"]
        if name not in values:
            raise ConfigError(unknown_variable(name, values), hint="Declare it in the inputs, or write $${ for ${.")
        value = as_text(values[name])
        if not value and place["default"] is None and values[name] is None:
            raise ConfigError(f"${{{name}}} has no value.", hint=f"Give {name} a value, or write ${{{name}:-default}}.")
        return value or place["default"] or ""

    return _PLACE.sub(filled, text)
