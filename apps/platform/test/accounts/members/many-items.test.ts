import { randomUUID } from "node:crypto";
import { content } from "@platform-rpc/accounts/testing/item-content";
import fc from "fast-check";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { type Answered, call, errorIn } from "../../../src/testing/call.js";
import { answerOf, itemAnswer, rejection } from "../../../src/testing/item-answer.js";
import { startMemberApp } from "./testing/start-member-app.js";

const app = await startMemberApp({ RATE_LIMITS: "off" });
const ada = await app.token({ principalId: "ada" });
afterAll(() => app.end());

const other = { ...content, titleHash: "b3RoZXI" };
const kib = 1024;

/** Returns an item whose JSON has about as many bytes. */
function itemOf(bytes: number) {
  const wrappedKeys = Array.from({ length: Math.floor(bytes / kib) }, (_, index) => {
    return { recipientId: `p-${index}`, wrapAlg: "RSA-OAEP-256", wrappedKey: "k".repeat(kib - 100) };
  });
  return { itemId: randomUUID(), ...content, wrappedKeys };
}

const outcomes = z.object({
  outcomes: z.array(z.looseObject({ reason: z.string(), conflict: z.unknown().optional() })),
});

/** Reads the outcome of each item as if it were the response to a call with it alone. */
function answersIn({ status, json, text }: Answered) {
  expect(status, text).toBe(200);
  return outcomes.parse(json).outcomes.map((outcome) => {
    return outcome.reason === "" ? answerOf(outcome) : rejection(outcome.reason, outcome.conflict);
  });
}

const deleteItem = (body: object) => call(app.publicUrl, "platform.v1.VaultService/DeleteItem", body, ada);

/** What happened to an item before, in a new vault. */
const histories = {
  new: [],
  created: ["put"],
  replaced: ["put", "put"],
  deleted: ["put", "delete"],
} as const;

/** Creates a vault in which each item has its history. */
async function vaultWith(items: readonly (keyof typeof histories)[]): Promise<string> {
  const vaultId = await app.vault({ ada: "owner" });
  for (const [index, history] of items.entries()) {
    for (const [baseVersion, event] of histories[history].entries()) {
      const item = { vaultId, itemId: `i-${index}`, baseVersion };
      const done = event === "put" ? await app.member("PutItem", { ...item, ...content }, ada) : await deleteItem(item);
      expect(done.status, done.text).toBe(200);
    }
  }
  return vaultId;
}

describe("PutItems", () => {
  const wanted = fc.record({
    history: fc.constantFrom("new", "created", "replaced", "deleted"),
    baseVersion: fc.integer({ min: 0, max: 3 }),
    fields: fc.constantFrom(content, other),
  });

  it("has the outcomes that single calls of PutItem have, and a retry has the same", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(wanted, { minLength: 1, maxLength: 9 }), async (all) => {
        const before = all.map(({ history }) => history);
        const [together, alone] = [await vaultWith(before), await vaultWith(before)];
        const items = all.map(({ baseVersion, fields }, index) => ({ itemId: `i-${index}`, baseVersion, ...fields }));
        const first = await app.member("PutItems", { vaultId: together, items }, ada);
        const single = [];
        for (const item of items)
          single.push(itemAnswer(await app.member("PutItem", { vaultId: alone, ...item }, ada)));
        const comparable = (answers: unknown) => JSON.parse(JSON.stringify(answers, withoutPlaceAndTime));
        expect(comparable(answersIn(first))).toEqual(comparable(single));
        expect((await app.member("PutItems", { vaultId: together, items }, ada)).json).toEqual(first.json);
      }),
      { numRuns: 20 },
    );
  });

  it("rejects an id that two items have, and writes nothing", async () => {
    const vaultId = await app.vault({ ada: "owner" });
    const items = ["a", "b", "a"].map((itemId) => ({ itemId, baseVersion: 0, ...content }));
    const answer = await app.member("PutItems", { vaultId, items }, ada);
    expect(errorIn(answer)).toMatchObject({ reason: "INVALID_FIELD", fields: ["items[2].itemId"] });
    expect((await app.member("ListChanges", { vaultId, limit: 1 }, ada)).json).toMatchObject({ changes: [] });
  });

  it.each([
    ["without an id", [{ ...content, itemId: "" }], ["items[0].itemId"]],
    ["without content", [{ itemId: "a", kind: "login" }], ["items[0].encryptedPayload"]],
    ["over 64 KiB", [itemOf(60 * kib), itemOf(70 * kib)], ["items[1]"]],
    ["that are more than 100", Array.from({ length: 101 }, () => itemOf(1 * kib)), ["items"]],
  ])("rejects items %s", async (_, items, fields) => {
    const vaultId = await app.vault({ ada: "owner" });
    const answer = await app.member("PutItems", { vaultId, items }, ada);
    expect(errorIn(answer)).toMatchObject({ reason: "INVALID_FIELD", fields });
  });

  it("accepts a body of 1 MiB, and no other operation does", async () => {
    const vaultId = await app.vault({ ada: "owner" });
    const items = Array.from({ length: 100 }, () => ({ ...itemOf(10 * kib), baseVersion: 0 }));
    const answers = answersIn(await app.member("PutItems", { vaultId, items }, ada));
    expect(answers.map(({ ok }) => ok)).toEqual(items.map(() => true));
    const padding = " ".repeat(1024 * kib);
    for (const [method, body] of [
      ["PutItems", `{}${padding}`],
      ["DeleteItems", `{}${padding.slice(0, 64 * kib)}`],
      ["PutItem", `{}${padding.slice(0, 64 * kib)}`],
    ] as const) {
      const operation = `platform.accounts.v1.MemberVaultService/${method}`;
      const answer = await call(app.accountsUrl, operation, body, ada);
      expect(errorIn(answer), method).toMatchObject({ reason: "REQUEST_TOO_LARGE" });
    }
  });
});

/** Two vaults have other ids, and are written at other times. */
function withoutPlaceAndTime(key: string, value: unknown): unknown {
  return key === "vaultId" || key === "updatedAt" ? undefined : value;
}

describe("DeleteItems", () => {
  it("has the outcomes that single calls of DeleteItem have, and a retry has the same", async () => {
    const before = ["new", "created", "replaced", "deleted", "created", "deleted"] as const;
    const versions = [1, 1, 1, 1, 1, 7];
    const [together, alone] = [await vaultWith(before), await vaultWith(before)];
    const items = versions.map((baseVersion, index) => ({ itemId: `i-${index}`, baseVersion }));
    const first = await app.member("DeleteItems", { vaultId: together, items }, ada);
    const single = [];
    for (const item of items) single.push(itemAnswer(await deleteItem({ vaultId: alone, ...item })));
    const comparable = (answers: unknown) => JSON.parse(JSON.stringify(answers, withoutPlaceAndTime));
    expect(comparable(answersIn(first))).toEqual(comparable(single));
    expect(answersIn(first)).toMatchObject([
      { reason: "ITEM_NOT_FOUND" },
      { ok: true },
      { reason: "VERSION_CONFLICT", conflict: { currentVersion: 2 } },
      { ok: true },
      { ok: true },
      { reason: "VERSION_CONFLICT", conflict: { currentVersion: 2, deleted: true } },
    ]);
    expect((await app.member("DeleteItems", { vaultId: together, items }, ada)).json).toEqual(first.json);
  });
});

describe("the proof of a deletion", () => {
  const proofOf = (letter: string) => ({ writerId: "ada", signature: letter.repeat(86) });
  const remove = (vaultId: string, item: object) => app.member("DeleteItems", { vaultId, items: [item] }, ada);
  const proofsIn = ({ json }: Answered) => Object(json).deletionProofs;

  /** Returns the proofs of an item, which GetItem and ListChanges must agree about. */
  async function proofs(vaultId: string, itemId = "i-0") {
    const got = proofsIn(await app.member("GetItem", { vaultId, itemId }, ada));
    const listed = await app.member("ListChanges", { vaultId, limit: 9 }, ada);
    expect(
      Object(listed.json).changes.find((change: { item: { itemId: string } }) => change.item.itemId === itemId)
        .deletionProofs,
    ).toEqual(got);
    return got;
  }

  it("is stored once with the tombstone, and a restored or live item has none", async () => {
    const vaultId = await vaultWith(["created"]);
    expect(await proofs(vaultId)).toBeUndefined();
    const item = { itemId: "i-0", baseVersion: 1 };
    const first = await remove(vaultId, { ...item, proof: proofOf("a") });
    expect((await remove(vaultId, { ...item, proof: proofOf("b") })).json).toEqual(first.json);
    expect(await proofs(vaultId)).toEqual({ deleted: proofOf("a") });
    await app.member("RestoreItem", { vaultId, itemId: "i-0", baseVersion: 2 }, ada);
    expect(await proofs(vaultId)).toBeUndefined();
    await remove(vaultId, { itemId: "i-0", baseVersion: 3, proof: proofOf("c") });
    expect(await proofs(vaultId)).toEqual({ deleted: proofOf("c") });
  });

  it.each([
    ["of the public operation", (vaultId: string) => deleteItem({ vaultId, itemId: "i-0", baseVersion: 1 })],
    ["without one", (vaultId: string) => remove(vaultId, { itemId: "i-0", baseVersion: 1 })],
  ])("is absent for a deletion %s, also after a retry that has one", async (_, deleting) => {
    const vaultId = await vaultWith(["created"]);
    await deleting(vaultId);
    await remove(vaultId, { itemId: "i-0", baseVersion: 1, proof: proofOf("a") });
    expect(await proofs(vaultId)).toEqual({});
  });

  it("is not stored for an item that is not deleted", async () => {
    const vaultId = await vaultWith(["replaced"]);
    const rejected = await remove(vaultId, { itemId: "i-0", baseVersion: 1, proof: proofOf("a") });
    expect(answersIn(rejected)).toMatchObject([{ reason: "VERSION_CONFLICT" }]);
    await deleteItem({ vaultId, itemId: "i-0", baseVersion: 2 });
    expect(await proofs(vaultId)).toEqual({});
  });

  it.each([
    ["a short signature", { signature: "a" }, "items[0].proof.signature"],
    ["no writer", { writerId: "" }, "items[0].proof.writerId"],
    ["the id of a writer that is too long", { writerId: "w".repeat(129) }, "items[0].proof.writerId"],
  ])("is rejected with %s", async (_, changes, field) => {
    const vaultId = await vaultWith(["created"]);
    const proof = { ...proofOf("a"), ...changes };
    const answer = await remove(vaultId, { itemId: "i-0", baseVersion: 1, proof });
    expect(errorIn(answer)).toMatchObject({ reason: "INVALID_FIELD", fields: [field] });
  });
});

describe("the rate of PutItems", () => {
  it("counts items, and a call beyond the rate writes nothing", async () => {
    const limited = await startMemberApp();
    onTestFinished(limited.end);
    const token = await limited.token({ principalId: "ada" });
    const vaultId = await limited.vault({ ada: "owner" });
    let written = 0;
    const put = () => {
      const items = Array.from({ length: 100 }, () => ({ itemId: randomUUID(), baseVersion: 0, ...content }));
      return limited.member("PutItems", { vaultId, items }, token);
    };
    let answer = await put();
    for (; answer.status === 200 && written < 10_000; answer = await put()) written += 100;
    expect(errorIn(answer)).toMatchObject({ status: 429, reason: "RATE_LIMITED" });
    expect(written).toBeGreaterThanOrEqual(6000);
    const { json } = await limited.member("ListChanges", { vaultId, afterSequence: written, limit: 1 }, token);
    expect(json).toMatchObject({ changes: [], cursor: { sequence: written } });
  });
});
