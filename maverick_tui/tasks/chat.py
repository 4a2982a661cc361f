"""Chat: a conversation that is kept in the database, and goes on where it was. Here every failure becomes words."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from sqlmodel import col, select

from maverick_tui.executor.activity import Activity
from maverick_tui.executor.cancel import CancelToken
from maverick_tui.executor.result import ExecutionResult
from maverick_tui.executor.threads import in_thread
from maverick_tui.tasks import texts
from maverick_tui.tasks.answers import answer
from maverick_tui.tasks.contract import AgentContext, AgentResult, AnswerTimeout, MessageHistory
from maverick_tui.tasks.database import hide_values
from maverick_tui.tasks.models import ChatMessage
from maverick_tui.tasks.runner import AgentRunner

log = logging.getLogger(__name__)

LATEST = 50
"""Messages that are read of a conversation."""


class Chat:
    """One conversation of one user; without an id it is the user's latest, or a new one."""

    def __init__(self, runner: AgentRunner, user_id: str, conversation_id: str = "") -> None:
        self._runner = runner
        self._user_id = user_id
        self.conversation_id = conversation_id

    async def history(self) -> list[MessageHistory]:
        """What was said so far, oldest first."""
        return await in_thread(self._load)

    async def send(
        self,
        message: str,
        *,
        cancel: CancelToken | None = None,
        on_activity: Callable[[Activity], None] | None = None,
        on_result: Callable[[ExecutionResult[Any]], None] | None = None,
    ) -> AgentResult:
        """Answer a message, and keep both; whatever fails is told in the words of the contract."""
        try:
            context = AgentContext(self._user_id, self.conversation_id, tuple(await self.history()))
            result = await self._runner.run(
                context, message, cancel=cancel, on_activity=on_activity, on_result=on_result
            )
        except AnswerTimeout as error:
            log.warning("A message was not answered in time")
            result = answer(error.tool_calls, "", has_failed=True)
        except Exception as error:  # what it was is for the log; the user is told that it did not work
            hide_values(error)
            log.exception("A message could not be answered")
            result = AgentResult(False, texts.SYSTEM_ERROR, [], texts.SYSTEM_ERROR)
        try:
            await in_thread(self._keep, message, result)
        except Exception as error:  # the answer is true all the same; only the next one will not know of it
            hide_values(error)
            log.exception("A message could not be kept")
        return result

    def _load(self) -> list[MessageHistory]:
        with self._runner.session_factory() as session:
            if not self.conversation_id:
                query = select(ChatMessage.conversation_id).where(col(ChatMessage.user_id) == self._user_id)
                latest = session.exec(query.order_by(col(ChatMessage.id).desc()).limit(1)).first()
                self.conversation_id = latest or str(uuid.uuid4())
            query_all = select(ChatMessage).where(
                col(ChatMessage.user_id) == self._user_id, col(ChatMessage.conversation_id) == self.conversation_id
            )
            rows = session.exec(query_all.order_by(col(ChatMessage.id).desc()).limit(LATEST)).all()
        return [MessageHistory(row.role, row.content, row.timestamp, row.tool_calls) for row in reversed(rows)]

    def _keep(self, message: str, result: AgentResult) -> None:
        self.conversation_id = self.conversation_id or str(uuid.uuid4())
        calls = [asdict(record) for record in result.tool_calls]
        with self._runner.session_factory() as session:
            for role, content, made in (("user", message, None), ("assistant", result.response, calls or None)):
                session.add(
                    ChatMessage(
                        user_id=self._user_id,
                        conversation_id=self.conversation_id,
                        role=role,
                        content=content,
                        tool_calls=made,
                    )
                )
            session.commit()
