import type { Call } from "@platform-rpc/server";
import type { IssuedAccessToken } from "@platform-rpc/server/host";
import { callerContract } from "../contract/private-contract.js";
import type { AccountsParts } from "../http/environment.js";
import { consoleClientId } from "../oauth-clients/first-party-clients.js";
import type { Session } from "../people/session.js";
import { createSessionStore } from "../sessions/session-store.js";

/** How long a token of the console is valid, in seconds. Less if its session ends before. */
const lifeSeconds = 300;

/** A token that is valid for at least this long is issued again, in milliseconds. Clients ask for a new one later than that. */
const enoughMs = (lifeSeconds * 1000) / 2;

/** What the console may do for the person: its tokens have the scopes of these operations. */
const consoleOperations = [
  "platform.accounts.v1.MemberVaultService/DeleteItems",
  "platform.accounts.v1.MemberVaultService/ListVaults",
  "platform.accounts.v1.MemberVaultService/WatchVaults",
  "platform.accounts.v1.MemberVaultService/ListChanges",
  "platform.accounts.v1.MemberVaultService/GetItem",
  "platform.accounts.v1.MemberVaultService/ListEarlierContents",
  "platform.accounts.v1.MemberVaultService/PutItem",
  "platform.accounts.v1.MemberVaultService/MoveItem",
  "platform.accounts.v1.MemberVaultService/RestoreItem",
  "platform.accounts.v1.MemberVaultService/CreateVault",
];

/**
 * Creates the tokens of the console. Every request of a session gets the same token, signed again from its grant, until half of its
 * life is over. Only then is a grant written.
 */
export function createConsoleTokens(parts: AccountsParts) {
  const { own, clock, platform } = parts;
  const sessions = createSessionStore(parts);
  const scopes = consoleOperations.flatMap((name) => [...(callerContract.operations.get(name)?.requiredScopes ?? [])]);
  const underway = new Map<string, Promise<IssuedAccessToken | undefined>>();

  async function findOrIssue(session: Session, call: Call): Promise<IssuedAccessToken | undefined> {
    const now = clock.now();
    const newest = session.grants.at(-1);
    const life = lifeAt(session, now);
    // The expiry of a token that is issued now.
    const latest = (Math.floor(now / 1000) + life) * 1000;
    if (newest !== undefined && newest.expiresAt >= Math.min(now + enoughMs, latest)) {
      const token = await own.reissueAccessToken(newest.tokenId, call);
      // An administrator may have revoked it.
      if (token && (await platform.authenticator.authenticate(token.accessToken)) !== undefined) return token;
    }
    const { tenantId, principalId } = session;
    const subject = { tenantId, principalId, oauthClientId: consoleClientId };
    const issued = await own.issueAccessToken({ ...subject, scopes, lifeSeconds: life }, call);
    const { grantId, tokenId, expiresAt } = issued;
    const stored = await sessions.addGrant(session, { grantId, tokenId, expiresAt }, call);
    if (stored?.grants.at(-1)?.tokenId === tokenId) return issued;
    // The session has ended, or another process has issued a token for it at the same time.
    await own.revokeToken(tokenId, call);
    return stored && findOrIssue(stored, call);
  }

  return {
    /** Returns a token of the session, which ends with it. Undefined if the session has ended. */
    get(session: Session, call: Call): Promise<IssuedAccessToken | undefined> {
      const { sessionId } = session;
      // Other requests of the session wait for the result, even if this one's caller does not.
      const shared = { ...call, wanted: () => true };
      const found = underway.get(sessionId) ?? findOrIssue(session, shared).finally(() => underway.delete(sessionId));
      underway.set(sessionId, found);
      return found;
    },
  };
}

/** Returns how long a token of a session that is issued now may be valid, in seconds. At least 1. */
function lifeAt({ endsAt }: Session, now: number): number {
  return Math.min(lifeSeconds, Math.max(1, Math.floor(endsAt / 1000) - Math.floor(now / 1000)));
}
