import type { MiddlewareHandler } from "hono";
import { createAccountStore } from "../accounts/account-store.js";
import type { AccountsEnvironment } from "../accounts-environment.js";
import type { AccountsParts } from "../accounts-parts.js";
import { apiError } from "../http/api-error.js";
import { callOf } from "../http/call-of.js";

/** Paths without pages. */
const withoutPages = /^\/(?:account\/api|console\/assets)(?:\/|$)/;

/** What the scripts of pages do not get before the code is confirmed: tokens, and new passkeys. */
const refusedToScripts = /^\/account\/api\/(?:token|passkeys\/begin)$/;

/** The page on which a person confirms their recovery code. */
export const confirmCodePath = "/account/confirm-recovery-code";

/** The pages that a person may open before they confirm their code: to do that, to create a new one, or to leave. */
const withoutConfirmation = (path: string, code: string | undefined): boolean =>
  path === confirmCodePath || path === "/sign-in" || path === "/sign-out" || (path === "/account" && code === "new");

/**
 * Finds out what the signed-in person has to do about their recovery code. If they have not stored one, every page reminds them: without
 * one, losing their passkey loses their items. If a restore undid a change of it, every page asks them to confirm it first. Mount it
 * after `loadSession`.
 */
export function checkRecoveryCode(parts: AccountsParts): MiddlewareHandler<AccountsEnvironment> {
  const accounts = createAccountStore(parts);
  return async (context, next) => {
    const session = context.get("session");
    const { path } = context.req;
    const refused = refusedToScripts.test(path);
    if (session === undefined || (withoutPages.test(path) && !refused)) return next();
    const account = await accounts.find(session.principalId, callOf(context, "account", session));
    if (account?.mustConfirmCode === true && refused) return apiError(context, "CODE_NOT_CONFIRMED");
    if (account?.mustConfirmCode === true && !withoutConfirmation(path, context.req.query("code"))) {
      return context.redirect(confirmCodePath, 303);
    }
    context.set("recoveryCodeMissing", account !== undefined && account.recovery === undefined);
    return next();
  };
}
