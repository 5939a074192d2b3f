"""Runs docker-registry and its token server, which accepts access tokens of the provider ISSUER as passwords.

Writes to tokens.log whom it gave a token, or why it refused one; never a token. The registry writes to standard output.
"""

import base64
import json
import os
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import jwt

ISSUER, PORT = os.environ["ISSUER"], os.environ["PORT"]
SERVICE, NAME = "registry", "tokens"
CERTIFICATE = open("certificate.pem").read()
KEY = open("key.pem").read()


def user_of(access_token):
    """Returns the user of an access token; None if the provider refuses it."""
    with urllib.request.urlopen(ISSUER + "/.well-known/openid-configuration", timeout=120) as answer:
        address = json.load(answer)["userinfo_endpoint"]
    request = urllib.request.Request(address, headers={"Authorization": "Bearer " + access_token})
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            claims = json.load(answer)
            return claims.get("preferred_username", claims["sub"])
    except urllib.error.HTTPError as error:
        if error.code in (400, 401, 403):
            return None
        raise


def registry_token(user, scopes):
    """Returns a token with all requested rights (distribution's "Token Authentication Implementation")."""
    access = []
    for scope in scopes:
        kind, name, actions = scope.split(":")
        access.append({"type": kind, "name": name, "actions": actions.split(",")})
    now = int(time.time())
    claims = {"iss": NAME, "sub": user, "aud": SERVICE, "nbf": now - 10, "iat": now, "exp": now + 300,
              "jti": os.urandom(12).hex(), "access": access}
    chain = "".join(CERTIFICATE.split("-----")[2].split())
    return jwt.encode(claims, KEY, algorithm="RS256", headers={"x5c": [chain]})


class Tokens(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        fields = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        scopes = [scope for value in fields.get("scope", []) for scope in value.split()]
        wanted = " ".join(scopes) or "nothing"
        kind, _, value = self.headers.get("Authorization", "").partition(" ")
        if not kind:
            return self.refuse(f"refused a request without a credential for {wanted}")
        name, _, password = base64.b64decode(value).decode().partition(":") if kind == "Basic" else ("", "", "")
        try:
            user = user_of(password) if name == "oauth2" and password else None
        except urllib.error.URLError:
            self.note(f"could not check a credential for {wanted}")
            return self.answer(503, {"errors": [{"code": "UNAVAILABLE", "message": "the provider does not answer"}]})
        if user is None:
            return self.refuse(f"refused a credential for {wanted}")
        self.note(f"accepted {user} for {wanted}")
        self.answer(200, {"token": registry_token(user, scopes), "expires_in": 300})

    def refuse(self, line):
        self.note(line)
        self.answer(401, {"errors": [{"code": "UNAUTHORIZED", "message": "the access token was not accepted"}]})

    def answer(self, status, document):
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def note(self, line):
        with open("tokens.log", "a") as log:
            log.write(line + "\n")

    def log_message(self, *_):
        pass


tokens = ThreadingHTTPServer(("127.0.0.1", 0), Tokens)
configuration = {
    "version": "0.1",
    "log": {"level": "info"},
    "storage": {"filesystem": {"rootdirectory": os.getcwd() + "/images"}},
    "http": {"addr": "127.0.0.1:" + PORT, "secret": os.urandom(16).hex()},
    "auth": {"token": {"realm": f"http://127.0.0.1:{tokens.server_port}/token", "service": SERVICE, "issuer": NAME,
                       "rootcertbundle": os.getcwd() + "/certificate.pem"}},
}
with open("registry.yml", "w") as file:
    # YAML includes JSON.
    json.dump(configuration, file, indent=1)
threading.Thread(target=tokens.serve_forever, daemon=True).start()
# In the process group of this program, which `stop` ends.
sys.exit(subprocess.run(["docker-registry", "serve", "registry.yml"]).returncode)
