"""Dialog: it is left once, however often somebody presses."""

from __future__ import annotations

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen, ScreenResultType


class Dialog(ModalScreen[ScreenResultType]):
    """A second key or click may have been on its way to it when the first has come through.

    Textual would take away what is below then, or end the application if there is nothing.
    """

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Leave with this result, unless it was left before."""
        return super().dismiss(result) if self.is_active else AwaitComplete()
