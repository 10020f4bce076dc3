import { defineCollection } from "@platform-rpc/server/host";
import * as z from "zod";

const minute = 60_000;
/** A session without requests ends after this many milliseconds. */
const idleMs = 15 * minute;
/** A session ends after this many milliseconds. */
const absoluteMs = 12 * 60 * minute;
/** The time of the last request is stored at most this often, in milliseconds. */
const touchEveryMs = minute;
/** How long after proving who they are a person may approve and revoke, in milliseconds. */
const recentMs = 5 * minute;

/** An access token of a session. It expires at `expiresAt`, in milliseconds since the epoch. */
const sessionGrant = z.object({ grantId: z.string(), tokenId: z.string(), expiresAt: z.number() });

/** Times are in milliseconds since the epoch. */
const session = z.object({
  /** The SHA-256 of the cookie. */
  sessionId: z.string(),
  tenantId: z.string(),
  principalId: z.string(),
  displayName: z.string(),
  /** When the person last proved who they are. */
  signedInAt: z.number(),
  how: z.enum(["passkey", "recovery code"]),
  /** When it ends, unless it is extended. */
  endsAt: z.number(),
  lastSeenAt: z.number(),
  /** The network address of the browser at sign-in. */
  address: z.string(),
  /** The browser and system, such as `Firefox on Linux`. */
  browser: z.string(),
  /** The browser in which it is: see `people/device.ts`. */
  deviceId: z.string().default(""),
  /** The access tokens that the console got for it, the newest last. They end with the session. */
  grants: z.array(sessionGrant),
  /** Whether the browser is locked. It stays locked: unlocking proves again who the person is, and starts another session. */
  locked: z.literal(true).optional(),
});

export type SessionGrant = z.infer<typeof sessionGrant>;

export type ListedSession = z.infer<typeof session>;

/** A signed-in person, as the pages see it. */
export type Session = Omit<ListedSession, "lastSeenAt">;

export type SignedIn = Omit<ListedSession, "sessionId" | "signedInAt" | "lastSeenAt" | "endsAt" | "grants" | "locked">;

export const sessions = defineCollection<ListedSession>("session", {
  schema: session.loose().parse,
  keyOf: ({ tenantId, sessionId: key }) => ({ tenantId, key }),
  ownerOf: ({ principalId }) => ({ principalId }),
  expiresAt: ({ endsAt }) => endsAt,
});

/** Creates a session. Every sign-in creates one, also when the person was signed in already. */
export function newSession(sessionId: string, signedIn: SignedIn, now: number): ListedSession {
  return { sessionId, ...signedIn, signedInAt: now, lastSeenAt: now, endsAt: endOf(now, now), grants: [] };
}

/** Returns whether a session has not ended. If its last request is in the future, the clock was set back: it must not become longer. */
export function isCurrent({ endsAt, lastSeenAt }: ListedSession, now: number): boolean {
  return endsAt > now && lastSeenAt - now < idleMs;
}

/** Returns the session with the time of the current request; undefined if the stored time is recent enough. */
export function touched(found: ListedSession, now: number): ListedSession | undefined {
  if (now - found.lastSeenAt < touchEveryMs) return undefined;
  return { ...found, lastSeenAt: now, endsAt: endOf(found.signedInAt, now) };
}

/** Returns the session with one more grant, and without those that have expired. */
export function withGrant(found: ListedSession, grant: SessionGrant, now: number): ListedSession {
  return { ...found, grants: [...found.grants.filter(({ expiresAt }) => expiresAt > now), grant] };
}

export function isRecent({ signedInAt }: Pick<Session, "signedInAt">, now: number): boolean {
  return now - signedInAt < recentMs;
}

function endOf(signedInAt: number, lastSeenAt: number): number {
  return Math.min(lastSeenAt + idleMs, signedInAt + absoluteMs);
}
