"""A tool server made with FastMCP, with its own in-memory authorization server, which signs in every user without a page."""

import os

import uvicorn
from fastmcp import FastMCP
from fastmcp.server.auth.auth import ClientRegistrationOptions, RevocationOptions
from fastmcp.server.auth.providers.in_memory import InMemoryOAuthProvider
from starlette.responses import Response
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocketDisconnect

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


@server.custom_route("/end-access-tokens", methods=["POST"])
async def end_access_tokens(request):
    """Invalidates all access tokens before their expiry, for the tests."""
    server.auth.access_tokens.clear()
    return Response(status_code=204)


async def socket(connection):
    """A WebSocket that sends everything back; `end` closes it."""
    token = connection.headers.get("authorization", "").removeprefix("Bearer ")
    if await server.auth.load_access_token(token) is None:
        return await connection.send_denial_response(Response("no token", status_code=401))
    if connection.url.path.endswith("/refused"):
        return await connection.send_denial_response(Response("not here", status_code=403))
    await connection.accept(subprotocol="echo")
    try:
        while (message := await connection.receive())["type"] == "websocket.receive":
            if message.get("text") == "end":
                return await connection.close(4000, "as you wish")
            elif message.get("text") is not None:
                await connection.send_text(message["text"])
            else:
                await connection.send_bytes(message["bytes"])
    except WebSocketDisconnect:
        pass


app = server.http_app(path="/mcp", stateless_http=True, json_response=True)
app.router.routes[:0] = [WebSocketRoute("/mcp/socket", socket), WebSocketRoute("/mcp/refused", socket)]
uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]), log_level="warning")
