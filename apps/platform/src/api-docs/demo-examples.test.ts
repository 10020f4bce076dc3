import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { call } from "../testing/call.js";
import { startTestApp, type TestApp } from "../testing/start-test-app.js";

const served = z.object({
  paths: z.record(
    z.string(),
    z.object({
      post: z.object({
        requestBody: z.object({ content: z.object({ "application/json": z.object({ example: z.unknown() }) }) }),
        "x-codeSamples": z.tuple([z.object({ lang: z.literal("Shell"), source: z.string() })]).optional(),
      }),
    }),
  ),
});
/** The operations of the demo. Others have a request in the document, and no command. */
const operations = [
  "platform.v1.VaultService/DeleteItem",
  "platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization",
];

let app: TestApp;
let token: string;
beforeAll(async () => {
  app = await startTestApp({ DEMO: "on" });
  token = await readFile(join(app.dataDir, "demo/access.token"), "utf8");
});
afterAll(() => app.end());

async function postOf(operation: string) {
  const { paths } = served.parse(await (await fetch(`${app.publicUrl}/openapi.json`)).json());
  const found = paths[`/${operation}`];
  if (found === undefined) throw new Error(`the OpenAPI document has no ${operation}`);
  return found.post;
}

describe("the OpenAPI document of the demo server", () => {
  it.each(operations)("shows a command for %s that answers 200, every time", async (operation) => {
    for (const _ of [1, 2]) {
      const [{ source }] = (await postOf(operation))["x-codeSamples"] ?? [{ source: "false" }];
      const { stdout } = await promisify(execFile)("sh", ["-c", `${source} -w '\\n%{http_code}'`]);
      expect(stdout.split("\n").at(-1)).toBe("200");
    }
  });

  it.each(operations)("shows a request of %s that answers 200, in which a code is a placeholder", async (operation) => {
    const { example } = (await postOf(operation)).requestBody.content["application/json"];
    const { deviceCode } = JSON.parse(await readFile(join(app.dataDir, "demo/exchange.json"), "utf8"));
    const request = JSON.stringify(example).replace("<DEVICE_CODE>", deviceCode);
    expect((await call(app.publicUrl, operation, request, token)).status).toBe(200);
  });

  it("contains no token and no code of the demo", async () => {
    const text = await (await fetch(`${app.publicUrl}/openapi.json`)).text();
    const { deviceCode } = JSON.parse(await readFile(join(app.dataDir, "demo/exchange.json"), "utf8"));
    expect(text).not.toContain(deviceCode);
    expect(text).not.toContain(token);
  });
});
