import { networkOf } from "@platform-rpc/front";
import { Hono } from "hono";
import { callOf } from "../http/call-of.js";
import { clientAddress } from "../http/client-address.js";
import type { AccountsEnvironment, AccountsParts } from "../http/environment.js";
import { isoTime, jsonBody, readJson } from "../http/json-body.js";
import { RequestError } from "../http/request-error.js";
import { requireRecentSignIn, requireSession, signedIn } from "../sessions/session-middleware.js";
import { handOver, type ProgramUnlock, removal } from "./program-unlock.js";
import { createUnlocks } from "./unlocks.js";

const handOverBody = jsonBody(handOver);
const removalBody = jsonBody(removal);

/**
 * The endpoints of the page on which a person hands the keys of their vaults to a program, and of the list of the programs that they have
 * certified. Only a browser can open and wrap the keys.
 */
export function unlocksApi(parts: AccountsParts): Hono<AccountsEnvironment> {
  const routes = new Hono<AccountsEnvironment>();
  const unlocks = createUnlocks(parts);

  routes.get("/account/api/unlocks/:unlockId", requireSession(), async (context) => {
    const call = callOf(context, "read-unlock", signedIn(context));
    const unlock = await unlocks.find(context.req.param("unlockId"), call);
    if (unlock === undefined || unlock.handOver !== undefined) throw new RequestError("UNLOCK_ENDED");
    return context.json(describedUnlock(unlock, clientAddress(context, parts)));
  });

  routes.post("/account/api/unlocks/:unlockId", requireSession(), async (context) => {
    const body = await readJson(context, handOverBody);
    const call = callOf(context, "hand-over-keys", signedIn(context));
    const answered = await unlocks.answer(context.req.param("unlockId"), body, call);
    if (!answered) throw new RequestError("UNLOCK_ENDED");
    return context.json({});
  });

  // The browser verifies each with the person's own key.
  routes.get("/account/api/certificates", requireSession(), async (context) => {
    const call = callOf(context, "list-certificates", signedIn(context));
    const { certificates, removed } = await unlocks.certificates(call);
    const listed = certificates.map(({ certifiedAt, unlockedAt = certifiedAt, ...certificate }) => ({
      ...certificate,
      certifiedAt: isoTime(certifiedAt),
      unlockedAt: isoTime(unlockedAt),
    }));
    return context.json({ certificates: listed, removed });
  });

  routes.post("/account/api/certificates/remove", requireRecentSignIn(parts), async (context) => {
    const body = await readJson(context, removalBody);
    await unlocks.removeCertificate(body, callOf(context, "remove-certificate", signedIn(context)));
    return context.json({});
  });
  return routes;
}

/** @param browserAddress the network address of the browser that asks */
export function describedUnlock(unlock: ProgramUnlock, browserAddress: string) {
  const { encryptionKey, signingKey, startedAt, expiresAt, device, address } = unlock;
  const times = { startedAt: isoTime(startedAt), expiresAt: isoTime(expiresAt) };
  const sameNetwork = address === undefined ? undefined : networkOf(address) === networkOf(browserAddress);
  return { encryptionKey, signingKey, ...times, device, address, sameNetwork };
}
