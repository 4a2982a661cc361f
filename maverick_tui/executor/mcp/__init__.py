"""Tools from MCP servers: their settings, the processes that they run in, and the tools themselves."""
