import { deleteItem } from "../../domain/delete-item.js";
import { getItem } from "../../domain/get-item.js";
import { createVault, setVaultMember } from "../../domain/manage-vault.js";
import type { Actor } from "../../domain/model/actor.js";
import type { Item, ItemChange, ItemRef, VersionConflict } from "../../domain/model/item.js";
import type { Access } from "../../domain/model/vault.js";
import { putItem } from "../../domain/put-item.js";
import { restoreItem } from "../../domain/restore-item.js";
import { shredItem } from "../../domain/shred-item.js";
import type { Committed, Storage } from "../../ports/storage.js";
import type { ItemCall } from "./item-case.js";
import { changedItem, type ItemAnswer, type ItemDriver, type ItemHost } from "./run-item-cases.js";

/** The part of a storage that the cases of items need. */
export type ItemStorage = Pick<Storage, "transact" | "listChanges" | "listAudit">;

/** A clock that the cases advance. */
export interface CaseClock {
  /** Returns the time, in milliseconds since the epoch. */
  now(): number;
  /** Lets time pass. */
  advance(ms: number): void;
}

/** The caller of the cases, as the audit trail records it. */
export const caseCaller: Actor = {
  tenantId: "t-1",
  principalId: "p-1",
  oauthClientId: "c-1",
  tokenId: "token-1",
  operation: "case",
  requestId: "r-1",
};
const historian: Actor = { ...caseCaller, principalId: "p-historian" };

/** Creates what is given by applying the rules to a storage. */
export function createStorageHost(storage: ItemStorage, clock: CaseClock, callerId = caseCaller.principalId): ItemHost {
  const as = (tenantId: string): Actor => ({ ...historian, tenantId });
  const setRole = async (
    { tenantId, vaultId }: { tenantId: string; vaultId: string },
    principalId: string,
    role: string | undefined,
  ) => {
    const rule = setVaultMember(principalId, role, as(tenantId), clock.now());
    await storage.transact({ kind: "vault", tenantId, vaultId }, rule);
  };
  return {
    now: clock.now,
    async createVault({ tenantId, vaultId, retentionDays, role }) {
      const rule = createVault({ tenantId, vaultId, retentionDays }, as(tenantId), clock.now());
      await storage.transact({ kind: "vault", tenantId, vaultId }, rule);
      await setRole({ tenantId, vaultId }, historian.principalId, "owner");
      if (role !== undefined) await setRole({ tenantId, vaultId }, callerId, role);
    },
    setRole: (vault, role) => setRole(vault, callerId, role),
    change: async (ref, call) => changedItem(await callStorage(storage, clock, "member", as(ref.tenantId), ref, call)),
    time: {
      pass: clock.advance,
      async shred(ref) {
        return (await storage.transact({ kind: "item", ...ref }, shredItem(as(ref.tenantId), clock.now()))).outcome;
      },
    },
    async head(tenantId, vaultId) {
      return (await storage.listChanges({ tenantId, vaultId, afterSequence: 0, limit: 1 })).head;
    },
    async newestAudit({ tenantId, vaultId, itemId }) {
      const { rows } = await storage.listAudit({ tenantId, limit: 5 });
      return rows.find(({ subject }) => subject === `item:${vaultId}/${itemId}`);
    },
  };
}

/** Makes the calls of the cases by applying the rules to a storage. */
export function createStorageDriver(storage: ItemStorage, clock: CaseClock, access: Access): ItemDriver {
  return {
    host: createStorageHost(storage, clock),
    caller: caseCaller,
    call: (ref, call) => callStorage(storage, clock, access, caseCaller, ref, call),
  };
}

async function callStorage(
  storage: ItemStorage,
  clock: CaseClock,
  access: Access,
  actor: Actor,
  { tenantId, vaultId, itemId }: ItemRef,
  call: ItemCall,
): Promise<ItemAnswer> {
  const item = { tenantId, vaultId, itemId };
  const asMember = { kind: "item", ...item, principalId: actor.principalId } as const;
  const ref = access === "member" ? asMember : ({ kind: "item", ...item } as const);
  const now = clock.now();
  switch (call.operation) {
    case "DeleteItem":
      return answerOf(await storage.transact(asMember, deleteItem(call.baseVersion, actor, now)));
    case "RestoreItem":
      return answerOf(await storage.transact(ref, restoreItem(access, call.baseVersion, actor, now)));
    case "PutItem":
      return answerOf(await storage.transact(ref, putItem(access, item, call.content, call.baseVersion, actor, now)));
    case "GetItem":
      return answerOf(await storage.transact(ref, getItem(access)));
  }
}

type Outcome =
  | { readonly ok: true; readonly item: Item | ItemChange }
  | { readonly ok: false; readonly reason: "VERSION_CONFLICT"; readonly conflict: VersionConflict }
  | { readonly ok: false; readonly reason: string; readonly conflict?: undefined };

/** Converts the outcome of a rule, with the sequence that the storage assigned to its change. */
function answerOf({ outcome, sequence: assigned }: Committed<Outcome>): ItemAnswer {
  if (!outcome.ok) {
    const { reason, conflict } = outcome;
    if (conflict === undefined) return { ok: false, reason };
    const { vaultId, sequence, ...rest } = conflict;
    return { ok: false, reason, conflict: { ...rest, cursor: { vaultId, sequence } } };
  }
  const { item } = outcome;
  const { kind, titleHash, encryptedPayload, wrappedKeys, version, state, updatedAt, vaultId } = item;
  const sequence = assigned ?? ("sequence" in item ? item.sequence : Number.NaN);
  return {
    ok: true,
    item: { kind, titleHash, encryptedPayload, wrappedKeys, version, deleted: state !== "live" },
    updatedAt,
    cursor: { vaultId, sequence },
  };
}
