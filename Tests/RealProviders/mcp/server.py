"""A tool server made with the official MCP SDK, with the SDK's own authorization server.

It compares redirect URLs exactly, announces only client_secret_post and client_secret_basic, grants a client only its registered scopes,
and keeps its data only in memory. A renewal invalidates the previous access tokens and is written to the log.
"""

import os
import secrets
import time

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
from mcp.server.mcpserver import MCPServer
from mcp.shared.auth import OAuthToken
from starlette.responses import Response

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


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    token = get_access_token()
    assert token is not None and token.resource == BASE + "/mcp"
    return a + b


@server.custom_route("/end-access-tokens", methods=["POST"])
async def end_access_tokens(request):
    """Invalidates all access tokens before their expiry, for the tests."""
    memory.access.clear()
    return Response(status_code=204)


server.run("streamable-http", host="127.0.0.1", port=int(os.environ["PORT"]), stateless_http=True, json_response=True)
