import { Hono } from "hono";
import { callOf } from "../http/call-of.js";
import type { AccountsEnvironment, AccountsParts } from "../http/environment.js";
import { requireSession, signedIn } from "../sessions/session-middleware.js";
import { wrappedFor } from "../vaults/change-vault.js";
import { createOwnVaults } from "../vaults/own-vaults.js";

/** How many vaults get a name: more than a page lists. */
const mostNamed = 100;

/** The endpoint from which scripts of pages get the keys and names of vaults, which only the browser can open. */
export function vaultsApi({ own, clock }: AccountsParts): Hono<AccountsEnvironment> {
  const routes = new Hono<AccountsEnvironment>();
  const ownVaults = createOwnVaults({ own, operations: own, clock });

  routes.get("/account/api/vaults", requireSession(), async (context) => {
    const session = signedIn(context);
    const { tenantId, principalId } = session;
    const call = callOf(context, "list-vaults", session);
    const { vaults } = await own.listVaults({ limit: mostNamed }, call);
    const named = vaults.map(async ({ vaultId }) => {
      const stored = await ownVaults.readKey(vaultId, call);
      if (stored === undefined) return { vaultId, encryptedName: "", revision: 0 };
      const { keyId, epoch, encryptedName, nameRevision: revision } = stored;
      return { vaultId, encryptedName, revision, key: { keyId, epoch, wrappedKey: wrappedFor(stored, principalId) } };
    });
    const body = { tenantId, principalId, vaults: await Promise.all(named) };
    return context.json(body);
  });
  return routes;
}
