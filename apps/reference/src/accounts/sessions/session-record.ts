import type { NewRecord, StoredRecord } from "@platform-rpc/server";
import * as z from "zod";
import type { Session, SessionGrant } from "../http/environment.js";

/** The collection of the records of sessions. Their key is the SHA-256 of the cookie. */
export const sessionCollection = "session";

const minute = 60_000;
/** A session without requests ends after this many milliseconds. */
const idleMs = 15 * minute;
/** A session ends after this many milliseconds. */
const absoluteMs = 12 * 60 * minute;
/** The time of the last request is stored at most this often, in milliseconds. */
const touchEveryMs = minute;

const sessionValue = z.object({
  displayName: z.string(),
  how: z.enum(["passkey", "recovery code"]),
  lastSeenAt: z.number(),
  /** The network address of the browser at sign-in. */
  address: z.string(),
  /** The browser and system, such as `Firefox on Linux`. */
  browser: z.string(),
  grants: z.array(z.object({ grantId: z.string(), tokenId: z.string(), expiresAt: z.number() })).default([]),
});

/** A session as listed for its person. */
export interface ListedSession extends Session {
  readonly lastSeenAt: number;
  readonly address: string;
  readonly browser: string;
}

/** Who signs in, how and where. */
export type SignedIn = Omit<ListedSession, "sessionId" | "signedInAt" | "lastSeenAt" | "endsAt" | "grants">;

/** Returns the record of a new session. Every sign-in creates one, also when the person was signed in already. */
export function newSessionRecord(key: string, signedIn: SignedIn, now: number): NewRecord {
  const { tenantId, principalId, ...value } = signedIn;
  return {
    collection: sessionCollection,
    key,
    tenantId,
    principalId,
    oauthClientId: "",
    value: JSON.stringify({ ...value, lastSeenAt: now }),
    createdAt: now,
    expiresAt: expiryOf(now, now),
  };
}

/** Reads a session from its record; undefined if it has ended. */
export function sessionOf(record: StoredRecord, now: number): ListedSession | undefined {
  const { key, tenantId, principalId, createdAt, expiresAt = 0 } = record;
  if (expiresAt <= now) return undefined;
  const value = sessionValue.parse(JSON.parse(record.value));
  // A last request in the future: the clock was set back. The session must not become longer.
  if (value.lastSeenAt - now >= idleMs) return undefined;
  return { sessionId: key, tenantId, principalId, signedInAt: createdAt, endsAt: expiresAt, ...value };
}

/** Returns the record with the time of the current request; undefined if the stored time is recent enough. */
export function touchedRecord(record: StoredRecord, now: number): NewRecord | undefined {
  const value = sessionValue.parse(JSON.parse(record.value));
  if (now - value.lastSeenAt < touchEveryMs) return undefined;
  return {
    ...record,
    value: JSON.stringify({ ...value, lastSeenAt: now }),
    expiresAt: expiryOf(record.createdAt, now),
  };
}

/** Returns the record with one more grant, and without those that have expired. */
export function grantedRecord(record: StoredRecord, grant: SessionGrant, now: number): NewRecord {
  const value = sessionValue.parse(JSON.parse(record.value));
  const grants = [...value.grants.filter(({ expiresAt }) => expiresAt > now), grant];
  return { ...record, value: JSON.stringify({ ...value, grants }) };
}

/** Returns the record of an ended session: expired, also when the clock is set back, and without anything about the person. */
export function endedRecord(record: StoredRecord): NewRecord {
  return { ...record, value: "{}", expiresAt: 0 };
}

function expiryOf(createdAt: number, lastSeenAt: number): number {
  return Math.min(lastSeenAt + idleMs, createdAt + absoluteMs);
}
