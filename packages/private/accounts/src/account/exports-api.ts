import type { Call } from "@platform-rpc/server";
import { type Decision, defineRule, type ItemSnapshot, type Write } from "@platform-rpc/server/host";
import { Hono } from "hono";
import * as z from "zod";
import { callOf } from "../http/call-of.js";
import type { AccountsEnvironment, AccountsParts } from "../http/environment.js";
import { jsonBody, readJson } from "../http/json-body.js";
import { RequestError } from "../http/request-error.js";
import { requireRecentSignIn, signedIn } from "../sessions/session-middleware.js";

type Actor = Call["actor"];

/** More than a person can own: others may have shared theirs. */
const mostVaults = 100;

const exportBody = jsonBody(
  z.object({
    vaultIds: z.array(z.string().min(1).max(128)).min(1).max(mostVaults),
    format: z.enum(["bitwarden-json", "encrypted-file"]),
  }),
);

/**
 * The endpoint that records the export of vaults, before the browser of the person makes the file. It is not for software: no token can
 * be used here.
 */
export function exportsApi(parts: AccountsParts): Hono<AccountsEnvironment> {
  const { own } = parts;
  const routes = new Hono<AccountsEnvironment>();

  routes.post("/account/api/exports", requireRecentSignIn(parts), async (context) => {
    const body = await readJson(context, exportBody);
    const call = callOf(context, "export-vaults", signedIn(context));
    const vaultIds = [...new Set(body.vaultIds)];
    const apply = (event: string | undefined) =>
      Promise.all(
        vaultIds.map((vaultId) =>
          own.decide({ access: "member", vaultId }, "read", (now) => recordExport(call.actor, event, now), call),
        ),
      );
    // First of all, so that a refused export records nothing.
    for (const event of [undefined, `exported: ${body.format}`]) {
      if ((await apply(event)).includes(false)) throw new RequestError("VAULT_NOT_FOUND");
    }
    return context.json({});
  });
  return routes;
}

/** Records the export of a vault, for a member. The outcome is whether the caller is one. @param event undefined: records nothing */
const recordExport = defineRule(
  ({ vault, role }: ItemSnapshot, actor: Actor, event: string | undefined, at: number): Decision<boolean> => {
    if (vault === undefined || role === undefined) return { outcome: false, writes: [] };
    if (event === undefined) return { outcome: true, writes: [] };
    const subject = { subjectTenantId: vault.tenantId, subject: `vault:${vault.vaultId}` };
    const audited: Write = {
      kind: "audit",
      record: { ...actor, versionBefore: 0, versionAfter: 0, ...subject, event, at },
    };
    return { outcome: true, writes: [audited] };
  },
);
