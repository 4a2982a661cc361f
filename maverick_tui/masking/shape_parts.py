"""Pieces that the patterns of secrets share."""

from __future__ import annotations

# Bounded: many heads in one long word would take the square of its length.
RANDOM = r"(?=[^\s\"'&]{0,99}\d)(?=[^\s\"'&]{0,99}[A-Za-z])"
FOUND = r"(?:[\w./@~+-]{1,160}[:-](?=\d{1,9}[:-]))?"
"""What stands before a line that grep has found, but for its number."""
NUMBERED = rf"{FOUND}[ \t]*+(?:\d++[\t:|\u2192-][ \t]*+){{0,3}}+[ \t+-]*+"
"""What stands before a line that is shown with its number, perhaps by several programs, or in a diff."""
SAID_OF_ONE = (
    "none|null|nil|undefined|true|false|yes|no|prompt|required|optional|reset|missing|invalid|wrong|mismatch|string"
)
"""What is said of a password where one could stand."""
LABEL = r"[^\W\d_a-z][^\W\d_]*"
"""A word of letters that begins with a capital, as labels and types do."""
POINTED = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+"
"""Names with points between them, as code has them."""
PACKAGES = "npm|jsr|pkg|oci|file|link|workspace|patch|catalog|git(?:hub|lab)|gist|bitbucket"
"""What stands before the colon of a package, and is nobody who logs in."""
# What is written where a password belongs and is none: a variable, a placeholder, or nothing.
NO_PASSWORD = (
    r"(?![\"'<$%{(\[*`-]|(?:[A-Z_]+|x+|(?:your|my|the|pass|secret)[\w-]*|(?:api|auth|access)?[-_]?(?:token|key)"
    rf"|[a-z]{{1,12}}(?:[-_]p|P)ass(?:word|phrase)|(?i:{SAID_OF_ONE}))(?![^\s\"';,.)|&`@}}\\]))"
)
PASSWORD = rf"[\"']?{NO_PASSWORD}"
WORD = r"[^\s\"']{4,}"
VALUE = rf"(?:(?<=\")(?!\s)[^\"\r\n]{{4,}}(?=\")|(?<=')(?!\s)[^'\r\n]{{4,}}(?=')|{WORD})"
"""Such a password, with its blanks if it is in quotes."""
