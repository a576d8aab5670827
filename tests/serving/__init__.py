"""The MCP server; not named after its room, which is the name of the SDK as well."""
