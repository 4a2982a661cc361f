"""What the application may write to a terminal: a grammar of everything that it is known to use, and nothing else."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass, field

_ON = (7, 25)
_OFF = (1000, 1003, 1004, 1006, 1015, 1016, 1049, 2004, 2048)
MODES = {**dict.fromkeys(_ON, True), **dict.fromkeys(_OFF, False)}
"""The modes that are switched, and what they are in a terminal that nobody has touched."""
_UPDATE = 2026
_KEYBOARD_PUSHED, _KEYBOARD_POPPED = "\x1b[>25u", "\x1b[<u"

# Every control character, and what is never seen; the rest is text. A foreign sequence begins with one of these.
_STEERS = (
    r"\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200e\u200f\u2028-\u202e\u2060-\u206f"
    r"\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U0001d173-\U0001d17a\U000e0100-\U000e0fff"
)
_TOKEN = re.compile(
    rf"(?P<text>[^{_STEERS}]+)"
    rf"|\x1b7 {{1,8}}\x1b8\x1b7(?P<boxed>[^{_STEERS}]+)\x1b8\x1b\[[0-9]?C"  # something of doubtful width
    r"|\x1b\[(?P<colours>[0-9;]*)m"
    r"|\x1b\[(?P<erased>[0-9]{1,3})X"
    r"|\x1b\[(?P<passed>[0-9]{1,3})C"
    r"|\x1b\[(?P<place>[0-9]{1,3};[0-9]{1,3})H"
    r"|\x1b\[(?P<scrolled>[0-9]{1,3};[0-9]{1,3})r\x1b\[[0-9]{1,3};1H(?:\x1bD)+\x1b\[r"  # the region is given up at once
    r"|\x1b\[\?(?P<mode>[0-9]+)(?P<set>[hl])"
    r"|\x1b\[(?P<keyboard>>25u|<u)"
    r"|(?P<query>\x1b\[\?(?:2026|2048)\$p)"
    r"|\r\n(?=\x1b\[[0-9]+;[0-9]+H)"  # Textual ends its rows with it, and then goes to where the next begins
    r"|\x1b\[(?P<titles>2[23]);2t"
    rf"|\x1b\]2;(?P<title>[^{_STEERS}]*)\x07"
    r"|\x1b\]22;(?P<pointer>[a-z-]+)\x07"
    r"|\x1b\]52;c;(?P<copied>[A-Za-z0-9+/]*={0,2})\x07"
    r"|(?P<cleared>\x1b\[2J)"
    r"|(?P<bell>\x07)"
)

_HALF = re.compile(
    rb"(?:\x1b\[[0-9;]+r(?:\x1b\[[0-9;]+H(?:\x1bD)*)?)?"  # a region that was not given up yet
    rb"(?:\x1b7 *(?:\x1b8(?:\x1b7[^\x1b]*(?:\x1b8)?)?)?)?"  # a box that was not left yet
    rb"(?:\r\n?)?"
    rb"(?:\x1b(?:\[[0-9;?<>=$]*|\][^\x07]*)?|[\xc2-\xf4][\x80-\xbf]{0,2})?\Z"
)


class ForeignBytes(AssertionError):
    """The terminal got something that is not in the grammar."""


@dataclass
class Written:
    """What the output comes to."""

    text: str = ""
    modes: dict[int, bool] = field(default_factory=lambda: dict(MODES))
    keyboards: int = 0
    """How many keyboard protocols were pushed and not popped."""
    titles: int = 0
    """How many titles of the window are kept to be put back."""
    title: str = ""
    copied: list[str] = field(default_factory=list)
    bells: int = 0
    colours: set[str] = field(default_factory=set)

    @property
    def left_behind(self) -> dict[str, object]:
        """In what the terminal is not as it was before the application began."""
        modes = {str(mode): is_set for mode, is_set in self.modes.items() if MODES.get(mode) != is_set}
        counts = {"keyboards": self.keyboards, "titles": self.titles}
        return {**modes, **{name: count for name, count in counts.items() if count}}


def without_half(data: bytes) -> bytes:
    """The output without a sequence or a character at its end that was cut off."""
    return _HALF.sub(b"", data, count=1)


def parse(data: bytes) -> Written:
    """Read the output; ForeignBytes if there is anything in it that the application does not use itself."""
    source = data.decode("utf-8", errors="surrogateescape")
    written, texts, at = Written(), [], 0
    while at < len(source):
        found = _TOKEN.match(source, at)
        if found is None:
            raise ForeignBytes(f"not ours: {source[at : at + 40]!r}, after {source[max(0, at - 200) : at]!r}")
        at = found.end()
        match found.lastgroup:
            case "text" | "boxed" as kind:
                texts.append(found[kind])
            case "colours":
                written.colours.add(found["colours"])
            case "set":
                _switch(written, int(found["mode"]), found["set"] == "h")
            case "keyboard":
                written.keyboards += 1 if found["keyboard"] == ">25u" else -1
            case "titles":
                written.titles += 1 if found["titles"] == "22" else -1
            case "title":
                written.title = found["title"]
            case "copied":
                written.copied.append(base64.b64decode(found["copied"]).decode())
            case "bell":
                written.bells += 1
    written.text = "".join(texts)
    return written


def _switch(written: Written, mode: int, is_set: bool) -> None:
    if mode == _UPDATE:
        return
    if mode not in MODES:
        raise ForeignBytes(f"mode {mode} is not one of ours")
    written.modes[mode] = is_set
