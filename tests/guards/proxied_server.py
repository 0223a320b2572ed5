"""An MCP server for the tests of proxies: everything a server may say about an owner, made with the real library.

Run as a program it speaks on standard input and output, or over HTTP on the port it is given. It writes what it was
asked to the file in SEEN, one JSON line a call.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import sys
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp_types import BlobResourceContents, EmbeddedResource, ImageContent, TextContent

MAIL = "From o_varga@quillworks.example, call +44 20 7946 0958"
SECRET = "plum-Teapot-4471-green"

server = MCPServer("mail", instructions="The mail of o_varga@quillworks.example")


def noted(what: str, value: Any) -> None:
    """Write down what reached the server."""
    with Path(os.environ["SEEN"]).open("a", encoding="utf-8") as file:
        file.write(json.dumps([what, value], ensure_ascii=False) + "\n")


@server.tool()
def read_mail(number: int) -> dict[str, Any]:
    """Return a mail, for structured content."""
    noted("read_mail", number)
    return {"from": "o_varga@quillworks.example", "body": MAIL, "to": ["Ottoline Varga-Quill"], "number": number}


@server.tool()
def send_mail(to: str, body: str) -> str:
    """Take a mail, and say whom it went to."""
    noted("send_mail", [to, body])
    return f"sent to {to}"


@server.tool()
def search(query: str) -> str:
    """Take a query."""
    noted("search", query)
    return f"nothing about {query}"


@server.tool()
def everything() -> list[Any]:
    """Return every kind of content."""
    blob = base64.b64encode(MAIL.encode()).decode()
    image = base64.b64encode(b"\x89PNG\xff\xfe" + MAIL.encode() + b"\x00").decode()
    return [
        TextContent(type="text", text=json.dumps({"nested": json.dumps({"mail": MAIL})})),
        ImageContent(type="image", data=image, mime_type="image/png"),
        EmbeddedResource(
            type="resource", resource=BlobResourceContents(uri="mail://blob", blob=blob, mime_type="text/plain")
        ),
        TextContent(type="text", text=f"and {SECRET}"),
    ]


@server.tool()
def fails() -> str:
    """Fail, and say too much."""
    raise ValueError(f"no mail for {MAIL}")


@server.tool()
async def works(context: Context[Any, Any]) -> str:
    """Report progress and log."""
    await context.report_progress(1, 2, f"reading {MAIL}")
    return "done"


@server.tool()
def long_text(size: int) -> str:
    """Return a large text with a mail at its end."""
    return "word " * (size // 5) + MAIL


@server.tool()
async def sleeps() -> str:
    """Take longer than anybody waits."""
    await asyncio.sleep(60)
    return "never"


@server.tool()
def crash() -> str:
    """End the process."""
    sys.stderr.write(f"crashed over {MAIL}\n")
    sys.stderr.flush()
    os._exit(3)


@server.resource("mail://o_varga@quillworks.example/inbox")
def inbox() -> str:
    """Return the inbox."""
    noted("inbox", True)
    return f"inbox: {MAIL}"


@server.prompt()
def invite(guest: str) -> str:
    """Return a prompt."""
    noted("invite", guest)
    return f"Invite {guest}; sign as {MAIL}"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
    else:
        server.run("stdio")
