"""An MCP server over standard input and output out of the standard library: the real one takes a second to import.

Programs of the tests put this folder on their path; what they say is what they would say to the real one.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import sys
import threading
from collections.abc import Callable
from typing import Any

_TYPES = {"int": "integer", "str": "string"}


class MCPServer:
    """Serves functions as tools, each call in a thread of its own."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._tools: dict[str, Callable[..., Any]] = {}
        self._write = threading.Lock()

    def tool(self, **_options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Serve the function under its name."""

        def add(function: Callable[..., Any]) -> Callable[..., Any]:
            self._tools[function.__name__] = function
            return function

        return add

    def run(self) -> None:
        """Answer until the input ends."""
        for line in sys.stdin:
            request = json.loads(line)
            if "id" in request:
                threading.Thread(target=self._answer, args=(request,), daemon=True).start()

    def _answer(self, request: dict[str, Any]) -> None:
        answer = self._result(request["method"], request.get("params") or {})
        with self._write:
            print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer}), flush=True)

    def _result(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        if method == "initialize":
            about = {"name": self._name, "version": "1"}
            capabilities: dict[str, Any] = {"tools": {}}
            version = params["protocolVersion"]
            return {"result": {"protocolVersion": version, "capabilities": capabilities, "serverInfo": about}}
        if method == "tools/list":
            return {"result": {"tools": [_described(name, function) for name, function in self._tools.items()]}}
        if method == "tools/call":
            return {"result": _called(self._tools[params["name"]], params.get("arguments") or {})}
        return {"error": {"code": -32601, "message": f"unknown: {method}"}}


def _described(name: str, function: Callable[..., Any]) -> dict[str, Any]:
    parameters = inspect.signature(function).parameters.values()
    properties = {one.name: {"type": _TYPES[getattr(one.annotation, "__name__", one.annotation)]} for one in parameters}
    required = [one.name for one in parameters if one.default is one.empty]
    schema = {"type": "object", "properties": properties, "required": required}
    return {"name": name, "description": inspect.getdoc(function) or "", "inputSchema": schema}


def _called(function: Callable[..., Any], arguments: dict[str, Any]) -> dict[str, Any]:
    try:
        result = function(**arguments)
        text, failed = asyncio.run(result) if inspect.iscoroutine(result) else result, False
    except Exception as error:
        text, failed = error, True
    return {"content": [{"type": "text", "text": str(text)}], "isError": failed}
