"""Dialog: it is left once, however often somebody presses, and has its place from the first frame."""

from __future__ import annotations

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen, ScreenResultType


class Dialog(ModalScreen[ScreenResultType]):
    """A second key or click may have been on its way to it when the first has come through.

    Textual would take away what is below then, or end the application if there is nothing.
    """

    def on_mount(self) -> None:
        """Look from the start as in this window: Textual finds out after the first frame, and all would jump."""
        size = self.app.size
        for room, breaks in ((size.width, self.HORIZONTAL_BREAKPOINTS), (size.height, self.VERTICAL_BREAKPOINTS)):
            if reached := [named for named in breaks or () if named[0] <= room]:
                self.add_class(max(reached)[1])

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Leave with this result, unless it was left before."""
        return super().dismiss(result) if self.is_active else AwaitComplete()
