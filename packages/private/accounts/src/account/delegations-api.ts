import { mostHosts, mostVaults, vaultActions } from "@platform-rpc/server/host";
import { Hono } from "hono";
import * as z from "zod";
import { callOf } from "../http/call-of.js";
import type { AccountsEnvironment, AccountsParts } from "../http/environment.js";
import { jsonBody, readJson } from "../http/json-body.js";
import { RequestError } from "../http/request-error.js";
import { actionList, hostList, vaultIds } from "../oauth/authorization-details.js";
import { mostCounted } from "../oauth-clients/grants.js";
import { requireRecentSignIn, requireSession, signedIn } from "../sessions/session-middleware.js";
import { listConnectedSoftware, shownBounds, shownUse } from "./connected-software.js";

const id = z.string().min(1).max(2048);

/** The new bounds of a delegation. What is absent is not bounded; an empty list is rejected, because some would take it for all. */
const bounds = z.strictObject({
  vaults: vaultIds.optional(),
  actions: actionList.optional(),
  maxDeletions: z.int().min(0).max(mostCounted).optional(),
  maxUses: z.int().min(0).max(mostCounted).optional(),
  hosts: hostList.optional(),
  asksEachTime: z.boolean().optional(),
  expiresAt: z.iso
    .datetime()
    .max(32)
    .transform((text) => Date.parse(text))
    .optional(),
});

/** The bounds that the person saw. An empty list allows nothing: a request and its approval had nothing in common. */
const seenBounds = bounds.extend({
  vaults: z.array(z.string().max(128)).max(mostVaults).optional(),
  actions: z.array(z.enum(vaultActions)).max(vaultActions.length).optional(),
  hosts: z.array(z.string().max(262)).max(mostHosts).optional(),
});

/** `expected`: what the new bounds replace. If that was changed in between, nothing changes. */
const changeBody = jsonBody(z.strictObject({ id, bounds, expected: seenBounds.optional() }));

/**
 * The endpoints of the console's page "Agents & apps": the software that acts for a person, and what they have delegated to it. Only the
 * person can widen that, with the session of a browser. Changes require a sign-in within the last 5 minutes.
 */
export function delegationsApi(parts: AccountsParts): Hono<AccountsEnvironment> {
  const { own } = parts;
  const routes = new Hono<AccountsEnvironment>();
  const recent = requireRecentSignIn(parts);

  routes.get("/account/api/delegations", requireSession(), async (context) => {
    return context.json({ delegations: await listConnectedSoftware(own, signedIn(context)) });
  });

  routes.post("/account/api/delegations/change", recent, async (context) => {
    const body = await readJson(context, changeBody);
    const { id: delegationId, ...change } = body;
    const call = callOf(context, "change-delegation", signedIn(context));
    const changed = await own.changeDelegation({ delegationId, ...change }, call);
    if (!changed.ok) {
      throw new RequestError(changed.reason === "DELEGATION_CHANGED" ? "APPROVAL_CHANGED" : "APPROVAL_ENDED");
    }
    const { delegation } = changed;
    return context.json({ bounds: shownBounds(delegation.bounds), used: shownUse(delegation) });
  });
  return routes;
}
