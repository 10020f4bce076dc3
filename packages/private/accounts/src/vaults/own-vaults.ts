import { type Call, type Clock, type Platform, StorageError } from "@platform-rpc/server";
import type { DelegationExhausted, FoundRecord, MemberVault } from "@platform-rpc/server/host";
import {
  type CreateVaultKeyOutcome,
  checkDeletion,
  createVaultKey,
  type DeleteVaultOutcome,
  firstKey,
  type NewVaultKey,
  permanent,
  type RenameVaultOutcome,
  renameVault,
  wrappedFor,
} from "./change-vault.js";
import { type StoredVaultKey, vaultCreations, vaultKeys } from "./vault-key.js";

/** How many vaults a person can own. Those that they have deleted do not count. */
export const mostOwnVaults = 50;

/** How often a vault is created, if the person creates another one at the same time. */
const tries = 5;

/** How many items are listed at once when a vault is deleted, and how many are deleted at the same time. */
const [listedAtOnce, deletedAtOnce] = [500, 50];

/** Why an item is not deleted that was listed as live, if it is listed again. */
const changedMeanwhile: readonly string[] = ["VERSION_CONFLICT", "ITEM_NOT_FOUND"];

export interface NewVault {
  readonly vaultId: string;
  readonly key: NewVaultKey;
  readonly encryptedName: string;
}

export type CreateVaultOutcome =
  | { readonly ok: true; readonly vault: MemberVault; readonly key: StoredVaultKey }
  | { readonly ok: false; readonly reason: "VAULT_NOT_FOUND" | "VAULT_ALREADY_EXISTS" | "TOO_MANY_VAULTS" };

export type DeletedVaultOutcome =
  | { readonly ok: true; readonly deletedItems: number }
  | Exclude<DeleteVaultOutcome, { readonly ok: true }>
  | { readonly ok: false; readonly reason: "VAULT_NOT_EMPTY" }
  | DelegationExhausted;

interface OwnedVault {
  readonly vaultId: string;
  /** Undefined for a vault without a key. */
  readonly key: FoundRecord<StoredVaultKey> | undefined;
}

export interface OwnVaultsDeps {
  readonly own: Pick<Platform["own"], "getRecord" | "putRecords" | "decide" | "listVaults" | "countDeletion">;
  /** The operations as the caller has them. */
  readonly operations: Pick<Platform["operations"], "listChanges" | "deleteItem">;
  readonly clock: Clock;
}

export function createOwnVaults({ own, operations, clock }: OwnVaultsDeps) {
  const findKey = async (vaultId: string, call: Call) =>
    vaultKeys.open(await own.getRecord(vaultKeys.key(call.actor.tenantId, vaultId), call));

  const findVault = async (vaultId: string, call: Call) => {
    const { vaults } = await own.listVaults({ limit: 1, vaultIds: [vaultId] }, call);
    return vaults[0];
  };

  async function listOwned({ delegation: _, ...call }: Call): Promise<readonly OwnedVault[]> {
    const owned: OwnedVault[] = [];
    for (let afterVaultId = ""; ; ) {
      const { vaults, hasMore } = await own.listVaults({ afterVaultId, limit: 100 }, call);
      const mine = vaults.filter(({ role }) => role === "owner");
      owned.push(
        ...(await Promise.all(mine.map(async ({ vaultId }) => ({ vaultId, key: await findKey(vaultId, call) })))),
      );
      afterVaultId = vaults.at(-1)?.vaultId ?? "";
      if (!hasMore) return owned;
    }
  }

  /** Lists the live items of a vault, up to the page with the last of `most`. Undefined: the caller has no access to the vault. */
  async function listLive(vaultId: string, call: Call, most: number) {
    const live: { readonly itemId: string; readonly version: number }[] = [];
    for (let afterSequence = 0, hasMore = true; hasMore && live.length < most; ) {
      const page = { access: "member", vaultId, afterSequence, limit: listedAtOnce } as const;
      const listed = await operations.listChanges(page, call);
      if (!listed.ok) return undefined;
      for (const { itemId, version, state } of listed.items) if (state === "live") live.push({ itemId, version });
      ({ hasMore, sequence: afterSequence } = listed);
    }
    return live;
  }

  const countOwned = async (call: Call) =>
    (await listOwned(call)).filter(({ key }) => key?.value.deletedAt === undefined).length;

  return {
    /** Returns the key of a vault that was found for the caller. Undefined if it has none. */
    readKey: async (vaultId: string, call: Call) => (await findKey(vaultId, call))?.value,

    /** Returns whether the owner of a vault has deleted it, and nobody has restored one of its items since: that brings it back. */
    async isDeleted(vaultId: string, call: Call): Promise<boolean> {
      const deletedAt = (await findKey(vaultId, call))?.value.deletedAt;
      return deletedAt !== undefined && (await listLive(vaultId, call, 1))?.length === 0;
    },

    /** Lists the vaults that the caller owns, also those that they have deleted. */
    listOwned,

    async create({ vaultId, key, encryptedName }: NewVault, call: Call): Promise<CreateVaultOutcome> {
      const { tenantId, principalId } = call.actor;
      const { vaults = [vaultId], actions = ["write"] } = call.delegation?.bounds ?? {};
      // For software that may act in other vaults only, a new one does not exist, either.
      if (!vaults.includes(vaultId) || !actions.includes("write")) return { ok: false, reason: "VAULT_NOT_FOUND" };
      const wanted = firstKey({ tenantId, vaultId, principalId, encryptedName, ...key });
      for (let attempt = 0; attempt < tries; attempt += 1) {
        const stored = (await findKey(vaultId, call))?.value;
        if (stored !== undefined) {
          const vault = isSame(stored, wanted, principalId) ? await findVault(vaultId, call) : undefined;
          return vault === undefined ? { ok: false, reason: "VAULT_ALREADY_EXISTS" } : { ok: true, vault, key: stored };
        }
        const now = clock.now();
        const creations = vaultCreations.open(await own.getRecord(vaultCreations.key(tenantId, principalId), call));
        if ((await countOwned(call)) >= mostOwnVaults) return { ok: false, reason: "TOO_MANY_VAULTS" };
        const creation = { tenantId, principalId };
        const puts = [
          vaultKeys.create(wanted, now),
          creations === undefined ? vaultCreations.create(creation, now) : creations.replace(creation),
        ];
        await own.putRecords({ puts, alsoVault: { tenantId, vaultId, ownerId: principalId } }, call);
        // What is stored now is this vault, or says why there is none.
      }
      return { ok: false, reason: "VAULT_ALREADY_EXISTS" };
    },

    createKey: ({ key }: { readonly key: NewVaultKey }, call: Call): Promise<CreateVaultKeyOutcome> => {
      const { tenantId, principalId: vaultId } = call.actor;
      const place = { access: "member", vaultId, record: vaultKeys.key(tenantId, vaultId) } as const;
      return own.decide(place, "write", (now) => createVaultKey(key, call.actor, now), call);
    },

    rename(
      { vaultId, ...wanted }: { readonly vaultId: string; readonly revision: number; readonly encryptedName: string },
      call: Call,
    ): Promise<RenameVaultOutcome> {
      const place = { access: "member", vaultId, record: vaultKeys.key(call.actor.tenantId, vaultId) } as const;
      return own.decide(place, "write", (now) => renameVault(wanted, call.actor, now), call);
    },

    /** Deletes the items of a vault, if it is wanted, and then the vault. */
    async remove(
      { vaultId, deleteItems }: { readonly vaultId: string; readonly deleteItems: boolean },
      call: Call,
    ): Promise<DeletedVaultOutcome> {
      const place = { access: "member", vaultId, record: vaultKeys.key(call.actor.tenantId, vaultId) } as const;
      const allowed = await own.decide(place, "delete", () => checkDeletion(call.actor), call);
      if (!allowed.ok) return allowed;
      let deletedItems = 0;
      // Items that are changed or created at the same time are listed again.
      for (;;) {
        const live = await listLive(vaultId, call, deleteItems ? Number.POSITIVE_INFINITY : 1);
        // The caller is a member no more, or a backup is restored.
        if (live === undefined) return { ok: false, reason: "VAULT_NOT_FOUND" };
        if (live.length === 0) break;
        if (!deleteItems) return { ok: false, reason: "VAULT_NOT_EMPTY" };
        // A budget that is too small deletes nothing: neither a part of the items, nor all of them without the vault.
        const affordable = await own.countDeletion(call, live.length);
        if (!affordable.ok) return affordable;
        for (let at = 0; at < live.length; at += deletedAtOnce) {
          const deleting = live
            .slice(at, at + deletedAtOnce)
            .map(({ itemId, version: baseVersion }) => operations.deleteItem({ vaultId, itemId, baseVersion }, call));
          for (const deleted of await Promise.all(deleting)) {
            if (deleted.ok) deletedItems += 1;
            else if (deleted.reason === "DELEGATION_EXHAUSTED") return deleted;
            else if (!changedMeanwhile.includes(deleted.reason)) return { ok: false, reason: "VAULT_NOT_EMPTY" };
          }
        }
      }
      // The vault has no items that are not deleted, or gets one at the same time: then it is shown again.
      for (let attempt = 0; attempt < tries; attempt += 1) {
        const stillAllowed = await own.decide(place, "delete", () => checkDeletion(call.actor), call);
        if (!stillAllowed.ok) return stillAllowed;
        const key = await findKey(vaultId, call);
        if (key === undefined) return permanent;
        if (key.value.deletedAt !== undefined) return { ok: true, deletedItems };
        const counted = await own.countDeletion(call);
        if (!counted.ok) return counted;
        const puts = [key.replace({ ...key.value, deletedAt: clock.now() }), ...counted.puts];
        const events = [{ subject: `vault:${vaultId}`, event: "deleted" }];
        if ((await own.putRecords({ puts, events }, call)).ok) return { ok: true, deletedItems };
      }
      throw new StorageError("contended");
    },
  };
}

export type OwnVaults = ReturnType<typeof createOwnVaults>;

/** Returns whether a vault is the one that the caller has created before. */
function isSame(stored: StoredVaultKey, wanted: StoredVaultKey, principalId: string): boolean {
  return (
    stored.keyId === wanted.keyId &&
    stored.encryptedName === wanted.encryptedName &&
    wrappedFor(stored, principalId) === wrappedFor(wanted, principalId)
  );
}
