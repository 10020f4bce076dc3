import type { Write } from "../../domain/model/decision.js";
import { type ItemContent, type ItemRef, noEarlier } from "../../domain/model/item.js";
import { lastSequence } from "../../domain/model/vault.js";
import { StorageError } from "../../ports/storage.js";
import { readContent } from "../stored-content.js";
import type { ContentDescription, WorkingSet } from "./working-set.js";

/** A content that is encrypted at rest, and the salt of its key. */
export interface SealedContent {
  readonly content: string;
  readonly salt: string;
  /** The earlier contents, encrypted with the same salt. Absent: there are none. */
  readonly earlier?: string;
}

/** What a write needs besides the rows. */
export interface ApplyOptions {
  /** Encrypts the content of an item. Absent: contents are stored as they are. */
  readonly seal?: ((item: ItemRef, content: ItemContent, earlier: string) => SealedContent) | undefined;
  /** Counts a change of a vault that this batch has decided. Returns how many there are. */
  readonly nextChange: (tenantId: string, vaultId: string) => number;
}

/** A write that is to be committed, with what was computed when it was applied. */
export interface AppliedWrite {
  readonly write: Write;
  /** Returns the description of a changed item's content. */
  readonly description?: () => ContentDescription;
  /** The encrypted content of a change with content. */
  readonly sealed?: SealedContent;
  /** The sequence that a change gets unless another process changes the vault first. */
  readonly expectedSequence?: number;
}

/**
 * Applies a write to the rows, for later decisions.
 *
 * @throws NotLoadedError. StorageError "sequence_exhausted". StorageError "unavailable" for a write that the rows do not permit: no
 * rule decides one.
 */
export function applyWrite(set: WorkingSet, write: Write, options: ApplyOptions): AppliedWrite {
  switch (write.kind) {
    case "change":
      return applyChange(set, write, options);
    case "shred": {
      const { tenantId, vaultId, itemId, version } = write.item;
      const row = set.items.get(tenantId, vaultId, itemId);
      if (row?.status.version !== version)
        throw rejected("the item to shred does not have the version in the database");
      set.items.set([tenantId, vaultId, itemId], {
        ...row,
        status: write.item,
        content: () => readContent(undefined, row.description),
        earlier: () => noEarlier,
      });
      return { write };
    }
    case "vault": {
      const { vault } = write;
      const key: [string, string] = [vault.tenantId, vault.vaultId];
      const found = set.vaults.get(...key);
      const floor = found?.floor ?? set.newVaultFloor;
      set.vaults.set(key, { vault, floor, head: found?.head ?? floor });
      return { write };
    }
    case "member": {
      const { tenantId, vaultId, principalId, role } = write;
      const found = set.vaults.get(tenantId, vaultId);
      if (found === undefined) throw rejected("a membership refers to a vault that does not exist");
      const vault = { ...found.vault, accessRevision: found.vault.accessRevision + 1 };
      set.vaults.set([tenantId, vaultId], { ...found, vault });
      set.members.set([tenantId, vaultId, principalId], role);
      return { write };
    }
    case "record": {
      const { tenantId, collection, key, revision } = write.record;
      const id: [string, string, string] = [tenantId, collection, key];
      // A record with a new id was not looked for: the commit fails if there is one.
      const before = revision === 1 ? set.records.peek(...id) : set.records.get(...id);
      if (revision !== (before?.revision ?? 0) + 1)
        throw rejected("a record does not follow the revision in the database");
      set.records.set(id, write.record);
      return { write };
    }
    case "audit":
      return { write };
  }
}

function applyChange(
  set: WorkingSet,
  write: Extract<Write, { kind: "change" }>,
  { seal, nextChange }: ApplyOptions,
): AppliedWrite {
  const { item, content, earlier = noEarlier } = write;
  const { tenantId, vaultId, itemId, version } = item;
  const vault = set.vaults.get(tenantId, vaultId);
  if (vault === undefined) throw rejected("a change refers to a vault that does not exist");
  const row = set.items.get(tenantId, vaultId, itemId);
  const follows =
    row === undefined
      ? version === vault.floor + 1
      : version === row.status.version + 1 && row.status.state !== "shredded";
  if (!follows) throw rejected("a change does not follow the version in the database");
  const expectedSequence = vault.head + nextChange(tenantId, vaultId);
  if (expectedSequence > lastSequence) throw new StorageError("sequence_exhausted");

  const kept =
    content === undefined
      ? row
      : { description: () => descriptionOf(content), content: () => content, earlier: () => earlier };
  if (kept === undefined) throw rejected("an item is created without content");
  const { description } = kept;
  const key: [string, string, string] = [tenantId, vaultId, itemId];
  set.items.set(key, { ...kept, status: item, sequence: expectedSequence });
  const applied = { write, expectedSequence, description };
  const sealed = content && seal?.(item, content, earlier);
  return sealed === undefined ? applied : { ...applied, sealed };
}

export function descriptionOf({ kind, encryptedPayload }: ItemContent): ContentDescription {
  return { kind, alg: encryptedPayload.alg, payloadVersion: encryptedPayload.version };
}

function rejected(why: string): StorageError {
  return new StorageError("unavailable", { cause: new Error(why) });
}
