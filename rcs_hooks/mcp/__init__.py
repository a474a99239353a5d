"""The MCP server `rcs_state`: the surfaces and the hooks as tools, in one warm process."""
