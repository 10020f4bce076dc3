import type { ItemContent, Write } from "@platform-rpc/server";
import { StorageError } from "@platform-rpc/server/fetch";
import type { MemoryTables } from "./memory-tables.ts";

type WriteOf<Kind extends Write["kind"]> = Extract<Write, { readonly kind: Kind }>;

/** The largest sequence of a vault: `sequence` is a uint32. */
const lastSequence = 4_294_967_295;

/** Applies one write. Returns the sequence of a change; undefined for other writes. */
export function applyWrite(tables: MemoryTables, write: Write): number | undefined {
  switch (write.kind) {
    case "change":
      return change(tables, write);
    case "shred": {
      const { tenantId, vaultId, itemId, version } = write.item;
      const row = tables.items.get(tenantId, vaultId, itemId);
      if (row?.status.version !== version) throw inconsistent("the item to shred has another version");
      const status = { ...row.status, state: "shredded", shredAt: undefined } as const;
      tables.items.set({ ...row, status, content: shredded(row.content) }, tenantId, vaultId, itemId);
      return undefined;
    }
    case "vault": {
      const { tenantId, vaultId } = write.vault;
      const head = tables.vaults.get(tenantId, vaultId)?.head ?? 0;
      tables.vaults.set({ vault: write.vault, head }, tenantId, vaultId);
      return undefined;
    }
    case "member": {
      const { tenantId, vaultId, principalId, role } = write;
      const row = tables.vaults.get(tenantId, vaultId);
      if (row === undefined) throw inconsistent("a membership refers to a vault that does not exist");
      const vault = { ...row.vault, accessRevision: row.vault.accessRevision + 1 };
      tables.vaults.set({ ...row, vault }, tenantId, vaultId);
      tables.members.set(role, tenantId, vaultId, principalId);
      return undefined;
    }
    case "deviceAuthorization":
      tables.deviceAuthorizations.set(write.authorization, write.authorization.deviceCodeHash);
      return undefined;
    case "grant":
      tables.grants.set(write.grant, write.grant.grantId);
      return undefined;
    case "revocation":
      tables.revocations.set(write.at, write.subjectId);
      return undefined;
    case "oauthClient": {
      const { tenantId, oauthClientId } = write.oauthClient;
      const { registeredAt, registeredBy } = tables.oauthClients.get(tenantId, oauthClientId) ?? write.oauthClient;
      tables.oauthClients.set({ ...write.oauthClient, registeredAt, registeredBy }, tenantId, oauthClientId);
      return undefined;
    }
    case "principal":
      tables.principals.set(write.principal, write.principal.tenantId, write.principal.principalId);
      return undefined;
    case "record": {
      const { collection, key, revision } = write.record;
      const before = tables.records.get(collection, key)?.revision ?? 0;
      if (revision !== before + 1) throw inconsistent("a record does not follow the stored revision");
      tables.records.set(write.record, collection, key);
      return undefined;
    }
    case "clock":
      tables.clock.set(write.record);
      return undefined;
    case "keys":
      tables.keys.set(write.keysId);
      return undefined;
    case "audit": {
      const position = tables.audit.all().length + 1;
      tables.audit.set({ ...write.record, position }, String(position));
      return undefined;
    }
  }
}

function change(tables: MemoryTables, { item, content }: WriteOf<"change">): number {
  const { tenantId, vaultId, itemId, version } = item;
  const row = tables.vaults.get(tenantId, vaultId);
  if (row === undefined) throw inconsistent("a change refers to a vault that does not exist");
  if (row.head >= lastSequence) throw new StorageError("sequence_exhausted");
  const before = tables.items.get(tenantId, vaultId, itemId);
  const follows = version === (before?.status.version ?? 0) + 1 && before?.status.state !== "shredded";
  const nextContent = content ?? before?.content;
  if (!follows || nextContent === undefined) throw inconsistent("a change does not follow the stored version");
  const sequence = row.head + 1;
  tables.vaults.set({ ...row, head: sequence }, tenantId, vaultId);
  tables.items.set({ status: item, content: nextContent, sequence }, tenantId, vaultId, itemId);
  return sequence;
}

function shredded({ kind, encryptedPayload }: ItemContent): ItemContent {
  const empty = { ...encryptedPayload, nonce: "", aad: "", ciphertext: "" };
  return { kind, titleHash: "", encryptedPayload: empty, wrappedKeys: [] };
}

/** Creates the error for a write that the rules never return. */
function inconsistent(what: string): StorageError {
  return new StorageError("unavailable", { cause: new Error(what) });
}
