import { randomUUID } from "node:crypto";
import { createPlatformClient, isPlatformError } from "@platform-rpc/client";
import { publicOperations } from "@platform-rpc/server";
import { createAdminClients, type PlatformAddress } from "../admin-clients.js";
import { approveDevice } from "./approve-device.js";
import { deleteOnce } from "./delete-once.js";
import { mustHold, type Narrator } from "./narrator.js";

/**
 * The whole story over the wire: a user lets an agent in, the agent deletes an item with the token it got, and the
 * platform keeps its promises about retries and conflicts. Each run has a tenant of its own.
 *
 * @throws StoryError when a step does not do what it says.
 */
export async function tellStory(address: PlatformAddress, narrator: Narrator): Promise<void> {
  const { chapter, happened } = narrator;
  const admin = createAdminClients(address);
  const scene = {
    tenantId: `story-${randomUUID()}`,
    userId: "ada",
    oauthClientId: "tidy-agent",
    scopes: ["vault.items:delete"],
  };
  const { tenantId, userId, oauthClientId } = scene;

  chapter("An administrator prepares the ground (private operations)");
  await admin.access.setPrincipal({ tenantId, principalId: userId, active: true });
  happened(`The user ${userId} is an active principal of a new tenant.`);
  const allowedOperations = [...publicOperations.keys()];
  await admin.access.setOauthClient({
    tenantId,
    oauthClientId,
    name: "Tidy agent",
    allowedOperations,
    enabled: true,
  });
  happened(`The OAuth client ${oauthClientId} may call ${allowedOperations.join(" and ")}.`);
  const scopes = ["identity.device_authorizations:exchange"];
  const own = await admin.access.issueAccessToken({ tenantId, principalId: userId, oauthClientId, scopes });
  happened("The agent has a token of its own, which can exchange device codes and nothing else.");

  const agent = createPlatformClient({ baseUrl: address.publicUrl, token: own.accessToken });
  const granted = await approveDevice({ admin, agent, scene, narrator });
  await deleteOnce({ admin, publicUrl: address.publicUrl, token: granted.accessToken, scene, narrator });

  chapter("The user takes the permission back");
  await admin.access.revokeToken({ tokenId: granted.tokenId });
  happened("Revoking the broker token revokes all of its grant, within one second.");
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const revoked = createPlatformClient({ baseUrl: address.publicUrl, token: granted.accessToken });
  const refused = await revoked.vault
    .deleteItem({ vaultId: "any", itemId: "any", baseVersion: 1 })
    .then(() => undefined)
    .catch((error: unknown) => error);
  mustHold(isPlatformError(refused, "UNAUTHENTICATED"), "a revoked token is refused");
  happened("The agent's token is refused: UNAUTHENTICATED.");
}
