import { deleteForEver, type ItemSnapshot } from "@platform-rpc/server/host";
import { Hono } from "hono";
import * as z from "zod";
import { callOf } from "../http/call-of.js";
import type { AccountsEnvironment, AccountsParts } from "../http/environment.js";
import { jsonBody, readJson } from "../http/json-body.js";
import { RequestError } from "../http/request-error.js";
import { storeProof } from "../members/deletion-proofs.js";
import { requireRecentSignIn, signedIn } from "../sessions/session-middleware.js";

const id = z.string().min(1).max(128);
/** What the person has signed. The server cannot verify it. */
const proof = z.object({ writerId: id, signature: z.base64url().max(86) });
const tombstoneBody = jsonBody(
  z.object({ vaultId: id, itemId: id, version: z.int().min(1).max(4_294_967_295), proof: proof.optional() }),
);

/** The endpoint with which a person deletes an item for ever, before its retention ends. It is not for software: no token can be used here. */
export function itemsApi(parts: AccountsParts): Hono<AccountsEnvironment> {
  const { own, platform } = parts;
  const routes = new Hono<AccountsEnvironment>();

  routes.post("/account/api/items/delete-for-ever", requireRecentSignIn(parts), async (context) => {
    const body = await readJson(context, tombstoneBody);
    const { vaultId, itemId, version, proof } = body;
    // Like the job that shreds: what cannot be undone is not done, and recorded, at a time that may be wrong.
    const { trusted } = await platform.clockWatch.read();
    if (!trusted) throw new RequestError("CLOCK_NOT_TRUSTED");
    const call = callOf(context, "delete-item-for-ever", signedIn(context));
    const place = { access: "member", vaultId, itemId } as const;
    const { tenantId } = call.actor;
    const rule = (now: number) => (snapshot: ItemSnapshot) => {
      const decision = deleteForEver(version, call.actor, now)(snapshot);
      // A retry writes nothing.
      if (proof === undefined || decision.writes.length === 0) return decision;
      const stored = storeProof({ tenantId, vaultId, itemId, version }, "shred", proof, now);
      return { ...decision, writes: [...decision.writes, stored] };
    };
    const deleted = await own.decide(place, "delete", rule, call);
    if (deleted.ok) return context.json({});
    switch (deleted.reason) {
      case "VAULT_NOT_FOUND":
      case "ITEM_NOT_FOUND":
        throw new RequestError("ITEM_NOT_FOUND");
      case "ROLE_FORBIDS_CHANGE":
        throw new RequestError("ROLE_FORBIDS_CHANGE");
      case "VERSION_CONFLICT":
        throw new RequestError("ITEM_CHANGED");
    }
  });
  return routes;
}
