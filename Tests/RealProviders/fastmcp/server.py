"""A tool server made with FastMCP, with its own in-memory authorization server, which signs in every user without a page."""

import os

from fastmcp import FastMCP
from fastmcp.server.auth.auth import ClientRegistrationOptions, RevocationOptions
from fastmcp.server.auth.providers.in_memory import InMemoryOAuthProvider

BASE = os.environ["BASE"]

server = FastMCP(
    "tools",
    auth=InMemoryOAuthProvider(
        base_url=BASE, required_scopes=["tools"],
        client_registration_options=ClientRegistrationOptions(enabled=True, valid_scopes=["tools", "admin"]),
        revocation_options=RevocationOptions(enabled=True)))


@server.tool
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


server.run(
    "http", host="127.0.0.1", port=int(os.environ["PORT"]), path="/mcp", stateless_http=True, json_response=True, show_banner=False)
