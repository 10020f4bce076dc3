import { createHash } from "node:crypto";
import * as z from "zod";
import type { CallEnd, RecordedResult } from "../history/journal.ts";

export interface Answer {
  readonly status: number;
  readonly text: string;
}

const cursor = z.object({ sequence: z.number() });
const item = z.object({
  itemId: z.string(),
  version: z.number(),
  deleted: z.boolean(),
  kind: z.string(),
  titleHash: z.string(),
  encryptedPayload: z.object({ nonce: z.string(), aad: z.string(), ciphertext: z.string() }),
  wrappedKeys: z.array(z.object({ wrappedKey: z.string() })),
});
const itemResponse = z.object({ item, cursor });
const listResponse = z.object({
  changes: z.array(z.object({ sequence: z.number(), item })),
  cursor,
  hasMore: z.boolean(),
});
const exchangeResponse = z.object({
  status: z.string(),
  accessToken: z.string(),
  brokerToken: z.object({ accessToken: z.string(), tokenId: z.string() }).optional(),
});
const lookResponse = z.object({ status: z.string() });
const errorResponse = z.object({ details: z.array(z.object({ debug: z.looseObject({}) })).min(1) });
const errorInfo = z.object({ reason: z.string() });
const wrongCell = z.object({ metadata: z.object({ wrongCell: z.literal("true") }) });
const budget = z.object({ metadata: z.object({ allowed: z.coerce.number(), used: z.coerce.number() }) });
const conflict = z.object({ currentVersion: z.number(), deleted: z.boolean(), cursor });

/** Reasons after which it is unknown whether the call took effect. */
const unknownEffect = new Set(["UNAVAILABLE", "DEADLINE_EXCEEDED", "INTERNAL", "CANCELED"]);
/** Reasons for which a call is rejected before any data is read. */
const neverBegun = new Set([
  "UNAUTHENTICATED",
  "TOKEN_NOT_ALLOWLISTED",
  "INSUFFICIENT_SCOPE",
  "RATE_LIMITED",
  "REQUEST_TIMEOUT",
]);

/** Reads a response: `success` reads the body of a 200. */
export function endOf({ status, text }: Answer, success: (body: unknown) => RecordedResult): CallEnd {
  const body = jsonOf(text);
  if (status === 200 && body !== undefined) return { result: success(body) };
  const error = errorResponse.safeParse(body).data;
  const info = error?.details[0]?.debug;
  const reason = errorInfo.safeParse(info).data?.reason;
  // The router has no process to which it could send the call.
  if (reason === undefined && status === 503) return { refused: "no process" };
  if (reason === undefined) return { lost: `status ${status}` };
  if (wrongCell.safeParse(info).success) return { refused: "wrong cell" };
  if (unknownEffect.has(reason)) return { lost: reason };
  if (neverBegun.has(reason)) return { refused: reason };
  if (reason === "DELEGATION_EXHAUSTED") {
    return { result: { ok: false, reason, ...budget.safeParse(info).data?.metadata } };
  }
  const current = conflict.safeParse(error?.details[1]?.debug).data;
  if (reason !== "VERSION_CONFLICT" || current === undefined) return { result: { ok: false, reason } };
  const { currentVersion: version, deleted, cursor } = current;
  return { result: { ok: false, reason, version, deleted, sequence: cursor.sequence } };
}

const formError = z.object({ error: z.string().optional(), reason: z.string().optional() });

/** Reads a response of an OAuth endpoint, or of one of the pages. `success` reads the body of a 200. */
export function endOfForm({ status, text }: Answer, success: (body: unknown) => RecordedResult): CallEnd {
  const body = jsonOf(text);
  if (status === 200 && body !== undefined) return { result: success(body) };
  const { error, reason = error } = formError.safeParse(body).data ?? {};
  if (reason === undefined || status >= 500) return { lost: reason ?? `status ${status}` };
  return status === 429 ? { refused: reason } : { result: { ok: false, reason } };
}

export function itemResult(body: unknown): RecordedResult {
  const { item, cursor } = itemResponse.parse(body);
  return { ok: true, ...viewOf(item), sequence: cursor.sequence, body: hash(JSON.stringify(body)) };
}

export function listResult(body: unknown): RecordedResult {
  const { changes, cursor, hasMore } = listResponse.parse(body);
  const items = changes.map(({ sequence, item }) => ({ itemId: item.itemId, ...viewOf(item), sequence }));
  return { ok: true, cursor: cursor.sequence, more: hasMore, items };
}

export function exchangeResult(body: unknown): RecordedResult {
  const { status, accessToken, brokerToken } = exchangeResponse.parse(body);
  if (brokerToken === undefined) return { ok: true, status };
  const tokens = hash(`${accessToken} ${brokerToken.accessToken}`);
  return { ok: true, status: "approved", tokens, tokenIds: [tokenIdOf(accessToken), brokerToken.tokenId] };
}

export function lookResult(body: unknown): RecordedResult {
  return { ok: true, status: lookResponse.parse(body).status };
}

const issued = z.object({ accessToken: z.string(), tokenId: z.string(), expiresAt: z.string() });
export type IssuedToken = z.infer<typeof issued>;

export function readIssuedToken(body: unknown): IssuedToken {
  return issued.parse(body);
}

/** Hashes a secret. The database contains the same hash of a device code. */
export function hash(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}

const claims = z.object({ jti: z.string() });

export function tokenIdOf(token: string): string {
  const [, payload = ""] = token.split(".");
  return claims.parse(JSON.parse(Buffer.from(payload, "base64url").toString())).jti;
}

function viewOf(shown: z.infer<typeof item>) {
  return { version: shown.version, deleted: shown.deleted, content: digestOf(shown) };
}

/** Returns a digest of all parts of an item's content, as it was put or read. Empty after shredding. */
export function digestOf(content: Omit<z.infer<typeof item>, "itemId" | "version" | "deleted">): string {
  const { kind, titleHash, encryptedPayload, wrappedKeys } = content;
  const { nonce, aad, ciphertext } = encryptedPayload;
  const parts = [titleHash, nonce, aad, ciphertext, ...wrappedKeys.map(({ wrappedKey }) => wrappedKey)];
  return parts.join("") === "" ? "" : hash([kind, ...parts].join(" ")).slice(0, 16);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
