import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createClient } from "@hey-api/openapi-ts";
import { afterAll, expect, it } from "vitest";
import { startPopulatedApp } from "./testing/populated-app.js";

const document = fileURLToPath(new URL("../gen/openapi.json", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "generated-client-"));
const program = `
  import { platformV1VaultServiceDeleteItem as deleteItem } from "./index.ts";
  const { BASE_URL: baseUrl, ACCESS_TOKEN: auth } = process.env;
  const headers = { "Connect-Protocol-Version": "1" } as const;
  for (const itemId of ["i-0", "i-missing"]) {
    const { data, error } = await deleteItem({ baseUrl, auth, headers, body: { vaultId: "v-1", itemId, baseVersion: 1 } });
    console.log(data?.item.deleted ?? error?.details[0]?.debug.reason);
  }`;
const app = await startPopulatedApp();
afterAll(async () => {
  await app.end();
  rmSync(folder, { recursive: true });
});

it("a client that @hey-api/openapi-ts generates calls a running platform", async () => {
  await createClient({
    input: document,
    output: { path: folder, module: { extension: ".ts" } },
    logs: { level: "silent" },
    plugins: ["@hey-api/client-fetch", "@hey-api/sdk"],
  });
  writeFileSync(join(folder, "program.ts"), program);
  const env = { BASE_URL: app.publicUrl, ACCESS_TOKEN: app.accessTokens[0] };
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, "program.ts")], { env });
  expect(stdout.trimEnd().split("\n")).toEqual(["true", "ITEM_NOT_FOUND"]);
});
