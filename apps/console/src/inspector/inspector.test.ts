import { createClient } from "@connectrpc/connect";
import { createPlatformTransport, type FetchInit } from "@platform-rpc/client";
import { VaultService } from "@platform-rpc/types";
import { describe, expect, it } from "vitest";
import { createCallRecorder } from "../session/call-recorder.js";
import { foldedJson } from "./call-details.js";
import { asCurl, asTypeScript } from "./copied-call.js";

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

describe("the view of a body", () => {
  it("cuts long texts and long lists, and indents the rest", () => {
    const json = foldedJson(JSON.stringify({ ciphertext: "A".repeat(500), kind: "login" }));
    expect(json).toBe(`{\n  "ciphertext": "${"A".repeat(40)}… (500 characters)",\n  "kind": "login"\n}`);
    expect(foldedJson(JSON.stringify(Array.from({ length: 1000 }, () => 1)))).toMatch(/… 702 more lines/);
  });

  it("shows a body that is not JSON as it is", () => expect(foldedJson("<html>")).toBe("<html>"));
});
