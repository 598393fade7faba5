"""The official Python SDK and fastmcp against a server: each era, an answer, a refusal, an unknown tool."""

import asyncio
import json
import sys

import fastmcp
import mcp
from mcp.client.stdio import StdioServerParameters, stdio_client


def told(text):
    answer = json.loads(text)
    return answer.get("message", answer["kind"])


async def official(mode):
    server = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:])
    async with mcp.Client(stdio_client(server), mode=mode) as client:
        tools = (await client.list_tools()).tools
        prompts = (await client.list_prompts()).prompts
        asked = (await client.get_prompt("resume")).messages[0].content.text
        read = (await client.read_resource("beads://context")).contents[0].text
        good = await client.call_tool("task_status", {})
        bad = await client.call_tool("task_status", {"bogus": 1})
        print(f"mcp {mode}: {client.protocol_version}, {len(tools)} tools, {told(good.content[0].text)}")
        print(f"  is_error {bad.is_error}: {told(bad.content[0].text)}")
        print(f"  {[prompt.name for prompt in prompts]}: {asked[:30]}; {read[:6]}")
        try:
            await client.call_tool("nope", {})
        except mcp.MCPError as error:
            print(f"  {error}")


async def fast(mode):
    config = {"mcpServers": {"beads": {"command": sys.argv[1], "args": sys.argv[2:], "cwd": "."}}}
    async with fastmcp.Client(config, mode=mode) as client:
        tools = await client.list_tools()
        made = await client.call_tool("task_start", {"user_request": f"From fastmcp {mode}"})
        bad = await client.call_tool("task_start", {}, raise_on_error=False)
        print(f"fastmcp {mode}: {len(tools)} tools, {told(made.content[0].text)}")
        print(f"  is_error {bad.is_error}: {told(bad.content[0].text)}")


for mode in ("auto", "legacy", "2026-07-28"):
    asyncio.run(official(mode))
for mode in ("auto", "legacy"):
    asyncio.run(fast(mode))
