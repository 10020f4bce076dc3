import { createSqliteStorage, type Storage } from "@platform-rpc/server";
import type { Decision, Ref, Rule, Snapshots } from "@platform-rpc/server/host";
import { fixtureItem } from "../platform/fixture.ts";

const { kind, titleHash, encryptedPayload, wrappedKeys, ...status } = fixtureItem;
const content = { kind, titleHash, encryptedPayload, wrappedKeys };
const vault = { tenantId: status.tenantId, vaultId: status.vaultId, retentionDays: 30, accessRevision: 0 };

/**
 * Creates a storage in which every item exists and is deleted. Items are in memory, so that the cost of everything except storage
 * is measured. All other data, such as revocations, is in SQLite.
 */
export function createFixtureStorage(): Storage {
  const storage = createSqliteStorage({ path: ":memory:" });
  return {
    ...storage,
    async transact<R extends Ref, Outcome>(ref: R, rule: Rule<Snapshots[R["kind"]], Outcome>) {
      if (ref.kind !== "item") return storage.transact(ref, rule);
      const { outcome }: Decision<Outcome> = Reflect.apply(rule, undefined, [snapshotOfItem(ref.itemId)]);
      return { outcome, sequence: undefined };
    },
  };
}

function snapshotOfItem(itemId: string): Snapshots["item"] {
  return { vault, role: "owner", item: { ...status, itemId, content: () => content }, floor: 0 };
}
