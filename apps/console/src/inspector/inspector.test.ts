import { execFileSync } from "node:child_process";
import { createClient } from "@connectrpc/connect";
import { createPlatformTransport, type FetchInit } from "@platform-rpc/client";
import { VaultService } from "@platform-rpc/types";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCallRecorder } from "./call-recorder.js";
import { asCurl, asTypeScript } from "./copied-call.js";
import { foldedJson } from "./folded-json.js";

const operation = "platform.v1.VaultService/DeleteItem";
const url = `https://api.example/${operation}`;
const canary = "canary-token-7f3a";

function init(body = "{}"): FetchInit {
  const headers = { authorization: `Bearer ${canary}`, "x-request-id": "sent-id" };
  return { method: "POST", headers, body, signal: new AbortController().signal, redirect: "manual" };
}

/** Waits until a call has ended. */
async function recorded(respond: () => Promise<Response>, count = 1) {
  let now = 1000;
  const recorder = createCallRecorder(respond, () => (now += 5));
  for (let index = 0; index < count; index += 1) await recorder.fetch(url, init(`{"index":${index}}`)).catch(() => {});
  await expect.poll(() => recorder.calls().every(({ end }) => end !== undefined)).toBe(true);
  return recorder;
}

describe("the recorder", () => {
  it("keeps what was on the wire, but not the token", async () => {
    const recorder = createCallRecorder(async () => {
      return Response.json({ item: { version: 2 } }, { headers: { "X-Request-Id": "server-id" } });
    });
    const transport = createPlatformTransport({ baseUrl: "https://api.example", token: canary, fetch: recorder.fetch });
    await createClient(VaultService, transport).deleteItem({ vaultId: "v", itemId: "i", baseVersion: 1 });
    await expect.poll(() => recorder.calls()[0]?.end?.status).toBe(200);
    expect(recorder.calls()).toMatchObject([
      {
        url,
        operation,
        requestId: "server-id",
        request: '{"vaultId":"v","itemId":"i","baseVersion":1}',
        end: { response: '{"item":{"version":2}}', reason: undefined },
      },
    ]);
    expect(JSON.stringify(recorder)).not.toContain(canary);
    expect(JSON.stringify(recorder.calls())).not.toContain(canary);
    expect(JSON.stringify(recorder.calls().map((call) => [asCurl(call), asTypeScript(call)]))).not.toContain(canary);
  });

  const details = [{ type: "google.rpc.ErrorInfo", debug: { reason: "ITEM_NOT_FOUND", domain: "platform.v1" } }];
  it.each([
    ["the reason of an error", async () => Response.json({ details }, { status: 404 }), [404, "ITEM_NOT_FOUND"]],
    ["no reason of a proxy's page", async () => new Response("<html>", { status: 502 }), [502, undefined]],
    ["that no response arrived", async () => Promise.reject(new TypeError("refused")), [undefined, "no response"]],
  ])("keeps %s", async (_, respond, [status, reason]) => {
    const recorder = await recorded(respond);
    expect(recorder.calls()).toMatchObject([{ requestId: "sent-id", end: { durationMs: 5, status, reason } }]);
  });

  it("keeps the newest 200 calls, and the newest 4 million characters of responses", async () => {
    const recorder = await recorded(async () => new Response("x".repeat(30_000)), 205);
    const calls = recorder.calls();
    expect(calls.map(({ request }) => request)).toEqual(
      Array.from({ length: 200 }, (_, index) => `{"index":${204 - index}}`),
    );
    expect(calls.filter(({ end }) => end?.response !== undefined)).toHaveLength(133);
    recorder.clear();
    expect(recorder.calls()).toEqual([]);
  });
});

describe("a copied call", () => {
  it("is a command whose body a shell reads unchanged, with the token of a variable", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const request = JSON.stringify(value);
        const command = asCurl({ url, operation, request });
        // The shell prints the words instead of running curl.
        const script = `curl() { printf '%s\\0' "$@"; }; TOKEN=secret; ${command}`;
        const words = execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0");
        expect(words).toContain("Authorization: Bearer secret");
        expect(words).toContain(url);
        expect(words[words.indexOf("--data-raw") + 1]).toBe(request);
      }),
      { numRuns: 50 },
    );
  });

  it("is a TypeScript program with the same request", () => {
    expect(asTypeScript({ url, operation, request: '{"vaultId":"v","baseVersion":1}' })).toMatchInlineSnapshot(`
      "import { createClient } from "@connectrpc/connect";
      import { createPlatformTransport } from "@platform-rpc/client";
      import { VaultService } from "@platform-rpc/types";

      const transport = createPlatformTransport({ baseUrl: "https://api.example", token: process.env["TOKEN"] });
      const client = createClient(VaultService, transport);
      const response = await client.deleteItem({
        "vaultId": "v",
        "baseVersion": 1
      });
      console.log(response);
      "
    `);
  });

  it("is a program without private packages for an operation of the member API", () => {
    const member = "platform.accounts.v1.MemberVaultService/ListChanges";
    const program = asTypeScript({ url: `http://localhost:8082/${member}`, operation: member, request: '{"limit":1}' });
    expect(program).toMatchInlineSnapshot(`
      "const response = await fetch("http://localhost:8082/platform.accounts.v1.MemberVaultService/ListChanges", {
        method: "POST",
        headers: {
          Authorization: \`Bearer \${process.env["TOKEN"]}\`,
          "Content-Type": "application/json",
          "Connect-Protocol-Version": "1",
        },
        body: JSON.stringify({
        "limit": 1
      }),
      });
      console.log(response.status, await response.json());
      "
    `);
  });

  it("contains any JSON as a literal", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const request = JSON.stringify(value);
        const program = asTypeScript({ url, operation, request });
        const [, literal = ""] = /deleteItem\((.*)\);\nconsole\.log/s.exec(program) ?? [];
        expect(JSON.stringify(JSON.parse(literal.replaceAll('["__proto__"]:', '"__proto__":')))).toBe(request);
      }),
    );
  });
});

describe("the view of a body", () => {
  it("cuts long texts and long lists, and indents the rest", () => {
    const json = foldedJson(JSON.stringify({ ciphertext: "A".repeat(500), kind: "login" }));
    expect(json).toBe(`{\n  "ciphertext": "${"A".repeat(40)}… (500 characters)",\n  "kind": "login"\n}`);
    expect(foldedJson(JSON.stringify(Array.from({ length: 1000 }, () => 1)))).toMatch(/… 702 more lines/);
  });

  it("shows a body that is not JSON as it is", () => expect(foldedJson("<html>")).toBe("<html>"));
});
