"""Makes foreign text inert: nothing in it can steer a terminal, reorder a line, or be there without being seen.

What has no shape of its own stands in the text as a visible sign, one for one, unless it is where people write it: in
an emoji, or between letters of a script that needs it. So do marks beyond those that any script puts on a letter: heaps
of them cover the lines around, and take a terminal long to draw. Letters of scripts from right to left stay as they
are: they are text, and how a terminal orders them is its own affair.
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

MOST_MARKS = 10
"""Marks that may stand on one character; the most that is written are the eight or nine of a Tibetan syllable."""
# What a terminal draws on, below or into the character before it: marks, and vowels and finals of Hangul. Joiners are
# among them, for one that is in place after a mark would else let the next marks count from one again. Beyond the first
# plane it is one range with others in it: so many small ones would make the search slow.
_MARKS = (
    "\u0300-\u034e\u0350-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7-\u05c9\u0610-\u061a"
    "\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0"
    "\u07eb-\u07f3\u07fd\u0816-\u0819\u081b-\u0823\u0825-\u0827\u0829-\u082d\u0859-\u085b\u0897-\u089f\u08ca-\u08e1"
    "\u08e3-\u0903\u093a-\u093c\u093e-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc\u09be-\u09c4\u09c7\u09c8"
    "\u09cb-\u09cd\u09d7\u09e2\u09e3\u09fe\u0a01-\u0a03\u0a3c\u0a3e-\u0a42\u0a47\u0a48\u0a4b-\u0a4d\u0a51\u0a70\u0a71"
    "\u0a75\u0a81-\u0a83\u0abc\u0abe-\u0ac5\u0ac7-\u0ac9\u0acb-\u0acd\u0ae2\u0ae3\u0afa-\u0aff\u0b01-\u0b03\u0b3c"
    "\u0b3e-\u0b44\u0b47\u0b48\u0b4b-\u0b4d\u0b53-\u0b57\u0b62\u0b63\u0b82\u0bbe-\u0bc2\u0bc6-\u0bc8\u0bca-\u0bcd\u0bd7"
    "\u0c00-\u0c04\u0c3c\u0c3e-\u0c44\u0c46-\u0c48\u0c4a-\u0c4d\u0c55\u0c56\u0c62\u0c63\u0c81-\u0c83\u0cbc\u0cbe-\u0cc4"
    "\u0cc6-\u0cc8\u0cca-\u0ccd\u0cd5\u0cd6\u0ce2\u0ce3\u0cf3\u0d00-\u0d03\u0d3b\u0d3c\u0d3e-\u0d44\u0d46-\u0d48"
    "\u0d4a-\u0d4d\u0d57\u0d62\u0d63\u0d81-\u0d83\u0dca\u0dcf-\u0dd4\u0dd6\u0dd8-\u0ddf\u0df2\u0df3\u0e31\u0e34-\u0e3a"
    "\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u0f18\u0f19\u0f35\u0f37\u0f39\u0f3e\u0f3f\u0f71-\u0f84\u0f86\u0f87"
    "\u0f8d-\u0f97\u0f99-\u0fbc\u0fc6\u102b-\u103e\u1056-\u1059\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074"
    "\u1082-\u108d\u108f\u109a-\u109d\u1161-\u11ff\u135d-\u135f\u1712-\u1715\u1732-\u1734\u1752\u1753\u1772\u1773"
    "\u17b6-\u17d3\u17dd\u1885\u1886\u18a9\u1920-\u192b\u1930-\u193b\u1a17-\u1a1b\u1a55-\u1a5e\u1a60-\u1a7c\u1a7f"
    "\u1ab0-\u1af0\u1b00-\u1b04\u1b34-\u1b44\u1b6b-\u1b73\u1b80-\u1b82\u1ba1-\u1bad\u1be6-\u1bf3\u1c24-\u1c37"
    "\u1cd0-\u1cd2\u1cd4-\u1ce8\u1ced\u1cf4\u1cf7-\u1cf9\u1dc0-\u1dff\u200b-\u200d\u20d0-\u20f0\u2cef-\u2cf1\u2d7f"
    "\u2de0-\u2dff\u302a-\u302f\u3099\u309a\ua66f-\ua672\ua674-\ua67d\ua69e\ua69f\ua6f0\ua6f1\ua802\ua806\ua80b"
    "\ua823-\ua827\ua82c\ua880\ua881\ua8b4-\ua8c5\ua8e0-\ua8f1\ua8ff\ua926-\ua92d\ua947-\ua953\ua980-\ua983"
    "\ua9b3-\ua9c0\ua9e5\uaa29-\uaa36\uaa43\uaa4c\uaa4d\uaa7b-\uaa7d\uaab0\uaab2-\uaab4\uaab7\uaab8\uaabe\uaabf\uaac1"
    "\uaaeb-\uaaef\uaaf5\uaaf6\uabe3-\uabea\uabec\uabed\ud7b0-\ud7ff\ufb1e\ufe0e\ufe0f\ufe20-\ufe2f"
    "\U000101fd-\U0001e94a"
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
_DECIDING = 8
"""Characters before one that can decide whether it is in place."""
REACH = _DECIDING + MOST_MARKS
"""Characters before one that can decide how it is shown."""

# Letters of Europe, dashes and quotes, arrows and shapes: what most texts are made of. All of it is visible
# wherever it stands, and nothing of it is a mark.
_PLAIN = re.compile(
    "[\t\n\x20-\x7e\xa0-\xac\xae-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e\u2190-\u2bff]*"
)
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
_LIKE_A_SPACE = re.compile("[\xa0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]")
# Vowels and finals of Hangul, numbers in circles on squares, halves of flags, and colours of skin.
_OF_ANY_WIDTH = re.compile(f"[\u1160-\u11ff\u3248-\u324f\ud7b0-\ud7ff\U0001f1e6-\U0001f1ff{_SKIN}]")
_BREAKS = {ord(one): 0x2400 + ord(one) for one in "\t\n"}
_UNCLEAR = ("Mc", "Cn", "Co")
# A cut before the first, or after the second, leaves half of what is drawn as one.
_CLINGS = re.compile(f"[\u200b-\u200d\ufe0e\ufe0f\u20e3{_SKIN}]|{_TAG}")
_HOLDS = frozenset("\u200b\u200c\u200d")


@cache
def _out_of_place() -> re.Pattern[str]:
    """Takes 15 ms to compile, see `warm_up`. It begins with a single class, since that makes a search fast."""
    return re.compile(f"[^{_VISIBLE}]" + "".join(f"(?!{place})" for place in _IN_PLACE), re.DOTALL)


@cache
def _piled() -> re.Pattern[str]:
    """More than may be of what can be marks. It begins with a single class as well."""
    return re.compile(f"[{_MARKS}][{_MARKS}]{{{MOST_MARKS},}}")


@cache
def _unseen() -> re.Pattern[str]:
    # A braille pattern without dots belongs to drawings, but looks like a blank and is none.
    return re.compile(f"[^{_VISIBLE}\x00-\x1f\x7f]|\u2800")


def warm_up() -> None:
    """Prepare for any text, in a thread: else the first one that is not plain is waited for."""
    _out_of_place()
    _piled()


def inert(text: str) -> str:
    """The text with a visible stand-in for each control, reordering or invisible character, and each mark too many."""
    if text.isascii():
        return _CONTROL.sub(_stand_in, text)
    if _PLAIN.fullmatch(text):
        return text
    placed = _out_of_place().sub(_stand_in, text)
    flat = _piled().sub(_flattened, placed)
    return placed if flat == placed else _out_of_place().sub(_stand_in, flat)  # what followed a joiner may be gone


def one_line(text: str) -> str:
    """Inert text without line breaks, for a cell of a table or one line of a message."""
    return inert(" ".join(text.split()))


def spelled(text: str) -> str:
    """Inert text in which every invisible character, in place or not, is written out by its number.

    So is what takes more room in a terminal than we count: what follows it in its row would be beyond the edge. And so
    is what Unicode gives no meaning: a terminal may leave it out, and a font may give it any.
    """
    if text.isascii():
        return inert(text)
    from unicodedata import category  # a library of its own

    text = "".join(_numbered(one) if category(one) in _UNCLEAR else one for one in _OF_ANY_WIDTH.sub(_number, text))
    return inert(_unseen().sub(_number, text))


def revealed(text: str) -> str:
    """The same, and blanks that only look like a space written out as well: for those who are to allow something."""
    return spelled(text if text.isascii() else _LIKE_A_SPACE.sub(_number, text))


def whole_line(text: str) -> str:
    """The same on one line that hides nothing: line breaks and tabs stand in it as signs, and no blank is left out."""
    return revealed(text).translate(_BREAKS)


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


def _number(found: re.Match[str]) -> str:
    return _numbered(found[0])


def _numbered(character: str) -> str:
    return f"<U+{ord(character):04X}>"


def _stand_in(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"


def _flattened(found: re.Match[str]) -> str:
    from unicodedata import category  # a library of its own, and hardly ever needed

    shown, marks = [], 0
    for character in found[0]:
        marks = marks + 1 if character < "\U00010000" or category(character).startswith("M") else 0
        shown.append("\ufffd" if marks > MOST_MARKS else character)
    return "".join(shown)
