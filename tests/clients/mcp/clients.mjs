// Both generations of the TypeScript SDK against a server.
import { Client as First } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as FirstStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Client as Second } from "@modelcontextprotocol/client";
import { StdioClientTransport as SecondStdio } from "@modelcontextprotocol/client/stdio";

const [, , command, ...args] = process.argv;

async function talk(name, client, transport) {
  await client.connect(transport);
  const { tools } = await client.listTools();
  const good = await client.callTool({ name: "task_status", arguments: {} });
  const bad = await client.callTool({ name: "task_start", arguments: {} });
  const version = client.getNegotiatedProtocolVersion?.() ?? "2025-11-25";
  console.log(`${name}: ${version}, ${tools.length} tools, ${JSON.parse(good.content[0].text).kind}`);
  console.log(`  isError ${bad.isError}: ${JSON.parse(bad.content[0].text).message}`);
  const { prompts } = await client.listPrompts();
  const asked = await client.getPrompt({ name: "resume" });
  const { resourceTemplates } = await client.listResourceTemplates();
  const read = await client.readResource({ uri: "beads://context" });
  console.log(`  ${prompts.length} prompts: ${asked.messages[0].content.text.slice(0, 30)}`);
  console.log(`  ${resourceTemplates[0].uriTemplate}, ${read.contents[0].text.slice(0, 6)}`);
  const unknown = await client.callTool({ name: "nope", arguments: {} }).catch((error) => error);
  console.log(`  ${unknown.code}`);
  await client.close();
}

await talk("sdk", new First({ name: "t", version: "1" }), new FirstStdio({ command, args }));
await talk("client", new Second({ name: "t", version: "1" }), new SecondStdio({ command, args }));
const auto = { versionNegotiation: { mode: "auto" } };
await talk("client auto", new Second({ name: "t", version: "1" }, auto), new SecondStdio({ command, args }));
