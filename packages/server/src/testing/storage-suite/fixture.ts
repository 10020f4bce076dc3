import { type DeleteItemOutcome, deleteItem } from "../../domain/delete-item.js";
import { type ListEarlierContentsOutcome, listEarlierContents } from "../../domain/get-item.js";
import type { Actor, AuditRecord } from "../../domain/model/actor.js";
import { installation } from "../../domain/model/collection.js";
import type { Write } from "../../domain/model/decision.js";
import { type EarlierContent, storedEarlier } from "../../domain/model/earlier-contents.js";
import { revocations } from "../../domain/model/grant.js";
import type { Item, ItemContent, ItemRef, ItemStatus } from "../../domain/model/item.js";
import { type MoveItemOutcome, moveItem } from "../../domain/move-item.js";
import { type PutItemOutcome, putItem } from "../../domain/put-item.js";
import { type RestoreItemOutcome, restoreItem } from "../../domain/restore-item.js";
import { shredItem } from "../../domain/shred-item.js";
import { type Committed, refOf, type Storage } from "../../ports/storage.js";
import { type FakeClock, fakeClock } from "../fake-clock.js";
import { commitWrites, findItem } from "./rules.js";

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

/** Returns the ref of an item in a vault of the suite's tenant. Default: "vault-1". */
export function itemRef(itemId: string, vaultId = "vault-1"): ItemRef {
  return { tenantId, vaultId, itemId };
}

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

/** Returns a change of an item that no rule has decided. Default: its creation. */
export function changeOf(itemId: string, mark: string, version = 1) {
  const item: ItemStatus = { ...itemRef(itemId), version, updatedAt: 0, state: "live", shredAt: undefined };
  return { kind: "change", item, content: contentOf(mark) } as const satisfies Write;
}

/** Returns the write of a row of the audit trail. Default: about the suite's tenant, at the epoch. */
export function auditOf(change: Partial<AuditRecord> = {}) {
  const record = { ...actor, subjectTenantId: tenantId, subject: "test", event: "tested", versionBefore: 0, at: 0 };
  return { kind: "audit", record: { ...record, versionAfter: 1, ...change } } as const satisfies Write;
}

/** Returns the write that revokes a token of another issuer: one record with a new key. */
export function revocationOf(tokenId: string) {
  const revocation = { tenantId: installation, subjectId: tokenId, principalId: "", at: 1, expiresAt: undefined };
  return revocations.create(revocation, 1);
}

/** Functions that apply the platform's rules to a storage, with a fake clock. */
export interface Fixture {
  readonly clock: FakeClock;
  /** Commits writes without a snapshot. */
  write(...writes: readonly Write[]): Promise<number | undefined>;
  /** Creates a vault with the suite's principal as a member. */
  createVault(vaultId?: string, retentionDays?: number): Promise<void>;
  put(ref: ItemRef, mark: string, baseVersion: number): Promise<Committed<PutItemOutcome>>;
  remove(ref: ItemRef, baseVersion: number): Promise<Committed<DeleteItemOutcome>>;
  restore(ref: ItemRef, baseVersion: number): Promise<Committed<RestoreItemOutcome>>;
  /** Moves an item to another place, with a content for that. Default: without earlier contents. */
  move(
    from: ItemRef,
    to: ItemRef,
    mark: string,
    baseVersion: number,
    earlier?: readonly EarlierContent[],
  ): Promise<Committed<MoveItemOutcome>>;
  /** Shreds an item if its retention has ended. Returns whether it was shredded. */
  shred(ref: ItemRef): Promise<boolean>;
  find(ref: ItemRef): Promise<Item | undefined>;
  earlier(ref: ItemRef): Promise<ListEarlierContentsOutcome>;
}

export function createFixture(storage: Pick<Storage, "transact">): Fixture {
  const clock = fakeClock();
  const keyOf = (ref: ItemRef) => ({ kind: "item", ...ref }) as const;

  const write = async (...writes: readonly Write[]) => (await storage.transact(refOf(), commitWrites(writes))).sequence;

  return {
    clock,
    write,

    async createVault(vaultId = "vault-1", retentionDays = 30) {
      await write(
        { kind: "vault", vault: { tenantId, vaultId, retentionDays, accessRevision: 0 } },
        { kind: "member", tenantId, vaultId, principalId, role: "member" },
      );
    },

    put(ref, mark, baseVersion) {
      const rule = putItem("administrator", ref, contentOf(mark), baseVersion, actor, clock.now());
      return storage.transact({ ...keyOf(ref), earlier: baseVersion > 0 }, rule);
    },

    remove: (ref, baseVersion) =>
      storage.transact({ ...keyOf(ref), principalId }, deleteItem(baseVersion, actor, clock.now())),

    restore: (ref, baseVersion) =>
      storage.transact(keyOf(ref), restoreItem("administrator", baseVersion, actor, clock.now())),

    move(from, to, mark, baseVersion, earlier = []) {
      const moved = { ref: to, content: contentOf(mark), earlier: storedEarlier(earlier) };
      const ref = { ...keyOf(from), principalId, to: { ...to, principalId } };
      return storage.transact(ref, moveItem(moved, baseVersion, actor, clock.now()));
    },

    async shred(ref) {
      return (await storage.transact(keyOf(ref), shredItem(actor, clock.now()))).outcome;
    },

    async find(ref) {
      return (await storage.transact(keyOf(ref), findItem())).outcome;
    },

    async earlier(ref) {
      const rule = listEarlierContents("administrator", clock.now());
      return (await storage.transact({ ...keyOf(ref), earlier: true }, rule)).outcome;
    },
  };
}
