import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { runApp } from "../../src/testing/program.js";
import { temporaryFolder } from "../../src/testing/temporary-folder.js";

const attribute = z.object({
  key: z.string(),
  value: z.looseObject({ stringValue: z.string().optional(), intValue: z.number().optional() }),
});
const span = z.object({
  name: z.string(),
  kind: z.number(),
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  attributes: z.array(attribute),
  links: z.array(z.object({ traceId: z.string(), spanId: z.string() })).optional(),
});
const exported = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(attribute) }),
      scopeSpans: z.array(z.object({ spans: z.array(span) })),
    }),
  ),
});
const textsOf = (attributes: readonly z.infer<typeof attribute>[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const deletion = "platform.v1.VaultService/DeleteItem";

/** Starts a receiver of OTLP over HTTP, with JSON. */
async function startReceiver(status = 200) {
  const bodies: string[] = [];
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers["api-key"]}`);
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      bodies.push(body);
      response.writeHead(status, { "Content-Type": "application/json" }).end("{}");
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const resourceSpans = () => bodies.flatMap((body) => exported.parse(JSON.parse(body)).resourceSpans);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    requests,
    text: () => bodies.join(),
    resources: () => resourceSpans().map(({ resource }) => textsOf(resource.attributes)),
    spans: () => resourceSpans().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
  };
}

async function callTraced(url: string, token: string, body: string) {
  const headers = {
    Authorization: `Bearer ${token}`,
    "Content-Type": "application/json",
    "Connect-Protocol-Version": "1",
    "X-Request-Id": "r-1",
    traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
  };
  const response = await fetch(`${url}/${deletion}`, { method: "POST", headers, body });
  return response.status;
}

it("with OTEL_EXPORTER_OTLP_ENDPOINT, a call and its batch of the storage are spans in the trace of the caller", async () => {
  const receiver = await startReceiver();
  const DATA_DIR = await temporaryFolder();
  const app = await runApp({
    DATA_DIR,
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: "api-key=a-secret",
    OTEL_SERVICE_NAME: "vaults",
  });
  const token = await readFile(join(DATA_DIR, "demo/access.token"), "utf8");
  const body = await readFile(join(DATA_DIR, "demo/delete-item.json"), "utf8");
  expect(await callTraced(app.publicUrl, token, body)).toBe(200);
  expect(await app.stop()).toBe(0);

  const spans = receiver.spans().filter((each) => each.traceId === traceId);
  const call = spans.find(({ name }) => name === deletion);
  // 2 is a server, 3 a client.
  expect(call).toMatchObject({ kind: 2, parentSpanId: "00f067aa0ba902b7" });
  expect(textsOf(call?.attributes ?? [])).toMatchObject({
    "rpc.system.name": "connectrpc",
    "rpc.method": deletion,
    "platform.request_id": "r-1",
  });
  const batch = spans.find(({ name }) => name === "BATCH");
  expect(batch).toMatchObject({ kind: 3, links: [{ traceId, spanId: call?.spanId }] });
  expect(textsOf(batch?.attributes ?? [])).toMatchObject({
    "db.system.name": "sqlite",
    "db.operation.name": "BATCH",
  });
  expect(receiver.resources()[0]).toMatchObject({ "service.name": "vaults" });
  expect(new Set(receiver.requests)).toEqual(new Set(["POST /v1/traces a-secret"]));
  expect(receiver.text()).not.toContain(token.trim());
  expect(app.err()).toContain(`"traceId":"${traceId}","traceSampled":true`);
  expect(app.err()).not.toContain("a-secret");
});

it("a receiver that fails costs one log line, without its URL, and no call", async () => {
  const receiver = await startReceiver(400);
  const DATA_DIR = await temporaryFolder();
  const app = await runApp({ DATA_DIR, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint });
  const token = await readFile(join(DATA_DIR, "demo/access.token"), "utf8");
  const body = await readFile(join(DATA_DIR, "demo/delete-item.json"), "utf8");
  expect(await callTraced(app.publicUrl, token, body)).toBe(200);
  expect(await app.stop()).toBe(0);
  expect(app.err().match(/"msg":"traces could not be sent"/g)).toHaveLength(1);
  expect(app.err()).not.toContain(receiver.endpoint);
});

it("without it, no package of OpenTelemetry is loaded: the built programs import none at the start", async () => {
  const folder = fileURLToPath(new URL("../../dist/", import.meta.url));
  const read = new Map<string, string>();
  const readWithImports = async (file: string): Promise<void> => {
    if (read.has(file)) return;
    read.set(file, await readFile(join(folder, file), "utf8"));
    const imported = [
      ...(read.get(file) ?? "").matchAll(/^(?:import|\} from) ?(?:[^"']*? from )?["']\.\/([^"']+)["']/gm),
    ];
    for (const [, name = ""] of imported) await readWithImports(name);
  };
  for (const program of ["main.js", "writer-thread.js"]) await readWithImports(program);
  expect(read.size).toBeGreaterThan(3);
  expect(
    [...read].filter(([, text]) => text.includes("AsyncLocalStorageContextManager")).map(([file]) => file),
  ).toEqual([]);
});
