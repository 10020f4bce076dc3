import { type BoundRule, createSqliteStorage, type Ref, type Snapshots, type Storage } from "@platform-rpc/server";
import { fixtureItem } from "../platform/fixture.ts";

const { kind, titleHash, encryptedPayload, wrappedKeys, ...status } = fixtureItem;
const content = { kind, titleHash, encryptedPayload, wrappedKeys };
const vault = { tenantId: status.tenantId, vaultId: status.vaultId, retentionDays: 30, accessRevision: 0 };

/** The snapshot of every item, and empty ones of everything else, which no request of a benchmark reads. */
const snapshots: { -readonly [Kind in keyof Snapshots]: Snapshots[Kind] } = {
  item: snapshotOfItem(status.itemId),
  vault: { vault: undefined },
  deviceCode: {
    authorization: undefined,
    oauthClient: undefined,
    approverActive: false,
    grant: undefined,
    grantRevoked: false,
    refreshFamily: undefined,
  },
  userCode: { authorization: undefined, oauthClient: undefined, principalActive: false },
  start: { authorization: undefined, oauthClient: undefined },
  token: { grant: undefined },
  oauthClient: { oauthClient: undefined },
  record: { record: undefined, principalActive: false, oauthClient: undefined },
  records: { records: [], ownerActive: false, oauthClient: undefined, vault: undefined },
  nothing: undefined,
};

/**
 * Creates a storage in which every item exists and is deleted. Items are in memory, so that the cost of everything except storage
 * is measured. All other data, such as revocations, is in SQLite.
 */
export function createFixtureStorage(): Storage {
  const storage = createSqliteStorage({ path: ":memory:" });
  return {
    ...storage,
    async transact<R extends Ref, Outcome>(ref: R, rule: BoundRule<Snapshots[R["kind"]], Outcome>) {
      if (ref.kind !== "item") return storage.transact(ref, rule);
      snapshots.item = snapshotOfItem(ref.itemId);
      return { outcome: rule.decide(snapshotOf<R["kind"]>(ref.kind)).outcome, sequence: undefined };
    },
  };
}

function snapshotOfItem(itemId: string): Snapshots["item"] {
  return { vault, role: "owner", item: { ...status, itemId, content: () => content }, floor: 0 };
}

function snapshotOf<Kind extends keyof Snapshots>(kind: Kind): Snapshots[Kind] {
  return snapshots[kind];
}
