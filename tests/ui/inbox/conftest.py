"""What every test here stands on."""

from __future__ import annotations

from tests.ui.quick import quick_pilot as quick_pilot
