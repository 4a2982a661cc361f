"""Pieces that the patterns of secrets share."""

from __future__ import annotations

# Bounded: many heads in one long word would take the square of its length.
RANDOM = r"(?=[^\s\"'&]{0,99}\d)(?=[^\s\"'&]{0,99}[A-Za-z])"
NUMBERED = r"[ \t]*+(?:\d++[\t:|\u2192][ \t]*+){0,3}+[ \t+-]*+"
"""What stands before a line that is shown with its number, perhaps by several programs, or in a diff."""
# What is written where a password belongs and is none: a variable, a placeholder, or nothing.
NO_PASSWORD = (
    r"(?![\"'<$%{(\[*`-]|(?:[A-Z_]+|x+|(?:your|my|the|pass|secret)[\w-]*|(?:api|auth|access)?[-_]?(?:token|key))"
    r"(?![^\s\"';,.)|&`@}\\]))"
)
PASSWORD = rf"[\"']?{NO_PASSWORD}"
WORD = r"[^\s\"']{4,}"
VALUE = rf"(?:(?<=\")(?!\s)[^\"\r\n]{{4,}}(?=\")|(?<=')(?!\s)[^'\r\n]{{4,}}(?=')|{WORD})"
"""Such a password, with its blanks if it is in quotes."""
