"""The tables: tasks, and what was said about them."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any, Literal, get_args

from sqlalchemy import JSON, Column, DateTime, Dialect, Index, Text
from sqlalchemy.types import TypeDecorator
from sqlmodel import Field, SQLModel

Priority = Literal["Low", "Medium", "High"]
PRIORITIES: tuple[str, ...] = get_args(Priority)

MAX_TITLE = 200
MAX_NOTES = 4_000
MAX_TAGS = 20


def now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


class Moment(TypeDecorator[datetime]):
    """A time in UTC; SQLite forgets the zone, so it is put back."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, _dialect: Dialect) -> datetime | None:
        """Write it in UTC."""
        return value.astimezone(UTC) if value is not None else None

    def process_result_value(self, value: datetime | None, _dialect: Dialect) -> datetime | None:
        """Read it with its zone."""
        return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value


class Task(SQLModel, table=True):
    """One task of one user."""

    __tablename__ = "maverick_task"
    # With the title, so that looking for one need not touch the table. An id is never reused: somebody may still mean
    # the task that had it.
    __table_args__ = (
        Index("ix_maverick_task_user_state", "user_id", "completed", "id", "title"),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, primary_key=True)
    user_id: str = Field(max_length=200, nullable=False)
    title: str = Field(max_length=MAX_TITLE, nullable=False)
    notes: str = Field(default="", max_length=MAX_NOTES)
    priority: str = Field(default="Medium", max_length=10)
    due: date | None = None
    tags: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    completed: bool = Field(default=False, nullable=False)
    created_at: datetime = Field(default_factory=now, sa_column=Column(Moment, nullable=False))
    updated_at: datetime = Field(default_factory=now, sa_column=Column(Moment, nullable=False))
    completed_at: datetime | None = Field(default=None, sa_column=Column(Moment))

    def view(self) -> dict[str, Any]:
        """What a tool says about it. Whose it is stays here."""
        return {
            "id": self.id,
            "title": self.title,
            "notes": self.notes,
            "priority": self.priority,
            "due": self.due.isoformat() if self.due else None,
            "tags": list(self.tags),
            "completed": self.completed,
        }


class ChatMessage(SQLModel, table=True):
    """One message of one user's conversation."""

    __tablename__ = "maverick_chat_message"
    __table_args__ = (
        Index("ix_maverick_chat_message_conversation", "user_id", "conversation_id", "id"),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, primary_key=True)
    user_id: str = Field(max_length=200, nullable=False)
    conversation_id: str = Field(max_length=100, nullable=False)
    role: str = Field(max_length=20, nullable=False)
    content: str = Field(sa_column=Column(Text, nullable=False))
    timestamp: datetime = Field(default_factory=now, sa_column=Column(Moment, nullable=False))
    tool_calls: list[dict[str, Any]] | None = Field(default=None, sa_column=Column(JSON))
