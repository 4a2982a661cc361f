"""What a screenshot may not contain."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.screenshots.pictures import MachineShown, clean, to_png

SVG = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><style>
@font-face { font-family: "Fira Code"; src: url("https://example.com/f.woff2"); }
.terminal-42-matrix {{ font-family: Fira Code, monospace; }}
</style><text class="terminal-42-r1" x="0" y="15">{text}</text></svg>"""


def test_fonts_from_elsewhere_and_changing_names_are_gone() -> None:
    svg = clean(SVG.replace("{text}", "demo"))
    assert "example.com" not in svg
    assert "terminal-42" not in svg
    assert "'DejaVu Sans Mono'" in svg
    assert ">demo<" in svg


@pytest.mark.parametrize("text", ["{home}/x", "/srv/maverick-offline-a1/shop", "http://127.0.0.1:8123"])
def test_the_machine_is_not_shown(text: str) -> None:
    with pytest.raises(MachineShown):
        clean(SVG.replace("{text}", text.replace("{home}", str(Path.home()))))


def test_png() -> None:
    assert to_png(clean(SVG.replace("{text}", "demo"))).startswith(b"\x89PNG")
