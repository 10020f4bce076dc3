import { describe, expect, it } from "vitest";
import { digestOf, endOf, exchangeResult, hash, itemResult } from "./responses.ts";
import { endOfFailedSend } from "./send.ts";

const error = (reason: string, ...more: object[]) =>
  JSON.stringify({ details: [{ debug: { reason } }, ...more.map((debug) => ({ debug }))] });
const ofWrongCell = JSON.stringify({
  details: [{ debug: { reason: "UNAVAILABLE", metadata: { wrongCell: "true" } } }],
});
const content = {
  ...{ kind: "login", titleHash: "t", wrappedKeys: [{ wrappedKey: "w" }] },
  encryptedPayload: { nonce: "n", aad: "a", ciphertext: "c" },
};
const item = { itemId: "i", version: 2, deleted: true, ...content };
const success = JSON.stringify({ item, cursor: { sequence: 7 } });
const view = { version: 2, deleted: true, content: digestOf(content), sequence: 7, body: hash(success) };

describe("the end of a call", () => {
  it.each([
    ["an item", 200, success, { result: { ok: true, ...view } }],
    ["a rejection", 404, error("ITEM_NOT_FOUND"), { result: { ok: false, reason: "ITEM_NOT_FOUND" } }],
    [
      "a conflict",
      409,
      error("VERSION_CONFLICT", { currentVersion: 3, deleted: false, cursor: { sequence: 9 } }),
      { result: { ok: false, reason: "VERSION_CONFLICT", version: 3, deleted: false, sequence: 9 } },
    ],
    [
      "a used budget",
      403,
      JSON.stringify({
        details: [{ debug: { reason: "DELEGATION_EXHAUSTED", metadata: { allowed: "10", used: "10" } } }],
      }),
      { result: { ok: false, reason: "DELEGATION_EXHAUSTED", allowed: 10, used: 10 } },
    ],
    ["UNAVAILABLE: the effect is unknown", 503, error("UNAVAILABLE"), { lost: "UNAVAILABLE" }],
    ["a router without a process: no effect", 503, "<html>", { refused: "no process" }],
    ["UNAVAILABLE of a cell that does not serve the tenant: no effect", 503, ofWrongCell, { refused: "wrong cell" }],
    ["a page of a proxy: the effect is unknown", 502, "<html>", { lost: "status 502" }],
    ["a success without a body: the effect is unknown", 200, "", { lost: "status 200" }],
    ["UNAUTHENTICATED: no effect", 401, error("UNAUTHENTICATED"), { refused: "UNAUTHENTICATED" }],
  ])("%s", (_, status, text, end) => {
    expect(endOf({ status, text }, itemResult)).toEqual(end);
  });

  it.each([
    [{ code: "ECONNREFUSED" }, { refused: "ECONNREFUSED" }],
    [{ code: "ECONNRESET" }, { lost: "ECONNRESET" }],
    [{ name: "TimeoutError" }, { lost: "TimeoutError" }],
  ])("an error %o while sending", (fields, end) => {
    expect(endOfFailedSend(Object.assign(new Error("failed"), fields))).toEqual(end);
  });

  it("the content of an item is recorded as a digest of all of its parts, and as nothing after shredding", () => {
    const { encryptedPayload } = content;
    const others = [
      { ...content, titleHash: "other" },
      { ...content, wrappedKeys: [] },
      { ...content, encryptedPayload: { ...encryptedPayload, nonce: "other" } },
      { ...content, encryptedPayload: { ...encryptedPayload, aad: "other" } },
      { ...content, encryptedPayload: { ...encryptedPayload, ciphertext: "other" } },
    ];
    expect(new Set([content, ...others].map(digestOf)).size).toBe(6);
    const shredded = {
      kind: "login",
      titleHash: "",
      wrappedKeys: [],
      encryptedPayload: { nonce: "", aad: "", ciphertext: "" },
    };
    expect(digestOf(shredded)).toBe("");
  });

  it("tokens are recorded as a digest and as their ids, never as they are", () => {
    const token = (jti: string) => `h.${Buffer.from(JSON.stringify({ jti })).toString("base64url")}.s`;
    const body = {
      status: "approved",
      accessToken: token("a"),
      brokerToken: { accessToken: token("b"), tokenId: "b" },
    };
    const result = exchangeResult(body);
    expect(result).toMatchObject({ status: "approved", tokenIds: ["a", "b"] });
    expect(JSON.stringify(result)).not.toContain(token("a").slice(2, 10));
  });
});
