"""Alembic's entry: the connection is the one that `database.upgrade` has opened."""

from __future__ import annotations

from alembic import context
from sqlmodel import SQLModel

from maverick_tui.tasks import models  # noqa: F401 - it fills the metadata
from maverick_tui.tasks.local import VERSION_TABLE

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=SQLModel.metadata,
    version_table=VERSION_TABLE,
)
with context.begin_transaction():
    context.run_migrations()
