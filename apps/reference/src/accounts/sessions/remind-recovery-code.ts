import type { MiddlewareHandler } from "hono";
import { createAccountStore } from "../accounts/account-store.js";
import type { AccountsEnvironment } from "../accounts-environment.js";
import type { AccountsParts } from "../accounts-parts.js";
import { callOf } from "../http/call-of.js";

/** Paths without pages. The page of the vaults asks for the reminder itself. */
const withoutPages = /^\/(?:account\/api|console)(?:\/|$)/;

/**
 * Finds out whether the signed-in person has not stored a recovery code yet, so that every page reminds them: without one, losing their
 * passkey loses their items. Mount it after `loadSession`.
 */
export function remindRecoveryCode(parts: AccountsParts): MiddlewareHandler<AccountsEnvironment> {
  const accounts = createAccountStore(parts);
  return async (context, next) => {
    const session = context.get("session");
    if (session !== undefined && !withoutPages.test(context.req.path)) {
      const account = await accounts.find(session.principalId, callOf(context, "account", session));
      context.set("recoveryCodeMissing", account !== undefined && account.recovery === undefined);
    }
    await next();
  };
}
