"""Serves the Git repositories of a folder with `git http-backend`, to the users whose access token is the password.

Asks the provider's userinfo endpoint who the user is. Prints a line for each request: who made it, and for what; never the token.

usage: server.py PORT FOLDER USERINFO
"""

import base64
import http.server
import json
import os
import subprocess
import sys
import urllib.error
import urllib.request

port, folder, userinfo = int(sys.argv[1]), sys.argv[2], sys.argv[3]


def user_of(authorization):
    """Returns the user, or None if the provider accepts no such token."""
    scheme, _, credential = authorization.partition(" ")
    if scheme != "Basic":
        return None
    token = base64.b64decode(credential).decode().partition(":")[2]
    request = urllib.request.Request(userinfo, headers={"Authorization": "Bearer " + token})
    try:
        with urllib.request.urlopen(request, timeout=120) as response:
            return json.load(response)["preferred_username"]
    except urllib.error.URLError:
        return None


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        authorization = self.headers.get("Authorization")
        user = user_of(authorization) if authorization else None
        print(user or ("refused" if authorization else "no credential"), self.command, self.path, flush=True)
        if not user:
            self.answer(401, [("WWW-Authenticate", 'Basic realm="git"')], b"")
            return
        path, _, query = self.path.partition("?")
        environment = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": folder,
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_CONFIG_NOSYSTEM": "1",
            "REQUEST_METHOD": self.command,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "REMOTE_USER": user,
            "REMOTE_ADDR": "127.0.0.1",
        }
        result = subprocess.run(["git", "http-backend"], input=body, env=environment, stdout=subprocess.PIPE, check=True)
        head, _, content = result.stdout.partition(b"\r\n\r\n")
        fields = [tuple(line.split(": ", 1)) for line in head.decode().split("\r\n")]
        status = next((int(value.split()[0]) for name, value in fields if name == "Status"), 200)
        self.answer(status, [field for field in fields if field[0] != "Status"], content)

    do_POST = do_GET

    def answer(self, status, fields, body):
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
