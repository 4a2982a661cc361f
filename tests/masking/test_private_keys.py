"""A private key is masked wholly, however it is shown; what only speaks of one, and what stands behind one, is kept."""

from __future__ import annotations

import base64
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maverick_tui.journal.masked_text import PiecewiseMask
from maverick_tui.masking.redact import MASK, held_from, redact
from tests.masking.keys import CODED, DRESSINGS, KEYS, Key, a_coded_key, a_key, told_of
from tests.support.cases import each
from tests.support.sampling import examples, sampled

HEADER = "-----BEGIN RSA PRIVATE KEY-----"
PROSE = "\nThat was the key of tests/fixtures; it opens nothing.\n\nNow my findings: none.\n"
FINDINGS = "\n".join(f"{number}. The handler in src/mod{number}.py closes its file twice." for number in range(300))


@each("dressing", DRESSINGS)
def test_a_key_is_masked_wholly_however_it_is_shown(dressing: str) -> None:
    for seed in range(examples(3, 400)):
        for kind, is_cut in (("RSA", False), ("PGP", True), ("EC", False), ("OPENSSH", True)):
            key = a_key(kind, dressing, seed, 64, is_cut)
            for text in (key.text, key.text + PROSE, key.text + "\n```" + PROSE, f"Look:\n\n{key.text}{PROSE}"):
                masked = redact(text)
                assert MASK in masked
                assert told_of(key, masked) == [], text
                if text != key.text:
                    assert masked.endswith(PROSE)


def streamed(text: str, cuts: list[int]) -> tuple[str, str]:
    """All that was ever written of a text that came in these pieces, and how it stands in the end."""
    mask, told, texts = PiecewiseMask(set), "", dict[int, str]()
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    for number, (start, end) in enumerate(pairwise(places)):
        known = mask.add([(number, text[start:end])])
        told += "\n".join(("", *known.now, *(late for _, late in known.late)))
        texts |= {number: known.now[0], **dict(known.late)}
    texts |= dict(mask.end())
    return told, "".join(text for _, text in sorted(texts.items()))


@given(KEYS, st.lists(st.integers(0, 5_000), max_size=40), st.sampled_from(["", "Look at this:\n", "x " * 90]))
def test_nothing_of_a_key_is_ever_written_in_whatever_pieces_it_comes(key: Key, cuts: list[int], before: str) -> None:
    text = f"{before}{key.text}{PROSE}"
    told, kept = streamed(text, cuts)
    assert told_of(key, told) == []
    assert told_of(key, kept) == []
    assert kept.endswith(PROSE)
    assert kept.startswith(before)


@each("dressing", [*DRESSINGS][examples(1, 0) :: examples(8, 1)])
def test_nothing_of_a_key_is_written_letter_by_letter(dressing: str) -> None:
    for seed in range(examples(1, 40)):
        key = a_key(("PGP", "RSA", "EC", "OPENSSH", "")[seed % 5], dressing, seed, 64, seed % 2 == 0)
        told, kept = streamed(key.text + PROSE, [*range(5_000)])
        assert told_of(key, told + kept) == []
        assert kept.endswith(PROSE)


@each("dressing", CODED)
@pytest.mark.parametrize("before", sampled(["", "# a key\n"], 2))
def test_a_key_in_base64_is_masked_in_pieces_as_at_once(dressing: str, before: str) -> None:
    for seed in range(examples(1, 100)):
        for kind in ("RSA", "", "EC", "OPENSSH", "PGP"):
            key = a_coded_key(kind, dressing, seed, before)
            masked = redact(key.text + PROSE)
            assert MASK in masked
            assert told_of(key, masked) == [], key.text
            assert masked.endswith(PROSE)
        told, kept = streamed(key.text + PROSE, [*range(seed, 5_000, examples(37, 11))])
        assert told_of(key, told + kept) == []
        assert kept.endswith(PROSE)


def test_a_certificate_in_base64_beside_its_key_is_kept() -> None:
    key = a_coded_key("RSA", "as it is", 3).text
    public = [
        base64.b64encode(f"-----BEGIN {kind}-----\n{'MIIDdzCCAl+gAwIBAgIEAgAAuTAN' * 9}\n".encode()).decode()
        for kind in ("CERTIFICATE", "PUBLIC KEY", "RSA PUBLIC KEY")
    ]
    for coded in public:
        text = f"data:\n  tls.crt: {coded}\n  tls.key: {key}\nkind: Secret\n"
        wanted = f"data:\n  tls.crt: {coded}\n  tls.key: {MASK}\nkind: Secret\n"
        assert redact(text) == wanted
        assert streamed(text, [*range(0, len(text), 9)])[1] == wanted
    padded = key.rstrip("=") + "="
    assert redact(f"client-key-data: {padded}\ncontexts:\n") == f"client-key-data: {MASK}\ncontexts:\n"


def test_a_short_key_is_masked_as_a_whole_in_pieces_as_at_once() -> None:
    for body in ("abc", "word", "MIIEowIB\nword", "aB3cD4eF" * 8 + "\nabcd"):
        text = f"x\n{HEADER}\n{body}\n-----END RSA PRIVATE KEY-----\ny"
        assert redact(text) == f"x\n{MASK}\ny"
        told, kept = streamed(text, [*range(len(text))])
        assert kept.endswith(f"{MASK}\ny")
        assert body not in told + kept


@each("dressing", [*DRESSINGS][:: examples(10, 1)])
def test_a_key_that_is_too_long_to_be_held_is_masked_to_its_end(dressing: str) -> None:
    key = a_key("RSA", dressing, 7, 64, is_cut=False)
    text = DRESSINGS[dressing]([HEADER, *(key.body[:-1] * 100), key.body[-1], "-----END RSA PRIVATE KEY-----"])
    told, kept = streamed(text + PROSE, [*range(0, 200_000, 331)])
    assert told_of(key, told + kept) == []
    assert kept.endswith(PROSE)


@each(
    "text",
    [
        f"The line\n\n{HEADER}\n\nstands in three files. Two are test fixtures.\n\nThe problem is in src/sniff.py.",
        f"tests/a.pem:1:{HEADER}\ntests/b.pem:1:{HEADER}\nsrc/sniff.py:3:    if '{HEADER}' in text:\nLAST\n\nNotes.\n",
        f"tests/a.pem:1:{HEADER}\ntests/a.pem:27:-----END RSA PRIVATE KEY-----\nNothing else was found.",
        f"{HEADER}\ncut off",
        f"{HEADER}\n",
        f"{HEADER}\nREADME\nsrc/components/menu\nThen more.",
        f'HEADER = "{HEADER}\\n"\nreturn text.startswith(HEADER)\n',
        f"{HEADER} is its first line.\nIts last one is\n-----END RSA PRIVATE KEY-----\nand nothing else.",
        f"-----BEGIN CERTIFICATE-----\n{'MIIDdzCCAl+gAwIBAgIEAgAAuTAN' * 2}\n-----END CERTIFICATE-----\nx",
        f"-----BEGIN PUBLIC KEY-----\n{'MFkwEwYHKoZIzj0CAQYIKoZIzj0D' * 2}\n-----END PUBLIC KEY-----\nx",
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nWords.\n-----BEGIN PGP SIGNATURE-----\n\niQEzBAEBCAAd\n",
        "It is base64 of -----BEGIN after LS0tLS1CRUdJTiB, and LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVk is more.",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGPhv8yF0JxLr3m9c2Qe7Tn5uB1kXo4ZsVwRdHj6MaKt me@here\nand so on",
        "Private-Lines: 3\nare announced there and then they follow",
        'In JSON: "token": " is how it begins\nand this is all that there is to say.',
        'It says `"password": "` there\nand "nothing" else.',
        """It looks for '"token": "' in each line\nwhich is enough.""",
    ],
)
def test_what_only_speaks_of_keys_is_kept(text: str) -> None:
    assert redact(text) == text
    for size in (1, 7, 40):
        assert streamed(text, [*range(0, len(text), size)])[1] == text


@pytest.mark.parametrize(
    "head",
    [
        "A PEM file begins with `-----BEGIN CERTIFICATE-----`.\n", f"It begins with\n\n{HEADER}\n\nand a line.\n",
        "-----BEGIN PUBLIC KEY-----\n", "-----BEGIN PGP SIGNED MESSAGE-----\n", "Private-Lines: 3\n",
        'In JSON: "token": " is how it begins\n', 'It says `"password": "` there\n', "b3BlbnNzaC1rZXktdjE\n",
        "LS0tLS1CRUdJTiB\n", "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t\n",
        "A hash is 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\n",
    ],
)  # fmt: skip
def test_what_follows_is_written_as_soon_as_it_can_no_longer_be_a_secret(head: str) -> None:
    text, mask, written = head + FINDINGS, PiecewiseMask(set), dict[int, str]()
    for number, at in enumerate(range(0, len(text), 20)):
        known = mask.add([(number, text[at : at + 20])])
        written |= {number: known.now[0], **dict(known.late)}
        assert at + 20 - sum(map(len, written.values())) < 400, "a line or two"
    assert "".join(written.values()) in text
    assert "".join((written | dict(mask.end())).values()) == text


def test_a_long_line_that_only_may_be_a_secret_is_let_go() -> None:
    text = 'It has "token": " and then ' + "no quote at all in one very long line, " * 2_000
    assert streamed(text, [*range(0, len(text), 100)])[1] == text


@each(
    "text",
    [
        "-----BEGIN " * 20_000, f"{HEADER}\n" * 7_000, f"{HEADER}\\n" * 7_000, f"{HEADER} {'Ab1' * 8} " * 4_000,
        "-----END RSA PRIVATE KEY-----\n" * 7_000, ("QUJDRA+/" * 8 + "\n") * 3_000, "QUJDRA+/" * 25_000,
        HEADER + "\n" + ("QUJDRA+/" * 8 + "\n") * 3_000, f"{HEADER}\n" + "\\" * 200_000, f"{HEADER}\n" + "-" * 200_000,
        f"a:{HEADER}\n" + "1" * 200_000, f"{HEADER}\n" + " " * 200_000, "Private-Lines: 3\n" * 12_000,
        '"token": "' * 20_000, '"token": "\n' * 20_000, ("b3BlbnNzaC1rZXktdjE" + "A" * 20 + " ") * 5_000,
        "proxy=a:1/" * 20_000, "host=a password='" * 12_000,
        "LS0tLS1CRUdJTiB" * 12_000, ("LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVkt" + "A" * 20) * 3_000,
    ],
)  # fmt: skip
@pytest.mark.explore  # it is about how long that takes
def test_long_texts_are_read_once(text: str) -> None:
    """What takes the square of its length would not end within the time that a test has."""
    redact(text[:250_000])


@each("line", [
    "- handleAuthenticationSessionTokenRefresh{}Callback", "src/components/authentication/handlers/session{}/index",
    "1. 3f2a4b5c6d7e8f90a1b2c3d4e5f60718293a{:04x}", "file.py " + "0a1b2c3d" * 7 + "{:08x}",
])  # fmt: skip
def test_lists_of_names_and_hashes_are_written_line_by_line(line: str) -> None:
    text = "".join(f"{line.format(number)}\n" for number in range(50))
    assert held_from(text) == len(text)
