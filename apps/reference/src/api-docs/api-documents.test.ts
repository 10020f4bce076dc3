import { codeToString } from "@connectrpc/connect/protocol-connect";
import { type PublicReason, publicContract, rpcError } from "@platform-rpc/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import openapi from "../gen/openapi.json" with { type: "json" };
import { startTestApp, type TestApp } from "../testing/start-test-app.js";
import { createApiDocuments } from "./api-documents.js";

const publicUrl = "https://api.example/base";
let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ PUBLIC_URL: publicUrl });
});
afterAll(() => app.end());

describe("/openapi.json", () => {
  it.each(["/base/openapi.json", "/openapi.json"])(
    "%s returns the document with the URL of this server",
    async (path) => {
      const response = await fetch(new URL(path, app.publicUrl));
      expect(response.headers.get("content-type")).toBe("application/json");
      expect(await response.json()).toEqual({ ...openapi, servers: [{ url: publicUrl }] });
    },
  );

  it("is not served by the internal listener", async () => {
    for (const path of ["/openapi.json", "/docs"]) expect((await fetch(app.internalUrl + path)).status).toBe(404);
  });
});

describe("platform.v2 next to platform.v1", () => {
  it("has its own OpenAPI document, and /docs shows both", async () => {
    const both = new Map([
      ["/openapi.json", { info: { version: "1" } }],
      ["/openapi.v2.json", { info: { version: "2" } }],
    ]);
    const documents = createApiDocuments(() => publicUrl, both);
    const read = (path: string) => {
      const entry = documents.get(path);
      return `${(typeof entry === "function" ? entry() : entry)?.body}`;
    };
    expect(JSON.parse(read("/openapi.v2.json"))).toEqual({ info: { version: "2" }, servers: [{ url: publicUrl }] });
    const configuration = /data-configuration="([^"]+)"/.exec(read("/docs"))?.[1]?.replaceAll("&quot;", '"') ?? "";
    const sources = z
      .object({ sources: z.array(z.object({ url: z.string() })) })
      .parse(JSON.parse(configuration)).sources;
    expect(sources.map(({ url }) => url)).toEqual(["openapi.json", "openapi.v2.json"]);
  });
});

describe("/docs", () => {
  it("loads resources only from this server, and its policy forbids others", async () => {
    const response = await fetch(`${app.publicUrl}/docs`);
    const page = await response.text();
    expect(page).not.toMatch(/https?:|\/\//);
    const policy = response.headers.get("content-security-policy")?.split("; ") ?? [];
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("connect-src 'self'");
    expect(policy.join()).not.toMatch(/https?:|\*|unsafe-eval|script-src[^,]*unsafe/);
  });

  it("links its script and its document correctly under the base path", async () => {
    const at = `${app.publicUrl}/docs`;
    const page = await (await fetch(at)).text();
    const script = await fetch(new URL(/<script src="([^"]+)"/.exec(page)?.[1] ?? "", at));
    expect([script.status, script.headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"]);
    expect(Number(script.headers.get("content-length"))).toBeGreaterThan(1_000_000);
    const document = await fetch(new URL(/&quot;url&quot;:&quot;([^&]+)&quot;/.exec(page)?.[1] ?? "", at));
    expect(document.url).toBe(`${app.publicUrl}/openapi.json`);
    expect(document.status).toBe(200);
  });
});

describe("the examples of errors match what the server sends", () => {
  const response = z.object({
    content: z.object({
      "application/json": z.object({ examples: z.record(z.string(), z.object({ value: z.looseObject({}) })) }),
    }),
  });
  const examples = Object.values(openapi.paths)
    .flatMap(({ post }) => Object.entries(post.responses))
    .filter(([status]) => status !== "200")
    .flatMap(([status, each]) =>
      Object.entries(response.parse(each).content["application/json"].examples).map(
        ([reason, { value }]) => [reason, { ...value, status: Number(status) }] as const,
      ),
    );
  const isReason = (name: string): name is PublicReason => publicContract.reasons.has(name);

  it("there is an example for each reason except CANCELED, which no caller receives", () => {
    const reasons = new Set(examples.map(([reason]) => reason));
    expect([...reasons, "CANCELED"].sort()).toEqual([...publicContract.reasons.keys()].sort());
  });

  it.each(examples)("%s", (reason, example) => {
    if (!isReason(reason)) throw new Error(`${reason} is not a reason`);
    const { code, httpStatus, rawMessage } = rpcError(reason);
    expect(example).toMatchObject({ status: httpStatus, code: codeToString(code), message: rawMessage });
  });
});
