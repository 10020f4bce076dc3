import { Hono } from "hono";
import * as z from "zod";
import { callOf } from "../http/call-of.js";
import { clientAddress } from "../http/client-address.js";
import type { AccountsEnvironment, AccountsParts } from "../http/environment.js";
import { jsonBody, readJson } from "../http/json-body.js";
import { RequestError } from "../http/request-error.js";
import { pageResponse } from "../pages/layout.js";
import { createAccountStore } from "../people/account-store.js";
import { removeSecret, setSecret } from "../sessions/session-cookie.js";
import { reloadAfterLink } from "../sessions/session-middleware.js";
import { createSessionStore } from "../sessions/session-store.js";
import { pathAfterSignIn } from "../sessions/sign-in-path.js";
import { createCeremonies, newChallenge } from "./ceremony.js";
import { passkeyOptions } from "./passkey-ceremonies.js";
import { createSignIn, createSignInLimits, signInProof } from "./sign-in.js";
import { signInPage } from "./sign-in-pages.js";

const beginBody = jsonBody(z.object({ again: z.boolean() }));
const finishBody = jsonBody(signInProof);

/** The sign-in page, and the endpoints that its script calls. Mount it after `loadSession`. */
export function signInRoutes(parts: AccountsParts): Hono<AccountsEnvironment> {
  const { origin, tenantId } = parts;
  const routes = new Hono<AccountsEnvironment>();
  const accounts = createAccountStore(parts);
  const ceremonies = createCeremonies(parts);
  const limits = createSignInLimits(parts);
  const signIn = createSignIn({ parts, accounts, ceremonies, sessions: createSessionStore(parts), limits });

  routes.get("/sign-in", (context) => {
    const session = context.get("session");
    const next = pathAfterSignIn(context.req.query("next"), origin);
    const again = context.req.query("again") !== undefined;
    const select = context.req.query("select") !== undefined;
    if (session !== undefined && !session.locked && !again && !select) return context.redirect(next, 303);
    const reload = session === undefined ? reloadAfterLink(context) : undefined;
    const ended = session === undefined && context.req.query("ended") !== undefined;
    const locked = session !== undefined && (session.locked || context.req.query("locked") !== undefined);
    return reload ?? pageResponse(context, signInPage({ session, next, ended, locked, select, signUp: parts.signUp }));
  });

  routes.post("/account/api/sign-in/begin", async (context) => {
    const body = await readJson(context, beginBody);
    const session = body.again ? context.get("session") : undefined;
    if (body.again && session === undefined) throw new RequestError("SIGNED_OUT");
    const call = callOf(context, "sign-in", { tenantId, principalId: session?.principalId ?? "" });
    const account = session && (await accounts.find(session.principalId, call))?.value;
    const challenge = newChallenge();
    const begun = {
      kind: "sign in",
      challenge: challenge.toString("base64url"),
      accountId: account?.accountId,
    } as const;
    await ceremonies.begin(context, begun, call);
    const passkey = await passkeyOptions(origin, account?.passkeys ?? [], challenge);
    return context.json({ challenge: begun.challenge, passkey });
  });

  routes.post("/account/api/sign-in/finish", async (context) => {
    const proof = await readJson(context, finishBody);
    const address = clientAddress(context, parts);
    const waitMs = await limits.attempt(address);
    if (waitMs > 0) throw new RequestError("RATE_LIMITED", { waitMs });
    const signedIn = await signIn(context, proof);
    removeSecret(context, "ceremony");
    if (!signedIn.ok) throw new RequestError(signedIn.reason);
    const { accountId, displayName, wrappedKeys, sessionToken } = signedIn;
    await limits.pardon(address, accountId);
    setSecret(context, "session", sessionToken);
    return context.json({ accountId, displayName, how: proof.how, wrappedKeys });
  });
  return routes;
}
