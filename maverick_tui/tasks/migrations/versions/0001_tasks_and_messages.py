"""Tasks, and what was said about them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make both tables."""
    op.create_table(
        "maverick_task",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("user_id", sa.String(200), nullable=False),
        sa.Column("title", sa.String(200), nullable=False),
        sa.Column("notes", sa.String(4000), nullable=False),
        sa.Column("priority", sa.String(10), nullable=False),
        sa.Column("due", sa.Date(), nullable=True),
        sa.Column("tags", sa.JSON(), nullable=False),
        sa.Column("completed", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("completed_at", sa.DateTime(timezone=True), nullable=True),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_maverick_task_user_state", "maverick_task", ["user_id", "completed", "id", "title"])
    op.create_table(
        "maverick_chat_message",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("user_id", sa.String(200), nullable=False),
        sa.Column("conversation_id", sa.String(100), nullable=False),
        sa.Column("role", sa.String(20), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("timestamp", sa.DateTime(timezone=True), nullable=False),
        sa.Column("tool_calls", sa.JSON(), nullable=True),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_maverick_chat_message_conversation", "maverick_chat_message", ["user_id", "conversation_id", "id"]
    )


def downgrade() -> None:
    """Drop both tables."""
    op.drop_table("maverick_chat_message")
    op.drop_table("maverick_task")
