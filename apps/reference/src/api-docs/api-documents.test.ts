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
  it("has its own OpenAPI document", async () => {
    const both = new Map([
      ["/openapi.json", { info: { version: "1" } }],
      ["/openapi.v2.json", { info: { version: "2" } }],
    ]);
    const entry = createApiDocuments(() => publicUrl, both).get("/openapi.v2.json");
    const document = typeof entry === "function" ? entry() : entry;
    expect(JSON.parse(`${document?.body}`)).toEqual({ info: { version: "2" }, servers: [{ url: publicUrl }] });
  });
});

describe("/docs", () => {
  it.each(["/docs", "/docs/errors/ITEM_NOT_FOUND", "/docs/errors/"])(
    "%s is a page, with the base path and without it",
    async (path) => {
      for (const base of ["", "/base"]) {
        const response = await fetch(new URL(base + path, app.publicUrl));
        expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
      }
    },
  );

  it("has a page for every reason of the public operations", async () => {
    for (const reason of publicContract.reasons.keys()) {
      expect((await fetch(`${app.publicUrl}/docs/errors/${reason}`)).status).toBe(200);
    }
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
