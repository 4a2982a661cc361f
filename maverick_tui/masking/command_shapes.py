"""Secrets that programs are given: on command lines, in lines of settings that are written like those, and in SQL."""

from __future__ import annotations

from collections.abc import Mapping

from maverick_tui.masking.shape_parts import LABEL, NO_PASSWORD, NUMBERED, PASSWORD, POINTED, RANDOM, VALUE

_COMMAND = r"\b[^\n|;&]{0,200}?[ ]"
_USER = r"[\"']?[\w.@-]+:(?!//)"
_JOINING = r"(?:and|or|with|without|by|via|using|plus)"
"""What stands between a login and a password in prose, where a file has a name: "a login and password combination"."""
_NO_PORT = r"(?!(?:[\d.]+:)?\d{1,5}(?![^\s:/]))"
_NO_MAPPING = r"(?!(?:[\d.]+:)?\d{1,5}:\d)"
_NO_OPTION = r"(?!(?:rint[0f]?|ath|rune|erm|lugin|rogress|roject|rotocol|roxy|latform)(?![\w-]))"
"""What `-p` begins in the options of other programs."""
_FIRST = r"(?<![^\s;&|(/`\"'])"
"""Before a program, and not before the end of a file's name."""
_COOKIES = r"[^\s=;\"']+=(?![$<{])[^\s;\"']+(?:;[ ]*[^\s=;\"']+=[^\s;\"']*)*"
_REGISTRIES = ("docker ", "podman ", "nerdctl ", "buildah ", "skopeo ", "helm ", "oras ")
_OPTIONS = {
    "mysql": rf"mysql\w{{0,20}}+(?:\.exe)?(?![.:-]){_COMMAND}-p{_NO_OPTION}{_NO_MAPPING}",
    "redis-cli ": rf"redis-cli{_COMMAND}(?:-a|--pass) +",
    "sshpass ": rf"sshpass{_COMMAND}?-p *",
    "mongo": r"mongo(?:sh|dump|restore|import|export)?[ ](?=(?:[^\n|;&]{0,200}?[ ])?(?:-u|--username)[= ])"
    rf"(?:[^\n|;&]{{0,200}}?[ ])?(?:-p|--password)[= ]+{_NO_PORT}",
    "twine ": rf"twine +upload{_COMMAND}?(?:-p|--password)[= ]+",
    "az ": rf"\baz +login{_COMMAND}(?:-p|--password)[= ]+(?!\S+\.p(?:em|fx)\b)",
    "sqlcmd ": rf"sqlcmd{_COMMAND}?-P *",
    "keytool ": rf"keytool{_COMMAND}?-(?:store|key|new|(?:src|dest)(?:store|key))pass +",
    "jarsigner ": rf"jarsigner{_COMMAND}?-(?:store|key)pass +",
    "ldap": rf"\bldap(?:search|add|modify|delete|passwd|whoami|compare){_COMMAND}-w +",
    "openssl ": rf"openssl{_COMMAND}(?:-pass(?:in|out)?[ ]+)[\"']?pass:",
    "gpg": rf"\bgpg2?{_COMMAND}--passphrase[= ]+",
    "7z": rf"{_FIRST}7z[ar]? +[a-z] (?:[^\n|;&]{{0,200}}?[ ])?-p",
    "zip ": rf"{_FIRST}(?:un)?zip (?:[^\n|;&]{{0,200}}?[ ])?-P +",
    "smbclient ": rf"smbclient{_COMMAND}-U *[\"']?[^\s%\"']+%",
    "htpasswd ": r"htpasswd +-\w*b\w* +\S+ +[^\s-]\S* +",
    "ssh-keygen ": rf"ssh-keygen{_COMMAND}-N +",
    **{
        head: rf"{head}(?:[^\n|;&]{{0,60}}?[ ])?login{_COMMAND}(?:-p[= ]*|--password[= ]+){_NO_OPTION}{_NO_MAPPING}"
        for head in _REGISTRIES
    },
}
"""By its program, where a password stands that nothing else tells of."""
_CONFIGURED = ("requirepass ", "masterauth ", "bindpw ", "rootpw ")
_STATEMENTS = ("IDENTIFIED ", "identified ", "PASSWORD '", "password '")
_COMPOSED = ("_PASSWORD: ", "_PASSWD: ")
_GAP = rf"(?:\s+|[ \t\r]*\n{NUMBERED})"
_IDENTIFIED = r"IDENTIFIED\s+(?:WITH\s+\S+\s+)?(?:BY|AS)"
_STATED = (
    rf"(?:\b{_IDENTIFIED}|(?i:\b(?:(?:create|alter)\s+user|grant)\s[^\n;]{{0,200}}?\b{_IDENTIFIED}"
    rf"|\b(?:ENCRYPTED|WITH|ROLE\s+\S+|USER\s+\S+){_GAP}PASSWORD))\s+"
)
"""In small letters the first one may be prose: "it is identified by 'its name'"."""
_PIPED = r"(?:(?:password|passphrase|token|secret)-stdin|passwd +--stdin|sudo +-S)\b"

COMMANDS: Mapping[str, str] = {
    **{head: rf"({before}{PASSWORD}){VALUE}" for head, before in _OPTIONS.items()},
    "curl ": rf"(curl{_COMMAND}(?:(?:-[uU] *|--(?:proxy-)?user[= ])(?=[\"']?[^\s:]+:[^\s\"']{{6,}}){_USER}"
    rf"|(?:-x *|--(?:pre)?proxy[= ])[\"']?[^/\s:@\"'<>{{$]+:(?=[^\s\"']+@)){NO_PASSWORD}){VALUE}",
    "--cookie": rf"(--cookie[= ][\"']?){_COOKIES}",
    " -b": rf"(curl{_COMMAND}-b *[\"']?){_COOKIES}",
    "password ": rf"(?m:(login\s+(?:(?!{_JOINING}\s)\S+\s+password\s+|{_JOINING}\s+password\s+{RANDOM})"
    rf"|^{NUMBERED}password[ \t]+(?!\{{\w)(?=\S+[ \t]*$){RANDOM}))\S{{8,}}",
    **{f"{option} ": rf"(?<!\S)({option} {_USER}){RANDOM}[^\s\"']{{8,}}" for option in ("-u", "--user")},
    "vault ": rf"(vault +login +(?:-\S+ +)*)(?!\w+=){RANDOM}\S{{16,}}",
    "_authToken ": rf"(_authToken +[\"']?){RANDOM}[^\s\"']{{8,}}",
    "echo ": rf"(echo +(?:-n +)?{PASSWORD})(?=[^|\n]{{4,200}}\|[^\n|;&]*{_PIPED}){VALUE}",
    **{head: rf"(?m:^{NUMBERED}({head}[ \t]*){PASSWORD}\S{{4,}}[ \t]*$)" for head in _CONFIGURED},
    # As compose files have them; with more behind it, it is a sentence.
    **{
        head: rf"(?m:^{NUMBERED}([\"']?[A-Z\d_]{{0,60}}{head}{PASSWORD}(?!{LABEL}[\"']?[ \t]*$|{POINTED}|\w+[(\[]))"
        r"[^\s\"'#,;]{4,}(?=[\"']?[ \t]*$))"
        for head in _COMPOSED
    },
    "psk=": rf"(?m:^{NUMBERED}(psk=)(?:\"[^\"\r\n]{{8,63}}\"|{NO_PASSWORD}(?!\w*_)[^\s\"'(),.;\[\]]{{8,63}})[ \t]*$)",
    **dict.fromkeys(_STATEMENTS, rf"({_STATED}{PASSWORD})(?<=[\"'])[^\"'\r\n]{{4,}}(?=[\"'])"),
}
TO_LINE_END = (
    *(*_OPTIONS, *_CONFIGURED, *_COMPOSED, *_STATEMENTS),
    *("curl ", "--cookie", "password ", "-u ", "--user ", "vault ", "_authToken ", "echo ", "psk="),
)
"""Those after which there may be blanks."""
