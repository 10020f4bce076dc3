import type { Call } from "@platform-rpc/server";
import {
  type AccessRejection,
  type Decision,
  defineRule,
  type ItemSnapshot,
  type Write,
} from "@platform-rpc/server/host";
import { type StoredVaultKey, vaultKeys } from "./vault-key.js";

type Actor = Call["actor"];

/** A key that a browser has created: nobody else can open it. */
export interface NewVaultKey {
  readonly keyId: string;
  readonly wrappedKey: string;
}

/** Whether the vault was changed, or why not. */
type Rejected<Reason extends string> = AccessRejection | { readonly ok: false; readonly reason: Reason };

export type CreateVaultKeyOutcome = { readonly ok: true; readonly key: StoredVaultKey } | Rejected<"VAULT_KEY_EXISTS">;
export type RenameVaultOutcome =
  | { readonly ok: true; readonly revision: number }
  | Rejected<"VAULT_IS_PERMANENT" | "VAULT_CHANGED">;
export type DeleteVaultOutcome = { readonly ok: true } | Rejected<"VAULT_IS_PERMANENT">;

/** Rejects everybody but the owner. For a caller who is not a member, the vault does not exist. */
function rejectOthers({ vault, role }: ItemSnapshot): AccessRejection | undefined {
  if (vault === undefined || role === undefined) return { ok: false, reason: "VAULT_NOT_FOUND" };
  return role === "owner" ? undefined : { ok: false, reason: "ROLE_FORBIDS_CHANGE" };
}

/** Creates the key of a personal vault. Of two browsers, the first wins: the other one gets its key with the error. */
export const createVaultKey = defineRule(
  (snapshot: ItemSnapshot, wanted: NewVaultKey, actor: Actor, now: number): Decision<CreateVaultKeyOutcome> => {
    const rejected = rejectOthers(snapshot);
    if (rejected !== undefined) return { outcome: rejected, writes: [] };
    const stored = vaultKeys.read(snapshot.record);
    if (stored !== undefined) {
      const same = stored.keyId === wanted.keyId && wrappedFor(stored, actor.principalId) === wanted.wrappedKey;
      return { outcome: same ? { ok: true, key: stored } : { ok: false, reason: "VAULT_KEY_EXISTS" }, writes: [] };
    }
    const { tenantId, principalId } = actor;
    const key = firstKey({ tenantId, vaultId: principalId, principalId, encryptedName: "", ...wanted });
    return changed(snapshot, key, { ok: true, key }, "key created", actor, now);
  },
);

/** Replaces the name of a vault that is still at the revision. */
export const renameVault = defineRule(
  (
    snapshot: ItemSnapshot,
    wanted: { readonly revision: number; readonly encryptedName: string },
    actor: Actor,
    now: number,
  ): Decision<RenameVaultOutcome> => {
    const rejected = rejectOthers(snapshot) ?? rejectPermanent(snapshot, actor);
    const stored = vaultKeys.read(snapshot.record);
    if (rejected !== undefined || stored === undefined) return { outcome: rejected ?? permanent, writes: [] };
    const { encryptedName, nameRevision } = stored;
    if (encryptedName === wanted.encryptedName) return { outcome: { ok: true, revision: nameRevision }, writes: [] };
    if (nameRevision !== wanted.revision) return { outcome: { ok: false, reason: "VAULT_CHANGED" }, writes: [] };
    const renamed = { ...stored, encryptedName: wanted.encryptedName, nameRevision: nameRevision + 1 };
    return changed(snapshot, renamed, { ok: true, revision: renamed.nameRevision }, "renamed", actor, now);
  },
);

/** Checks that the caller may delete a vault, before its items are deleted. */
export const checkDeletion = defineRule(
  (snapshot: ItemSnapshot, actor: Actor): Decision<DeleteVaultOutcome> => ({
    outcome: rejectOthers(snapshot) ?? rejectPermanent(snapshot, actor) ?? { ok: true },
    writes: [],
  }),
);

export const permanent = { ok: false, reason: "VAULT_IS_PERMANENT" } as const;

/** A personal vault ends with its account, and one without a key is an administrator's. */
function rejectPermanent({ vault, record }: ItemSnapshot, { principalId }: Actor) {
  return record === undefined || vault?.vaultId === principalId ? permanent : undefined;
}

/** Returns the first key of a vault, whose owner is the only member who can open it. */
export function firstKey(
  created: Pick<StoredVaultKey, "tenantId" | "vaultId" | "encryptedName"> &
    NewVaultKey & { readonly principalId: string },
): StoredVaultKey {
  const { tenantId, vaultId, keyId, encryptedName, principalId, wrappedKey } = created;
  return {
    tenantId,
    vaultId,
    keyId,
    epoch: 1,
    wrappedKeys: [{ principalId, wrappedKey }],
    encryptedName,
    nameRevision: 1,
  };
}

/** Returns the key as it is wrapped for a member; empty if nobody has shared it with them. */
export function wrappedFor({ wrappedKeys }: StoredVaultKey, principalId: string): string {
  return wrappedKeys.find((wrapped) => wrapped.principalId === principalId)?.wrappedKey ?? "";
}

function changed<Outcome>(
  { record }: ItemSnapshot,
  key: StoredVaultKey,
  outcome: Outcome,
  event: string,
  actor: Actor,
  at: number,
): Decision<Outcome> {
  const { tenantId: subjectTenantId, vaultId } = key;
  const audited: Write = {
    kind: "audit",
    record: { ...actor, versionBefore: 0, versionAfter: 0, subjectTenantId, subject: `vault:${vaultId}`, event, at },
  };
  return { outcome, writes: [vaultKeys.put({ find: () => record }, key, at), audited] };
}
