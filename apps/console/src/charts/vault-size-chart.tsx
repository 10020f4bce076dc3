import { createClient } from "@connectrpc/connect";
import { MemberVaultService } from "@platform-rpc/types-internal/accounts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ErrorMessage } from "../elements/error-message.js";
import { type Calls, useConsole } from "../session/console-context.js";
import { useVaults } from "../vaults/use-vaults.js";
import { LineChart } from "./line-chart.js";
import { type SizedItem, sizeOverTime } from "./series.js";

const pageSize = 500;

/** The size of a vault over time, computed in the browser. */
export function VaultSize() {
  const { calls } = useConsole();
  const { vaults = [], error } = useVaults();
  const [chosen, setChosen] = useState("");
  const vaultId = chosen || vaults[0]?.vaultId;
  const size = useQuery({
    queryKey: ["vault size", vaultId],
    queryFn: async ({ signal }) => sizeOverTime(await listItems(calls, vaultId ?? "", signal)),
    enabled: vaultId !== undefined,
  });
  const points = size.data ?? [];
  // The last size is also that of now.
  const times = [...points.map(({ at }) => at), ...(points.length === 0 ? [] : [size.dataUpdatedAt])];
  const items = points.map((point) => point.items);
  return (
    <>
      <ErrorMessage error={error ?? size.error} />
      {vaults.length > 1 && (
        <div className="filters">
          <label htmlFor="sized-vault">Vault</label>
          <select id="sized-vault" value={vaultId} onChange={({ target }) => setChosen(target.value)}>
            {vaults.map((vault) => (
              <option key={vault.vaultId} value={vault.vaultId}>
                {vault.vaultId}
              </option>
            ))}
          </select>
        </div>
      )}
      <LineChart
        title={vaultId === undefined ? "Size of a vault" : `Size of ${vaultId}`}
        unit="items"
        times={times}
        series={[{ name: "Items", values: [...items, ...items.slice(-1)] }]}
        step
        empty={size.isPending && vaultId !== undefined ? "Loading…" : "This vault has no items yet."}
      />
    </>
  );
}

async function listItems({ member }: Calls, vaultId: string, signal: AbortSignal): Promise<readonly SizedItem[]> {
  const { listChanges } = createClient(MemberVaultService, member);
  const items: SizedItem[] = [];
  for (let afterSequence = 0; ; ) {
    const { changes, cursor, hasMore } = await listChanges({ vaultId, afterSequence, limit: pageSize }, { signal });
    items.push(...changes.flatMap(({ item }) => item ?? []));
    if (!hasMore || cursor === undefined) return items;
    afterSequence = cursor.sequence;
  }
}
