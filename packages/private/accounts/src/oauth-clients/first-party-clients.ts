import type { Call, Clock, Platform } from "@platform-rpc/server";
import { defineCollection, type OauthClient, type Secrets, type SetOauthClientInput } from "@platform-rpc/server/host";
import * as z from "zod";
import { callerContract } from "../contract/private-contract.js";
import { ownCall } from "../http/own-call.js";
import { useScope } from "./grants.js";

/** The OAuth client of the console, whose tokens come from the session of the browser. */
export const consoleClientId = "platform-console";

export const commandLineClientId = "platform-cli";

/**
 * Returns whether a person who approves a client for scopes is offered bounds. Not for the pages and the command line that people use
 * themselves, and not for a client that an administrator has made unbounded, unless it asks to use secrets: without bounds it could not.
 */
export function offersBounds(
  { oauthClientId, unbounded }: Pick<OauthClient, "oauthClientId" | "unbounded">,
  scopes: readonly string[],
): boolean {
  if (oauthClientId === consoleClientId || oauthClientId === commandLineClientId) return false;
  return unbounded !== true || scopes.includes(useScope);
}

/** Returns whether a call is made by the program that people use themselves: the command line, with a login that has no bounds. */
export function isOwnProgram({ actor, delegation }: Call): boolean {
  return actor.oauthClientId === commandLineClientId && Object.keys(delegation?.bounds ?? {}).length === 0;
}

/** The OAuth clients of the platform's own programs. Only the CLI signs people in with a browser on the same machine. */
const firstParty: readonly Pick<SetOauthClientInput, "oauthClientId" | "name" | "redirectUris" | "grantTypes">[] = [
  { oauthClientId: consoleClientId, name: "Platform console" },
  {
    oauthClientId: commandLineClientId,
    name: "Platform CLI",
    redirectUris: ["http://127.0.0.1/callback", "http://[::1]/callback"],
    grantTypes: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
  },
  { oauthClientId: "platform-mcp", name: "Platform MCP server" },
];

/** Which operations the platform's own programs were offered in a tenant: those that a new version adds are not among them. */
const offered = defineCollection<{ readonly tenantId: string; readonly operations: readonly string[] }>(
  "first-party-operations",
  {
    schema: z.object({ tenantId: z.string(), operations: z.array(z.string()) }).parse,
    keyOf: ({ tenantId }) => ({ tenantId, key: "all" }),
  },
);

/**
 * Registers the OAuth clients of the platform's own programs in a tenant, with every operation that is not an administrator's. An existing
 * one gets only the operations that were added since the last start: an operator may have disabled it, or narrowed its allowlist.
 */
export async function registerFirstPartyClients(deps: {
  readonly tenantId: string;
  readonly operations: Platform["own"];
  readonly secrets: Secrets;
  readonly clock: Clock;
}): Promise<void> {
  const { tenantId, operations: own, secrets, clock } = deps;
  const call = ownCall("register first-party OAuth client", secrets);
  const all = [...callerContract.operations.keys()];
  const registered = await Promise.all(
    firstParty.map(({ oauthClientId }) => own.getOauthClient({ tenantId, oauthClientId })),
  );
  const known = offered.open(await own.getRecord(offered.key(tenantId, "all"), call));
  // A version that did not remember them offered every program what one of them still has.
  const before = known?.value.operations ?? registered.flatMap((client) => client?.allowedOperations ?? []);
  const added = all.filter((name) => !before.includes(name));
  await Promise.all(
    firstParty.map(async (client, index) => {
      const existing = registered[index];
      if (existing === undefined) {
        await own.setOauthClient({ ...client, tenantId, allowedOperations: all, enabled: true }, call);
      } else if (added.length > 0) {
        const allowedOperations = [...existing.allowedOperations, ...added];
        await own.setOauthClient({ ...existing, allowedOperations }, call);
      }
    }),
  );
  const now = { tenantId, operations: all };
  if (known === undefined) await own.putRecord(offered.create(now, clock.now()), call);
  else if (added.length > 0) await own.putRecord(known.replace(now), call);
}
