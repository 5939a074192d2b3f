"""A tool server made with the official MCP SDK, with the SDK's own authorization server.

It compares redirect URLs exactly, announces only client_secret_post and client_secret_basic, grants a client only its registered scopes,
and keeps its data only in memory. A renewal invalidates the previous access tokens and is written to the log.

SESSIONS   `streams`: the server keeps sessions, answers in streams, and stores their events, so that a stream can be resumed;
           `one-stream`: it speaks the protocol of 2024-11-05, in which all answers come in one stream
"""

import asyncio
import json
import os
import secrets
import time
from typing import Annotated

from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    TokenError,
    construct_redirect_uri,
)
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions, RevocationOptions
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.streamable_http import EventMessage, EventStore
from mcp.shared.auth import OAuthToken
from pydantic import BaseModel, Field
from starlette.responses import JSONResponse, Response

BASE = os.environ["BASE"]
SECONDS = int(os.environ["ACCESS_TOKEN_SECONDS"])


class Memory(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """Keeps clients, codes and tokens in memory, and signs in every user without a page."""

    def __init__(self):
        self.clients, self.codes, self.access, self.refresh = {}, {}, {}, {}

    async def get_client(self, client_id):
        return self.clients.get(client_id)

    async def register_client(self, client_info):
        self.clients[client_info.client_id] = client_info

    async def authorize(self, client, params):
        code = AuthorizationCode(
            code=secrets.token_urlsafe(24), client_id=client.client_id, scopes=params.scopes or ["tools"], expires_at=time.time() + 60,
            code_challenge=params.code_challenge, redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly, resource=params.resource)
        self.codes[code.code] = code
        return construct_redirect_uri(str(params.redirect_uri), code=code.code, state=params.state)

    async def load_authorization_code(self, client, authorization_code):
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(self, client, authorization_code):
        if self.codes.pop(authorization_code.code, None) is None:
            raise TokenError("invalid_grant")
        return self.issue(client, authorization_code.scopes, authorization_code.resource)

    async def load_refresh_token(self, client, refresh_token):
        return self.refresh.get(refresh_token)

    async def exchange_refresh_token(self, client, refresh_token, scopes):
        # A refresh token can be used once, and a renewal invalidates the previous access tokens.
        if self.refresh.pop(refresh_token.token, None) is None:
            raise TokenError("invalid_grant")
        self.access = {text: token for text, token in self.access.items() if token.client_id != client.client_id}
        print("renewed", flush=True)
        return self.issue(client, scopes or refresh_token.scopes, refresh_token.resource)

    def issue(self, client, scopes, resource):
        access, refresh = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
        common = dict(client_id=client.client_id, scopes=scopes, resource=resource)
        self.access[access] = AccessToken(token=access, expires_at=int(time.time()) + SECONDS, **common)
        self.refresh[refresh] = RefreshToken(token=refresh, **common)
        return OAuthToken(access_token=access, expires_in=SECONDS, refresh_token=refresh, scope=" ".join(scopes))

    async def load_access_token(self, token):
        return self.access.get(token)

    async def revoke_token(self, token):
        self.access.pop(token.token, None)
        self.refresh.pop(token.token, None)
        print("revoked", flush=True)


memory = Memory()
server = MCPServer(
    "tools",
    auth_server_provider=memory,
    auth=AuthSettings(
        issuer_url=BASE, resource_server_url=BASE + "/mcp", required_scopes=["tools"], validate_token_resource=True,
        client_registration_options=ClientRegistrationOptions(
            enabled=True, valid_scopes=["tools", "admin"], default_scopes=["tools"]),
        revocation_options=RevocationOptions(enabled=True)))


calls = {}


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    calls["add"] = calls.get("add", 0) + 1
    token = get_access_token()
    assert token is not None and token.resource == BASE + "/mcp"
    return a + b


@server.tool()
async def count(steps: int, ctx: Context) -> int:
    """Counts slowly, and reports each step."""
    calls["count"] = calls.get("count", 0) + 1
    try:
        for step in range(steps):
            await asyncio.sleep(0.05)
            await ctx.report_progress(step + 1, steps)
    except asyncio.CancelledError:
        print("cancelled", flush=True)
        raise
    return steps


@server.tool()
async def drop(ctx: Context) -> str:
    """Closes the stream of its own response, and answers afterwards."""
    calls["drop"] = calls.get("drop", 0) + 1
    await ctx.close_sse_stream()
    await asyncio.sleep(0.3)
    return "resumed"


@server.tool()
async def announce(ctx: Context) -> str:
    """Tells all subscribers that the tools changed."""
    await ctx.notify_tools_changed()
    return "announced"


@server.tool()
def route(
    region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})],
    dry: Annotated[bool, Field(json_schema_extra={"x-mcp-header": "Dry-Run"})],
) -> str:
    """Returns an argument that header fields repeat in the stateless protocol."""
    return region


class Colour(BaseModel):
    colour: str


@server.tool()
async def ask(ctx: Context) -> str:
    """Asks the user of the client."""
    answer = await ctx.elicit("Which colour?", Colour)
    return answer.data.colour if answer.action == "accept" else answer.action


class Events(EventStore):
    """Stores the events of all streams in memory."""

    def __init__(self):
        self.events = []

    async def store_event(self, stream_id, message):
        self.events.append((stream_id, message))
        return str(len(self.events))

    async def replay_events_after(self, last_event_id, send_callback):
        number = int(last_event_id)
        stream = self.events[number - 1][0]
        for place, (owner, message) in enumerate(self.events[number:], number + 1):
            if owner == stream and message is not None:
                await send_callback(EventMessage(message, str(place)))
        return stream


@server.custom_route("/calls", methods=["GET"])
async def tell_calls(request):
    """Tells how often each tool was called."""
    return JSONResponse(calls)


@server.custom_route("/tokens", methods=["GET"])
async def tell_tokens(request):
    """Tells all tokens, for the test that looks for them elsewhere."""
    return JSONResponse([*memory.access, *memory.refresh])


@server.custom_route("/forget-sessions", methods=["POST"])
async def forget_sessions(request):
    """Forgets all sessions, as a restart does, for the tests."""
    server.session_manager._server_instances.clear()
    return Response(status_code=204)


@server.custom_route("/end-access-tokens", methods=["POST"])
async def end_access_tokens(request):
    """Invalidates all access tokens before their expiry, for the tests."""
    memory.access.clear()
    return Response(status_code=204)


@server.custom_route("/end-streams", methods=["POST"])
async def end_streams(request):
    """Ends the one stream of each session, as gateways do, for the tests."""
    for ended in EndedStreams.all:
        ended.set()
    # Before that, the server may accept a message that no session will read.
    while EndedStreams.all:
        await asyncio.sleep(0.01)
    return Response(status_code=204)


class EndedStreams:
    """Lets a test end the streams of the protocol with one stream."""

    all = []

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http" or scope["method"] != "GET" or scope["path"] != "/mcp":
            return await self.app(scope, receive, send)
        ended = asyncio.Event()
        self.all.append(ended)

        async def receive_or_end():
            tasks = [asyncio.ensure_future(receive()), asyncio.ensure_future(ended.wait())]
            done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in pending:
                task.cancel()
            return {"type": "http.disconnect"} if ended.is_set() else tasks[0].result()

        try:
            await self.app(scope, receive_or_end, send)
        finally:
            self.all.remove(ended)


class NeedScope:
    """Refuses a call of `count` with five steps to a token without the scope admin, for the tests."""

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http" or scope["method"] != "POST" or scope["path"] != "/mcp":
            return await self.app(scope, receive, send)
        parts, more = [], True
        while more:
            message = await receive()
            parts.append(message.get("body", b""))
            more = message.get("more_body", False)
        body = b"".join(parts)
        text = dict(scope["headers"]).get(b"authorization", b"").decode().removeprefix("Bearer ")
        token = memory.access.get(text)
        arguments = json.loads(body or b"null")
        arguments = arguments.get("params", {}).get("arguments", {}) if isinstance(arguments, dict) else {}
        if token and arguments.get("steps") == 5 and "admin" not in token.scopes:
            challenge = f'Bearer error="insufficient_scope", scope="admin", resource_metadata="{BASE}/.well-known/oauth-protected-resource/mcp"'
            return await Response(status_code=403, headers={"WWW-Authenticate": challenge})(scope, receive, send)

        async def replay(sent=[]):
            if sent:
                return await receive()
            sent.append(True)
            return {"type": "http.request", "body": body, "more_body": False}

        await self.app(scope, replay, send)


sessions = os.environ.get("SESSIONS")
if sessions:
    import uvicorn

    app = (
        EndedStreams(server.sse_app(sse_path="/mcp")) if sessions == "one-stream"
        else server.streamable_http_app(event_store=Events(), retry_interval=100))
    uvicorn.run(NeedScope(app), host="127.0.0.1", port=int(os.environ["PORT"]), log_level="warning", timeout_graceful_shutdown=1)
else:
    server.run("streamable-http", host="127.0.0.1", port=int(os.environ["PORT"]), stateless_http=True, json_response=True)
