import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient } from "@hey-api/openapi-ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type InhabitedApp, startInhabitedApp } from "./testing/inhabited-app.js";

const document = fileURLToPath(new URL("../gen/openapi.json", import.meta.url));
const output = mkdtempSync(join(tmpdir(), "generated-client-"));
let app: InhabitedApp;
beforeAll(async () => {
  app = await startInhabitedApp();
  const plugins = ["@hey-api/client-fetch", "@hey-api/sdk"] as const;
  await createClient({ input: document, output, logs: { level: "silent" }, plugins: [...plugins] });
});
afterAll(async () => {
  await app.end();
  rmSync(output, { recursive: true });
});

it("a client that @hey-api/openapi-ts generates calls a running platform", async () => {
  const { platformV1VaultServiceDeleteItem: deleteItem } = await import(join(output, "index.ts"));
  const [auth] = app.accessTokens;
  const call = (itemId: string) =>
    deleteItem({
      baseUrl: app.publicUrl,
      auth,
      headers: { "Connect-Protocol-Version": "1" },
      body: { vaultId: "v-1", itemId, baseVersion: 1 },
    });
  expect(await call("i-0")).toMatchObject({
    data: { item: { itemId: "i-0", deleted: true }, cursor: { vaultId: "v-1" } },
  });
  const { error, response } = await call("i-missing");
  expect([response.status, error.details[0].debug.reason]).toEqual([404, "ITEM_NOT_FOUND"]);
});
