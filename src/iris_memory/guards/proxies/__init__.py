"""Proxies: guards in front of any MCP server and any model, for hosts that cannot be changed."""
