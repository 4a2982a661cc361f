"""What a model says by itself, where no tool was called: let through if it cannot claim anything that only a tool
knows.

Claims cannot be listed: they are made in every language, and in ever new words. So the words of talking are listed.
With those, and with what the user and the assistant have said before, it can greet, ask back and offer help; what
takes any other word is not said. Of the list those words can tell something as well ("Your list is clear."): so what
they say of tasks is said only where it asks or offers.
"""

from __future__ import annotations

import re

from maverick_tui.inert import inert
from maverick_tui.tasks.texts import HELP, cut

TALK = frozenset(
    """
    hello hi hey good morning afternoon evening day night bye goodbye welcome thanks thank please sorry sure okay ok yes
    no great nice fine well glad happy pleasure course absolutely certainly hm hmm oh there
    i i'm i'd i'll you you're you'd your yours we let's me my it it's its that that's this these those they them one
    ones anything something else everything both either any some other another
    a an the and or but so if because since when while of in on at for from to with without about as by into than then
    am is are be being do does don't doesn't can can't could couldn't would should shall may might will
    not only just also too again still always maybe perhaps here today tomorrow first next later soon before after
    what what's which who where why how
    help assist try ask tell say know understand think want wants like need needs mean meant use give keep make take
    says done begin start choose pick talk work works answer call doing provide rephrase catch quite didn't
    add list complete update delete change rename mark show look
    assistant task tasks to-do to-dos todo todos item items list lists title titles name names note notes tag tags
    priority priorities high higher low lower medium due date dates time week month year day days urgent important
    monday tuesday wednesday thursday friday saturday sunday
    thing things way words word details detail question questions idea little bit more much many few short long clear
    sense able ready exactly really very kind best better easy possible sounds together
    """.split()
)
"""What may be said without having done or looked up anything. Left out is what tells that something has happened."""

_ACTIONS = frozenset("add complete update delete change rename mark".split())
_OFFERS = frozenset("can can't could couldn't would should shall may might want like need how".split())
_PROMISES = frozenset("will i'll".split())
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")
_CLAUSE = re.compile(r"[,;:()\u2013\u2014]|\s-\s")
_OUR_NAME = re.compile(r"\b(?:to-do|todo|task)(?: list)? assistant\b")
_TASKS = frozenset(
    "task tasks to-do to-dos todo todos item items list lists title titles note notes tag tags date dates priority "
    "priorities high higher low lower medium urgent important".split()
)
_ONLY_ASKED = frozenset(
    "due monday tuesday wednesday thursday friday saturday sunday yes no none nothing empty have has had haven't "
    "hasn't isn't aren't was were wasn't weren't left".split()
)
"""What a clause cannot hold that does not ask, whether it is of tasks or of what the user has called them."""
_STANDS = frozenset("is are be being".split())
_WHERE = frozenset("there in on still not".split())
_POINTING = _STANDS | frozenset("it it's that that's this they these those there".split())
_OFFERING = frozenset(
    "can can't could couldn't would i'd i'll shall want like need help assist happy glad able".split()
)
_WILLING = frozenset("happy glad able".split())
_ASKING = frozenset(
    "what what's which who where why how when is are am do does can can't could couldn't would should shall may might "
    "will".split()
)
_BEFORE_A_QUESTION = frozenset("and or but so then well".split())
_ASSENT = frozenset("sure okay ok absolutely certainly of course".split())
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_OURS = re.compile(
    r"do you really want to delete|reply 'yes|that's a big action|confirm with '|"
    r"^(?:got it! added|updated!|done\b|added\b|deleted\b|removed\b|marked\b|completed\b)|[☐✓]",
    re.IGNORECASE | re.MULTILINE,
)
"""What is asked before something is done: a model may not say it where no tool did, not even in the user's words."""
_CLAIM = re.compile(
    r"\b(?:added|created|deleted|removed|erased|cleared|marked|completed|finished|updated|changed|renamed)\b|"
    r"(?<!to be )(?<!things )\bdone\b|(?:\b(?:is|are|it|all|now|tasks?)|'s|'')[ :,-]+complete\b",
    re.IGNORECASE,
)
"""What may claim that something was changed, even if the user has said those words before."""
_APOSTROPHES = str.maketrans(dict.fromkeys("\u2019\u2018\u02bc\u201b\u2032\uff07`\u00b4", "'"))
_JARGON = re.compile(
    r"\b(json|apis?|mcp|sql\w*|databases?|tools?|toolcalls?|function call|user ?id|task ?id|uuid|null|boolean|"
    r"parameters?|arguments?|schema|exceptions?|traceback|stack ?trace|endpoint|backend|servers?|tokens?|"
    r"(add|list|complete|update|delete)_(all_)?tasks?|https?|html|xml|system prompt|error code|status code)\b|"
    r"\w_\w|://|[{}<>`\\|]",
    re.IGNORECASE,
)
_BRACKETED_ID = re.compile(r"\s*[(\[](?:task\s*)?(?:id|no\.?|number)?\s*[:#=]?\s*\d+[)\]]", re.IGNORECASE)
_ID = re.compile(
    r"\bids?\b|#\d|\btask (?:no\.? ?|number )?\d|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{17,}\b", re.IGNORECASE
)
_QUOTED = re.compile(r"(?<!\w)'(?P<a>[^'\n]*)'(?!\w)|\"(?P<b>[^\"\n]*)\"|“(?P<c>[^”\n]*)”")
_MARKUP = re.compile(r"^\s{0,3}#{1,6}\s+|\*\*|__|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)", re.MULTILINE)
_EMOJI = re.compile(
    "[\U0001f000-\U0001faff\U000e0000-\U000e007f\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\u2194-\u21aa\u3030\u303d\u20e3\ufe0f\u200d]"
)
_INVISIBLE = re.compile("[\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufeff]")
_ENDS = (".", "!", "?", "…", ":")


def friendly(text: str, heard: str = "") -> str:
    """What a model says by itself, made presentable: no ids, no jargon, no emoji, whole sentences, not too long.

    What cannot be mended is not said at all; nor is what it cannot know, since it was not `heard` in the conversation
    and no tool told it. What is in quotes must have been heard word for word.
    """
    is_list = any(mark in text for mark in "☐✓")  # one of them would be taken for an emoji
    text = _BRACKETED_ID.sub("", _EMOJI.sub("", _INVISIBLE.sub("", inert(text).replace("\ufffd", ""))))
    unquoted = _QUOTED.sub("''", text)
    if is_list or _JARGON.search(unquoted) or _ID.search(unquoted):
        return HELP
    text = _MARKUP.sub("", text)
    text = re.sub(r"\s*\n\s*", "\n", re.sub(r"[^\S\n]+", " ", text)).strip()
    if not any(character.isalnum() for character in text) or _is_claim(text, heard):
        return HELP
    text = cut(text[0].upper() + text[1:])
    return text if text.rstrip("'\"”)").endswith(_ENDS) else cut(f"{text.rstrip(',;- ')}.")


def _is_claim(text: str, heard: str) -> bool:
    """Whether it may claim what only a tool knows; checked when nothing of it will change any more."""
    said, known = _plain(text), _plain(heard)
    in_one = " ".join(said.split())
    quoted = [str(found[found.lastgroup or 0]) for found in _QUOTED.finditer(said)]
    unquoted = _QUOTED.sub("''", said)
    if any(part.strip() not in known for part in quoted) or _OURS.search(said) or _OURS.search(in_one):
        return True
    if _CLAIM.search(" ".join(unquoted.split())):
        return True
    words = set(_WORD.findall(unquoted))
    if words - TALK - set(_WORD.findall(known)) or words <= _ASSENT:  # which would be of what the user has asked for
        return True
    sentences = _SENTENCE.findall(_OUR_NAME.sub("assistant", unquoted))
    return any(_is_told(sentence) or _is_stated(sentence) for sentence in sentences)


def _is_told(sentence: str) -> bool:
    """Whether it says or promises that something is done, and does not offer it."""
    words = set(_WORD.findall(sentence))
    return bool(words & _ACTIONS) and (not words & _OFFERS or bool(words & _PROMISES))


def _is_stated(sentence: str) -> bool:
    """Whether it says how things stand. Of a list ("add, list or delete") the first part asks or offers for all."""
    is_led = False
    for words in map(_WORD.findall, _CLAUSE.split(sentence)):
        said = set(words)
        first = next((word for word in words if word not in _BEFORE_A_QUESTION), "")
        stands = bool(said & _STANDS) or any(word.endswith("'s") and word != "let's" for word in words)
        if sentence.endswith("?") and first in _ASKING:
            is_led = True
        elif said & _ONLY_ASKED or (stands and (said & _WHERE or said <= _POINTING)):
            return True
        elif said & _OFFERING and (not stands or said & _WILLING):
            is_led = True
        elif said & _TASKS and (stands or not is_led):
            return True
    return False


def _plain(text: str) -> str:
    return text.translate(_APOSTROPHES).casefold()
