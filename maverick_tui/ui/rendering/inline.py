"""Inline Markdown as runs of styled text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import unquote

from rich.style import Style

from maverick_tui.ui.rendering import grammar, quick_inline
from maverick_tui.ui.rendering.palette import Palette
from maverick_tui.ui.rendering.wrap import Run, clean

if TYPE_CHECKING:
    from markdown_it.token import Token


class Inline:
    """Turns inline Markdown into runs; combined styles are made once."""

    def __init__(self, palette: Palette, *, reflow: bool) -> None:
        self._overlays = palette.overlays
        self._break = " " if reflow else "\n"
        self._mixed: dict[tuple[Style, str], Style] = {}

    def mix(self, style: Style, name: str) -> Style:
        """A style with an overlay of the palette on it."""
        key = (style, name)
        mixed = self._mixed.get(key)
        if mixed is None:
            mixed = self._mixed[key] = style + self._overlays[name]
        return mixed

    def runs(self, content: str, style: Style) -> list[Run]:
        """The runs of a block's inside; a newline in them begins a new line."""
        pieces = quick_inline.read(content)
        if pieces is not None and (runs := self._quick(pieces, style)) is not None:
            return runs
        return self._parsed(grammar.inline(content), style)

    def _quick(self, pieces: Sequence[quick_inline.Piece], style: Style) -> list[Run] | None:
        runs: list[Run] = []
        for kind, text, target in pieces:
            if kind == "text":
                runs.append((clean(text), style))
            elif kind == "code":
                runs.append((clean(quick_inline.inside(text)), self.mix(style, "code")))
            elif kind == "break":
                runs.append((self._break, style))
            else:
                over = self.mix(style, kind)
                first = len(runs)
                for is_code, part in quick_inline.parts(text):
                    runs.append((clean(part), self.mix(over, "code") if is_code else over))
                if target:
                    if (href := grammar.link(target)) is None:
                        return None
                    self._add_target(runs, first, href, style)
        return runs

    def _parsed(self, tokens: Sequence[Token], style: Style) -> list[Run]:
        runs: list[Run] = []
        styles = [style]
        links: list[tuple[int, str]] = []
        for token in tokens:
            kind = token.type
            if kind in ("text", "text_special"):
                if token.content:
                    runs.append((clean(token.content), styles[-1]))
            elif kind == "softbreak":
                runs.append((self._break, styles[-1]))
            elif kind == "hardbreak":
                runs.append(("\n", styles[-1]))
            elif kind == "code_inline":
                runs.append((clean(token.content), self.mix(styles[-1], "code")))
            elif kind == "image":
                runs.append((f"[image: {clean(token.content)}]", styles[-1]))
                runs.append((_behind(str(token.attrs.get("src", ""))), self.mix(styles[-1], "dim")))
            elif kind == "link_open":
                links.append((len(runs), str(token.attrs.get("href", ""))))
                styles.append(self.mix(styles[-1], "link"))
            elif kind == "link_close":
                styles.pop()
                self._add_target(runs, *links.pop(), styles[-1])
            elif token.nesting == 1:
                styles.append(self.mix(styles[-1], token.tag))
            elif token.nesting == -1:
                styles.pop()
            else:
                runs.append((clean(token.content), styles[-1]))
        return runs

    def _add_target(self, runs: list[Run], first: int, target: str, style: Style) -> None:
        """Say where a link leads, unless its text says so itself."""
        text = "".join([text for text, _ in runs[first:]])
        # A target's host is ASCII, so one that only looks like the text is not the same.
        if target not in (text, f"mailto:{text}") and unquote(target) != unquote(text):
            runs.append((_behind(target), self.mix(style, "dim")))


def _behind(target: str) -> str:
    # A path is shown as it is written; an address keeps its escapes, because they are part of it.
    return f" ({clean(target if '://' in target else unquote(target))})"
