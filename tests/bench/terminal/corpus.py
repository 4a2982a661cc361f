"""What the scripted model says in the terminal benchmark: Markdown of every kind, the same in every run."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

BEGIN = "BEGIN1"
END = "ENDMRK"
"""The first and the last delta: six characters each, so that the model does not split them."""

BURST_DELTAS = 16_642
PACED_DELTAS = 2_000
DELTAS_PER_SECOND = 100.0
TURN_CHARACTERS = 2_000
WORDS_A_CALL = 5
"""Deltas between two calls of a run that writes all the time."""

_DELTA = re.compile(r"\s*\S{1,6}|\s+")
"""How the scripted model cuts a text; the process that serves it counts what it sends, and the run compares."""

# Words of 3 to 6 letters are one delta of 4 to 7 characters, the long ones are two.
_SHORT = (
    "that with this from when then each value store event frame agent model cache token delta state error retry "
    "queue before always screen prompt stream buffer render answer result branch commit method window number writes "
    "cannot beyond should either report column memory source target string parser thread limits second places needed"
).split()
_LONG = "transcript background permission completely repository understands definitions statements".split()
_NAMES = "cart order total price item user name file path line".split()


def pieces(text: str) -> list[str]:
    """The deltas that the model makes of a text."""
    return _DELTA.findall(text)


def deltas(text: str) -> int:
    """How many they are."""
    return len(pieces(text))


def answer(count: int, seed: int = 1) -> str:
    """Markdown of exactly so many deltas, from BEGIN to END."""
    parts = [f"{BEGIN} {_prose(random.Random(seed), 20)}"]
    left = count - deltas(parts[0]) - 1
    for block in _blocks(random.Random(seed + 1)):
        size = deltas(f"\n\n{block}")
        if size > left - 40:
            break
        parts.append(block)
        left -= size
    words = random.Random(seed + 2)
    parts.append(" ".join(words.choice(_SHORT) for _ in range(left)))
    text = "\n\n".join([*parts, END])
    assert deltas(text) == count
    return text


def turn(number: int) -> tuple[str, str]:
    """A prompt and an answer of about two kilobytes, for a conversation that is already long."""
    rng = random.Random(1_000 + number)
    parts, size = [], 0
    for block in _blocks(rng):
        parts.append(block)
        size += len(block) + 2
        if size >= TURN_CHARACTERS:
            break
    return f"Question {number}: {_prose(rng, 8)}", "\n\n".join(parts)


def script(path: Path, count: int, *, is_paced: bool) -> Path:
    """A script of one scene that answers whatever it is asked; JSON is YAML."""
    pace = {"tokens_per_second": DELTAS_PER_SECOND} if is_paced else {}
    scene = {"answers": [{"steps": [{"text": answer(count)}]}]}
    path.write_text(json.dumps({"pace": pace, "scenes": [scene]}), encoding="utf-8")
    return path


def writing_script(path: Path, count: int, *, is_paced: bool) -> Path:
    """The same answer in pieces of a few words, with a file written after each of them."""
    text = pieces(answer(count))
    said = ["".join(text[at : at + WORDS_A_CALL]) for at in range(0, count, WORDS_A_CALL)]
    answers = [
        {"steps": [{"text": words}, {"tool": "Write", "input": {"file_path": "written.md", "content": f"{number}\n"}}]}
        for number, words in enumerate(said)
    ]
    del answers[-1]["steps"][1]
    pace = {"tokens_per_second": DELTAS_PER_SECOND} if is_paced else {}
    path.write_text(json.dumps({"pace": pace, "scenes": [{"answers": answers}]}), encoding="utf-8")
    return path


def _blocks(rng: random.Random) -> Iterator[str]:
    """Paragraphs, lists, code, tables and quotes in sections, for ever."""
    number = 0
    while True:
        number += 1
        yield f"{'##' if number % 3 else '#'} {_words(rng, 4).capitalize()}"
        for _ in range(rng.randint(2, 4)):
            kind = rng.choices(
                (_paragraph, _list, _steps, _python, _data, _table, _quote), weights=(8, 3, 2, 2, 1, 1, 1)
            )[0]
            yield kind(rng)


def _words(rng: random.Random, count: int) -> str:
    return " ".join(rng.choice(_LONG) if rng.random() < 0.12 else rng.choice(_SHORT) for _ in range(count))


def _prose(rng: random.Random, count: int) -> str:
    return f"{_words(rng, count - 1)} {rng.choice(_NAMES)}."


def _paragraph(rng: random.Random) -> str:
    sentences = []
    for _ in range(rng.randint(2, 5)):
        sentence = _prose(rng, rng.randint(8, 18))
        match rng.randrange(4):
            case 0:
                sentence = f"**{rng.choice(_NAMES)}** {sentence}"
            case 1:
                sentence = f"{_words(rng, 2)} `{rng.choice(_NAMES)}` {sentence}"
            case 2:
                sentence = f"*{rng.choice(_NAMES)}* {sentence}"
        sentences.append(sentence[0].upper() + sentence[1:])
    return " ".join(sentences)


def _list(rng: random.Random) -> str:
    lines = []
    for _ in range(rng.randint(3, 6)):
        lines.append(f"- {_prose(rng, rng.randint(5, 14))}")
        if rng.random() < 0.3:
            lines.append(f"  - {_words(rng, 6)}")
    return "\n".join(lines)


def _steps(rng: random.Random) -> str:
    return "\n".join(f"{number}. {_prose(rng, rng.randint(6, 12))}" for number in range(1, rng.randint(4, 6)))


def _python(rng: random.Random) -> str:
    lines = []
    for _ in range(rng.randint(2, 4)):
        name, other = rng.sample(_NAMES, 2)
        lines += [
            f"def {name}_{other}(self, {other}: int) -> str:",
            f'    """{_words(rng, 5).capitalize()}."""',
            f"    if {other} in self.{name}s:",
            f'        return f"{{{other}}} {rng.choice(_SHORT)}"',
            f"    return self.{name}.{rng.choice(_SHORT)}({rng.randint(10, 9999)})  # {_words(rng, 3)}",
            "",
        ]
    return "```python\n" + "\n".join(lines[:-1]) + "\n```"


def _data(rng: random.Random) -> str:
    items = {name: [rng.choice(_SHORT), rng.randint(100, 9999)] for name in rng.sample(_NAMES, 4)}
    return f"```json\n{json.dumps(items, indent=2)}\n```"


def _table(rng: random.Random) -> str:
    head = rng.sample(_NAMES, 3)
    rows = [head, ["------"] * 3, *([_words(rng, 2) for _ in head] for _ in range(rng.randint(3, 6)))]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _quote(rng: random.Random) -> str:
    return "\n".join(f"> {_prose(rng, 12)}" for _ in range(2))
