import * as z from "zod";
import type { Journal } from "../history/journal.ts";
import type { Admin } from "../load/admin.ts";
import { fixture } from "../load/plan.ts";
import { endOf, listResult } from "../load/responses.ts";

const page = z.object({ cursor: z.object({ sequence: z.number() }), hasMore: z.boolean() });

/** Reads all items through the API after the load, so that the check for linearizability sees the final state. */
export async function readFinalState(admin: Admin, journal: Journal): Promise<void> {
  const { tenantId, vaults, shreddingVault } = fixture;
  for (const vaultId of [...vaults, shreddingVault]) {
    for (let after = 0, hasMore = true; hasMore; ) {
      await journal.record({ on: "vault", kind: "list", vaultId, after }, "", async () => {
        const body = await admin.succeed("VaultAdminService/ListChanges", {
          tenantId,
          vaultId,
          afterSequence: after,
          limit: 500,
        });
        ({
          cursor: { sequence: after },
          hasMore,
        } = page.parse(body));
        return endOf({ status: 200, text: JSON.stringify(body) }, listResult);
      });
    }
  }
}
