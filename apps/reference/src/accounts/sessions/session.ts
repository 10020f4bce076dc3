/** A signed-in person, as the pages see it. */
export interface Session {
  readonly sessionId: string;
  readonly tenantId: string;
  readonly principalId: string;
  readonly displayName: string;
  /** When the person last proved who they are, in ms since the epoch. */
  readonly signedInAt: number;
  readonly how: "passkey" | "recovery code";
  /** When it ends, unless it is extended, in ms since the epoch. */
  readonly endsAt: number;
  /** The access tokens that the console got for it, the newest last. They end with the session. */
  readonly grants: readonly SessionGrant[];
}

/** An access token of a session. */
export interface SessionGrant {
  readonly grantId: string;
  readonly tokenId: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** How long after proving who they are a person may approve and revoke, in milliseconds. */
const recentMs = 5 * 60_000;

/** Returns whether the person proved who they are a short time ago. */
export function isRecent({ signedInAt }: Session, now: number): boolean {
  return now - signedInAt < recentMs;
}
