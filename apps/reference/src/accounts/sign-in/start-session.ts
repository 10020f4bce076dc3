import type { Call } from "@platform-rpc/server";
import type { Context } from "hono";
import { clientAddress } from "../http/client-address.js";
import type { AccountsEnvironment, AccountsParts, Session } from "../http/environment.js";
import type { Account } from "../people/account.js";
import { browserName } from "../sessions/browser-name.js";
import { setSecret } from "../sessions/session-cookie.js";
import type { SessionStore } from "../sessions/session-store.js";

/**
 * Signs a person in: starts a new session, with a new cookie, and ends the one that the browser had. A cookie that somebody else put
 * into the browser therefore never belongs to a session of this person.
 */
export async function startSession(
  context: Context<AccountsEnvironment>,
  { parts, sessions }: { readonly parts: AccountsParts; readonly sessions: SessionStore },
  { accountId: principalId, displayName }: Pick<Account, "accountId" | "displayName">,
  how: Session["how"],
  call: Call,
): Promise<void> {
  const { tenantId } = parts;
  const address = clientAddress(context, parts);
  const browser = browserName(context.req.header("User-Agent"));
  const signedIn = { tenantId, principalId, displayName, how, address, browser };
  setSecret(context, "session", await sessions.start(signedIn, `signed in with ${how}`, call));
  const before = context.get("session");
  if (before !== undefined) await sessions.end(before, before.sessionId, call);
}
