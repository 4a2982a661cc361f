"""Chat: a conversation that is kept in the database and continues where it was. Here every failure becomes words."""

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
from maverick_tui.masking.redact import redact, redact_data
from maverick_tui.tasks import texts
from maverick_tui.tasks.contract import AgentContext, AgentResult, AnswerTimeout, MessageHistory
from maverick_tui.tasks.database import hide_values
from maverick_tui.tasks.models import ChatMessage
from maverick_tui.tasks.runner import AgentRunner
from maverick_tui.threads import in_thread

log = logging.getLogger(__name__)

LATEST = 50
"""The most messages of a conversation that are read."""


class Chat:
    """One conversation of one user; without an id it is the user's latest, or a new one."""

    def __init__(self, runner: AgentRunner, user_id: str, conversation_id: str = "") -> None:
        self._runner = runner
        self._user_id = user_id
        self.conversation_id = conversation_id
        self._shown: int | None = None
        """The last message that was shown here. The same conversation may be open elsewhere: only what was shown here
        can be answered here."""

    async def history(self) -> list[MessageHistory]:
        """What was said so far, oldest first, to be shown; a question at its end may be answered afterwards."""
        messages, self._shown = await in_thread(self._load)
        return messages

    async def begin_anew(self, message: str) -> AgentResult:
        """Leave the conversation, and start a new one with this message, which asked for nothing else."""
        self.conversation_id = str(uuid.uuid4())
        result = AgentResult(True, texts.NEW)
        await self._kept(message, result)
        return result

    async def send(
        self,
        message: str,
        *,
        cancel: CancelToken | None = None,
        on_activity: Callable[[Activity], None] | None = None,
        on_result: Callable[[ExecutionResult[Any]], None] | None = None,
        on_failure: Callable[[Exception], None] | None = None,
    ) -> AgentResult:
        """Answer a message, and keep both; whatever fails is told in the words of the contract.

        `on_failure` is told what it was. A message that was cancelled has no answer: nobody would have read it.
        """
        failure: Exception | None = None
        try:
            messages, newest = await in_thread(self._load)
            result = await self._runner.run(
                AgentContext(self._user_id, self.conversation_id, tuple(messages)),
                message,
                cancel=cancel,
                on_activity=on_activity,
                on_result=on_result,
                may_confirm=newest is not None and newest == self._shown,
            )
        except AnswerTimeout as error:
            log.warning("A message was not answered in time")
            failure, result = error, error.answer
        except Exception as error:  # the log says what it was; the user is told that it did not work
            hide_values(error)
            log.exception("A message could not be answered")
            failure, result = error, AgentResult(False, texts.SYSTEM_ERROR, [], texts.SYSTEM_ERROR)
        if cancel is not None and cancel.is_cancelled:
            result = AgentResult(False, texts.INTERRUPTED, result.tool_calls, texts.INTERRUPTED)
        await self._kept(message, result)
        if failure is not None and on_failure is not None:
            on_failure(failure)
        return result

    async def _kept(self, message: str, result: AgentResult) -> None:
        self._shown = None
        try:
            self._shown = await in_thread(self._keep, message, result)
        except Exception as error:  # the answer is true all the same; only the next one will not know about it
            hide_values(error)
            log.exception("A message could not be kept")

    def _load(self) -> tuple[list[MessageHistory], int | None]:
        """The last messages, and the number of the newest one."""
        with self._runner.session_factory() as session:
            if not self.conversation_id:
                query = select(ChatMessage.conversation_id).where(col(ChatMessage.user_id) == self._user_id)
                latest = session.exec(query.order_by(col(ChatMessage.id).desc()).limit(1)).first()
                self.conversation_id = latest or str(uuid.uuid4())
            query_all = select(ChatMessage).where(
                col(ChatMessage.user_id) == self._user_id, col(ChatMessage.conversation_id) == self.conversation_id
            )
            rows = session.exec(query_all.order_by(col(ChatMessage.id).desc()).limit(LATEST)).all()
        messages = [MessageHistory(row.role, row.content, row.timestamp, row.tool_calls) for row in reversed(rows)]
        return messages, rows[0].id if rows else None

    def _keep(self, message: str, result: AgentResult) -> int | None:
        """Write both down, masked; returns the answer's number. It says which calls were made, even if none were."""
        self.conversation_id = self.conversation_id or str(uuid.uuid4())
        response, calls = result.response, [asdict(record) for record in result.tool_calls]
        if all(record.result.get("success") for record in result.tool_calls):
            response, calls = redact(response), redact_data(calls)
        # Else it may ask about tasks, which are found again by the names that they have there.
        with self._runner.session_factory() as session:
            for role, content, made in (("user", redact(message), None), ("assistant", response, calls)):
                row = ChatMessage(
                    user_id=self._user_id,
                    conversation_id=self.conversation_id,
                    role=role,
                    content=content,
                    tool_calls=made,
                )
                session.add(row)
                session.flush()  # one after the other, so that they are read in this order
            session.commit()
            return row.id
