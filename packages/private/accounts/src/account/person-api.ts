import type { Context } from "hono";
import { Hono } from "hono";
import * as z from "zod";
import { callOf } from "../http/call-of.js";
import type { AccountsEnvironment, AccountsParts } from "../http/environment.js";
import { jsonBody, readJson } from "../http/json-body.js";
import { RequestError } from "../http/request-error.js";
import { typedName } from "../people/account.js";
import { createAccountStore } from "../people/account-store.js";
import { nameProblem } from "../people/personal-name.js";
import { clearBrowser } from "../sessions/session-cookie.js";
import { requireRecentSignIn, requireSession, signedIn } from "../sessions/session-middleware.js";
import { createSessionStore } from "../sessions/session-store.js";
import { createUnlocks } from "../unlocks/unlocks.js";
import { createAccessControl } from "./access.js";
import { describedAccess } from "./access-api.js";
import { listConnectedSoftware } from "./connected-software.js";
import { createAccountDeletion } from "./delete-account.js";

const nameBody = jsonBody(z.object({ displayName: typedName }));
const deletionBody = jsonBody(z.object({ accountId: z.string().min(1).max(128) }));

/** The endpoints for what the platform knows of a person: their name, a copy of all of it, and the end of the account. */
export function personApi(parts: AccountsParts): Hono<AccountsEnvironment> {
  const routes = new Hono<AccountsEnvironment>();
  const accounts = createAccountStore(parts);
  const sessions = createSessionStore(parts);
  const access = createAccessControl(parts);
  const unlocks = createUnlocks(parts);
  const deleteAccount = createAccountDeletion(parts);

  routes.post("/account/api/name", requireSession(), async (context) => {
    const body = await readJson(context, nameBody);
    const problem = nameProblem(body.displayName);
    if (problem !== undefined) throw new RequestError("NAME_NOT_ALLOWED", { message: problem });
    const session = signedIn(context);
    const call = callOf(context, "rename-account", session);
    const account = await accounts.find(session.principalId, call);
    if (account === undefined) throw new RequestError("SIGNED_OUT");
    const { displayName } = body;
    const together = {
      events: [{ subject: `account:${session.principalId}`, event: "renamed" }],
      // Every page shows the name of its session.
      puts: await sessions.renaming(session, displayName),
    };
    const renamed = await accounts.replace(account, { displayName }, together, call);
    if (!renamed) throw new RequestError("ACCOUNT_CHANGED");
    return context.json({ displayName });
  });

  routes.get("/account/api/export", requireRecentSignIn(parts), async (context) => {
    const session = signedIn(context);
    const [listed, software, vaults, { certificates }] = await Promise.all([
      access.list(context),
      listConnectedSoftware(parts.own, session),
      listedVaults(context),
      unlocks.certificates(callOf(context, "export-account", session)),
    ]);
    const { account } = listed;
    const copy = {
      about: "What the platform knows of you. Items are not in it: only your browser can decrypt them.",
      exportedAt: new Date(parts.clock.now()).toISOString(),
      accountId: account.accountId,
      tenantId: account.tenantId,
      displayName: account.displayName,
      createdAt: new Date(account.createdAt).toISOString(),
      ...describedAccess(listed, session, parts.clock.now()),
      devices: listed.devices.map(({ deviceId: id, name, browser, address, firstSignInAt, lastSignInAt }) => ({
        ...{ id, name, browser, address },
        firstSignInAt: new Date(firstSignInAt).toISOString(),
        lastSignInAt: new Date(lastSignInAt).toISOString(),
      })),
      software,
      vaults,
      certifiedPrograms: certificates.map(({ device, certifiedAt, unlockedAt = certifiedAt }) => ({
        device,
        certifiedAt: new Date(certifiedAt).toISOString(),
        unlockedAt: new Date(unlockedAt).toISOString(),
      })),
    };
    const name = `platform-account-${new Date(parts.clock.now()).toISOString().slice(0, 10)}.json`;
    return context.body(JSON.stringify(copy, undefined, 2), 200, {
      "Content-Type": "application/json; charset=utf-8",
      "Content-Disposition": `attachment; filename="${name}"`,
      "Cache-Control": "no-store",
    });
  });

  routes.post("/account/api/person/delete", requireRecentSignIn(parts), async (context) => {
    const body = await readJson(context, deletionBody);
    // Somebody else has signed in since, in another tab. They have confirmed nothing.
    if (body.accountId !== signedIn(context).principalId) throw new RequestError("SIGNED_OUT");
    const deleted = await deleteAccount(context);
    if (deleted) clearBrowser(context);
    return context.json({ deleted });
  });

  async function listedVaults(context: Context<AccountsEnvironment>) {
    const call = callOf(context, "export-account", signedIn(context));
    const all: object[] = [];
    for (let afterVaultId = ""; ; ) {
      const { vaults, hasMore } = await parts.own.listVaults({ afterVaultId, limit: 100 }, call);
      all.push(...vaults.map(({ vaultId, role, retentionDays }) => ({ vaultId, role, retentionDays })));
      afterVaultId = vaults.at(-1)?.vaultId ?? "";
      if (!hasMore) return all;
    }
  }

  return routes;
}
