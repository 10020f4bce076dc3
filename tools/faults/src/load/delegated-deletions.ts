import type { PlatformClient } from "@platform-rpc/client/json";
import type { Journal } from "../history/journal.ts";
import type { Admin } from "./admin.ts";
import { createDecide, startAuthorization } from "./authorizations.ts";
import { createItemWith } from "./items.ts";
import { fixture, type Target } from "./plan.ts";
import type { Random } from "./random.ts";
import { hash } from "./responses.ts";
import { createRecordedClient } from "./send.ts";

/** How many deletions each delegation allows, and how many items are deleted with it at the same time. */
const budget = 4;
const items = 12;

/** Creates the action in which software deletes more items at the same time than its approval allows, some of them twice. */
export function createDelegatedDeletionsAction(deps: {
  readonly client: PlatformClient;
  readonly admin: Admin;
  readonly journal: Journal;
  readonly random: Random;
  readonly pickTarget: () => Target;
}): () => Promise<void> {
  const { client, admin, journal, random, pickTarget } = deps;
  const decide = createDecide({ admin, journal });
  const createItem = createItemWith({ admin, journal });

  return async () => {
    const codes = await startAuthorization(admin);
    await decide(codes, "approve", { maxDeletions: budget });
    const { deviceCode } = codes;
    const { accessToken } = await client.identityGateway.exchangeMcpOauthDeviceAuthorization({ deviceCode });
    // Deletions in one vault wait for each other. Those in two share only the delegation.
    const requests = Array.from({ length: items }, () => ({
      ...{ vaultId: random.pick(fixture.budgetVaults), itemId: crypto.randomUUID(), baseVersion: 1 },
    }));
    await Promise.allSettled(requests.map(({ vaultId, itemId }) => createItem(vaultId, itemId)));
    const delegation = hash(deviceCode);
    const agent = createRecordedClient({ journal, pickTarget, own: true, token: () => accessToken, delegation });
    const remove = (request: (typeof requests)[number]) => agent.vault.deleteItem(request).catch(() => undefined);
    const calls = requests.flatMap((request) => (random.chance(0.5) ? [request, request] : [request]));
    await Promise.all(calls.map(remove));
    // The budget is used now: deletions that succeeded are repeated, and all others are rejected.
    await Promise.all(requests.map(remove));
  };
}
