"""The MCP server: what an agent can ask for itself, and what only a person can say."""
