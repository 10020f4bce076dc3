import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { createPlatformClient, type PlatformClient } from "@platform-rpc/client/json";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningWorker, runWorkerd, workerdInstalled } from "../runtimes/run-workerd.ts";
import type { Seeded } from "./seed.ts";

const resolveDir = fileURLToPath(new URL(".", import.meta.url));
const { outputFiles, metafile } = await build({
  stdin: { contents: 'export { worker as default } from "./worker.ts"', resolveDir, loader: "ts" },
  bundle: true,
  write: false,
  metafile: true,
  format: "esm",
  target: "es2022",
  conditions: ["workerd", "worker", "browser"],
  external: ["node:*"],
  logLevel: "silent",
});

it("@platform-rpc/server/fetch imports no module of Node but those that its README names", () => {
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
  const external = new Set(imports.filter(({ external }) => external).map(({ path }) => path));
  expect([...external].sort()).toEqual(["node:crypto", "node:util", "node:zlib"]);
});

describe.skipIf(workerdInstalled.skip)(`@platform-rpc/server/fetch in ${workerdInstalled.title}`, () => {
  const path = "/platform.v1.VaultService/DeleteItem";
  const slow = { vaultId: "v-1", itemId: "i-slow", baseVersion: 1 };
  let worker: RunningWorker;
  let seeded: Seeded;
  let client: PlatformClient;
  beforeAll(async () => {
    worker = await runWorkerd(outputFiles[0]?.text ?? "");
    seeded = await (await fetch(`${worker.url}/seed`)).json();
    client = createPlatformClient({ baseUrl: worker.url, token: seeded.token });
  });
  afterAll(() => worker.stop());

  it("answers a call of our client, and a retry with the stored tombstone", async () => {
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const { item, cursor } = await client.vault.deleteItem(seeded.item);
      expect(item).toMatchObject({ itemId: "i-1", version: 2, deleted: true });
      expect(cursor.sequence).toBe(2);
    }
  });

  it.each([
    ["VERSION_CONFLICT", { vaultId: "v-1", itemId: "i-1", baseVersion: 7 }],
    ["VAULT_NOT_FOUND", { vaultId: "v-2", itemId: "i-1", baseVersion: 1 }],
    ["INVALID_FIELD", { vaultId: "v-1", itemId: "i 1", baseVersion: 1 }],
  ])("answers %s with the Error body", async (reason, input) => {
    await expect(client.vault.deleteItem(input)).rejects.toMatchObject({ reason });
  });

  it("answers DEADLINE_EXCEEDED while the storage does not answer", async () => {
    const response = await call(slow, { "Connect-Timeout-Ms": "50" });
    expect(response.status).toBe(504);
    expect(await response.text()).toContain("DEADLINE_EXCEEDED");
  });

  it("sends a compressed document encoded once", async () => {
    const read = () => fetch(`${worker.url}/large`, { headers: { "Accept-Encoding": "br" } });
    await expect.poll(async () => (await read()).headers.get("Content-Encoding")).toBe("br");
    expect(await (await read()).text()).toBe("compressible ".repeat(1_000));
  });

  it("releases the place of a call whose caller goes away", async () => {
    const before = await slowCalls();
    const body = JSON.stringify(slow);
    const socket = connect(Number(new URL(worker.url).port), "127.0.0.1");
    const headers = { ...headersOf(), Host: "x", "Content-Length": `${body.length}` };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
    await expect.poll(slowCalls).toBe(before + 1);
    expect((await call(seeded.item)).status).toBe(503);
    socket.resetAndDestroy();
    await expect.poll(async () => (await call(seeded.item)).status).toBe(200);
  });

  const slowCalls = async () => Number(await (await fetch(`${worker.url}/slow-calls`)).text());
  const headersOf = () => ({
    Authorization: `Bearer ${seeded.token}`,
    "Content-Type": "application/json",
    "Connect-Protocol-Version": "1",
  });
  const call = (input: object, headers: object = {}) =>
    fetch(worker.url + path, { method: "POST", headers: { ...headersOf(), ...headers }, body: JSON.stringify(input) });
});
