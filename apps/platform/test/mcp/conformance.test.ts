import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { createAssistant, kinds } from "../../src/mcp/testing/assistants.js";
import { type McpApp, startMcpApp } from "../../src/mcp/testing/start-mcp-app.js";
import { temporaryFolder } from "../../src/testing/temporary-folder.js";

const suite = fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/dist/index.js"));
const page = new URL("../../../../docs/internals/mcp-conformance.md", import.meta.url);

/** What the server does not pass, by revision of the protocol: scenarios, or single checks of one. */
type Unmet = ReadonlyMap<string, readonly string[]>;

/** Reads the tables of the page: in each row, what is not passed, and at which revisions. */
async function readUnmet(): Promise<Unmet> {
  const rows = [...(await readFile(page, "utf8")).matchAll(/^\| (`.*`) \| (20.*?) \|/gm)];
  const unmet = new Map<string, string[]>();
  for (const [, names = "", revisions = ""] of rows) {
    for (const revision of revisions.split(", ")) {
      const known = unmet.get(revision) ?? [];
      known.push(...[...names.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));
      unmet.set(revision, known);
    }
  }
  return unmet;
}

/**
 * Starts a proxy that adds a token to each request: the suite has none. It replaces its own name in the Host and Origin headers with that
 * of the server, and passes on others, which the server must reject.
 */
async function startProxy({ mcpUrl }: Pick<McpApp, "mcpUrl">, token: string) {
  const target = new URL(mcpUrl);
  const proxy = createServer((received, response) => {
    const { headers, method, url = "" } = received;
    const own = headers.host ?? "";
    const renamed = (value: string) => value.replace(origin.host, target.host);
    const sending = request(new URL(url, target), {
      method,
      headers: {
        ...headers,
        host: renamed(own),
        ...(headers.origin !== undefined && { origin: renamed(headers.origin) }),
        authorization: `Bearer ${token}`,
      },
    });
    sending.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    sending.on("error", () => response.destroy());
    response.on("close", () => sending.destroy());
    received.pipe(sending);
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  const address = proxy.address();
  const origin = new URL(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`);
  return {
    url: `${origin.href}mcp`,
    close() {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}

describe("the conformance suite for MCP servers", () => {
  let app: McpApp;
  let unmet: Unmet;
  let proxy: Awaited<ReturnType<typeof startProxy>>;
  beforeAll(async () => {
    app = await startMcpApp({ RATE_LIMITS: "off" });
    unmet = await readUnmet();
    const assistant = createAssistant(app, await app.person("i-1"), kinds[2]);
    await assistant.listTools();
    proxy = await startProxy(app, assistant.provider.tokens()?.access_token ?? "");
  });
  afterAll(async () => {
    proxy?.close();
    await app.end();
  });

  it.each(["2025-11-25", "2026-07-28"])(
    "passes every required scenario of %s, except those that the page lists",
    async (revision) => {
      const folder = await temporaryFolder();
      const baseline = join(folder, "unmet.yaml");
      await writeFile(baseline, stringify({ server: unmet.get(revision) }));
      const options = ["--url", proxy.url, "--requirements", revision, "--expected-failures", baseline, "-o", folder];
      const child = spawn(process.execPath, [suite, "server", ...options], { stdio: ["ignore", "pipe", "inherit"] });
      const [output, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
      // The exit code is 1 also for a listed scenario that passes.
      expect(code, output).toBe(0);
    },
  );
});
