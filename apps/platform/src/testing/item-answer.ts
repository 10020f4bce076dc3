import { internalContract } from "@platform-rpc/accounts/contract/private-contract";
import type { ItemAnswer } from "@platform-rpc/server/testing";
import { expect } from "vitest";
import { z } from "zod";
import { type Answered, errorIn } from "./call.js";

const cursor = z.object({ vaultId: z.string(), sequence: z.number() });
const response = z.object({
  item: z.object({
    version: z.number(),
    kind: z.string(),
    titleHash: z.string(),
    updatedAt: z.string(),
    encryptedPayload: z.object({
      alg: z.string(),
      nonce: z.string(),
      aad: z.string(),
      ciphertext: z.string(),
      version: z.number(),
    }),
    wrappedKeys: z.array(z.object({ recipientId: z.string(), wrapAlg: z.string(), wrappedKey: z.string() })),
    deleted: z.boolean(),
  }),
  cursor,
});
const conflict = z.object({
  itemId: z.string(),
  baseVersion: z.number(),
  currentVersion: z.number(),
  deleted: z.boolean(),
  cursor,
});

/** Reads the reason of an error. An error has the status of the contract, is not stored, and contains no content. */
export function reasonIn(answered: Answered): string {
  const { status, reason } = errorIn(answered);
  expect({ reason, status }).toEqual({ reason, status: internalContract.reasons.get(reason)?.httpStatus });
  expect(answered.headers.get("Cache-Control")).toBe("no-store");
  expect(answered.text).not.toContain("ciphertext");
  return reason;
}

export function itemAnswer(answered: Answered): ItemAnswer {
  if (answered.status === 200) return answerOf(answered.json);
  const reason = reasonIn(answered);
  const { details } = z.object({ details: z.array(z.object({ debug: z.unknown() })) }).parse(answered.json);
  return rejection(reason, details[1]?.debug);
}

export function answerOf(json: unknown): ItemAnswer {
  const { item, cursor: position } = response.parse(json);
  const { updatedAt, ...rest } = item;
  return { ok: true, item: rest, updatedAt: Date.parse(updatedAt), cursor: position };
}

/** Reads the detail of an error, if its reason has one. */
export function rejection(reason: string, detail: unknown): ItemAnswer {
  return reason === "VERSION_CONFLICT"
    ? { ok: false, reason, conflict: conflict.parse(detail) }
    : { ok: false, reason };
}
