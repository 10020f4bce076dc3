import type { Actor } from "../../domain/actor.js";
import type { Write } from "../../domain/decision.js";
import { type DeleteItemOutcome, decideDeleteItem } from "../../domain/delete-item.js";
import { type Item, type ItemContent, type ItemRef, type ItemStatus, wholeItem } from "../../domain/item.js";
import { decidePutItem, type PutItemOutcome } from "../../domain/put-item.js";
import { decideRestoreItem, type RestoreItemOutcome } from "../../domain/restore-item.js";
import { decideShredItem } from "../../domain/shred-item.js";
import type { Committed, Storage } from "../../ports/storage.js";
import { type FakeClock, fakeClock } from "../fake-clock.js";

export const tenantId = "tenant-1";
export const principalId = "principal-1";
export const oauthClientId = "agent-1";

export const actor: Actor = {
  tenantId,
  principalId,
  oauthClientId,
  tokenId: "token-1",
  operation: "suite",
  requestId: "request-1",
};

/** Names an item in the vault "vault-1" of the suite's tenant. */
export function itemRef(itemId: string, vaultId = "vault-1"): ItemRef {
  return { tenantId, vaultId, itemId };
}

/** Content that can be told from all other content. */
export function contentOf(mark: string): ItemContent {
  return {
    kind: "login",
    titleHash: `title-${mark}`,
    encryptedPayload: { alg: "A256GCM", nonce: `nonce-${mark}`, aad: `aad-${mark}`, ciphertext: mark, version: 3 },
    wrappedKeys: [
      { recipientId: "recipient-1", wrapAlg: "ECDH-ES+A256KW", wrappedKey: `key-1-${mark}` },
      { recipientId: "recipient-2", wrapAlg: "RSA-OAEP-256", wrappedKey: `key-2-${mark}` },
    ],
  };
}

/** A change of an item that no rule has decided: by default its creation. */
export function changeOf(itemId: string, mark: string, version = 1) {
  const item: ItemStatus = { ...itemRef(itemId), version, updatedAt: 0, state: "live", shredAt: undefined };
  return { kind: "change", item, content: contentOf(mark) } as const satisfies Write;
}

/** The platform's rules on a storage, with a clock that stands still: what the suite acts with. */
export interface Fixture {
  readonly clock: FakeClock;
  /** Commits writes that depend on nothing. */
  write(...writes: readonly Write[]): Promise<number | undefined>;
  /** Creates a vault, of which the suite's principal is a member. */
  createVault(vaultId?: string, retentionDays?: number): Promise<void>;
  put(ref: ItemRef, mark: string, baseVersion: number): Promise<Committed<PutItemOutcome>>;
  remove(ref: ItemRef, baseVersion: number): Promise<Committed<DeleteItemOutcome>>;
  restore(ref: ItemRef, baseVersion: number): Promise<Committed<RestoreItemOutcome>>;
  /** Shreds an item if its retention is over, and tells whether it was. */
  shred(ref: ItemRef): Promise<boolean>;
  find(ref: ItemRef): Promise<Item | undefined>;
}

export function createFixture(storage: Storage): Fixture {
  const clock = fakeClock();
  const keyOf = (ref: ItemRef) => ({ kind: "item", ...ref }) as const;

  const write = async (...writes: readonly Write[]) =>
    (await storage.transact({ kind: "nothing" }, () => ({ outcome: undefined, writes }))).sequence;

  return {
    clock,
    write,

    async createVault(vaultId = "vault-1", retentionDays = 30) {
      await write(
        { kind: "vault", vault: { tenantId, vaultId, retentionDays, accessRevision: 0 } },
        { kind: "member", tenantId, vaultId, principalId, role: "member" },
      );
    },

    put: (ref, mark, baseVersion) =>
      storage.transact(keyOf(ref), (snapshot) =>
        decidePutItem(snapshot, ref, contentOf(mark), baseVersion, actor, clock.now()),
      ),

    remove: (ref, baseVersion) =>
      storage.transact({ ...keyOf(ref), principalId }, (snapshot) =>
        decideDeleteItem(snapshot, baseVersion, actor, clock.now()),
      ),

    restore: (ref, baseVersion) =>
      storage.transact(keyOf(ref), (snapshot) => decideRestoreItem(snapshot, baseVersion, actor, clock.now())),

    async shred(ref) {
      return (await storage.transact(keyOf(ref), (snapshot) => decideShredItem(snapshot, actor, clock.now()))).outcome;
    },

    async find(ref) {
      return (await storage.transact(keyOf(ref), ({ item }) => ({ outcome: item && wholeItem(item), writes: [] })))
        .outcome;
    },
  };
}
