import type { Decision, Item, Ref, Snapshots, Storage } from "@platform-rpc/server";

/** A tombstone whose DeleteItem response is about 1.3 kB. */
export const fixtureItem: Item = {
  tenantId: "tenant-1",
  vaultId: "vault-1",
  itemId: "item-1",
  version: 2,
  kind: "login",
  titleHash: "t".repeat(43),
  updatedAt: 1_790_000_000_123,
  encryptedPayload: {
    alg: "A256GCM",
    nonce: "n".repeat(16),
    aad: "a".repeat(64),
    ciphertext: "c".repeat(384),
    version: 1,
  },
  wrappedKeys: [
    { recipientId: "user-1", wrapAlg: "ECDH-ES+A256KW", wrappedKey: "w".repeat(180) },
    { recipientId: "user-2", wrapAlg: "ECDH-ES+A256KW", wrappedKey: "w".repeat(180) },
  ],
  state: "deleted",
  shredAt: 1_792_592_000_123,
  sequence: 7,
};

const { kind, titleHash, encryptedPayload, wrappedKeys, ...status } = fixtureItem;
const content = { kind, titleHash, encryptedPayload, wrappedKeys };

const snapshots: Snapshots = {
  item: {
    vault: { tenantId: "tenant-1", vaultId: "vault-1", retentionDays: 30, accessRevision: 0 },
    role: "owner",
    item: { ...status, content: () => content },
    floor: 0,
  },
  vault: { vault: undefined },
  deviceCode: {
    authorization: undefined,
    oauthClient: undefined,
    approverActive: false,
    grant: undefined,
    grantRevoked: false,
  },
  userCode: { authorization: undefined, oauthClient: undefined, principalActive: false },
  start: { authorization: undefined, oauthClient: undefined },
  token: { grant: undefined },
  clock: { record: undefined },
  keys: { keysId: undefined },
  nothing: undefined,
};

function snapshotOf<Kind extends keyof Snapshots>(kind: Kind): Snapshots[Kind] {
  return snapshots[kind];
}

/** A storage that always returns the same deleted item, so that the benchmark measures everything except storage. */
export const fixtureStorage: Storage = {
  async transact<R extends Ref, Outcome>(ref: R, decide: (snapshot: Snapshots[R["kind"]]) => Decision<Outcome>) {
    return { outcome: decide(snapshotOf<R["kind"]>(ref.kind)).outcome, sequence: undefined };
  },
  async readAccess() {
    return {
      oauthClient: {
        tenantId: "tenant-1",
        oauthClientId: "client-1",
        name: "bench",
        allowedOperations: ["platform.v1.VaultService/DeleteItem"],
        enabled: true,
      },
      principalActive: true,
      revoked: false,
    };
  },
  async listChanges() {
    return { vault: undefined, head: 0, reached: false, items: [], hasMore: false };
  },
  async listShreddable() {
    return [];
  },
  async check() {},
  async verify() {},
  async close() {},
};
