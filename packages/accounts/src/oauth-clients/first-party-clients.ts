import type { Platform } from "@platform-rpc/server";
import type { OauthClient, Secrets, SetOauthClientInput } from "@platform-rpc/server/host";
import { callerContract } from "../contract/private-contract.js";
import { ownCall } from "../http/own-call.js";

/** The OAuth client of the console, whose tokens come from the session of the browser. */
export const consoleClientId = "platform-console";

const commandLineClientId = "platform-cli";

/**
 * Returns whether a person who approves a client is offered bounds. Not for the pages and the command line that people use themselves, and
 * not for a client that an administrator has made unbounded.
 */
export function offersBounds({ oauthClientId, unbounded }: Pick<OauthClient, "oauthClientId" | "unbounded">): boolean {
  return unbounded !== true && oauthClientId !== consoleClientId && oauthClientId !== commandLineClientId;
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

/**
 * Registers the OAuth clients of the platform's own programs in a tenant, with every operation that is not an administrator's.
 * An existing one stays unchanged: an operator may have disabled it, or narrowed its allowlist.
 */
export async function registerFirstPartyClients(deps: {
  readonly tenantId: string;
  readonly operations: Platform["own"];
  readonly secrets: Secrets;
}): Promise<void> {
  const { tenantId, operations, secrets } = deps;
  const allowedOperations = [...callerContract.operations.keys()];
  await Promise.all(
    firstParty.map(async (client) => {
      if ((await operations.getOauthClient({ tenantId, oauthClientId: client.oauthClientId })) !== undefined) return;
      const call = ownCall("register first-party OAuth client", secrets);
      await operations.setOauthClient({ ...client, tenantId, allowedOperations, enabled: true }, call);
    }),
  );
}
