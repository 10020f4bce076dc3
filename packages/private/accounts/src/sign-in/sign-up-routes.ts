import { Hono } from "hono";
import * as z from "zod";
import { callOf } from "../http/call-of.js";
import type { AccountsEnvironment, AccountsParts } from "../http/environment.js";
import { jsonBody, readJson } from "../http/json-body.js";
import { RequestError } from "../http/request-error.js";
import { pageResponse } from "../pages/layout.js";
import { canUnlock, personalName, recovery, typedName, wrappedUserKeys } from "../people/account.js";
import { createAccountStore } from "../people/account-store.js";
import { nameProblem } from "../people/personal-name.js";
import { setSecret } from "../sessions/session-cookie.js";
import { reloadAfterLink } from "../sessions/session-middleware.js";
import { createSessionStore } from "../sessions/session-store.js";
import { pathAfterSignIn } from "../sessions/sign-in-path.js";
import { createCeremonies, newChallenge } from "./ceremony.js";
import { newPasskeyOptions, newPasskeyResponse, verifyNewPasskey } from "./passkey-ceremonies.js";
import { signUpPage } from "./sign-in-pages.js";
import { startSession } from "./start-session.js";

const beginBody = jsonBody(z.object({ displayName: typedName }));

/** A new passkey, its name, and the keys that it unwraps; without keys if it lacks the PRF extension. */
export const newPasskey = z.object({
  response: newPasskeyResponse,
  name: personalName,
  wrappedKeys: wrappedUserKeys.optional(),
});
const finishBody = jsonBody(
  z
    .object({
      passkey: newPasskey.optional(),
      /** Absent until the person has confirmed that they stored the code. */
      recovery: recovery.optional(),
    })
    .refine(({ passkey, recovery: code }) => canUnlock({ passkeys: passkey ? [passkey] : [], recovery: code })),
);

/** The sign-up page, and the endpoints that its script calls. Mount it after `loadSession`. */
export function signUpRoutes(parts: AccountsParts): Hono<AccountsEnvironment> {
  const { origin, tenantId, clock } = parts;
  const routes = new Hono<AccountsEnvironment>();
  const accounts = createAccountStore(parts);
  const sessions = createSessionStore(parts);
  const ceremonies = createCeremonies(parts);

  routes.get("/sign-up", (context) => {
    const next = pathAfterSignIn(context.req.query("next"), origin);
    // After a reload of this page, for somebody who has an account already.
    if (context.get("session") !== undefined) return context.redirect(next, 303);
    return reloadAfterLink(context) ?? pageResponse(context, signUpPage(parts, next), parts.signUp ? 200 : 403);
  });

  routes.post("/account/api/sign-up/begin", async (context) => {
    if (!parts.signUp) throw new RequestError("SIGN_UP_OFF");
    const body = await readJson(context, beginBody);
    const problem = nameProblem(body.displayName);
    if (problem !== undefined) throw new RequestError("NAME_NOT_ALLOWED", { message: problem });
    const accountId = parts.platform.secrets.newId();
    const challenge = newChallenge();
    const begun = { kind: "sign up", challenge: challenge.toString("base64url"), accountId, ...body } as const;
    await ceremonies.begin(context, begun, callOf(context, "sign-up", { tenantId, principalId: "" }));
    const passkey = await newPasskeyOptions(origin, { accountId, ...body, passkeys: [] }, challenge);
    return context.json({ accountId, passkey });
  });

  routes.post("/account/api/sign-up/finish", async (context) => {
    if (!parts.signUp) throw new RequestError("SIGN_UP_OFF");
    const body = await readJson(context, finishBody);
    const begun = await ceremonies.find(context, "sign up", callOf(context, "sign-up", { tenantId, principalId: "" }));
    if (begun === undefined) throw new RequestError("CEREMONY_EXPIRED");
    const { accountId, displayName, challenge } = begun.ceremony;
    const { response, ...named } = body.passkey ?? {};
    const verified = response && (await verifyNewPasskey(origin, response, challenge));
    if (response !== undefined && verified === undefined) throw new RequestError("PASSKEY_REJECTED");
    const now = clock.now();
    const passkeys = verified && "name" in named ? [{ ...verified, ...named, createdAt: now, lastUsedAt: now }] : [];
    const call = callOf(context, "sign-up", { tenantId, principalId: accountId });
    const account = { accountId, displayName, passkeys, recovery: body.recovery };
    // If it fails, the person can send the same passkey and code again.
    const how = passkeys.length > 0 ? "passkey" : "recovery code";
    const { token, together } = await startSession(context, { parts, sessions }, account, how, call);
    const all = { ...together, personalVault: true, puts: [begun.taking, ...together.puts] };
    if (!(await accounts.create(account, all, call))) throw new RequestError("ACCOUNT_CHANGED");
    setSecret(context, "session", token);
    return context.json({ accountId, displayName });
  });
  return routes;
}
