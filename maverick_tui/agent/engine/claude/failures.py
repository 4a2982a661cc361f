"""Where foreign failures become ours: the SDK's exceptions, and the CLI's error results."""

from __future__ import annotations

import asyncio
import re
import socket
import time

from claude_agent_sdk import (
    ClaudeSDKError,
    CLIJSONDecodeError,
    ResultError,
    ResultMessage,
)
from claude_agent_sdk import CLIConnectionError as SdkConnectionError
from claude_agent_sdk import CLINotFoundError as SdkNotFoundError
from claude_agent_sdk import ProcessError as SdkProcessError
from claude_agent_sdk._errors import MessageParseError

from maverick_tui.agent.streaming import UnaskedError
from maverick_tui.exceptions import (
    AgentError,
    CLINotFoundError,
    ConfigError,
    MalformedResponseError,
    NetworkError,
    ProcessError,
    TimeoutError,
)
from maverick_tui.executor.limits import LimitError
from maverick_tui.executor.model.failures import RefusalError
from maverick_tui.masking.redact import redact
from maverick_tui.reset_times import reset_in_words

_MALFORMED = re.compile(
    r"malformed|without receiving any events|JSON parse error|not valid JSON|Unexpected token|SyntaxError",
    re.IGNORECASE,
)
_TIMED_OUT = re.compile(r"\btimed? ?out\b", re.IGNORECASE)
_STREAM_CUT = re.compile(r"StreamTruncated|stream_truncated", re.IGNORECASE)
_UNREADABLE = re.compile(r"Could not parse message into JSON: (.*)")
_CONTROL_TIMEOUT = re.compile(r"Control request timeout: (\w+)")
_TOO_LONG = re.compile(r"\btoo (long|large|big)\b", re.IGNORECASE)
_NAMED_PATH = re.compile(r"not found(?: at:?|:)\s+(.+)")
_ANY_PATH = re.compile(r"""(?:^|[\s'"(])((?:~?/|[A-Za-z]:\\)[^\s'"()]+)""")
_NOT_COMPACTED = re.compile(r"(?:Error during compaction: )?(API Error: (?:(\d{3})\b)?.*)", re.DOTALL)
_EMPTY_WORDS = re.compile(r"Command failed with exit code -?\d+|Check stderr output for details")
"""What the SDK says where it knows nothing more than the exit code."""

_CHECK_CLI = "Check that cli_path (MAVERICK_CLI_PATH) is a Claude Code CLI that you may execute, or remove it."
_LOGIN = "Set ANTHROPIC_API_KEY, or log in with the claude command, then run the agent again."


def wrap_sdk_error(error: BaseException, *, exit_code: int | None = None, stderr: str = "") -> AgentError:
    """Any exception of the SDK as one of ours, with what is known of the CLI's end."""
    wrapped = _wrap(error, exit_code, redact(stderr).strip())
    wrapped.__cause__ = error if wrapped is not error else error.__cause__
    return wrapped


def _wrap(error: BaseException, exit_code: int | None, stderr: str) -> AgentError:
    text = redact(str(error))
    if isinstance(error, AgentError):
        return error
    if isinstance(error, ConfigError):
        return AgentError(error.message, kind="invalid", hint=error.hint)
    if isinstance(error, SdkNotFoundError):
        path = _cli_path(text)
        if path is None:
            return CLINotFoundError("No Claude Code CLI is installed.")
        hint = "Correct cli_path (MAVERICK_CLI_PATH), or remove it to use the CLI that claude-agent-sdk installs."
        return CLINotFoundError(f"There is no Claude Code CLI at {path!r}.", cli_path=path, hint=hint)
    if isinstance(error, ResultError):
        return api_failure(
            "; ".join(error.errors) or error.result or text,
            status=error.api_error_status,
            subtype=error.subtype or "",
            terminal_reason=error.terminal_reason or "",
            stderr=stderr,
        )
    if isinstance(error, SdkProcessError):
        code = error.exit_code if error.exit_code is not None else exit_code
        return _process_error(code, stderr or _telling(error.stderr), _own_words(error))
    if isinstance(error, CLIJSONDecodeError):
        return MalformedResponseError(
            f"The CLI wrote a line that cannot be read: {error.original_error}.", raw_response=redact(error.line)
        )
    if isinstance(error, MessageParseError):
        return MalformedResponseError(
            f"The CLI sent a message that cannot be read: {text}.", raw_response=redact(str(error.data))
        )
    if match := _CONTROL_TIMEOUT.search(text):
        return TimeoutError(
            f"The Claude Code CLI did not answer the request {match[1]!r}.",
            hint="It may be starting very slowly or hang: end it, then run the agent again.",
        )
    if isinstance(error, asyncio.TimeoutError):
        return TimeoutError(f"The Claude Code CLI did not answer in time: {text or 'no details'}.")
    if isinstance(error, SdkConnectionError):
        if "on_failure" in text:
            return UnaskedError(
                "The Claude Code CLI is too old, or has not registered Maverick's hooks: it could run calls unjudged.",
                hint="Update it, or remove cli_path (MAVERICK_CLI_PATH) to use the one that claude-agent-sdk installs.",
            )
        if exit_code is not None:
            return _process_error(exit_code, stderr)
        hint = "Create the folder, or work in another one." if "Working directory" in text else _CHECK_CLI
        return ProcessError(f"The Claude Code CLI cannot be used: {text}.", stderr=stderr or None, hint=hint)
    if isinstance(error, ConnectionError | socket.gaierror) and exit_code is None:
        return NetworkError(f"The connection failed: {text or type(error).__name__}.")
    if isinstance(error, OSError):
        return ProcessError(f"The Claude Code CLI cannot be run: {text}.", stderr=stderr or None, hint=_CHECK_CLI)
    if isinstance(error, ClaudeSDKError):
        return AgentError(f"The Claude SDK failed: {text}.")
    return AgentError(f"The agent failed unexpectedly ({type(error).__name__}): {text or 'no details'}.")


def _cli_path(text: str) -> str | None:
    """The path that is said to hold no CLI; the lines below the first are advice, with examples of paths."""
    first = text.partition("\n")[0]
    found = _NAMED_PATH.search(first) or _ANY_PATH.search(first)
    return (found[1].rstrip(". ").strip("'\"`") or None) if found else None


def _telling(text: str | None) -> str:
    """The text without what says nothing."""
    return _EMPTY_WORDS.sub("", redact(text or "")).strip()


def _own_words(error: SdkProcessError) -> str:
    """The message that the SDK was given, without the exit code and the output that it has put behind it."""
    said = str(error)
    if error.stderr:
        said = said.removesuffix(f"\nError output: {error.stderr}")
    return _telling(said.removesuffix(f" (exit code: {error.exit_code})")).rstrip(".")


def _process_error(exit_code: int | None, stderr: str, said: str = "") -> ProcessError:
    if exit_code is not None and exit_code < 0:
        how = f"was killed by signal {-exit_code}"
    elif exit_code == 143:
        how = "was terminated (exit code 143)"
    else:
        how = f"ended with exit code {exit_code}" if exit_code is not None else "ended unexpectedly"
    last = stderr.splitlines()[-1].strip() if stderr else ""
    return ProcessError(
        ": ".join(part.rstrip(".") for part in (f"The Claude Code CLI {how}", said, last) if part) + ".",
        exit_code=exit_code,
        stderr=stderr or None,
        hint="" if stderr else "It said nothing. Check that cli_path is a Claude Code CLI, then run the agent again.",
    )


def result_failure(result: ResultMessage, api_error: str | None, stderr: str = "") -> AgentError | None:
    """The failure that a result message reports, if it does; `api_error` is what the CLI called it before."""
    if not result.is_error:
        return None
    return api_failure(
        "; ".join(result.errors or ()) or result.result or result.subtype,
        status=result.api_error_status,
        code=api_error or "",
        subtype=result.subtype,
        terminal_reason=result.terminal_reason or "",
        stderr=stderr,
    )


def compaction_failure(result: ResultMessage) -> AgentError | None:
    """Why a conversation was not compacted, which the CLI tells as a success; None if somebody ended it."""
    text = redact(result.result or "").strip()
    if is_interruption(result.terminal_reason):
        return None
    if found := _NOT_COMPACTED.fullmatch(text):
        return api_failure(found[1], status=int(found[2]) if found[2] else None, terminal_reason="api_error")
    why = f": {text.rstrip('.')}" if text else ""
    return AgentError(f"The conversation was not compacted{why}.", kind="invalid", hint="/clear begins a new one.")


def api_failure(
    text: str,
    *,
    status: int | None = None,
    code: str = "",
    subtype: str = "",
    terminal_reason: str = "",
    stderr: str = "",
) -> AgentError:
    """The right error for an API or run failure that the CLI tells of in words and codes."""
    text = redact(text).strip().removeprefix("API Error: ").rstrip(".")
    if subtype not in ("", "success"):
        return _run_failure(text, subtype, terminal_reason)
    if code == "rate_limit" or status == 429:
        limited = NetworkError(
            f"The endpoint limits the rate: {text}.",
            status=status,
            kind="rate_limit",
            hint="Wait until the limit resets, then run the agent again.",
        )
        limited.resets_at = reset_in_words(text, time.time())
        return limited
    if code == "authentication_failed" or status in (401, 403) or "Please run /login" in text:
        what = "There are no credentials" if "Not logged in" in text else "The endpoint refuses the credentials"
        return AgentError(f"{what}: {text}.", kind="invalid", hint=_LOGIN)
    if code == "billing_error" or "Credit balance" in text:
        return AgentError(
            f"The endpoint refuses to bill the call: {text}.",
            kind="invalid",
            hint="Add credit to the account, or use another key, then run the agent again.",
        )
    if code == "model_not_found" or status == 404:
        return AgentError(
            f"The endpoint does not serve the model: {text}.",
            kind="invalid",
            hint="Name another model, check the account's access to this one, and that ANTHROPIC_BASE_URL is right.",
        )
    if code == "max_output_tokens":
        return LimitError(f"The answer was cut at its limit of tokens: {text}.", hint="Raise the agent's max_tokens.")
    if terminal_reason == "refusal" or "violate our Usage Policy" in text:
        return RefusalError(f"The model refuses: {text}.", kind="invalid", hint="Ask in another way, or another model.")
    if terminal_reason == "prompt_too_long" or status == 413 or (code == "invalid_request" and _TOO_LONG.search(text)):
        return AgentError(
            f"The endpoint refuses the request: {text}.",
            kind="invalid",
            hint="Shorten the prompt, attach less, or start a new session.",
        )
    if status is not None and (status >= 500 or status in (408, 409)):
        return NetworkError(f"The endpoint failed with HTTP {status}: {text}.", status=status)
    if code == "invalid_request" or (status is not None and status >= 400):
        by = f" with HTTP {status}" if status is not None else ""
        return AgentError(
            f"The endpoint refuses the request{by}: {text}.",
            kind="invalid",
            hint="Read the reason above; the same request will be refused again.",
        )
    if _TIMED_OUT.search(text):
        return TimeoutError(f"The endpoint did not answer in time: {text}.")
    if _STREAM_CUT.search(text):
        return NetworkError(f"The endpoint ended the stream before the answer was complete: {text}.")
    if _MALFORMED.search(text):
        unread = _UNREADABLE.findall(stderr)
        return MalformedResponseError(
            f"The endpoint's answer cannot be read: {text}.", raw_response=redact(unread[-1]) if unread else text
        )
    if code in ("server_error", "overloaded", "unknown") or terminal_reason == "api_error":
        return NetworkError(f"The endpoint failed: {text}.")
    return _run_failure(text, subtype, terminal_reason)


def _run_failure(text: str, subtype: str, terminal_reason: str) -> AgentError:
    if is_interruption(terminal_reason):
        return AgentError("The agent was interrupted.", hint="Send another prompt to go on.")
    if subtype == "error_max_turns" or terminal_reason == "max_turns":
        return LimitError(f"The agent used up its turns: {text}.", hint="Raise max_turns, or give it a smaller task.")
    if "budget" in subtype or "budget" in terminal_reason:
        return LimitError(
            f"The agent used up its budget: {text}.", hint="Raise max_budget_usd, or give it a smaller task."
        )
    if "No conversation found" in text:
        return AgentError(f"The session cannot be resumed: {text}.", kind="invalid", hint="Start a new session.")
    return AgentError(f"The agent's run failed: {text}.")


def is_interruption(terminal_reason: str | None) -> bool:
    """Whether a turn ended because somebody ended it."""
    return bool(terminal_reason) and str(terminal_reason).startswith("aborted")
