"""Drives `yett mcp` with the official SDK's client over standard input and output, one scenario at a time.

usage: client.py SCENARIO YETT BASE
Prints "ok" if everything was as expected.
"""

import asyncio
import json
import os
import signal
import sys
import urllib.request

import mcp_types as types
from mcp import ClientSession
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError

SCENARIO, YETT, BASE = sys.argv[1:4]
PARAMETERS = StdioServerParameters(command=YETT, args=["mcp", BASE + "/mcp"], env=dict(os.environ))
INITIALIZE = {
    "jsonrpc": "2.0", "id": 0, "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}}


def post(path):
    urllib.request.urlopen(urllib.request.Request(BASE + path, data=b"", method="POST")).read()


def calls(tool):
    return json.load(urllib.request.urlopen(BASE + "/calls")).get(tool, 0)


def text(result):
    assert not result.is_error, result
    return result.content[0].text


class Session:
    """A session of the SDK's client through one bridge."""

    def __init__(self, **options):
        self.options = options

    async def __aenter__(self):
        self.streams = stdio_client(PARAMETERS)
        self.session = ClientSession(*await self.streams.__aenter__(), **self.options)
        session = await self.session.__aenter__()
        await session.initialize()
        return session

    async def __aexit__(self, *error):
        await self.session.__aexit__(*error)
        await self.streams.__aexit__(*error)


class Raw:
    """A bridge whose lines are written and read by hand."""

    async def __aenter__(self):
        self.process = await asyncio.create_subprocess_exec(
            YETT, "mcp", BASE + "/mcp", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=1 << 24)
        return self

    async def __aexit__(self, *error):
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()

    def send(self, *messages):
        for message in messages:
            line = message if isinstance(message, bytes) else json.dumps(message).encode()
            self.process.stdin.write(line + b"\n")

    async def line(self):
        line = await asyncio.wait_for(self.process.stdout.readline(), 120)
        assert line.endswith(b"\n"), line
        return json.loads(line)

    async def initialize(self):
        self.send(INITIALIZE)
        answer = await self.line()
        assert answer["id"] == 0 and "result" in answer, answer
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})


def call(id, tool, **arguments):
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


async def calls_tools():
    async with Session() as session:
        assert "add" in [tool.name for tool in (await session.list_tools()).tools]
        assert text(await session.call_tool("add", {"a": 2, "b": 40})) == "42"


async def many_at_once():
    async with Session() as session:
        answers = await asyncio.gather(*[session.call_tool("add", {"a": n, "b": 0}) for n in range(150)])
        assert [text(answer) for answer in answers] == [str(n) for n in range(150)]


async def many_bridges():
    """All tokens end while eight bridges work: the log of the server has one renewal."""

    async def work(number):
        async with Session() as session:
            assert text(await session.call_tool("add", {"a": number, "b": 1})) == str(number + 1)
            ready.release()
            await go.wait()
            assert text(await session.call_tool("add", {"a": number, "b": 2})) == str(number + 2)

    ready, go = asyncio.Semaphore(0), asyncio.Event()
    tasks = [asyncio.create_task(work(number)) for number in range(8)]
    for _ in tasks:
        await ready.acquire()
    post("/end-access-tokens")
    go.set()
    await asyncio.gather(*tasks)


async def server_asks():
    async def answer(context, params):
        return types.ElicitResult(action="accept", content={"colour": "green"})

    async with Session(elicitation_callback=answer) as session:
        assert text(await session.call_tool("ask", {})) == "green"


async def many_ask():
    """More tools ask the client at once than requests may be at the server."""
    async def answer(context, params):
        return types.ElicitResult(action="accept", content={"colour": "green"})

    async with Session(elicitation_callback=answer) as session:
        answers = await asyncio.gather(*[session.call_tool("ask", {}) for _ in range(100)])
        assert [text(answer) for answer in answers] == ["green"] * 100


async def cancels_many():
    """More requests are cancelled than may be at the server; the next ones are answered."""
    async with Raw() as bridge:
        await bridge.initialize()
        for number in range(80):
            bridge.send(call(number + 100, "count", steps=400))
            bridge.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number + 100}})
        bridge.send(call("next", "add", a=1, b=2))
        while (answer := await bridge.line())["id"] != "next":
            assert isinstance(answer["id"], int), answer
        assert answer["result"]["content"][0]["text"] == "3", answer


async def progress():
    seen = []

    async def note(done, total, message):
        seen.append(done)

    async with Session() as session:
        assert text(await session.call_tool("count", {"steps": 4}, progress_callback=note)) == "4"
    assert seen == [1, 2, 3, 4], seen


async def lost_session():
    async with Session() as session:
        assert text(await session.call_tool("add", {"a": 1, "b": 1})) == "2"
        post("/forget-sessions")
        answers = await asyncio.gather(*[session.call_tool("add", {"a": n, "b": 0}) for n in range(5)])
        assert [text(answer) for answer in answers] == [str(n) for n in range(5)]


async def ended_stream():
    """The one stream ends; the next calls share another session, and each is carried out once."""
    async with Session() as session:
        before = calls("add")
        assert text(await session.call_tool("add", {"a": 1, "b": 1})) == "2"
        for start in range(0, 15, 5):
            post("/end-streams")
            answers = await asyncio.gather(*[session.call_tool("add", {"a": n, "b": 0}) for n in range(start, start + 5)])
            assert [text(answer) for answer in answers] == [str(n) for n in range(start, start + 5)]
        assert calls("add") == before + 16


async def resumed_stream():
    """The server closes the stream of a response; its rest comes once, and the tool is not called again."""
    before = calls("drop")
    async with Session() as session:
        assert text(await session.call_tool("drop", {})) == "resumed"
    assert calls("drop") == before + 1


async def cancelled():
    async with Raw() as bridge:
        await bridge.initialize()
        before = calls("count")
        bridge.send(call(7, "count", steps=200))
        while calls("count") == before:
            await asyncio.sleep(0.02)
        bridge.send(
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}, call("next", "add", a=1, b=2))
        while (answer := await bridge.line())["id"] != "next":
            assert answer["id"] == 7, answer
        assert answer["result"]["content"][0]["text"] == "3", answer


async def framing():
    async with Raw() as bridge:
        await bridge.initialize()
        bridge.send(b"not json", b"\xff\xfe", b"", b"[]", b'{"jsonrpc":"2.0"}')
        assert [(await bridge.line())["error"]["code"] for _ in range(4)] == [-32700, -32700, -32600, -32600]
        long = "ü" * 300_000
        request = call("id with\nline", "add", a=20, b=22)
        request["params"]["_meta"] = {"example.org/unknown": long, "progressToken": 1}
        bridge.send(request)
        answer = await bridge.line()
        assert answer["id"] == "id with\nline" and answer["result"]["content"][0]["text"] == "42", answer
        bridge.send(call(1, "no such tool"), {"jsonrpc": "2.0", "id": 2, "method": "no/such/method"})
        answers = {answer["id"]: answer for answer in [await bridge.line(), await bridge.line()]}
        assert answers[1]["result"]["isError"] and answers[2]["error"]["code"] in (-32601, -32602), answers


async def all_lines_at_once():
    """A script that pipes its lines in does not wait for the session."""
    async with Raw() as bridge:
        bridge.send(INITIALIZE, {"jsonrpc": "2.0", "method": "notifications/initialized"}, call(1, "add", a=20, b=22))
        bridge.process.stdin.close()
        lines = [json.loads(line) for line in (await bridge.process.stdout.read()).splitlines()]
        assert [line["id"] for line in lines if "id" in line] == [0, 1], lines
        assert lines[-1]["result"]["content"][0]["text"] == "42", lines


async def clumsy_lines():
    """Line ends of Windows, empty lines, a long line, and no line feed at the end."""
    async with Raw() as bridge:
        await bridge.initialize()
        request = call(1, "add", a=20, b=22)
        request["params"]["_meta"] = {"example.org/long": "x" * 3_000_000}
        bridge.send(b"\r", b"", json.dumps(request).encode() + b"\r")
        assert (await bridge.line())["result"]["content"][0]["text"] == "42"
        bridge.process.stdin.write(json.dumps(call(2, "add", a=1, b=1)).encode())
        bridge.process.stdin.close()
        answer = await bridge.line()
        assert answer["id"] == 2 and answer["result"]["content"][0]["text"] == "2", answer
        assert await asyncio.wait_for(bridge.process.wait(), 120) == 0


async def output_closed():
    """A client that no longer reads ends the bridge, though its input stays open."""
    reading, writing = os.pipe()
    process = await asyncio.create_subprocess_exec(YETT, "mcp", BASE + "/mcp", stdin=asyncio.subprocess.PIPE, stdout=writing)
    os.close(writing)
    process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
    with os.fdopen(reading, "rb") as output:
        assert json.loads(await asyncio.to_thread(output.readline))["id"] == 0
    process.stdin.write(json.dumps(call(1, "add", a=1, b=1)).encode() + b"\n")
    assert await asyncio.wait_for(process.wait(), 120) == 0


async def hides_tokens():
    """No token is in the output, the command line or the environment of the bridge, or in a file of the user."""
    process = await asyncio.create_subprocess_exec(
        YETT, "mcp", BASE + "/mcp", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
    process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
    output = await process.stdout.readline()
    assert json.loads(output)["id"] == 0
    found = {name: open(f"/proc/{process.pid}/{name}", "rb").read() for name in ["cmdline", "environ"]}
    process.stdin.write(b"not json\n" + json.dumps(call(1, "no such tool")).encode() + b"\n")
    process.stdin.close()
    found["output"], found["errors"] = await process.communicate()
    found["output"] += output
    for folder, _, names in os.walk(os.environ["HOME"]):
        for path in [os.path.join(folder, name) for name in names]:
            if os.path.isfile(path):
                found[path] = open(path, "rb").read()
    tokens = json.load(urllib.request.urlopen(BASE + "/tokens"))
    assert tokens and len(found) > 6, (len(tokens), list(found))
    for place, content in found.items():
        assert not any(token.encode() in content for token in tokens), place


async def repeats_arguments():
    """The server compares the header fields of annotated arguments with the request."""
    async with Client(stdio_client(PARAMETERS), mode="2026-07-28") as client:
        assert "route" in [tool.name for tool in (await client.list_tools()).tools]
        for region in ["eu", " grün\n", "=?base64?eA==?="]:
            assert text(await client.call_tool("route", {"region": region, "dry": True})) == region


async def tokens_end_in_a_stream():
    """All access tokens end while the server works; the rest of the call is unharmed, and the next one has a new token."""
    async with Session() as session:
        before = calls("drop")
        dropped = asyncio.create_task(session.call_tool("drop", {}))
        while calls("drop") == before:
            await asyncio.sleep(0.02)
        post("/end-access-tokens")
        assert text(await dropped) == "resumed"
        assert calls("drop") == before + 1
        assert text(await session.call_tool("add", {"a": 1, "b": 1})) == "2"


async def ends_with_input():
    async with Raw() as bridge:
        await bridge.initialize()
        before = calls("count")
        # The server works for a minute at least, and the bridge does not wait for it.
        bridge.send(call(1, "count", steps=1200))
        await bridge.process.stdin.drain()
        while calls("count") == before:
            await asyncio.sleep(0.02)
        bridge.process.stdin.close()
        lines = [json.loads(line) for line in (await bridge.process.stdout.read()).splitlines()]
        assert await bridge.process.wait() == 0
        answers = [line for line in lines if line.get("id") == 1]
        assert len(answers) == 1 and answers[0]["error"]["code"] == -32000, lines


async def answers_after_the_end_of_input():
    # The bridge waits for little more than a second, and a busy machine may need more for the way, but not each time.
    for _ in range(5):
        async with Raw() as bridge:
            await bridge.initialize()
            bridge.send(call(1, "count", steps=1))
            await bridge.process.stdin.drain()
            bridge.process.stdin.close()
            lines = [json.loads(line) for line in (await bridge.process.stdout.read()).splitlines()]
            answers = [line for line in lines if line.get("id") == 1]
            assert len(answers) == 1, lines
            if "result" in answers[0]:
                break
    assert answers[0]["result"]["content"][0]["text"] == "1", lines


async def ends_with_signal():
    async with Raw() as bridge:
        await bridge.initialize()
        bridge.process.send_signal(signal.SIGTERM)
        await asyncio.wait_for(bridge.process.wait(), 120)


async def signed_out():
    async with Raw() as bridge:
        bridge.send(INITIALIZE)
        error = (await bridge.line())["error"]
        assert error["code"] == -32000 and "yett login" in error["message"], error


async def needs_scope():
    before = calls("count")
    async with Session() as session:
        try:
            await session.call_tool("count", {"steps": 5})
            assert False, "the call was allowed"
        except MCPError as error:
            assert "--scope=admin" in str(error) and "--scope=tools" in str(error), error
        assert text(await session.call_tool("add", {"a": 1, "b": 1})) == "2"
    assert calls("count") == before


async def stateless():
    """The protocol of 2026-07-28: no session, and header fields that repeat the request."""
    async with Client(stdio_client(PARAMETERS), mode="2026-07-28") as client:
        assert "add" in [tool.name for tool in (await client.list_tools()).tools]
        answers = await asyncio.gather(*[client.call_tool("add", {"a": n, "b": 1}) for n in range(10)])
        assert [text(answer) for answer in answers] == [str(n + 1) for n in range(10)]


async def discovers():
    async with Client(stdio_client(PARAMETERS), mode="auto") as client:
        assert text(await client.call_tool("add", {"a": 2, "b": 3})) == "5"


async def listens():
    """The stream of changes in the protocol of 2026-07-28, beside other requests; leaving it cancels the request."""
    async with Client(stdio_client(PARAMETERS), mode="2026-07-28") as client:
        for _ in range(2):
            async with client.listen(tools_list_changed=True) as changes:
                assert changes.honored.tools_list_changed, changes.honored
                for _ in range(2):
                    assert text(await client.call_tool("announce", {})) == "announced"
                    assert type(await asyncio.wait_for(anext(changes), 120)).__name__ == "ToolsListChanged"
        assert text(await client.call_tool("add", {"a": 2, "b": 3})) == "5"


asyncio.run(globals()[SCENARIO]())
print("ok")
