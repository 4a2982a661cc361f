"""Makes foreign text inert: nothing in it can steer a terminal, reorder a line, or be there without being seen.

What has no shape of its own stands in the text as a visible sign, one for one, unless it is where people write it: in
an emoji, or between letters of a script that needs it. Letters of scripts from right to left stay as they are: they are
text, and how a terminal orders them is its own affair.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

# Everything but C0 without tab and newline, DEL, C1, halves of surrogate pairs (from file names that are not UTF-8; no
# stream can encode them), separators of lines, what of Unicode's category Cf has no glyph, and what is ignored by
# default: fillers, selectors of variants, tags. Said the other way round, since a search then needs a single look at
# most characters; a test compares it with Unicode's own tables.
_VISIBLE = (
    "\t\n\x20-\x7e\xa0-\xac\xae-\u034e\u0350-\u061b\u061d-\u115e\u1161-\u17b3\u17b6-\u180a\u1810-\u200a\u2010-\u2027"
    "\u202f-\u205f\u2070-\u3163\u3165-\ud7ff\ue000-\ufdcf\ufdf0-\ufdff\ufe10-\ufefe\uff00-\uff9f\uffa1-\uffef\ufffc\ufffd"
    "\U0001d17b-\U000dffff\U00010000-\U0001342f\U00013440-\U00016fe3\U00016fe5-\U0001bc9f\U0001bca4-\U0001d158"
    "\U0001d15a-\U0001d172\U000e1000-\U0010ffff"
)
# What can be drawn as text and as an emoji, so that a selector after it says which.
_TWOFOLD = (
    "\xa9\xae\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa\u231a\u231b\u2328\u23cf\u23e9-\u23f3\u23f8-\u23fa\u24c2"
    "\u25aa\u25ab\u25b6\u25c0\u25fb-\u25fe\u2600-\u2604\u260e\u2611\u2614\u2615\u2618\u261d\u2620\u2622\u2623\u2626"
    "\u262a\u262e\u262f\u2638-\u263a\u2640\u2642\u2648-\u2653\u265f\u2660\u2663\u2665\u2666\u2668\u267b\u267e\u267f"
    "\u2692-\u2697\u2699\u269b\u269c\u26a0\u26a1\u26a7\u26aa\u26ab\u26b0\u26b1\u26bd\u26be\u26c4\u26c5\u26c8\u26ce\u26cf"
    "\u26d1\u26d3\u26d4\u26e9\u26ea\u26f0-\u26f5\u26f7-\u26fa\u26fd\u2702\u2705\u2708-\u270d\u270f\u2712\u2714\u2716"
    "\u271d\u2721\u2728\u2733\u2734\u2744\u2747\u274c\u274e\u2753-\u2755\u2757\u2763\u2764\u2795-\u2797\u27a1\u27b0\u27bf"
    "\u2934\u2935\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55\u3030\u303d\u3297\u3299\U0001f004\U0001f170\U0001f171\U0001f17e"
    "\U0001f17f\U0001f202\U0001f21a\U0001f22f\U0001f237\U0001f30d-\U0001f30f\U0001f315\U0001f31c\U0001f321"
    "\U0001f324-\U0001f32c\U0001f336\U0001f378\U0001f37d\U0001f393\U0001f396\U0001f397\U0001f399-\U0001f39b\U0001f39e"
    "\U0001f39f\U0001f3a7\U0001f3ac-\U0001f3ae\U0001f3c2\U0001f3c4\U0001f3c6\U0001f3ca-\U0001f3ce\U0001f3d4-\U0001f3e0"
    "\U0001f3ed\U0001f3f3\U0001f3f5\U0001f3f7\U0001f408\U0001f415\U0001f41f\U0001f426\U0001f43f\U0001f441\U0001f442"
    "\U0001f446-\U0001f449\U0001f44d\U0001f44e\U0001f453\U0001f46a\U0001f47d\U0001f4a3\U0001f4b0\U0001f4b3\U0001f4bb"
    "\U0001f4bf\U0001f4cb\U0001f4da\U0001f4df\U0001f4e4-\U0001f4e6\U0001f4ea-\U0001f4ed\U0001f4f7\U0001f4f9-\U0001f4fb"
    "\U0001f4fd\U0001f508\U0001f50d\U0001f512\U0001f513\U0001f549\U0001f54a\U0001f550-\U0001f567\U0001f56f\U0001f570"
    "\U0001f573-\U0001f579\U0001f587\U0001f58a-\U0001f58d\U0001f590\U0001f5a5\U0001f5a8\U0001f5b1\U0001f5b2\U0001f5bc"
    "\U0001f5c2-\U0001f5c4\U0001f5d1-\U0001f5d3\U0001f5dc-\U0001f5de\U0001f5e1\U0001f5e3\U0001f5e8\U0001f5ef\U0001f5f3"
    "\U0001f5fa\U0001f610\U0001f687\U0001f68d\U0001f691\U0001f694\U0001f698\U0001f6ad\U0001f6b2\U0001f6b9\U0001f6ba"
    "\U0001f6bc\U0001f6cb\U0001f6cd-\U0001f6cf\U0001f6e0-\U0001f6e5\U0001f6e9\U0001f6f0\U0001f6f3"
)
_EMOJI = (
    "\U0001f400-\U0001f64f\U0001f300-\U0001f3fa\U0001f680-\U0001f6ff\U0001f90c-\U0001f9ff\U0001fa70-\U0001faff"
    f"{_TWOFOLD}"
)
_SKIN = "\U0001f3fb-\U0001f3ff"
_FLAG = "\U0001f3f4"
_NATIONS = "|".join("".join(chr(0xE0000 + ord(part)) for part in f"{code}\x7f") for code in ("gbeng", "gbsct", "gbwls"))
"""England, Scotland and Wales: a black flag, and in tags which one it is."""
_TAG = "[\U000e0061-\U000e007f]"

# Letters of Arabic, Syriac and N'Ko, then those of India and Sri Lanka: joiners between them change how they are drawn.
_JOINED = (
    "\u0620-\u065f\u066e-\u06d3\u06d5-\u06dc\u06df-\u06e8\u06ea-\u06ef\u06fa-\u06fc\u06ff\u0710-\u07b1\u07ca-\u07f5"
    "\u07fa-\u07fd\u0860-\u0887\u0889-\u088e\u0898-\u08e1\u08e3-\u0963\u0971-\u09e3\u09f0\u09f1\u09fc\u09fe-\u0a5e"
    "\u0a70-\u0a75\u0a81-\u0ae3\u0af9-\u0b63\u0b71\u0b82-\u0bd7\u0c00-\u0c63\u0c80-\u0c83\u0c85-\u0ce3\u0cf1-\u0d4e"
    "\u0d54-\u0d57\u0d5f-\u0d63\u0d7a-\u0ddf\u0df2\u0df3"
)
_VIRAMA = "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca"
"""Takes the vowel off a letter; a joiner after it says how, also at the end of a word."""
# Thai, Lao, Burmese and Khmer have no blanks between words, but blanks of no width.
_UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecd\u0edc-\u0edf\u1000-\u103f\u1050-\u108f\u109a-\u109d"
    "\u1780-\u17b3\u17b6-\u17d3"
)

# Each is one character, where it is in place.
_IN_PLACE = (
    f"(?<=[\u200c\u200d])(?:(?<=[{_JOINED}].)(?=[{_JOINED}])|(?<=[{_VIRAMA}].))",
    f"(?<=\u200b)(?<=[{_UNSPACED}].)(?=[{_UNSPACED}])",
    f"(?<=[\ufe0e\ufe0f])(?<=[{_TWOFOLD}].)",
    "(?<=[0-9#*]\ufe0f)(?=\u20e3)",
    f"(?<=\u200d)(?=[{_EMOJI}])(?:(?<=[{_EMOJI}].)|(?<=[{_TWOFOLD}]\ufe0f.)|(?<=[{_EMOJI}][{_SKIN}].))",
    *(f"(?<={_TAG})(?<={_FLAG}(?={_NATIONS}){_TAG}{{{tags}}})" for tags in range(1, 7)),
)

# What follows decides whether it is in place.
_UNDECIDED = re.compile(f"(?:[\u200b-\u200d]|(?<=[0-9#*])\ufe0f|(?<={_FLAG}){_TAG}{{1,5}})\\Z")
REACH = 8
"""Characters before one that can decide whether it is in place."""

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
_LIKE_A_SPACE = re.compile("[\xa0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]")
# A cut before the first, or after the second, leaves half of what is drawn as one.
_CLINGS = re.compile(f"[\u200b-\u200d\ufe0e\ufe0f\u20e3{_SKIN}]|{_TAG}")
_HOLDS = frozenset("\u200b\u200c\u200d")


@cache
def _out_of_place() -> re.Pattern[str]:
    """Takes milliseconds to compile. It begins with a single class, since that makes a search fast."""
    return re.compile(f"[^{_VISIBLE}]" + "".join(f"(?!{place})" for place in _IN_PLACE), re.DOTALL)


@cache
def _unseen() -> re.Pattern[str]:
    return re.compile(f"[^{_VISIBLE}\x00-\x1f\x7f]")


def inert(text: str) -> str:
    """The text with every control, reordering or invisible character out of place replaced by a visible stand-in."""
    pattern = _CONTROL if text.isascii() else _out_of_place()
    return pattern.sub(_stand_in, text)


def one_line(text: str) -> str:
    """Inert text without line breaks, for a cell of a table or one line of a message."""
    return inert(" ".join(text.split()))


def spelled(text: str) -> str:
    """Inert text in which every invisible character, in place or not, is written out by its number."""
    return inert(text if text.isascii() else _unseen().sub(lambda found: f"<U+{ord(found[0]):04X}>", text))


def revealed(text: str) -> str:
    """The same, and blanks that only look like a space written out as well: for those who are to allow something."""
    return spelled(text if text.isascii() else _LIKE_A_SPACE.sub(lambda found: f"<U+{ord(found[0]):04X}>", text))


def cut_at(text: str, most: int) -> int:
    """How many characters of inert text to keep if there is room for `most`: never half of what is drawn as one."""
    at = min(most, len(text))
    while 0 < at < len(text) and (text[at - 1] in _HOLDS or _CLINGS.match(text, at)):
        at -= 1
    return at


@dataclass(slots=True)
class InertStream:
    """Text that comes in pieces, made inert as if it came at once: a piece may end within an emoji."""

    _before: str = ""
    _held: str = ""

    def feed(self, piece: str) -> str:
        """What can be shown with this piece; what only the next one can decide about is kept back."""
        if not self._held and piece.isascii():
            self._before = piece[-REACH:] if len(piece) >= REACH else (self._before + piece)[-REACH:]
            return inert(piece)
        text = self._before + self._held + piece
        undecided = _UNDECIDED.search(text[-REACH:])
        self._held = undecided[0] if undecided else ""
        shown = inert(text)[len(self._before) : len(text) - len(self._held)]
        self._before = text[: len(text) - len(self._held)][-REACH:]
        return shown

    def end(self) -> str:
        """What was kept back: nothing follows it."""
        shown = inert(self._before + self._held)[len(self._before) :]
        self._before = self._held = ""
        return shown


def _stand_in(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"
