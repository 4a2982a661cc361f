"""Pictures that can be shown to anybody: no machine in them, no fonts from elsewhere."""

from __future__ import annotations

import getpass
import html
import re
import socket
from pathlib import Path

FONTS = "'Fira Code', 'JetBrains Mono', 'Cascadia Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace"
LAST_RESORT = "DejaVu Sans Mono"

_FONT_FACE = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
_UNIQUE = re.compile(r"\bterminal-\d+-")
_TEXT = re.compile(r"<text[^>]*>(.*?)</text>", re.DOTALL)


class MachineShown(Exception):
    """Something in a picture belongs to the machine that it was taken on."""


def clean(svg: str) -> str:
    """The picture without remote fonts and changing names; raises `MachineShown` if it tells about the machine."""
    svg = _UNIQUE.sub("terminal-", _FONT_FACE.sub("", svg)).replace("Fira Code, monospace", FONTS)
    text = html.unescape("".join(_TEXT.findall(svg))).replace("\xa0", " ")
    private = {
        str(Path.home()),
        "maverick-offline",
        "/private/",
        str(Path(__file__).resolve().parents[2]),
        socket.gethostname(),
    }
    private.add(f"/{getpass.getuser()}/")
    for word in private:
        if len(word) > 3 and word in text:
            at = text.index(word)
            raise MachineShown(f"{word!r} can be read in the picture: {text[max(0, at - 40) : at + 40]!r}.")
    if "http://" in svg.replace("http://www.w3.org/", "") or "url(http" in svg:
        raise MachineShown("The picture loads something from elsewhere, or shows an address.")
    return svg


def to_png(svg: str) -> bytes:
    """The same picture as PNG, drawn with the fonts of this machine."""
    import resvg_py

    return bytes(resvg_py.svg_to_bytes(svg_string=svg, monospace_family=LAST_RESORT))
