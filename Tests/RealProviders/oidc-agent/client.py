"""Requests a token with oidc-agent's own library for Python and prints the response as one JSON object.

Arguments: `account` or `issuer`, its value, and the members of the request as a JSON object.
"""

import json
import sys

import liboidcagent

request = {"account": liboidcagent.get_token_response, "issuer": liboidcagent.get_token_response_by_issuer_url}[sys.argv[1]]
try:
    token, issuer, expires_at = request(sys.argv[2], **json.loads(sys.argv[3]))
    print(json.dumps({"token": token, "issuer": issuer, "expires_at": expires_at}))
except liboidcagent.OidcAgentError as error:
    print(json.dumps({"error": error.message, "help": error.help}))
