"""What secrets look like: tokens of well-known services, and values behind a name that tells of one.

A name alone is not enough, for code and prose are full of them: `token=self.token` and "the password: eight letters"
stay. So what stands behind one must look random, unless what surrounds it leaves no doubt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import count
from typing import Any

from maverick_tui.masking import command_shapes, connection_shapes
from maverick_tui.masking.command_shapes import COMMANDS
from maverick_tui.masking.connection_shapes import CONNECTIONS
from maverick_tui.masking.lines import line_open_from, line_value
from maverick_tui.masking.names import KEYS, TELLING, is_telling
from maverick_tui.masking.pairs import pair_open_from, paired
from maverick_tui.masking.private_keys import HEADS, Span, key_open_from, key_spans
from maverick_tui.masking.shape_parts import LABEL, NO_PASSWORD, POINTED, RANDOM
from maverick_tui.masking.values import holds_login

_NAMED = ("api_key", "apiKey", "access_key", "AccessKey", "private_key", "token", "Token", "secret", "Secret",
          "password", "Password", "PASSWORD", "SECRET", "authorization")  # fmt: skip
# JSON, which is escaped where it stands in JSON itself, and has no ends of lines in it.
_STRING = r'(?:[^"\\\r\n]|\\(?!")[^\r\n])++'
_CUT_OFF = r"(?![\s`').,:;\]])"
"""How a string without an end begins; before other signs the quote ends something, or is only spoken of."""
_NO_LABEL = rf'(?![^"\r\n]*[ ]|(?:{LABEL}|{POINTED})\\?"){NO_PASSWORD}'
"""Texts of an interface are called like variables: `"FORGOT_PASSWORD": "Forgot it?"`."""
_OF_COOKIE = r"[^\s;\"'`\\]"
_WITH_BLANKS = tuple(
    f"{name}={quote}" for name in ("PASSWORD", "PASSPHRASE", "PASSWD", "SECRET", "_PASS") for quote in "\"'"
)
"""What stands before words that together are a secret, where an environment is set."""
_PHRASES = ("passphrase", "Passphrase")
# Nor what speaks of a secret: a message, or the words beside a field.
_WORDS = (
    r"(?![$<{%(*`\\])(?![^\"'\r\n]*(?i:\b(?:pass(?:word|phrase)?|secret|token)\b))"
    r"(?=[^\"'\r\n]*[ ])[^\"'\r\n]{8,}(?=[\"'])"
)
_TO_LINE_END = (
    *("uthorization", "UTHORIZATION", "Cookie", "cookie", "SECRET_KEY"),
    *(*_WITH_BLANKS, *_PHRASES, *command_shapes.TO_LINE_END, *connection_shapes.TO_LINE_END),
)
"""Those of `SHAPES` after which there may be blanks."""
_HASHES = ("$5$", "$6$", "$y$", "$2a$", "$2b$", "$2y$", "$apr1$")
"""Of passwords, as lists of users have them."""
_FIRST = "(?<![A-Za-z0-9])"
"""Nothing of a word before it, but for what emphasises it."""
SHAPES: Mapping[str, str] = {
    **{
        head: rf"{head}[\w-]{{8,}}"
        for head in ("sk-ant-", "sk-proj-", "sk-svcacct-", "sk-admin-", "sk-or-", "glpat-", "gldt-", "glrt-", "glptt-",
                     "glcbt-", "glimt-", "glft-", "glagent-", "glsoat-", "github_pat_", "xapp-")
    },
    **{head: rf"{head}\w{{16,}}" for head in ("ghp_", "gho_", "ghu_", "ghs_", "ghr_")},
    **{head: rf"{head}\w{{10,}}" for head in ("sk_live_", "rk_live_", "sk_test_", "rk_test_", "whsec_")},
    **{head: rf"({head}){RANDOM}[\w.~+/=-]{{8,}}" for head in ("Bearer ", "bearer ")},
    **{head: rf"{_FIRST}{head}[A-Za-z0-9]{{20,}}" for head in ("sk-", "hf_", "npm_", "gsk_", "xai-")},
    **{head: rf"(?<![A-Z0-9]){head}[0-9A-Z]{{12,}}" for head in ("AKIA", "ASIA")},
    **{
        head: rf"{_FIRST}{head}[0-9a-fA-F]{{32,}}"
        for head in ("dapi", "dop_v1_", "doo_v1_", "shpat_", "shpss_", "shpca_")
    },
    **{head: rf"{_FIRST}{head}[\w=-]{{20,}}" for head in ("glsa_", "dckr_pat_", "ATATT3", "AGE-SECRET-KEY-1")},
    **{
        head: rf"{_FIRST}(?<!-){head}{RANDOM}[\w=-]{{20,}}"
        for head in ("glc_", "dckr_oat_", "figd_", "nvapi-", "sq0atp-", "sq0csp-", "tskey-", "pscale_tkn_", "sntrys_",
                     "sntryu_", "sb_secret_", "ATBB")
    },
    **{
        head: rf"{_FIRST}(?<!-){head}{RANDOM}[A-Za-z0-9]{{30,}}"
        for head in ("lin_api_", "lin_oauth_", "ntn_", "secret_", "r8_", "nfp_", "pplx-", "vcp_", "pnu_", "tfp_")
    },
    **{head: rf"{_FIRST}(?<!-){head}[0-9a-f]{{32,}}(?![\w-])" for head in ("pul-", "rubygems_", "sbp_")},
    **{head: rf"{_FIRST}(?<!-){head}[A-Z0-9]{{27}}(?!\w)" for head in ("NRAK-", "NRII-")},
    **{
        head: rf"{_FIRST}{head}{RANDOM}[\w+/=-]{{20,}}"
        for head in ("GOCSPX-", "ops_eyJ", "fm1_", "fm2_", "HRKU-AA", "CCIPAT_", "lsv2_pt_", "lsv2_sk_", "tvly-",
                     "phx_", "CFPAT-", "AKCp", "pcsk_", "tgp_v1_", "ory_at_", "duffel_live_")
    },
    **{head: rf"{_FIRST}(?<!-){head}[0-9a-f-]{{36}}(?![\w-])" for head in ("pat-na1-", "pat-na2-", "pat-eu1-")},
    "access_token$production$": rf"{_FIRST}access_token\$production\$\w{{16}}\$[0-9a-f]{{32}}",
    "sk.eyJ": rf"{_FIRST}(?<!\.)sk\.eyJ[\w-]{{20,}}\.[\w-]{{16,}}",
    "sl.": rf"{_FIRST}(?<!\.)sl\.{RANDOM}[\w-]{{100,}}",
    "1//0": rf"{_FIRST}(?<!/)1//0{RANDOM}[\w-]{{40,}}",
    "/api/webhooks/": r"(/api/webhooks/\d{10,}/)[\w-]{16,}",
    **{head: rf"{_FIRST}{head}[0-9a-f]{{32,}}(?!\w)" for head in ("bkua_", "squ_", "sqp_", "sqa_", "CLOJARS_")},
    "key-": rf"{_FIRST}(?<!-)key-[0-9a-f]{{32}}(?!\w)",
    "rnd_": rf"{_FIRST}rnd_{RANDOM}[A-Za-z0-9]{{28,}}",
    ".atlasv1.": r"(\.atlasv1\.)[\w-]{20,}",
    "NRAL": r"(?<!\w)[0-9a-fA-F]{32,36}NRAL(?!\w)",
    "PMAK-": r"(?<![\w-])PMAK-[0-9a-f]{24}-[0-9a-f]{34}",
    "dp.": r"(?<![\w.])dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[\w-]{2,35}\.)?[A-Za-z0-9]{40,}",
    ":AA": r"(?<![A-Za-z0-9])\d{8,10}:AA[\w-]{33}(?![\w-])",
    **{f"{head}.": rf"{_FIRST}(?<!\.){head}\.[\w-]{{20,}}" for head in ("ya29", "hvs", "hvb")},
    "SG.": r"(?<![\w.])SG\.[\w-]{16,}\.[\w-]{16,}",
    "hooks.slack.com/services/": r"(hooks\.slack\.com/services/)[\w/]{20,}",
    "xox": r"xox[a-z]-[\w-]{10,}",
    "AIza": r"AIza[\w-]{30,}",
    "pypi-Ag": r"pypi-Ag[\w-]{16,}",
    # From where its word begins: from each place like its beginning, a long word would be read anew.
    "eyJ": r"(?<![\w-])((?:(?!eyJ)[\w-])*+)eyJ[\w-]{8,}+\.[\w-]{8,}+\.[\w.-]*",
    **{head: rf"{re.escape(head)}[\w./+=,-]{{1,40}}\$[\w./+=$-]{{20,}}" for head in _HASHES},
    "django-insecure-": r"django-insecure-[^\s\"'\\]{20,}",
    "SECRET_KEY": r"(SECRET_KEY\\?[\"']?\]?[ ]*[:=][ ]*\\?[\"'])(?![$<{%(/]|\w+://)" + RANDOM + r"[^\s\"'\\]{32,}",
    "X-Amz-Signature=": r"(X-Amz-Signature=)[0-9a-f]{64}",
    **CONNECTIONS,
    **COMMANDS,
    **{
        head: rf"({head}\\?[\"']?\s*[:=]\s*\\?[\"']?(?:(?i:basic|bearer|digest|token|negotiate)\s+"
        rf"(?![A-Za-z][a-z]*(?![\w.~+/=-]))|[A-Za-z][\w-]{{1,19}}[ ]+{RANDOM}(?=[\w.~+/=-]{{16}})))[\w.~+/=-]{{6,}}"
        for head in ("uthorization", "UTHORIZATION")
    },
    # With all that belongs to it, to where the sentence, the code or the string around it goes on.
    **{
        head: rf"({head}\\?[\"']?:\s*\\?[\"']?)"
        rf"[\w.%-]+=(?:\"[^\"\r\n]{{3,}}\"|{_OF_COOKIE}{{3,}})(?:;[ ]*[\w.%-]+(?:={_OF_COOKIE}*)?)*"
        for head in ("Cookie", "cookie")
    },
    **{head: rf"({re.escape(head)}){RANDOM}[^\s\"'\\&]{{8,}}" for head in ("?key=", "&key=", "?sig=", "&sig=")},
    **{head: rf"({re.escape(head)}){_WORDS}" for head in _WITH_BLANKS},
    **{head: rf"({head}[\"']?[ \t]*[:=][ \t]*[\"']){_WORDS}" for head in _PHRASES},
    # As .pgpass has them, without a name: the port tells what they are. A list of users has numbers there.
    ":5432:": r"(?<![^\s\"'`])([\w.*-]+:5432:[\w.*-]+:[\w.*-]+:)[^\s\"'`]{4,}",
    ":*:": rf"(?<![^\s\"'`])([\w.*-]+:\*:(?!-?\d+:)[\w.*-]+:[\w.*-]+:){RANDOM}[^\s\"'`]{{4,}}",
    **{
        name: rf'({name}\\?"\s*:\s*\\?"){_NO_LABEL if name.isupper() else ""}(?![{{$<])'
        rf'(?:(?={_STRING}\\?")|{_CUT_OFF}){_STRING}'
        for name in _NAMED
    },
}  # fmt: skip
"""By a piece that is in every secret of a known kind, what it looks like; the group is what stays."""

_SPELLED = tuple(spelled for word in TELLING for spelled in (word, word.capitalize(), word.upper()))
_ASSIGNED = re.compile(
    r"[\w-]{0,40}+(?P<name>)"
    r"(?:\\?[\"']?\]?[^\S\r\n]*(?P<sign>:=|=>|[:=])[^\S\r\n]*|(?P<tag>>)"
    # Behind an option, also on the next line of a command, and as the next item of a list in code or YAML.
    r"|(?P<blank>[ ]+(?:\\\r?\n[ \t]*)?|\\?[\"'],\s{0,40}(?=\\?[\"'])|\r?\n[ \t]*-[ ]))"
    r"(?:\\?[\"'](?P<quoted>[^\s\"'\\]{8,}+)(?=\\?[\"'])|(?P<bare>[^\s\"'\\,;&<>`]{8,}+))"
)
_REACH = 40
"""Characters of a name that are looked at before the word that tells."""
_IN_NAME = re.compile(r"[\w-]*\Z")
_CODE = re.compile(r"[(\[{}$]")
_WORD = re.compile(r"[^\W_]+")
_FILLED_IN = "$<{[(%`"
"""What a value begins with that is put there by a shell or a template."""
_LAST_NAME = re.compile(r"[A-Za-z_]\w*")
_NAME_BEFORE = re.compile(r"[A-Za-z_]\w*\Z")
_IDENTIFIER = re.compile(
    r"[A-Z_]+|[a-z]+\d{0,2}(?:_[a-z]+\d{0,2})+|[A-Za-z]\w*(?:Str|String|Token|Key|Type|Hash|Secret)"
)
_PATH = re.compile(r"(?:~|\.{0,2})/\S*[^=]|\w+://\S*")

_BEFORE_MARK = re.compile(r"(?<!\w)(?:[0-9a-fA-F]{1,36}N?R?A?|\d{1,10}:(?:AA?[\w-]{0,33})?)\Z")
"""What stands before NRAL, and around :AA."""
_SHORT, _FEW = 400, 50
"""Characters of a text in which each piece is looked for by itself, and how many such texts there may be."""
_looks = count()
_LEAST_OPEN = 6
"""Characters of what may become a secret that are harmless by themselves."""


def is_open(text: str) -> bool:
    """Whether a secret of a known shape may have begun at the end of the text."""
    return _opening(text) < len(text)


def open_from(text: str) -> int:
    """Where a secret of a known shape may have begun at the end of the text; its length if none has.

    What is short may become one, but tells nothing yet.
    """
    at = _opening(text)
    return at if len(text) - at >= _LEAST_OPEN else len(text)


def _opening(text: str) -> int:
    mark = _BEFORE_MARK.search(text, max(0, len(text) - 60))
    found = [key_open_from(text), pair_open_from(text), *([] if mark is None else [mark.start()])]
    if _may_hold_a_head(text):
        found += (at for at in (*_begun(text), line_open_from(text)) if at >= 0)
    return min(found)


def _begun(text: str) -> Iterator[int]:
    """Where something has begun that may become a secret, -1 for what has not. It reaches to the end of the text, and
    is looked for only where it may begin then: looked for everywhere, a text full of beginnings would take ages.
    """
    folded, turned = text.casefold(), text[::-1]
    word, line = (len(text) - found.start() if (found := stop.search(turned)) else 0 for stop in (_WORD_END, _LINE_END))
    for heads, tail in ((_WITHOUT_BLANKS, word), ((*_TO_LINE_END, "login "), line)):
        yield from (text.find(head, max(0, tail - len(head))) for head in heads)
    if (named := _TURNED_NAME.match(turned)) is not None:
        longest = min(named.end(), named.end("sign") + _LONGEST_NAME) if named["sign"] else named.end()
        start = max(0, len(text) - longest - _REACH)
        yield from _starts(_named_openings(), text, folded, start)
    yield from _starts([("--", _OPTION_BEGUN)], text, folded, 0)
    yield from _starts(_json_openings(), text, folded, 0)


def _starts(openings: list[tuple[str, re.Pattern[str]]], text: str, folded: str, start: int) -> Iterator[int]:
    found = (pattern.search(text, start) for head, pattern in openings if head in folded)
    return (one.start() for one in found if one is not None)


_WITHOUT_BLANKS = tuple(head for head in SHAPES if head not in _NAMED)
_WORD_END, _LINE_END = re.compile(r"[\s\"\\]"), re.compile(r"[\r\n]")
_TURNED_NAME = re.compile(r"[^\s\"'\\]*+(?P<sign>[\s\\\"'\]:=>]*+)[\w-]*+")
"""A value, the signs before it and the name before those, read from the end of a text."""
_LONGEST_NAME = 200
_OPTION_BEGUN = re.compile(
    rf"(?<![\w-])--(?=[A-Za-z])[\w-]{{0,40}}(?i:{'|'.join(TELLING)})[\w-]{{0,40}}+"
    r"(?:[ ]+\\?\s{0,40}|\\?[\"'],?\s{0,40}\\?[\"']?|\r?\n[ \t]*-?[ ]?)[^\s\"'\\]*+\Z"
)


@cache
def _named_openings() -> list[tuple[str, re.Pattern[str]]]:
    """A name that tells, and what may become its value; one pattern for all would be slow."""
    name = r"[\w-]*+(?:\\?[\"']?\]?[^\S\r\n]*+(?::=|=>|[:=>])?[^\S\r\n]*+\\?[\"']?)[^\s\"'\\]*+\Z"
    return [(word.casefold(), re.compile(rf"(?i:{word}){name}")) for word in (*TELLING, *sorted(KEYS))]


@cache
def _json_openings() -> list[tuple[str, re.Pattern[str]]]:
    ending = r'(?:[\\"\s:]*|\\?"\s*:\s*\\?"[^"\r\n]*)\Z'
    return [(word.casefold(), re.compile(f"{word}{ending}")) for word in _NAMED]


def _may_hold_a_head(text: str) -> bool:
    """Whether one of the pieces is in the text by which secrets are looked for; hardly ever one is.

    One look for all of them takes a tenth of the time of one for each, and 3 MB: a process that has only some prompts
    to mask does without.
    """
    # A character that is no ASCII may be a capital letter of an ASCII one, or half of a character.
    plain = text if text.isascii() else text.casefold().encode("ascii", "replace").decode()
    if len(plain) <= _SHORT and next(_looks) < _FEW:
        folded = plain.lower()
        return any(head in folded for head in _heads())
    return _any_head().search(plain) is not None


@cache
def _heads() -> list[str]:
    return sorted({head.casefold() for head in (*BEGINNINGS, *_TO_LINE_END, "login ")})


@cache
def _any_head() -> re.Pattern[str]:
    import re2  # type: ignore[import-untyped]  # a start can do without it

    options = re2.Options()
    options.case_sensitive = False
    found: re.Pattern[str] = re2.compile("|".join(map(re2.escape, _heads())), options)
    return found


def _heads_in(text: str) -> Iterator[str]:
    """Those of `SHAPES` that are in the text: one look for all takes a hundredth of the time of one for each."""
    heads = [*SHAPES]
    if len(text) > _SHORT:
        found = _each_head().Match(text.encode("ascii", "replace")) or ()
        if len(heads) in found:  # without what is in each text, it had no room to look
            heads = [head for at, head in enumerate(heads) if at in found]
    return (head for head in heads if head in text)


@cache
def _each_head() -> Any:
    import re2  # a start can do without it

    heads = re2.Set.SearchSet()
    for head in (*SHAPES, ""):
        heads.Add(re2.escape(head))
    heads.Compile()
    return heads


BEGINNINGS = frozenset(
    (*SHAPES, *HEADS, *(spelled for word in (*TELLING, *KEYS) for spelled in (word, word.capitalize(), word.upper())))
)
"""What each of them begins with."""


def shaped(text: str) -> Iterator[Span]:
    """Where something in the text looks like a secret."""
    if not _may_hold_a_head(text):
        return
    if any(head in text for head in HEADS):
        yield from key_spans(text)
    for head in _heads_in(text):
        pattern = _shape(head)
        yield from (
            found.span() if not pattern.groups else (found.end(1), found.end()) for found in pattern.finditer(text)
        )
    yield from paired(text)
    yield from _beside_names(text)


def _beside_names(text: str) -> Iterator[Span]:
    """Values behind a word that tells; looking for each word is quicker than one pattern."""
    for word in _SPELLED:
        at = text.find(word)
        while at >= 0:
            end = at + len(word)
            if line := line_value(text, at, end):
                yield line
            if found := _ASSIGNED.match(text, end):
                yield from _assigned(text, at, found)
                # Or a long value full of such words would take the square of its length; behind a blank may be a name.
                end = end if found["blank"] else found.end()
            at = text.find(word, end)


def _assigned(text: str, start: int, found: re.Match[str]) -> Iterator[Span]:
    """The value behind the word that begins there, if it is a secret."""
    end = found.start("name")
    before = _IN_NAME.search(text, max(0, start - _REACH), start)
    name = (before[0] if before else "") + text[start:end]
    value = found["quoted"] or found["bare"].rstrip(").:")  # the call or the sentence may end here
    if not value or (found["blank"] and (not name.startswith("--") or value.startswith("--"))):
        return
    is_variable = found["sign"] == "=" and end == found.start("sign") and name.isupper()
    # As docker keeps a login: any other `auth` may be the name of a way to log in.
    is_login = name == "auth" and bool(found["quoted"]) and holds_login(value)
    if is_login or (is_telling(name) and _is_value(value, bool(found["quoted"]), is_variable)):
        at = found.start("quoted" if found["quoted"] else "bare")
        yield at, at + len(value)


@cache
def _shape(head: str) -> re.Pattern[str]:
    return re.compile(SHAPES[head])


def _is_value(value: str, is_quoted: bool, is_variable: bool) -> bool:
    """Whether it is what a secret could be: nothing that code would say, and random unless a variable is set to it."""
    if is_variable and value[0] not in _FILLED_IN and any(map(_looks_random, _WORD.findall(value))):
        return not _PATH.fullmatch(value)
    if _is_code(value) or _PATH.fullmatch(value) or (not is_quoted and _IDENTIFIER.fullmatch(value)):
        return False
    return is_variable or (any(one.isdigit() for one in value) and any(one.isalpha() for one in value))


def _looks_random(word: str) -> bool:
    """Whether it has digits and letters of both cases, which few names in code have."""
    kinds = (str.isdigit, str.islower, str.isupper)
    return all(any(map(is_one, word)) for is_one in kinds)


def _is_code(value: str) -> bool:
    """Whether it has signs of code, or ends in one name after another with a point between: `self.token`."""
    before, _, last = value.rpartition(".")
    # Of what is before the point only its end: a search that ends there begins anew at each letter.
    ends_in_names = _LAST_NAME.fullmatch(last) and _NAME_BEFORE.search(before[-_REACH:])
    return bool(ends_in_names or _CODE.search(value))
