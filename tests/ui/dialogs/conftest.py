"""What the dialogs' tests stand on."""

from __future__ import annotations

from tests.ui.picker.conftest import shipped as shipped
