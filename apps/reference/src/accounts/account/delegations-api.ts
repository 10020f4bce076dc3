import type { Bounds, ListedDelegation } from "@platform-rpc/server";
import { Hono } from "hono";
import * as z from "zod";
import { apiError } from "../http/api-error.js";
import { callOf } from "../http/call-of.js";
import type { AccountsEnvironment, AccountsParts } from "../http/environment.js";
import { jsonBody, readJson } from "../http/json-body.js";
import { actionList, vaultIds } from "../oauth/authorization-details.js";
import { scopeInWords } from "../review/words.js";
import { requireRecentSignIn, requireSession, signedIn } from "../sessions/session-middleware.js";
import { clientNames, mostDeletions } from "./connected-software.js";

const id = z.string().min(1).max(2048);

/** The new bounds of a delegation. What is absent is not bounded; an empty list is rejected, because some would take it for all. */
const bounds = z.strictObject({
  vaults: vaultIds.optional(),
  actions: actionList.optional(),
  maxDeletions: z.int().min(0).max(mostDeletions).optional(),
  expiresAt: z.iso
    .datetime()
    .max(32)
    .transform((text) => Date.parse(text))
    .optional(),
});

const changeBody = jsonBody(z.strictObject({ id, bounds }));
const endBody = jsonBody(z.object({ id }));

/**
 * The endpoints for what a person has delegated to software. Only the person can widen it, with the session of a browser. Changes require a
 * sign-in within the last 5 minutes.
 */
export function delegationsApi(parts: AccountsParts): Hono<AccountsEnvironment> {
  const { own } = parts;
  const routes = new Hono<AccountsEnvironment>();
  const recent = requireRecentSignIn(parts);

  routes.get("/account/api/delegations", requireSession(), async (context) => {
    const session = signedIn(context);
    const listed = await own.listDelegations(session);
    const ids = listed.map(({ oauthClientId }) => oauthClientId);
    const names = await clientNames(own, session.tenantId, ids);
    const shown = listed.map((one) => described(one, names.get(one.oauthClientId) ?? one.oauthClientId));
    return context.json({ delegations: shown }, 200, { "Cache-Control": "no-store" });
  });

  routes.post("/account/api/delegations/change", recent, async (context) => {
    const body = await readJson(context, changeBody);
    if (body === undefined) return apiError(context, "INVALID_REQUEST");
    const change = { delegationId: body.id, bounds: body.bounds };
    const changed = await own.changeDelegation(change, callOf(context, "change-delegation", signedIn(context)));
    if (!changed.ok) return apiError(context, "APPROVAL_ENDED");
    const { deletions } = changed.delegation;
    return context.json({ bounds: shownBounds(changed.delegation.bounds), used: { deletions } });
  });

  routes.post("/account/api/delegations/end", recent, async (context) => {
    const body = await readJson(context, endBody);
    if (body === undefined) return apiError(context, "INVALID_REQUEST");
    await own.endDelegation(body.id, callOf(context, "end-delegation", signedIn(context)));
    return context.json({});
  });
  return routes;
}

/** Returns what the page shows of a delegation. Never a token. */
function described(delegation: ListedDelegation, name: string) {
  const { delegationId, oauthClientId, scopes, popKeyId, renewable, bounds: agreed, deletions } = delegation;
  const { createdAt, lastUsedAt, expiresAt } = delegation;
  return {
    id: delegationId,
    name,
    oauthClientId,
    /** The thumbprint of the key of the device that has the tokens. */
    ...(popKeyId !== "" && { deviceKeyId: popKeyId }),
    scopes: scopes.map((scope) => ({ scope, words: scopeInWords(scope) })),
    renewable,
    bounds: shownBounds(agreed),
    used: { deletions },
    approvedAt: time(createdAt),
    lastUsedAt: time(lastUsedAt),
    endsAt: time(Math.min(expiresAt, agreed.expiresAt ?? expiresAt)),
  };
}

function shownBounds({ expiresAt, ...others }: Bounds) {
  return { ...others, ...(expiresAt !== undefined && { expiresAt: time(expiresAt) }) };
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}
