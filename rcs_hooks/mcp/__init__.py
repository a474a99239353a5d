"""The MCP server `rcs_state`: state, questions, emit and the hooks as tools, in one process that stays."""
