import { Hono } from "hono";
import * as z from "zod";
import { callOf } from "../http/call-of.js";
import type { AccountsEnvironment, AccountsParts } from "../http/environment.js";
import { jsonBody, readJson } from "../http/json-body.js";
import { RequestError } from "../http/request-error.js";
import { mostPasskeys, recovery } from "../people/account.js";
import { createAccountStore } from "../people/account-store.js";
import { requireRecentSignIn, requireSession, signedIn } from "../sessions/session-middleware.js";
import { createCeremonies, newChallenge } from "../sign-in/ceremony.js";
import { newPasskeyOptions, verifyNewPasskey } from "../sign-in/passkey-ceremonies.js";
import { newPasskey } from "../sign-in/sign-up-routes.js";

const passkeyBody = jsonBody(newPasskey);
const recoveryBody = jsonBody(z.object({ recovery }));

/** The endpoints that the scripts of the pages call for a signed-in person. What they begin requires a sign-in within the last 5 minutes. */
export function accountApi(parts: AccountsParts): Hono<AccountsEnvironment> {
  const { origin, clock } = parts;
  const routes = new Hono<AccountsEnvironment>();
  const accounts = createAccountStore(parts);
  const ceremonies = createCeremonies(parts);
  const recent = requireRecentSignIn(parts);

  routes.post("/account/api/passkeys/begin", recent, async (context) => {
    const session = signedIn(context);
    const call = callOf(context, "add-passkey", session);
    const account = (await accounts.find(session.principalId, call))?.value;
    if (account === undefined) throw new RequestError("SIGNED_OUT");
    if (account.passkeys.length >= mostPasskeys) throw new RequestError("TOO_MANY_PASSKEYS");
    const { accountId } = account;
    const challenge = newChallenge();
    await ceremonies.begin(
      context,
      { kind: "add passkey", challenge: challenge.toString("base64url"), accountId },
      call,
    );
    return context.json({ accountId, passkey: await newPasskeyOptions(origin, account, challenge) });
  });

  // The ceremony began within 5 minutes after signing in. A person who needs longer to use the device must not be left with a passkey
  // that signs in nowhere.
  routes.post("/account/api/passkeys/finish", requireSession(), async (context) => {
    const session = signedIn(context);
    const body = await readJson(context, passkeyBody);
    const call = callOf(context, "add-passkey", session);
    const begun = await ceremonies.find(context, "add passkey", call);
    if (begun?.ceremony.accountId !== session.principalId) throw new RequestError("CEREMONY_EXPIRED");
    const { response, ...named } = body;
    const verified = await verifyNewPasskey(origin, response, begun.ceremony.challenge);
    const account = await accounts.find(session.principalId, call);
    if (verified === undefined || account === undefined) throw new RequestError("PASSKEY_REJECTED");
    const { accountId, passkeys } = account.value;
    if (passkeys.length >= mostPasskeys) throw new RequestError("TOO_MANY_PASSKEYS");
    if (passkeys.some(({ id }) => id === verified.id)) throw new RequestError("PASSKEY_REJECTED");
    const now = clock.now();
    const added = { ...verified, ...named, createdAt: now, lastUsedAt: now };
    const events = [{ subject: `passkey:${accountId}/${verified.id}`, event: "added" }];
    const together = { events, puts: [begun.taking] };
    const replaced = await accounts.replace(account, { passkeys: [...passkeys, added] }, together, call);
    if (!replaced) throw new RequestError("ACCOUNT_CHANGED");
    return context.json({});
  });

  // A new code has no effect until the person has stored it and confirms that: until then, the old one works.
  routes.post("/account/api/recovery-code/begin", recent, async (context) => {
    const session = signedIn(context);
    const body = await readJson(context, recoveryBody);
    const begun = { kind: "recovery code", accountId: session.principalId, ...body } as const;
    await ceremonies.begin(context, begun, callOf(context, "replace-recovery-code", session));
    return context.json({});
  });

  routes.post("/account/api/recovery-code/finish", requireSession(), async (context) => {
    const session = signedIn(context);
    const call = callOf(context, "replace-recovery-code", session);
    const begun = await ceremonies.find(context, "recovery code", call);
    if (begun?.ceremony.accountId !== session.principalId) throw new RequestError("CEREMONY_EXPIRED");
    const account = await accounts.find(session.principalId, call);
    if (account === undefined) throw new RequestError("SIGNED_OUT");
    const event = account.value.recovery === undefined ? "recovery code created" : "recovery code replaced";
    const together = { events: [{ subject: `account:${account.value.accountId}`, event }], puts: [begun.taking] };
    const change = { recovery: begun.ceremony.recovery, mustConfirmCode: undefined };
    const replaced = await accounts.replace(account, change, together, call);
    if (!replaced) throw new RequestError("ACCOUNT_CHANGED");
    return context.json({});
  });

  // Open pages ask this every few seconds, so it reads the session only.
  routes.get("/account/api/session", requireSession(), (context) => {
    const { principalId, locked } = signedIn(context);
    return context.json({ principalId, locked });
  });
  return routes;
}
