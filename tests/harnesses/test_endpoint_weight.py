import subprocess
import sys

LIGHT = """
import asyncio, sys
from harnesses.endpoint.http import HttpClient

async def answer(reader, writer):
    await reader.readuntil(b"\\r\\n\\r\\n")
    writer.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: 4\\r\\n\\r\\nfine")
    await writer.drain()
    await reader.read()
    writer.close()

async def main():
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    client = HttpClient(base_url="http://127.0.0.1:%d" % server.sockets[0].getsockname()[1])
    assert (await client.send("GET", "/")).text == "fine"
    await client.aclose()
    server.close()
    await server.wait_closed()

asyncio.run(main())
print(sorted({"certifi", "httpcore", "anyio", "h11"} & set(sys.modules)))
"""


def test_a_plain_request_loads_no_list_of_certificates_and_no_second_http_library() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", LIGHT], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")
