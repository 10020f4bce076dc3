import type { Call } from "@platform-rpc/server";
import { Hono } from "hono";
import * as z from "zod";
import { personalName, recovery, wrappedUserKeys } from "../accounts/account.js";
import { createAccountStore } from "../accounts/account-store.js";
import type { AccountsEnvironment } from "../accounts-environment.js";
import type { AccountsParts } from "../accounts-parts.js";
import { apiError } from "../http/api-error.js";
import { callOf } from "../http/call-of.js";
import { jsonBody, readJson } from "../http/json-body.js";
import { pageResponse } from "../pages/layout.js";
import { createSessionStore } from "../sessions/session-store.js";
import { createCeremonies, newChallenge } from "./ceremony.js";
import { newPasskeyOptions, newPasskeyResponse, verifyNewPasskey } from "./passkey-ceremonies.js";
import { signUpPage } from "./sign-up-page.js";
import { startSession } from "./start-session.js";

const beginBody = jsonBody(z.object({ displayName: personalName }));

/** A new passkey, its name, and the keys that it unwraps; without keys if it lacks the PRF extension. */
export const newPasskey = z.object({
  response: newPasskeyResponse,
  name: personalName,
  wrappedKeys: wrappedUserKeys.optional(),
});
const finishBody = jsonBody(z.object({ passkey: newPasskey.optional(), recovery }));

/** The sign-up page, and the endpoints that its script calls. Mount it after `loadSession`. */
export function signUpRoutes(parts: AccountsParts): Hono<AccountsEnvironment> {
  const { origin, tenantId, clock } = parts;
  const routes = new Hono<AccountsEnvironment>();
  const accounts = createAccountStore(parts);
  const sessions = createSessionStore(parts);
  const ceremonies = createCeremonies(parts);

  routes.get("/sign-up", (context) => pageResponse(context, signUpPage(parts), parts.signUp ? 200 : 403));

  routes.post("/account/api/sign-up/begin", async (context) => {
    if (!parts.signUp) return apiError(context, "SIGN_UP_OFF");
    const body = await readJson(context, beginBody);
    if (body === undefined) return apiError(context, "INVALID_REQUEST");
    const accountId = parts.platform.secrets.newId();
    const challenge = newChallenge();
    const begun = { kind: "sign up", challenge: challenge.toString("base64url"), accountId, ...body } as const;
    await ceremonies.begin(context, begun, callOf(context, "sign-up", { tenantId, principalId: "" }));
    const passkey = await newPasskeyOptions({ origin: origin() }, { accountId, ...body, passkeys: [] }, challenge);
    return context.json({ accountId, passkey });
  });

  routes.post("/account/api/sign-up/finish", async (context) => {
    if (!parts.signUp) return apiError(context, "SIGN_UP_OFF");
    const body = await readJson(context, finishBody);
    if (body === undefined) return apiError(context, "INVALID_REQUEST");
    const ceremony = await ceremonies.take(
      context,
      "sign up",
      callOf(context, "sign-up", { tenantId, principalId: "" }),
    );
    if (ceremony === undefined) return apiError(context, "CEREMONY_EXPIRED");
    const { accountId, displayName, challenge } = ceremony;
    const { response, ...named } = body.passkey ?? {};
    const verified = response && (await verifyNewPasskey({ origin: origin() }, response, challenge));
    if (response !== undefined && verified === undefined) return apiError(context, "PASSKEY_REJECTED");
    const now = clock.now();
    const passkeys = verified && "name" in named ? [{ ...verified, ...named, createdAt: now, lastUsedAt: now }] : [];
    const call = callOf(context, "sign-up", { tenantId, principalId: accountId });
    const account = { accountId, displayName, passkeys, recovery: body.recovery };
    await createPersonalVault(parts, accountId, call);
    if (!(await accounts.create(account, call))) return apiError(context, "ACCOUNT_CHANGED");
    await startSession(context, { parts, sessions }, account, passkeys.length > 0 ? "passkey" : "recovery code", call);
    return context.json({ accountId, displayName });
  });
  return routes;
}

/** Creates the vault that a person owns alone. It has the id of the account, and is created first: no account lacks one. */
async function createPersonalVault({ own, tenantId }: AccountsParts, accountId: string, call: Call): Promise<void> {
  await own.createVault({ tenantId, vaultId: accountId, retentionDays: undefined }, call);
  await own.setVaultMember({ tenantId, vaultId: accountId, principalId: accountId, role: "owner" }, call);
}
