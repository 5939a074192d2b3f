"""Opens the server's WebSocket through a socket of `yett proxy`, and waits until it is closed. usage: hold.py SOCKET SIGN

The file SIGN appears when the WebSocket is open and has answered. Prints "closed" at its end.
"""

import sys

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import unix_connect

socket, sign = sys.argv[1:]
with unix_connect(socket, "ws://api/mcp/socket", subprotocols=["echo"]) as connection:
    connection.send("hello")
    connection.recv(timeout=120)
    open(sign, "w").close()
    try:
        connection.recv(timeout=120)
    except ConnectionClosed:
        print("closed")
