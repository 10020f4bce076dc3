import { randomUUID } from "node:crypto";
import { createPlatformClient, isPlatformError } from "@platform-rpc/client";
import { publicOperations } from "@platform-rpc/server/host";
import { createAdminClients, type PlatformAddress } from "../rpc/admin-clients.js";
import { approveDevice } from "./approve-device.js";
import { deleteOnce } from "./delete-once.js";
import { expectThat, type Reporter } from "./reporter.js";

/**
 * Runs the whole scenario over the wire: a user authorizes an agent, the agent deletes an item with the token it received,
 * and the scenario checks retries and conflicts. Each run uses a new tenant.
 *
 * @throws ScenarioError when a step has an unexpected result.
 */
export async function runScenario(address: PlatformAddress, reporter: Reporter): Promise<void> {
  const { group, passed } = reporter;
  const admin = createAdminClients(address);
  const fixture = {
    tenantId: `demo-${randomUUID()}`,
    userId: "ada",
    oauthClientId: "tidy-agent",
    scopes: ["vault.items:delete"],
  };
  const { tenantId, userId, oauthClientId } = fixture;

  group("An administrator sets up a tenant (private operations)");
  await admin.access.setPrincipal({ tenantId, principalId: userId, active: true });
  passed(`The user ${userId} is an active principal of a new tenant.`);
  const allowedOperations = [...publicOperations.keys()];
  await admin.access.setOauthClient({
    tenantId,
    oauthClientId,
    name: "Tidy agent",
    allowedOperations,
    enabled: true,
  });
  passed(`The OAuth client ${oauthClientId} may call ${allowedOperations.join(" and ")}.`);
  const scopes = ["identity.device_authorizations:exchange"];
  const own = await admin.access.issueAccessToken({ tenantId, principalId: userId, oauthClientId, scopes });
  passed("The agent gets a token that allows exchanging device codes and nothing else.");

  const agent = createPlatformClient({ baseUrl: address.publicUrl, token: own.accessToken });
  const granted = await approveDevice({ admin, agent, fixture, reporter });
  await deleteOnce({ admin, publicUrl: address.publicUrl, token: granted.accessToken, fixture, reporter });

  group("The user revokes the agent's access (private operation)");
  await admin.access.revokeToken({ tokenId: granted.tokenId });
  passed("Revoking the broker token revokes its whole grant within one second.");
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const revoked = createPlatformClient({ baseUrl: address.publicUrl, token: granted.accessToken });
  const rejection = await revoked.vault
    .deleteItem({ vaultId: "any", itemId: "any", baseVersion: 1 })
    .then(() => undefined)
    .catch((error: unknown) => error);
  expectThat(isPlatformError(rejection, "UNAUTHENTICATED"), "a revoked token is rejected");
  passed("The agent's token is rejected: UNAUTHENTICATED.");
}
