"""Secrets in what tells the way to a server: addresses, and the settings of a connection."""

from __future__ import annotations

from collections.abc import Mapping

from maverick_tui.masking.shape_parts import NO_PASSWORD, PACKAGES, PASSWORD, POINTED

_FILLED_IN = r"\$[\w({]|%[(sdrv]|\{[^\s@]{0,200}\}@|<"
_HOST_AND_PORT = r"@[\w.-]+:\d{1,5}/?(?![\w/?#@.-])"
_PORT = rf"\d{{1,5}}[/?#](?!(?:(?!://)[^\s\"'<>]){{0,200}}{_HOST_AND_PORT})"
_SETTING = r"[^\s,;()\"']*"
_TO_DATABASE = rf"(?<![^\s\"'])(?:host|hostaddr|port|dbname|user|service)={_SETTING}(?:[ ]+\w+={_SETTING}){{0,20}}[ ]+"
_FROM_DATABASE = rf"(?=[ ]+(?:\w+={_SETTING}[ ]+){{0,20}}(?:host|hostaddr|port|dbname|user|service)=)"
_OF_LIBPQ = (
    rf"(?:'(?:[^'\\\r\n]|\\.){{4,}}+'|{NO_PASSWORD}(?!{POINTED}(?!\S)|[\w.]+\[['\"])[^\s,;()\"']{{4,}}+(?![,;()]))"
)
_EXPRESSION = r"[A-Za-z_.]{1,200}+(?:[\[(!:][^}]{0,400}+)?\}|[({]|Binding\b"
_OF_ODBC = rf"\{{(?!{_EXPRESSION})(?:[^}}\r\n]|\}}\}}){{2,200}}+\}}"
_NO_FOLDER = r"(?![\"']?(?:~|\.{0,2}/|[A-Za-z]:[\\/]))"
"""`PWD` is where a shell is, and `passwd` a file."""
_NO_CODE = rf"(?!{POINTED}[;(\[]|\w+[(\[])"
_NO_SOURCE = r"(?!(?:file|env|op|vault):|@[\w-]*[./])"
"""Where a program is told to take a password from."""
_OPTION = r"(?<![\w-])--(?:[\w-]{1,20}-)?"
_IN_JDBC = r"://[^\s\"'<>;?&]{1,200}(?:[;?&][^\s\"'<>;?&]{0,60}){0,9}?;"

CONNECTIONS: Mapping[str, str] = {
    # A password may hold `/` and `@`; what a port and a path are is none, nor what a program fills in.
    "://": rf"(://)(?:[^/\s:@\"'<>{{$]*:(?!{_PORT}|{_FILLED_IN})(?:(?!://)[^\s\"'<>])+(?=@[\w.\[-])(?!@sha256:)"
    r"|[\w.~-]{20,}(?=@))",
    **{
        head: rf"(?<!(?i:hap))({head}[\"']?[ ]?[:= ][ ]?[\"']?(?!(?:{PACKAGES}):)[^/\s:@\"'<>{{$=]{{1,60}}:)"
        rf"(?!//|{_PORT}|{_FILLED_IN})[^\s\"'<>]{{2,200}}(?=@[\w.\[])(?!@sha256:)"
        for head in ("roxy", "ROXY")
    },
    "jdbc:oracle:": rf"(jdbc:oracle:\w{{1,9}}:[^/\s@:]{{1,60}}/){NO_PASSWORD}[^\s@\"']{{1,100}}(?=@)",
    " password=": rf"({_TO_DATABASE}password=){_OF_LIBPQ}",
    "password='": rf"((?<![^\s\"'])password=){_OF_LIBPQ}{_FROM_DATABASE}",
    **{
        head: rf"((?:[?&]|{_OPTION}|{_IN_JDBC}){head})(?:{_OF_ODBC}|{but}{NO_PASSWORD}[^\s\"'&;`]{{4,}})"
        for head, but in (("password=", _NO_SOURCE), ("passwd=", _NO_FOLDER), ("pwd=", _NO_FOLDER))
    },
    **{
        head: rf"(;[ ]*{head})(?:{_OF_ODBC}|{but}{PASSWORD}[^;\s\"']{{4,}})"
        for head, but in (("Password=", _NO_CODE), ("PWD=", _NO_FOLDER), ("Pwd=", _NO_FOLDER))
    },
    **{f"{head}{{": rf"(?<![\w$;])({head}){_OF_ODBC}(?=;)" for head in ("PWD=", "Pwd=")},
}
TO_LINE_END = ("roxy", "ROXY", "jdbc:", "password=", "passwd=", "pwd=", "Password=", "PWD=", "Pwd=")
"""Those after which there may be blanks; `jdbc:` is far before the password that it tells of."""
