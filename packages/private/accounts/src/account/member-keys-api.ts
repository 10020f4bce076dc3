import { Hono } from "hono";
import * as z from "zod";
import { callOf } from "../http/call-of.js";
import type { AccountsEnvironment, AccountsParts } from "../http/environment.js";
import { jsonBody, readJson } from "../http/json-body.js";
import { RequestError } from "../http/request-error.js";
import { memberKeys, sealedMemberKeys } from "../people/member-keys.js";
import { requireRecentSignIn, requireSession, signedIn } from "../sessions/session-middleware.js";

const keysBody = jsonBody(z.object({ memberKeys: sealedMemberKeys.optional() }));

/** The endpoints for what people sign items with, and wrap the keys of their vaults. */
export function memberKeysApi(parts: AccountsParts): Hono<AccountsEnvironment> {
  const { own, clock } = parts;
  const routes = new Hono<AccountsEnvironment>();

  // Returns the stored keys, if there are any. Those in the request are stored only if there are none. A browser calls it when it is
  // unlocked. The keys stay for ever, so nobody who found a browser signed in may choose them.
  routes.post("/account/api/member-keys", requireRecentSignIn(parts), async (context) => {
    const body = await readJson(context, keysBody);
    const session = signedIn(context);
    const { tenantId, principalId: accountId } = session;
    const call = callOf(context, "create-member-keys", session);
    if (body.memberKeys !== undefined) {
      const { record } = memberKeys.create({ tenantId, accountId, sealed: body.memberKeys }, clock.now());
      const events = [{ subject: `account:${accountId}`, event: "member keys created" }];
      await own.putRecord({ record, events }, call);
    }
    const stored = memberKeys.open(await own.getRecord(memberKeys.key(tenantId, accountId), call));
    return context.json({ memberKeys: stored?.value.sealed });
  });

  // A JWK (RFC 8037), for the people of the tenant.
  routes.get("/account/api/signing-key/:principalId", requireSession(), async (context) => {
    const session = signedIn(context);
    const call = callOf(context, "read-signing-key", session);
    const key = memberKeys.key(session.tenantId, context.req.param("principalId"));
    const stored = memberKeys.open(await own.getRecord({ ...key, activeOwner: true }, call));
    if (stored === undefined) throw new RequestError("NO_SIGNING_KEY");
    const { accountId: kid, sealed } = stored.value;
    const jwk = { kty: "OKP", crv: "Ed25519", x: sealed.signingPublicKey, kid, use: "sig", alg: "EdDSA" };
    return context.json(jwk);
  });
  return routes;
}
