import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { call } from "../testing/call.js";
import { startTestApp } from "../testing/start-test-app.js";

const operation = z.object({
  post: z.object({
    requestBody: z.object({ content: z.object({ "application/json": z.object({ example: z.unknown() }) }) }),
    "x-codeSamples": z.tuple([z.object({ lang: z.literal("Shell"), source: z.string() })]).optional(),
  }),
});

const app = await startTestApp({ DEMO: "on" });
const token = await readFile(join(app.dataDir, "demo/access.token"), "utf8");
afterAll(() => app.end());

const readDocument = async () => (await fetch(`${app.publicUrl}/openapi.json`)).text();

describe("the OpenAPI document of the demo server", () => {
  // Others have a request in the document, and no command.
  it.each([
    "platform.v1.VaultService/DeleteItem",
    "platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization",
  ])("shows a command and a request of %s that answer 200", async (name) => {
    const { post } = operation.parse(JSON.parse(await readDocument()).paths[`/${name}`]);
    const [{ source }] = post["x-codeSamples"] ?? [{ source: "false" }];
    const { stdout } = await promisify(execFile)("sh", ["-c", `${source} -w '\\n%{http_code}'`]);
    expect(stdout.split("\n").at(-1)).toBe("200");
    // A code is a placeholder.
    const { deviceCode } = JSON.parse(await readFile(join(app.dataDir, "demo/exchange.json"), "utf8"));
    const request = JSON.stringify(post.requestBody.content["application/json"].example);
    const { status } = await call(app.publicUrl, name, request.replace("<DEVICE_CODE>", deviceCode), token);
    expect(status).toBe(200);
  });

  it("contains no token and no code of the demo", async () => {
    const text = await readDocument();
    const { deviceCode } = JSON.parse(await readFile(join(app.dataDir, "demo/exchange.json"), "utf8"));
    expect(text).not.toContain(deviceCode);
    expect(text).not.toContain(token);
  });
});
