import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { runApp } from "./testing/run-app.js";

const program = fileURLToPath(new URL("../dist/main.js", import.meta.url));

it("over stdio, reports an invalid message, and ends with its client, also while a login waits for its approval", async () => {
  const folder = await mkdtemp(join(tmpdir(), "mcp-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { publicUrl } = await runApp(folder);
  const child = spawn(process.execPath, [program], {
    env: { PLATFORM_URL: publicUrl, PLATFORM_CONFIG_DIR: join(folder, "config") },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.write('{"jsonrpc":"2.0","id":{},"method":"ping"}\n');
  expect(String(await once(child.stderr, "data"))).toBe(
    "A message was ignored: it is not valid JSON-RPC 2.0. Report this to the MCP client.\n",
  );
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "list_items", arguments: {} } };
  child.stdin.write(`${JSON.stringify(call)}\n`);
  expect(String(await once(child.stdout, "data"))).toContain(
    "This tool needs the approval of the person. Ask them to open",
  );
  child.stdin.end();
  expect(await once(child, "exit")).toEqual([0, null]);
});
