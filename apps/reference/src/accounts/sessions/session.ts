/** A signed-in person, as the pages see it. */
export interface Session {
  readonly sessionId: string;
  readonly tenantId: string;
  readonly principalId: string;
  readonly displayName: string;
  /** When the person last proved who they are, in ms since the epoch. */
  readonly signedInAt: number;
  readonly how: "passkey" | "recovery code";
}

/** How long after proving who they are a person may approve and revoke, in milliseconds. */
const recentMs = 5 * 60_000;

/** Returns whether the person proved who they are a short time ago. */
export function isRecent({ signedInAt }: Session, now: number): boolean {
  return now - signedInAt < recentMs;
}
