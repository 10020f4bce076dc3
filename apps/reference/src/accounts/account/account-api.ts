import { Hono } from "hono";
import * as z from "zod";
import { mostPasskeys, recovery } from "../accounts/account.js";
import { createAccountStore } from "../accounts/account-store.js";
import type { AccountsEnvironment } from "../accounts-environment.js";
import type { AccountsParts } from "../accounts-parts.js";
import { apiError } from "../http/api-error.js";
import { callOf } from "../http/call-of.js";
import { jsonBody, readJson } from "../http/json-body.js";
import { requireRecentSignIn, signedIn } from "../sessions/require-session.js";
import { createCeremonies, newChallenge } from "../sign-in/ceremony.js";
import { newPasskeyOptions, verifyNewPasskey } from "../sign-in/passkey-ceremonies.js";
import { newPasskey } from "../sign-in/sign-up-routes.js";

const passkeyBody = jsonBody(newPasskey);
const recoveryBody = jsonBody(z.object({ recovery }));

/** The endpoints that the script of the account page calls, for a person who signed in within the last 5 minutes. */
export function accountApi(parts: AccountsParts): Hono<AccountsEnvironment> {
  const { origin, clock } = parts;
  const routes = new Hono<AccountsEnvironment>();
  const accounts = createAccountStore(parts);
  const ceremonies = createCeremonies(parts);
  const recent = requireRecentSignIn(parts);

  routes.post("/account/api/passkeys/begin", recent, async (context) => {
    const session = signedIn(context);
    const call = callOf(context, "add-passkey", session);
    const account = await accounts.find(session.principalId, call);
    if (account === undefined) return apiError(context, "SIGNED_OUT");
    if (account.passkeys.length >= mostPasskeys) return apiError(context, "TOO_MANY_PASSKEYS");
    const { accountId } = account;
    const challenge = newChallenge();
    await ceremonies.begin(
      context,
      { kind: "add passkey", challenge: challenge.toString("base64url"), accountId },
      call,
    );
    return context.json({ accountId, passkey: await newPasskeyOptions({ origin: origin() }, account, challenge) });
  });

  routes.post("/account/api/passkeys/finish", recent, async (context) => {
    const session = signedIn(context);
    const body = await readJson(context, passkeyBody);
    if (body === undefined) return apiError(context, "INVALID_REQUEST");
    const call = callOf(context, "add-passkey", session);
    const ceremony = await ceremonies.take(context, "add passkey", call);
    if (ceremony?.accountId !== session.principalId) return apiError(context, "CEREMONY_EXPIRED");
    const { response, ...named } = body;
    const verified = await verifyNewPasskey({ origin: origin() }, response, ceremony.challenge);
    const account = await accounts.find(session.principalId, call);
    if (verified === undefined || account === undefined) return apiError(context, "PASSKEY_REJECTED");
    const { passkeys } = account;
    if (passkeys.length >= mostPasskeys) return apiError(context, "TOO_MANY_PASSKEYS");
    if (passkeys.some(({ id }) => id === verified.id)) return apiError(context, "PASSKEY_REJECTED");
    const now = clock.now();
    const added = { ...verified, ...named, createdAt: now, lastUsedAt: now };
    const event = { subject: `passkey:${account.accountId}/${verified.id}`, event: "added" };
    const replaced = await accounts.replace({ ...account, passkeys: [...passkeys, added] }, event, call);
    return replaced ? context.json({}) : apiError(context, "ACCOUNT_CHANGED");
  });

  routes.post("/account/api/recovery-code", recent, async (context) => {
    const session = signedIn(context);
    const body = await readJson(context, recoveryBody);
    if (body === undefined) return apiError(context, "INVALID_REQUEST");
    const call = callOf(context, "replace-recovery-code", session);
    const account = await accounts.find(session.principalId, call);
    if (account === undefined) return apiError(context, "SIGNED_OUT");
    const event = { subject: `account:${account.accountId}`, event: "recovery code replaced" };
    const replaced = await accounts.replace({ ...account, ...body }, event, call);
    return replaced ? context.json({}) : apiError(context, "ACCOUNT_CHANGED");
  });
  return routes;
}
