"""Speaks to the server's WebSocket through `yett proxy`. usage: websocket.py PROXY BASE. Prints "ok" if everything was as expected."""

import os
import sys
import urllib.request

from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

PROXY, BASE = sys.argv[1:3]
ADDRESS = PROXY.replace("http://", "ws://") + "mcp/"


def status(path, **options):
    try:
        connect(ADDRESS + path, subprotocols=["echo"], **options).close()
        return 101
    except InvalidStatus as error:
        return error.response.status_code


with connect(ADDRESS + "socket", subprotocols=["echo"], max_size=None) as socket:
    assert socket.subprotocol == "echo"
    for message in ["héllo", b"\0\1\2", "", os.urandom(10 << 20), "x" * (10 << 20)]:
        socket.send(message)
        assert socket.recv() == message
    socket.ping().wait(120)
    socket.send("end")
    try:
        socket.recv()
        assert False, "the server did not close"
    except ConnectionClosed as error:
        assert (error.rcvd.code, error.rcvd.reason) == (4000, "as you wish"), error
assert status("refused") == 403
assert status("socket", additional_headers={"Authorization": "Bearer wrong"}) == 101
assert status("socket", origin="https://evil.example") == 403
urllib.request.urlopen(urllib.request.Request(BASE + "/end-access-tokens", data=b"", method="POST")).read()
assert status("socket") == 101
print("ok")
